package postgres

import (
	"context"

	"gorm.io/gorm"
)

type txKey struct{}

// transaction is the context value within WithinTx.
type transaction struct {
	gorm  *gorm.DB
	after *[]func() // functions to run after the commit
}

func transactionOf(ctx context.Context) (transaction, bool) {
	tx, ok := ctx.Value(txKey{}).(transaction)
	return tx, ok
}

// WithinTx runs fn in one transaction. Stores called with fn's context join it, and so does a nested WithinTx.
func (db *DB) WithinTx(ctx context.Context, fn func(ctx context.Context) error) error {
	if _, joined := transactionOf(ctx); joined {
		return fn(ctx)
	}
	var after []func()
	err := run(ctx, db.gorm.WithContext(ctx), &after, fn)
	if err == nil {
		for _, do := range after {
			do()
		}
	}
	return err
}

// WithinRetriedTx is WithinTx, but runs fn once more in a new transaction if the first was aborted because of other
// transactions. So fn must have no effects outside the database and keep nothing from its first run. Within another
// transaction, fn runs once.
func (db *DB) WithinRetriedTx(ctx context.Context, fn func(ctx context.Context) error) error {
	err := db.WithinTx(ctx, fn)
	if IsContention(err) && !db.InTx(ctx) {
		return db.WithinTx(ctx, fn)
	}
	return err
}

// WithinSavepoint runs fn in its own retried transaction or, within another transaction, in a savepoint. If fn fails,
// only the savepoint is rolled back.
func (db *DB) WithinSavepoint(ctx context.Context, fn func(ctx context.Context) error) error {
	tx, joined := transactionOf(ctx)
	if !joined {
		return db.WithinRetriedTx(ctx, fn)
	}
	before := len(*tx.after)
	err := run(ctx, tx.gorm.WithContext(ctx), tx.after, fn)
	if err != nil {
		*tx.after = (*tx.after)[:before] // the savepoint was rolled back
	}
	return err
}

func run(ctx context.Context, conn *gorm.DB, after *[]func(), fn func(ctx context.Context) error) error {
	var inner error
	begun := false
	err := conn.Transaction(func(tx *gorm.DB) error {
		begun = true
		inner = fn(context.WithValue(ctx, txKey{}, transaction{gorm: tx, after: after}))
		return inner
	})
	switch {
	case inner == nil && begun && commitLost(err):
		return unavailable(err, responseLost)
	case inner == nil:
		return classify(err)
	case fromDatabase(inner):
		return rolledBack(classify(err))
	default: // the callback's own error, or one that a store has classified
		return rolledBack(inner)
	}
}

// AfterCommit runs do after the context's transaction commits, and never if it does not commit. Without a transaction, it
// runs do at once.
func (db *DB) AfterCommit(ctx context.Context, do func()) {
	if tx, ok := transactionOf(ctx); ok {
		*tx.after = append(*tx.after, do)
		return
	}
	do()
}

// conn returns the context's transaction, or the pool.
func (db *DB) conn(ctx context.Context) *gorm.DB {
	if tx, ok := transactionOf(ctx); ok {
		return tx.gorm.WithContext(ctx)
	}
	return db.gorm.WithContext(ctx)
}

// InTx reports whether the context is within a transaction.
func (db *DB) InTx(ctx context.Context) bool {
	_, joined := transactionOf(ctx)
	return joined
}

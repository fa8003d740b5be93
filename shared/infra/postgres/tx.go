package postgres

import (
	"context"

	"gorm.io/gorm"
)

type txKey struct{}

// transaction is what a context within WithinTx carries.
type transaction struct {
	gorm  *gorm.DB
	after *[]func() // what follows the commit
}

func transactionOf(ctx context.Context) (transaction, bool) {
	tx, ok := ctx.Value(txKey{}).(transaction)
	return tx, ok
}

// WithinTx runs fn in one transaction; stores called with its context take part. A transaction within a transaction joins it.
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

// WithinRetriedTx is WithinTx, and runs fn once more in a new transaction when the first one was given up for the sake of others. So fn
// must do nothing outside the database and keep nothing of its first run. Within another transaction it is run once.
func (db *DB) WithinRetriedTx(ctx context.Context, fn func(ctx context.Context) error) error {
	err := db.WithinTx(ctx, fn)
	if IsContention(err) && !db.InTx(ctx) {
		return db.WithinTx(ctx, fn)
	}
	return err
}

// WithinSavepoint runs fn in a retried transaction of its own or, within another one, in a part of it that is undone alone when fn
// fails: what came before then still stands.
func (db *DB) WithinSavepoint(ctx context.Context, fn func(ctx context.Context) error) error {
	tx, joined := transactionOf(ctx)
	if !joined {
		return db.WithinRetriedTx(ctx, fn)
	}
	before := len(*tx.after)
	err := run(ctx, tx.gorm.WithContext(ctx), tx.after, fn)
	if err != nil {
		*tx.after = (*tx.after)[:before] // what was undone will not be committed
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
		return unavailable(err, answerLost)
	case inner == nil:
		return classify(err)
	case fromDatabase(inner):
		return rolledBack(classify(err))
	default: // the callback's own reason, or one that a store has classified
		return rolledBack(inner)
	}
}

// AfterCommit runs do when the transaction of the context has committed, and never when it has not; at once without one.
func (db *DB) AfterCommit(ctx context.Context, do func()) {
	if tx, ok := transactionOf(ctx); ok {
		*tx.after = append(*tx.after, do)
		return
	}
	do()
}

// conn is the transaction of the context, or the pool.
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

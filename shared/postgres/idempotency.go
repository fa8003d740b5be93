package postgres

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"socialpub.internal/shared/apperr"
	"socialpub.internal/shared/ident"
	"socialpub.internal/shared/secretbox"
)

// IdempotentRequest is a request that must take effect once however often it is sent.
type IdempotentRequest struct {
	WorkspaceID ident.Workspace
	Operation   string // one key may be used once for each operation
	Key         string
	Fingerprint [sha256.Size]byte // of everything that the request asks for
}

// StoredAnswer is the answer to the first request with a key.
type StoredAnswer struct {
	Status   int
	Location string
	Body     []byte
}

// Idempotency keeps the answers to requests with a key. There is no state "in progress" that could be left behind: a row is
// seen by others only when the transaction that did the work has committed.
type Idempotency struct {
	db  *DB
	box *secretbox.Keyring
}

// NewIdempotency makes the store.
func NewIdempotency(db *DB, box *secretbox.Keyring) *Idempotency {
	return &Idempotency{db: db, box: box}
}

type answerRow struct {
	Fingerprint []byte
	Status      *int
	Location    *string
	Body        []byte
}

// Begin takes the key for the transaction of the context, or returns the answer that it was used for. While another
// transaction has the key it waits for the pool's lock timeout, then gives IDEMPOTENCY_IN_PROGRESS. IDEMPOTENCY_KEY_REUSED
// when the key was used for another request.
func (s *Idempotency) Begin(ctx context.Context, r IdempotentRequest) (*StoredAnswer, error) {
	made := s.db.conn(ctx).Exec(`INSERT INTO idempotency_key (workspace_id, operation, key, fingerprint) VALUES (?, ?, ?, ?)
		ON CONFLICT DO NOTHING`, r.WorkspaceID, r.Operation, r.Key, r.Fingerprint[:])
	if pgErr, ok := errors.AsType[*pgconn.PgError](made.Error); ok && pgErr.Code == lockNotAvailable {
		return nil, &apperr.Error{
			Code: apperr.IdempotencyInProgress, RetryAfter: time.Second,
			Message: "The first request with this Idempotency-Key is still running; send this one again in a moment.", Cause: made.Error,
		}
	}
	if made.Error != nil || made.RowsAffected == 1 {
		return nil, classify(made.Error)
	}
	return s.find(ctx, r)
}

func (s *Idempotency) find(ctx context.Context, r IdempotentRequest) (*StoredAnswer, error) {
	var row answerRow
	err := s.db.conn(ctx).Raw(`SELECT fingerprint, status, location, body FROM idempotency_key WHERE workspace_id = ? AND operation = ? AND key = ?`,
		r.WorkspaceID, r.Operation, r.Key).Take(&row).Error
	if err != nil {
		return nil, classify(err)
	}
	if !bytes.Equal(row.Fingerprint, r.Fingerprint[:]) {
		return nil, keyReused()
	}
	body, err := s.box.Open(row.Body, answerAAD(r))
	if err != nil {
		return nil, fmt.Errorf("open the stored answer: %w", err)
	}
	return &StoredAnswer{Status: value(row.Status), Location: value(row.Location), Body: body}, nil
}

func keyReused() error {
	return apperr.New(apperr.IdempotencyKeyReused,
		"This Idempotency-Key was used for another request within the last 24 hours. Send this request with a key of its own.")
}

// Finish keeps the answer, in the transaction that Begin took the key for.
func (s *Idempotency) Finish(ctx context.Context, r IdempotentRequest, answer StoredAnswer) error {
	sealed, err := s.box.Seal(answer.Body, answerAAD(r))
	if err != nil {
		return fmt.Errorf("seal the answer: %w", err)
	}
	return classify(s.db.conn(ctx).Exec(`UPDATE idempotency_key SET status = ?, location = ?, body = ?, completed_at = clock_timestamp()
		WHERE workspace_id = ? AND operation = ? AND key = ?`, answer.Status, optional(answer.Location), sealed, r.WorkspaceID, r.Operation, r.Key).Error)
}

func answerAAD(r IdempotentRequest) secretbox.AAD {
	return secretbox.AAD{Kind: "idempotency", Workspace: r.WorkspaceID.String(), Record: r.Operation + " " + r.Key, Field: "body"}
}

// Prune forgets up to limit answers that were made longer than age ago, and returns how many.
func (s *Idempotency) Prune(ctx context.Context, age time.Duration, limit int) (int, error) {
	result := s.db.conn(ctx).Exec(`DELETE FROM idempotency_key WHERE ctid = ANY(ARRAY(
		SELECT ctid FROM idempotency_key WHERE completed_at < now() - CAST(? AS float8) * interval '1 second'
		ORDER BY completed_at LIMIT ? FOR UPDATE SKIP LOCKED))`, age.Seconds(), limit)
	return int(result.RowsAffected), classify(result.Error)
}

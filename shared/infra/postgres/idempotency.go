package postgres

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"gorm.io/gorm"

	"socialpub.internal/shared/infra/secretbox"
	"socialpub.internal/shared/kernel/apperr"
	"socialpub.internal/shared/kernel/ident"
)

// IdempotentRequest is a request that must take effect once, however often it is sent.
type IdempotentRequest struct {
	WorkspaceID ident.Workspace
	Operation   string
	Key         string            // identifies one request of the workspace, across all operations
	Fingerprint [sha256.Size]byte // hash of the whole request, including method and path
}

// StoredAnswer is the response to the first request with a key.
type StoredAnswer struct {
	Status   int
	Location string
	Body     []byte
}

// Idempotency stores the responses to requests with a key. It has no "in progress" state that could be left behind:
// other transactions see a row only after the transaction that did the work has committed. An import outlasts its
// transaction: its row has no response and holds the key unless the import fails.
type Idempotency struct {
	db  *DB
	box *secretbox.Keyring
}

// NewIdempotency returns the store.
func NewIdempotency(db *DB, box *secretbox.Keyring) *Idempotency {
	return &Idempotency{db: db, box: box}
}

type answerRow struct {
	Fingerprint []byte
	Status      *int
	Location    *string
	Body        []byte
}

// Begin reserves the key for the context's transaction, or returns the response stored under the key; an empty one if
// the key was used for an import. While another transaction holds the key, Begin waits for the pool's lock timeout and
// then returns IDEMPOTENCY_IN_PROGRESS. It returns IDEMPOTENCY_KEY_REUSED if the key was used for another request.
func (s *Idempotency) Begin(ctx context.Context, r IdempotentRequest) (*StoredAnswer, error) {
	taken, err := s.take(ctx, r)
	if err == nil && !taken {
		taken, err = s.takeOver(ctx, r)
	}
	switch {
	case isLockTimeout(err):
		return nil, keyInProgress(err)
	case err != nil || taken:
		return nil, classify(err)
	default:
		return s.find(ctx, r)
	}
}

// take inserts the key; false if it is in use.
func (s *Idempotency) take(ctx context.Context, r IdempotentRequest) (bool, error) {
	made := s.db.conn(ctx).Table("idempotency_key").Clauses(onConflict("ON CONFLICT DO NOTHING")).Create(map[string]any{
		"workspace_id": r.WorkspaceID, "operation": r.Operation, "key": r.Key, "fingerprint": r.Fingerprint[:],
	})
	return made.RowsAffected == 1, made.Error
}

// takeOver reserves a key whose import failed; false if the key is in use.
func (s *Idempotency) takeOver(ctx context.Context, r IdempotentRequest) (bool, error) {
	freed := s.key(ctx, r).Where("status IS NULL").Where(`NOT EXISTS (SELECT FROM media_import i
		WHERE i.workspace_id = idempotency_key.workspace_id AND i.idempotency_key = idempotency_key.key
			AND i.state <> 'FAILED')`).Delete(nil)
	if freed.Error != nil || freed.RowsAffected == 0 {
		return false, freed.Error
	}
	return s.take(ctx, r)
}

// key selects the row of the request's key.
func (s *Idempotency) key(ctx context.Context, r IdempotentRequest) *gorm.DB {
	return s.db.conn(ctx).Table("idempotency_key").Where("workspace_id = ? AND key = ?", r.WorkspaceID, r.Key)
}

func (s *Idempotency) find(ctx context.Context, r IdempotentRequest) (*StoredAnswer, error) {
	var row answerRow
	err := s.key(ctx, r).Select("fingerprint, status, location, body").Take(&row).Error
	switch {
	case errors.Is(err, gorm.ErrRecordNotFound): // another request has just freed the key
		return nil, keyInProgress(err)
	case err != nil:
		return nil, classify(err)
	case !bytes.Equal(row.Fingerprint, r.Fingerprint[:]):
		return nil, keyReused()
	case row.Status == nil:
		return &StoredAnswer{}, nil
	}
	body, err := s.box.Open(row.Body, answerAAD(r))
	if err != nil {
		return nil, fmt.Errorf("decrypt the stored response: %w", err)
	}
	return &StoredAnswer{Status: *row.Status, Location: value(row.Location), Body: body}, nil
}

func keyInProgress(cause error) error {
	return &apperr.Error{
		Code: apperr.IdempotencyInProgress, RetryAfter: time.Second,
		Message: "The first request with this Idempotency-Key is still running. Send this one again in a moment.",
		Cause:   cause,
	}
}

func keyReused() error {
	return apperr.New(apperr.IdempotencyKeyReused,
		"This Idempotency-Key was used for another request within the last 24 hours. Use a new key for this request.")
}

// Finish stores the response, in the transaction for which Begin reserved the key.
func (s *Idempotency) Finish(ctx context.Context, r IdempotentRequest, answer StoredAnswer) error {
	sealed, err := s.box.Seal(answer.Body, answerAAD(r))
	if err != nil {
		return fmt.Errorf("encrypt the response: %w", err)
	}
	return classify(s.key(ctx, r).Updates(map[string]any{
		"status": answer.Status, "location": optional(answer.Location), "body": sealed,
		"completed_at": gorm.Expr("clock_timestamp()"),
	}).Error)
}

func answerAAD(r IdempotentRequest) secretbox.AAD {
	return secretbox.AAD{
		Kind: "idempotency", Workspace: r.WorkspaceID.String(), Record: r.Operation + " " + r.Key, Field: "body",
	}
}

// Prune deletes up to limit responses that were completed longer than age ago, and returns the number of deleted rows.
func (s *Idempotency) Prune(ctx context.Context, age time.Duration, limit int) (int, error) {
	old := s.db.conn(ctx).Table("idempotency_key").Select("ctid").Where("completed_at < ?", dbAgo(age)).
		Order("completed_at").Limit(limit).Clauses(locking("FOR UPDATE SKIP LOCKED"))
	result := s.db.conn(ctx).Table("idempotency_key").Where("ctid = ANY(ARRAY(?))", old).Delete(nil)
	return int(result.RowsAffected), classify(result.Error)
}

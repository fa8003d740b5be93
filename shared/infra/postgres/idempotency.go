package postgres

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"gorm.io/gorm"

	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/infra/secretbox"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// IdempotentRequest is a request that must take effect once, however often it is sent.
type IdempotentRequest struct {
	WorkspaceID ident.Workspace
	Operation   string
	Key         string            // identifies one request of the workspace, across all operations
	Fingerprint [sha256.Size]byte // hash of the whole request, including method and path
}

// StoredResponse is the response to the first request with a key.
type StoredResponse struct {
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

// Creation takes the posts of a request, to write them together with its response.
type Creation struct {
	changes []post.Change
	after   []func()
}

// errSecondCreation is returned for posts that cannot be written in the same statement.
var errSecondCreation = errors.New("the request creates posts twice")

// Insert takes new posts, once. It runs after when they have been committed.
func (c *Creation) Insert(changes []post.Change, after func()) error {
	if c.changes != nil {
		return errSecondCreation
	}
	c.changes, c.after = changes, append(c.after, after)
	return nil
}

// Together runs fn, whose only change is one Insert of the Creation, and writes the posts, the key and the response in
// one statement. It returns false, and nothing was changed, if the caller must decide by Begin what becomes of the
// request: fn failed, created nothing, or the key is in use. While another transaction holds the key, Together
// waits for the pool's lock timeout and then returns IDEMPOTENCY_IN_PROGRESS.
func (s *Idempotency) Together(
	ctx context.Context, r IdempotentRequest, fn func(create *Creation) (StoredResponse, error),
) (done bool, err error) {
	c := new(Creation)
	response, err := fn(c)
	switch {
	case IsUnavailable(err):
		return false, err
	case err != nil || c.changes == nil:
		return false, nil //nolint:nilerr // a stored response precedes the error
	}
	sealed, err := s.box.Seal(response.Body, responseAAD(r))
	if err != nil {
		return false, fmt.Errorf("encrypt the response: %w", err)
	}
	done, err = NewPosts(s.db).insert(ctx, c.changes, map[string]any{
		"workspace": r.WorkspaceID, "operation": r.Operation, "key": r.Key, "fingerprint": r.Fingerprint[:],
		"response_status": response.Status, "response_location": optional(response.Location), "response_body": sealed,
	})
	switch {
	case waitedForKey(err):
		return false, keyInProgress(err)
	case IsContention(err), apperr.Is(err, apperr.NotFound), errors.Is(err, ErrExternalIDInUse):
		return false, nil
	case err != nil || !done:
		return false, err
	}
	for _, do := range c.after {
		do()
	}
	return true, nil
}

// waitedForKey reports whether a statement exceeded the lock timeout while another transaction held its key, not
// another record. PostgreSQL names the table in the context of the error.
func waitedForKey(err error) bool {
	pgErr, ok := errors.AsType[*pgconn.PgError](err)
	return ok && pgErr.Code == lockNotAvailable && strings.Contains(pgErr.Where, `"idempotency_key"`)
}

type responseRow struct {
	Fingerprint []byte
	Status      *int
	Location    *string
	Body        []byte
}

// Begin reserves the key for the context's transaction, or returns the response stored under the key; an empty one if
// the key was used for an import. While another transaction holds the key, Begin waits for the pool's lock timeout and
// then returns IDEMPOTENCY_IN_PROGRESS. It returns IDEMPOTENCY_KEY_REUSED if the key was used for another request.
func (s *Idempotency) Begin(ctx context.Context, r IdempotentRequest) (*StoredResponse, error) {
	taken, err := s.take(ctx, r)
	if err == nil && !taken {
		taken, err = s.takeOver(ctx, r)
	}
	switch {
	case isLockTimeout(err):
		return nil, keyInProgress(err)
	case err != nil || taken:
		return nil, classify(err)
	}
	stored, err := s.Find(ctx, r)
	if err == nil && stored == nil { // another request has just freed the key
		err = keyInProgress(nil)
	}
	return stored, err
}

// take inserts the key; false if it is in use.
func (s *Idempotency) take(ctx context.Context, r IdempotentRequest) (bool, error) {
	created := s.db.conn(ctx).Table("idempotency_key").Clauses(onConflict("ON CONFLICT DO NOTHING")).Create(map[string]any{
		"workspace_id": r.WorkspaceID, "operation": r.Operation, "key": r.Key, "fingerprint": r.Fingerprint[:],
	})
	return created.RowsAffected == 1, created.Error
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

// Find returns the response stored under the key, and nil if there is none. It returns IDEMPOTENCY_KEY_REUSED if the key
// was used for another request.
func (s *Idempotency) Find(ctx context.Context, r IdempotentRequest) (*StoredResponse, error) {
	var row responseRow
	err := s.key(ctx, r).Select("fingerprint, status, location, body").Take(&row).Error
	switch {
	case errors.Is(err, gorm.ErrRecordNotFound):
		return nil, nil //nolint:nilnil // no response is stored
	case err != nil:
		return nil, classify(err)
	case !bytes.Equal(row.Fingerprint, r.Fingerprint[:]):
		return nil, keyReused()
	case row.Status == nil:
		return &StoredResponse{}, nil
	}
	body, err := s.box.Open(row.Body, responseAAD(r))
	if err != nil {
		return nil, fmt.Errorf("decrypt the stored response: %w", err)
	}
	return &StoredResponse{Status: *row.Status, Location: value(row.Location), Body: body}, nil
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
func (s *Idempotency) Finish(ctx context.Context, r IdempotentRequest, response StoredResponse) error {
	sealed, err := s.box.Seal(response.Body, responseAAD(r))
	if err != nil {
		return fmt.Errorf("encrypt the response: %w", err)
	}
	return classify(s.key(ctx, r).Updates(map[string]any{
		"status": response.Status, "location": optional(response.Location), "body": sealed,
		"completed_at": gorm.Expr("clock_timestamp()"),
	}).Error)
}

func responseAAD(r IdempotentRequest) secretbox.AAD {
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

package postgres

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"gorm.io/gorm"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/workspace"
	"fencepost.internal/shared/flow"
	"fencepost.internal/shared/infra/secretbox"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// Imports stores imports from URLs: the request, the state and the result.
type Imports struct {
	db    *DB
	box   *secretbox.Keyring
	media *Media
	usage *Usage
	keys  *Idempotency
}

// NewImports returns the store.
func NewImports(db *DB, box *secretbox.Keyring) *Imports {
	return &Imports{db: db, box: box, media: NewMedia(db), usage: NewUsage(db), keys: NewIdempotency(db, box)}
}

// busyRetry is the Retry-After for clients while the maximum number of imports is running.
const busyRetry = 5 * time.Second

// ImportKey makes an import that is requested several times run once.
type ImportKey struct {
	Key         string
	Fingerprint [sha256.Size]byte // hash of the whole request
}

func (k ImportKey) request(of ident.Workspace) IdempotentRequest {
	return IdempotentRequest{WorkspaceID: of, Operation: "import-media", Key: k.Key, Fingerprint: k.Fingerprint}
}

// MaxRunningImports is the maximum number of concurrent imports of a workspace. It keeps slow servers of one tenant
// from blocking other tenants.
const MaxRunningImports = 5

// Running returns the number of running imports of the workspace. Within a transaction, it also keeps others from
// starting an import until the transaction ends.
func (s *Imports) Running(ctx context.Context, of ident.Workspace) (n int64, err error) {
	if s.db.InTx(ctx) {
		err = s.db.conn(ctx).Exec(`SELECT pg_advisory_xact_lock(hashtextextended('imports ' || ?, 0))`, of.String()).Error
	}
	if err == nil {
		err = s.db.conn(ctx).Table("media_import").Where("workspace_id = ? AND state = 'RUNNING'", of).Count(&n).Error
	}
	return n, classify(err)
}

// Insert creates an import and enqueues the start of its workflow. It returns RATE_LIMITED while the maximum number of
// imports is running. If an import that did not fail already has the key, Insert starts nothing and returns the ID of
// that import. It returns IDEMPOTENCY_KEY_REUSED if the key was used for another request of the workspace.
func (s *Imports) Insert(ctx context.Context, i media.Import, key *ImportKey) (earlier ident.Media, err error) {
	sealed, err := s.box.Seal([]byte(i.URL), importAAD(i.WorkspaceID, i.ID))
	if err != nil {
		return ident.Media{}, fmt.Errorf("seal the address: %w", err)
	}
	err = s.db.WithinRetriedTx(ctx, func(ctx context.Context) error {
		begun, err := s.begin(ctx, i, sealed, key)
		if err != nil {
			return err
		}
		if !begun {
			earlier, err = s.withKey(ctx, i.WorkspaceID, key)
			return err
		}
		return enqueue(ctx, s.db, flow.MediaInput{MediaID: i.ID, WorkspaceID: i.WorkspaceID}.Import())
	})
	return earlier, classify(err)
}

// begin inserts the row of an import; false if an earlier import has its key.
func (s *Imports) begin(ctx context.Context, i media.Import, sealed []byte, key *ImportKey) (bool, error) {
	var name *string
	var mark []byte
	if key != nil {
		name, mark = &key.Key, key.Fingerprint[:]
		used, err := s.keys.Begin(ctx, key.request(i.WorkspaceID))
		if err != nil || used != nil {
			return false, err
		}
	}
	if err := s.admit(ctx, i.WorkspaceID); err != nil {
		return false, err
	}
	// The row also stores the key. Programs that do not know the common key space find it there, and their keys are
	// found here.
	created := s.db.conn(ctx).Table("media_import").
		Clauses(onConflict("ON CONFLICT (workspace_id, idempotency_key) WHERE state <> 'FAILED' DO NOTHING")).
		Create(map[string]any{
			"trim_of": optional(i.Trim.Of), "trim_start": trimTime(i.Trim, i.Trim.Start), "trim_end": trimTime(i.Trim, i.Trim.End),
			"id": i.ID, "workspace_id": i.WorkspaceID, "url": sealed, "name": i.Name, "source_url": optional(i.SourceURL),
			"state": string(media.ImportRunning), "idempotency_key": name, "fingerprint": mark,
			"created_at": i.CreatedAt, "deadline": i.Deadline,
		})
	return created.RowsAffected == 1, created.Error
}

// admit returns RATE_LIMITED while the maximum number of imports of the workspace is running.
func (s *Imports) admit(ctx context.Context, of ident.Workspace) error {
	running, err := s.Running(ctx, of)
	if err != nil || running < MaxRunningImports {
		return err
	}
	return &apperr.Error{
		Code: apperr.RateLimited, RetryAfter: busyRetry,
		Message: fmt.Sprintf(
			"The workspace has %d imports in progress, the maximum. Start the next import after one of them ends.", running),
	}
}

// withKey returns the import that already holds the key.
func (s *Imports) withKey(ctx context.Context, of ident.Workspace, key *ImportKey) (ident.Media, error) {
	earlier, err := s.Earlier(ctx, of, *key)
	if err == nil && earlier.IsZero() { // the import failed in the meantime
		return ident.Media{}, &apperr.Error{
			Code: apperr.IdempotencyInProgress, RetryAfter: time.Second,
			Message: "The first request with this Idempotency-Key is about to end. Send this one again in a moment.",
		}
	}
	return earlier, err
}

// Earlier returns the import that used the key and did not fail; the zero ID if the key is free. It returns
// IDEMPOTENCY_KEY_REUSED if the key was used for another request of the workspace.
func (s *Imports) Earlier(ctx context.Context, of ident.Workspace, key ImportKey) (ident.Media, error) {
	var row struct {
		ID          *ident.Media // null if the key does not belong to an import
		Fingerprint []byte
	}
	err := s.db.conn(ctx).Raw(findEarlierImport, map[string]any{"workspace": of, "key": key.Key}).Take(&row).Error
	switch {
	case errors.Is(err, gorm.ErrRecordNotFound):
		return ident.Media{}, nil
	case err != nil:
		return ident.Media{}, classify(err)
	case !bytes.Equal(row.Fingerprint, key.Fingerprint[:]):
		return ident.Media{}, keyReused()
	}
	return value(row.ID), nil
}

func importAAD(of ident.Workspace, id ident.Media) secretbox.AAD {
	return secretbox.AAD{Kind: "media_import", Workspace: of.String(), Record: id.String(), Field: "url"}
}

type importRow struct {
	ID          ident.Media
	WorkspaceID ident.Workspace
	URL         []byte `gorm:"column:url"`
	Name        string
	SourceURL   *string `gorm:"column:source_url"`
	State       string
	ErrorCode   *string
	ErrorText   *string
	CreatedAt   time.Time
	Deadline    time.Time
	TrimOf      *ident.Media
	TrimStart   *int64
	TrimEnd     *int64
}

func (r importRow) trim() media.Trim {
	return media.Trim{
		Of: value(r.TrimOf), Start: time.Duration(value(r.TrimStart)) * time.Millisecond,
		End: time.Duration(value(r.TrimEnd)) * time.Millisecond,
	}
}

// trimTime returns a time of a part in milliseconds; nil if there is no part.
func trimTime(of media.Trim, d time.Duration) *int64 {
	if of.IsZero() {
		return nil
	}
	return new(d.Milliseconds())
}

// Get returns an import of the workspace; NOT_FOUND if it does not exist.
func (s *Imports) Get(ctx context.Context, of ident.Workspace, id ident.Media) (media.Import, error) {
	var r importRow
	err := s.row(ctx, of, id).
		Select("id, workspace_id, url, name, source_url, state, error_code, error_text, created_at, deadline, trim_of, trim_start, trim_end").
		Take(&r).Error
	if err != nil {
		return media.Import{}, rowError(err, "import")
	}
	i := media.Import{
		ID: r.ID, WorkspaceID: r.WorkspaceID, Name: r.Name, SourceURL: value(r.SourceURL), State: media.ImportState(r.State),
		ErrorCode: value(r.ErrorCode), ErrorText: value(r.ErrorText), CreatedAt: r.CreatedAt, Deadline: r.Deadline,
		Trim: r.trim(),
	}
	if r.URL != nil {
		address, err := s.box.Open(r.URL, importAAD(of, id))
		if err != nil {
			return media.Import{}, fmt.Errorf("open the address: %w", err)
		}
		i.URL = string(address)
	}
	return i, nil
}

// row selects an import of the workspace.
func (s *Imports) row(ctx context.Context, of ident.Workspace, id ident.Media) *gorm.DB {
	return s.db.conn(ctx).Table("media_import").Where("id = ? AND workspace_id = ?", id, of)
}

// State returns the state of an import, without its URL; NOT_FOUND if it does not exist.
func (s *Imports) State(ctx context.Context, of ident.Workspace, id ident.Media) (media.Import, error) {
	var r importRow
	err := s.row(ctx, of, id).Select("id, name, state, error_code, error_text, deadline, trim_of, trim_start, trim_end").Take(&r).Error
	return media.Import{
		ID: r.ID, WorkspaceID: of, Name: r.Name, State: media.ImportState(r.State), ErrorCode: value(r.ErrorCode),
		ErrorText: value(r.ErrorText), Deadline: r.Deadline, Trim: r.trim(),
	}, rowError(err, "import")
}

// Finish records the imported asset and its usage of the plan. It returns QUOTA_EXCEEDED if the asset exceeds the plan.
// It returns ErrStale if the import has already ended or the object waited too long. Nothing is written in either case.
func (s *Imports) Finish(ctx context.Context, a media.Asset, limits workspace.Limits) error {
	return s.db.WithinTx(ctx, func(ctx context.Context) error {
		if err := s.end(ctx, a.WorkspaceID, a.ID, media.ImportDone, "", ""); err != nil {
			return err
		}
		if err := s.usage.Reserve(ctx, a.WorkspaceID, a.Size, limits); err != nil {
			return err
		}
		return s.media.Insert(ctx, a)
	})
}

// Fail records the reason for the client why an import failed. It returns ErrStale if the import has already ended.
func (s *Imports) Fail(ctx context.Context, of ident.Workspace, id ident.Media, code apperr.Code, text string) error {
	return s.end(ctx, of, id, media.ImportFailed, string(code), text)
}

func (s *Imports) end(
	ctx context.Context, of ident.Workspace, id ident.Media, state media.ImportState, code, text string,
) error {
	result := s.row(ctx, of, id).Where("state = 'RUNNING'").Updates(map[string]any{
		"state": string(state), "url": nil, "error_code": optional(code), "error_text": optional(text),
		"finished_at": dbNow,
	})
	if result.Error == nil && result.RowsAffected == 0 {
		return ErrStale
	}
	return classify(result.Error)
}

// Prune deletes up to limit imports that ended longer than age ago, and returns the number of deleted imports.
func (s *Imports) Prune(ctx context.Context, age time.Duration, limit int) (int, error) {
	old := s.db.conn(ctx).Table("media_import").Select("ctid").Where("state <> 'RUNNING'").
		Where("finished_at < ?", dbAgo(age)).Order("finished_at").Limit(limit).Clauses(locking("FOR UPDATE SKIP LOCKED"))
	result := s.db.conn(ctx).Table("media_import").Where("ctid = ANY(ARRAY(?))", old).Delete(nil)
	return int(result.RowsAffected), classify(result.Error)
}

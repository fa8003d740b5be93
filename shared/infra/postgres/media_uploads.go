package postgres

import (
	"context"
	"errors"
	"time"

	"gorm.io/gorm"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/workspace"
	"fencepost.internal/shared/kernel/ident"
)

// Uploads stores the direct uploads that are started but not completed.
type Uploads struct {
	db    *DB
	media *Media
	loose *Loose
	usage *Usage
}

// NewUploads returns the store.
func NewUploads(db *DB) *Uploads {
	return &Uploads{db: db, media: NewMedia(db), loose: NewLoose(db), usage: NewUsage(db)}
}

// Insert creates an upload and reserves its usage of the plan; QUOTA_EXCEEDED if it exceeds the plan.
func (s *Uploads) Insert(ctx context.Context, u media.Upload, limits workspace.Limits) error {
	return s.db.WithinTx(ctx, func(ctx context.Context) error {
		if err := s.usage.Reserve(ctx, u.WorkspaceID, u.Size, limits); err != nil {
			return err
		}
		keys := []string{u.Key}
		for _, part := range u.Parts() {
			keys = append(keys, part.Key)
		}
		if err := s.loose.registerAll(ctx, keys, media.UploadLife+media.UploadGrace); err != nil {
			return err
		}
		return s.db.conn(ctx).Table("media_upload").Create(&uploadRow{
			ID: u.ID, WorkspaceID: u.WorkspaceID, Name: u.Name, ContentType: u.ContentType, Size: u.Size,
			ObjectKey: u.Key, CreatedAt: u.CreatedAt, ExpiresAt: u.ExpiresAt,
		}).Error
	})
}

type uploadRow struct {
	ID          ident.Media
	WorkspaceID ident.Workspace
	Name        string
	ContentType string
	Size        int64
	ObjectKey   string
	CreatedAt   time.Time
	ExpiresAt   time.Time
}

// Get returns an uncompleted upload of the workspace; NOT_FOUND if there is none.
func (s *Uploads) Get(ctx context.Context, of ident.Workspace, id ident.Media) (media.Upload, error) {
	var r uploadRow
	err := s.row(ctx, of, id).
		Select("id, workspace_id, name, content_type, size, object_key, created_at, expires_at").Take(&r).Error
	if err != nil {
		return media.Upload{}, rowError(err, "upload")
	}
	return media.Upload{
		ID: r.ID, WorkspaceID: r.WorkspaceID, Name: r.Name, ContentType: r.ContentType, Size: r.Size, Key: r.ObjectKey,
		CreatedAt: r.CreatedAt, ExpiresAt: r.ExpiresAt,
	}, nil
}

// row selects an upload of the workspace.
func (s *Uploads) row(ctx context.Context, of ident.Workspace, id ident.Media) *gorm.DB {
	return s.db.conn(ctx).Table("media_upload").Where("id = ? AND workspace_id = ?", id, of)
}

// claimEnd is the end of a claim that begins now: after the time to copy the object within a slow store.
const claimEnd = `now() + (20 + size / 20e6) * interval '1 second'`

// Claim is the reservation of the completion of an upload. Its end distinguishes it from later ones.
type Claim struct{ end time.Time }

// Claim reserves the completion of the upload for the caller, until the claim expires or is released, and reports
// whether it succeeded. A large file is therefore copied once, however many completions run at the same time. A claim
// of a dead process expires.
func (s *Uploads) Claim(ctx context.Context, of ident.Workspace, id ident.Media) (Claim, bool, error) {
	var rows []struct{ ClaimedUntil time.Time }
	result := s.row(ctx, of, id).Clauses(returning("claimed_until")).Model(&rows).
		Where("COALESCE(claimed_until, '-infinity') < now()").Update("claimed_until", gorm.Expr(claimEnd))
	if result.Error != nil || len(rows) == 0 {
		return Claim{}, false, classify(result.Error)
	}
	return Claim{rows[0].ClaimedUntil}, true, nil
}

// Release ends a claim without a result, unless it has expired and another caller has claimed the completion since.
func (s *Uploads) Release(ctx context.Context, of ident.Workspace, id ident.Media, claim Claim) error {
	return classify(s.row(ctx, of, id).Where("claimed_until = ?", claim.end).Update("claimed_until", nil).Error)
}

// Complete turns an upload into its asset. It returns ErrStale if another completion was faster or the object waited
// too long.
func (s *Uploads) Complete(ctx context.Context, a media.Asset) error {
	return s.db.WithinTx(ctx, func(ctx context.Context) error {
		if _, err := s.end(ctx, a.WorkspaceID, a.ID); err != nil {
			return err
		}
		return s.media.Insert(ctx, a)
	})
}

// Abandon deletes an upload that cannot be completed and releases its reserved storage. The upload still counts towards
// the number of uploads. A missing upload is not an error.
func (s *Uploads) Abandon(ctx context.Context, of ident.Workspace, id ident.Media) error {
	err := s.db.WithinTx(ctx, func(ctx context.Context) error {
		size, err := s.end(ctx, of, id)
		if err != nil {
			return err
		}
		return s.usage.Release(ctx, of, size)
	})
	if errors.Is(err, ErrStale) {
		return nil
	}
	return err
}

func (s *Uploads) end(ctx context.Context, of ident.Workspace, id ident.Media) (size int64, err error) {
	var rows []uploadRow
	err = s.row(ctx, of, id).Clauses(returning("size")).Delete(&rows).Error
	if err != nil {
		return 0, classify(err)
	}
	if len(rows) == 0 {
		return 0, ErrStale
	}
	return rows[0].Size, nil
}

// Expire deletes up to limit uploads that were not completed in time, and returns the number of deleted uploads. Their
// bytes are loose objects.
func (s *Uploads) Expire(ctx context.Context, limit int) (int, error) {
	var gone int
	params := map[string]any{"grace": media.UploadGrace.Seconds(), "limit": limit}
	err := s.db.conn(ctx).Raw(expireUploads, params).Scan(&gone).Error
	return gone, classify(err)
}

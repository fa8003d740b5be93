package postgres

import (
	"context"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/infra/retry"
	"fencepost.internal/shared/infra/secretbox"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// LiveChanges stores the changes that people make to published posts on their networks.
type LiveChanges struct {
	db       *DB
	posts    *Posts
	channels *Channels
	events   *Events
}

// NewLiveChanges returns the store.
func NewLiveChanges(db *DB, box *secretbox.Keyring) *LiveChanges {
	return &LiveChanges{db: db, posts: NewPosts(db), channels: NewChannels(db, box), events: NewEvents(db)}
}

// LiveKey identifies a change.
type LiveKey struct {
	PostID      ident.Post
	N           int
	WorkspaceID ident.Workspace // of a claimed change
	Owner       uuid.UUID       // of a claimed change: who may take it
}

// Published describes the post on its network.
type Published struct {
	ExternalID string
	Parts      []string // ids of all parts; empty if the post has one, or was published before parts were stored
	Deleted    bool     // a live change deleted the post
}

// LiveJob is the input of one call, read after the change was taken.
type LiveJob struct {
	Change    post.LiveChange
	Post      post.Post
	Channel   channel.Channel
	Published Published
}

type liveRow struct {
	PostID      ident.Post
	N           int
	Action      string
	Content     string
	Actor       string
	State       string
	Doubtful    bool
	Tries       int
	RequestedAt time.Time
	EndedAt     *time.Time
	Code        string
	Message     string
}

func fromLiveRow(r liveRow) post.LiveChange {
	return post.LiveChange{
		PostID: r.PostID, N: r.N, Action: post.LiveAction(r.Action), Text: r.Content, Actor: post.Actor(r.Actor),
		State: post.LiveState(r.State), Doubtful: r.Doubtful, Tries: r.Tries, RequestedAt: r.RequestedAt,
		EndedAt: value(r.EndedAt), Code: r.Code, Message: r.Message,
	}
}

// Published describes the post on its network. It returns NOT_FOUND if no attempt is known to have published it.
func (s *LiveChanges) Published(ctx context.Context, id ident.Post) (Published, error) {
	var row struct {
		ExternalID    *string
		ExternalParts textArray
		Deleted       bool
	}
	err := s.db.conn(ctx).Table("publish_attempt").
		Select(`external_id, external_parts, EXISTS (SELECT 1 FROM live_change l
			WHERE l.post_id = publish_attempt.post_id AND l.action = 'DELETE' AND l.state = 'DONE') AS deleted`).
		Where("post_id = ? AND state = ?", id, string(post.AttemptConfirmed)).Take(&row).Error
	return Published{ExternalID: value(row.ExternalID), Parts: row.ExternalParts, Deleted: row.Deleted}, rowError(err, "publication")
}

// Request records a change and its timeline entry, and returns its key. The owner alone may take it for the given time.
// It returns ErrFenced if another change of the post is open.
func (s *LiveChanges) Request(
	ctx context.Context, c post.LiveChange, owner uuid.UUID, lease time.Duration,
) (LiveKey, error) {
	key := LiveKey{PostID: c.PostID}
	err := s.db.WithinTx(ctx, func(ctx context.Context) error {
		last := s.db.conn(ctx).Table("live_change").Where("post_id = ?", c.PostID).Select("COALESCE(max(n), 0)")
		if err := last.Scan(&key.N).Error; err != nil {
			return classify(err)
		}
		key.N++
		err := s.db.conn(ctx).Table("live_change").Create(map[string]any{
			"post_id": c.PostID, "n": key.N, "action": string(c.Action), "content": c.Text, "actor": string(c.Actor),
			"state": string(c.State), "owner": owner, "next_at": dbIn(lease), "requested_at": c.RequestedAt,
		}).Error
		switch {
		case isDuplicate(err):
			return ErrFenced
		case err != nil:
			return classify(err)
		}
		return s.note(ctx, c.PostID, c.Requested())
	})
	return key, err
}

func (s *LiveChanges) note(ctx context.Context, id ident.Post, e post.Entry) error {
	return classify(s.db.conn(ctx).Table("post_timeline").Create(map[string]any{
		"post_id": id, "at": e.At, "kind": string(e.Kind), "actor": string(e.Actor), "detail": e.Detail,
	}).Error)
}

// List returns the changes of a post, oldest first.
func (s *LiveChanges) List(ctx context.Context, id ident.Post) ([]post.LiveChange, error) {
	var rows []liveRow
	err := s.db.conn(ctx).Table("live_change").Where("post_id = ?", id).Order("n").Find(&rows).Error
	return each(rows, fromLiveRow), classify(err)
}

// Deleted reports which of the posts a live change deleted from their networks.
func (s *LiveChanges) Deleted(ctx context.Context, of []ident.Post) (map[ident.Post]bool, error) {
	var ids []ident.Post
	err := s.db.conn(ctx).Table("live_change").Where("post_id IN ?", of).
		Where("action = ? AND state = ?", string(post.LiveDelete), string(post.LiveDone)).Pluck("post_id", &ids).Error
	deleted := make(map[ident.Post]bool, len(ids))
	for _, id := range ids {
		deleted[id] = true
	}
	return deleted, classify(err)
}

// Claim reserves open changes without an execution for the time of the lease. The owner in each key alone may take it.
func (s *LiveChanges) Claim(ctx context.Context, turn retry.Turn, lease time.Duration) ([]LiveKey, error) {
	var keys []LiveKey
	err := s.db.conn(ctx).Raw(claimLiveChanges, turnParams(turn, map[string]any{
		"states": toArray(post.OpenLiveStates()), "lease": lease.Seconds(),
	})).Scan(&keys).Error
	return keys, classify(err)
}

// turnParams adds the parameters of a claim.
func turnParams(turn retry.Turn, params map[string]any) map[string]any {
	params["limit"], params["share"], params["full"] = turn.Limit, turn.Share, idArray(turn.Full)
	return params
}

// Take records that the call is about to be made, and reserves the change for the lease. Only the caller that gets a
// job may make the call. It returns ErrStale if the change has ended or is reserved by another owner. A change that was
// SENT before is doubtful, because the end of that call is unknown.
func (s *LiveChanges) Take(ctx context.Context, key LiveKey, owner uuid.UUID, lease time.Duration) (LiveJob, error) {
	var job LiveJob
	err := s.db.WithinTx(ctx, func(ctx context.Context) error {
		taken := s.db.conn(ctx).Table("live_change").Where("post_id = ? AND n = ?", key.PostID, key.N).
			Where("state = ANY(CAST(? AS text[])) AND (owner = ? OR next_at <= now())", toArray(post.OpenLiveStates()), owner).
			Updates(map[string]any{
				"state": string(post.LiveSent), "doubtful": gorm.Expr("doubtful OR state = ?", string(post.LiveSent)),
				"tries": gorm.Expr("tries + 1"), "owner": owner, "next_at": dbIn(lease), "sent_at": dbNow,
			})
		switch {
		case taken.Error != nil:
			return classify(taken.Error)
		case taken.RowsAffected == 0:
			return ErrStale
		}
		return s.load(ctx, key, &job)
	})
	return job, err
}

func (s *LiveChanges) load(ctx context.Context, key LiveKey, job *LiveJob) error {
	var row liveRow
	err := s.db.conn(ctx).Table("live_change").Where("post_id = ? AND n = ?", key.PostID, key.N).Take(&row).Error
	if err != nil {
		return classify(err)
	}
	job.Change = fromLiveRow(row)
	var of postRow
	if err := s.db.conn(ctx).Table("post").Select(postRead).Where("id = ?", key.PostID).Take(&of).Error; err != nil {
		return classify(err)
	}
	job.Post = fromPostRow(of)
	if job.Channel, err = s.channels.Get(ctx, job.Post.WorkspaceID, job.Post.ChannelID); err != nil {
		return err
	}
	job.Published, err = s.Published(ctx, key.PostID)
	if apperr.Is(err, apperr.NotFound) { // the attempt was deleted with the history of the post
		return nil
	}
	return err
}

// Conclude stores the result of the owner's call, and its effect on the post, if the change ended. An open change may be
// taken by any execution after the wait. It returns ErrStale if another execution has taken the change.
func (s *LiveChanges) Conclude(ctx context.Context, c post.LiveChange, owner uuid.UUID, wait time.Duration) error {
	return s.db.WithinTx(ctx, func(ctx context.Context) error {
		stored := s.db.conn(ctx).Table("live_change").
			Where("post_id = ? AND n = ? AND owner = ? AND state = ?", c.PostID, c.N, owner, string(post.LiveSent)).
			Updates(map[string]any{
				"state": string(c.State), "doubtful": c.Doubtful, "next_at": dbIn(wait), "ended_at": optional(c.EndedAt),
				"code": c.Code, "message": c.Message,
			})
		switch {
		case stored.Error != nil:
			return classify(stored.Error)
		case stored.RowsAffected == 0:
			return s.concluded(ctx, c, owner)
		case c.State.Open():
			return nil
		}
		return s.apply(ctx, c)
	})
}

// concluded returns nil if the owner has stored this result already and lost the database's response, and otherwise
// ErrStale.
func (s *LiveChanges) concluded(ctx context.Context, c post.LiveChange, owner uuid.UUID) error {
	var stored int64
	err := s.db.conn(ctx).Table("live_change").
		Where("post_id = ? AND n = ? AND owner = ? AND state = ?", c.PostID, c.N, owner, string(c.State)).
		Count(&stored).Error
	if err == nil && stored == 0 {
		return ErrStale
	}
	return classify(err)
}

// apply writes the effect of a change that ended. The row of the post is locked, so that no other change is lost.
func (s *LiveChanges) apply(ctx context.Context, c post.LiveChange) error {
	var row postRow
	err := s.db.conn(ctx).Table("post").Clauses(locking("FOR UPDATE")).Select(postRead).Where("id = ?", c.PostID).Take(&row).Error
	if err != nil {
		return classify(err)
	}
	effect, err := c.Effect(fromPostRow(row))
	if err != nil {
		return err
	}
	if err := s.note(ctx, c.PostID, effect.Entry); err != nil || effect.Event == nil {
		return err
	}
	err = s.db.conn(ctx).Table("post").Where("id = ?", c.PostID).Updates(map[string]any{
		"content": effect.Post.Content, "post_url": optional(effect.Post.PostURL), "updated_at": effect.Post.UpdatedAt,
	}).Error
	if err != nil {
		return classify(err)
	}
	return s.events.Insert(ctx, *effect.Event, ident.Webhook{})
}

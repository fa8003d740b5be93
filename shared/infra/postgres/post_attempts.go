package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/infra/secretbox"
	"fencepost.internal/shared/kernel/ident"
)

// ErrFenced is returned when another attempt was sent or may have been sent, so that no attempt may send now.
var ErrFenced = errors.New("an attempt to publish this post is already open")

// ErrDuplicate is returned when the network's post already belongs to another post of this service.
var ErrDuplicate = errors.New("the network's post belongs to another post")

// CodeNotSent is the failure code of an attempt that ended before any call because of a rate limit of the channel's
// network. The attempt counts only towards the retry budget.
const CodeNotSent = "NOT_ASKED"

// Attempt is one run of the publish protocol.
type Attempt struct {
	N          int
	Revision   int
	State      post.AttemptState
	Handle     string
	Marker     string // identifies the prepared content
	StartedAt  time.Time
	SentAt     time.Time
	FinishedAt time.Time
	ExternalID string
	URL        string
	Class      string
	Code       string
	Message    string
	Reconciled int
}

// Job is the input of a publishing activity, read in one statement.
type Job struct {
	Post        post.Post
	Channel     channel.Channel
	Credentials channel.Credentials
	CredRev     int
	Attempt     Attempt // the latest attempt; N is 0 if there is none
	// FirstTry is the time of the first attempt for the current revision, or of the first one after the last wait for the
	// next day's quota; zero if there is no attempt at all. The retry budget counts from it.
	FirstTry time.Time
	// Absences counts the attempts of the current revision that reconciliation found missing on the network.
	Absences int
	// Altered reports that the post was edited after the database was restored. An earlier attempt may have sent the
	// old content, so searching the network for the current content proves nothing.
	Altered bool
	// Limited reports that the channel's network limits it: the caller must call Turn before each call to the network.
	Limited bool
	// Paused reports that the pause of the channel, or of the workspace, holds the post.
	Paused bool
	// ReconnectHold is the longest time after its publish time for which the post waits for its channel to be connected
	// again.
	ReconnectHold time.Duration
	// Predecessor is the post that this one waits for; zero if it was deleted, and if the post waits for none.
	Predecessor post.Predecessor
	// RootExternalID and ParentExternalID identify the parts before a part on its network; empty for other posts, and if they are no
	// longer known.
	RootExternalID, ParentExternalID string
	Now                              time.Time // the database's clock, which alone decides whether a post is due
}

type jobRow struct {
	Post     postRow    `gorm:"embedded;embeddedPrefix:post_"`
	Channel  channelRow `gorm:"embedded;embeddedPrefix:channel_"`
	Attempt  attemptRow `gorm:"embedded;embeddedPrefix:attempt_"`
	Before   beforeRow  `gorm:"embedded;embeddedPrefix:before_"`
	FirstTry *time.Time
	Absences int
	Altered  bool
	Limited  bool
	// ReconnectHoldSeconds is zero for a workspace that is being deleted.
	ReconnectHoldSeconds *int
	DBNow                time.Time `gorm:"column:db_now"`
}

// beforeRow is the post that another one waits for; NULL if it does not exist.
type beforeRow struct {
	Status      *string
	PublishedAt *time.Time
	PostURL     *string `gorm:"column:post_url"`
}

func fromBeforeRow(r beforeRow) post.Predecessor {
	return post.Predecessor{Status: post.Status(value(r.Status)), PublishedAt: value(r.PublishedAt), URL: value(r.PostURL)}
}

type attemptRow struct {
	N              *int
	Revision       *int
	State          *string
	Handle         *string
	Marker         *string
	StartedAt      *time.Time
	SentAt         *time.Time
	FinishedAt     *time.Time
	ExternalID     *string
	PostURL        *string `gorm:"column:post_url"`
	FailureClass   *string
	FailureCode    *string
	FailureMessage *string
	Reconciled     *int
}

func fromAttemptRow(r attemptRow) Attempt {
	return Attempt{
		N: value(r.N), Revision: value(r.Revision), State: post.AttemptState(value(r.State)), Handle: value(r.Handle),
		Marker:    value(r.Marker),
		StartedAt: value(r.StartedAt), SentAt: value(r.SentAt), FinishedAt: value(r.FinishedAt),
		ExternalID: value(r.ExternalID), URL: value(r.PostURL), Class: value(r.FailureClass), Code: value(r.FailureCode),
		Message: value(r.FailureMessage), Reconciled: value(r.Reconciled),
	}
}

const attemptColumns = `n, revision, state, handle, marker, started_at, sent_at, finished_at, external_id, post_url,
	failure_class, failure_code, failure_message, reconciled`

// Attempts stores the attempts of the publish protocol.
type Attempts struct {
	db  *DB
	box *secretbox.Keyring
}

// NewAttempts returns the store. The keyring decrypts the channels' credentials.
func NewAttempts(db *DB, box *secretbox.Keyring) *Attempts { return &Attempts{db: db, box: box} }

// Claim marks the post as being published if it is still SCHEDULED in this revision and due, and returns the job.
// Otherwise it returns ErrStale, and the caller must do nothing. Claiming a post again is safe.
func (s *Attempts) Claim(ctx context.Context, id ident.Post, revision int) (Job, error) {
	return s.job(ctx, claimJob, map[string]any{"id": id, "revision": revision}, ErrStale)
}

// Load returns the same job without claiming the post; NOT_FOUND if the post does not exist.
func (s *Attempts) Load(ctx context.Context, id ident.Post) (Job, error) {
	return s.job(ctx, loadJob, map[string]any{"id": id}, notFound("post"))
}

func (s *Attempts) job(ctx context.Context, statement string, params map[string]any, absent error) (Job, error) {
	var row jobRow
	params["restored"], params["daily_quota"] = CodeRestored, post.CodeDailyQuota
	err := s.db.conn(ctx).Raw(statement, params).Take(&row).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return Job{}, absent
	}
	if err != nil {
		return Job{}, classify(err)
	}
	job := Job{
		Post: fromPostRow(row.Post), Channel: fromChannelRow(row.Channel), CredRev: row.Channel.CredentialsRev,
		Attempt: fromAttemptRow(row.Attempt), FirstTry: value(row.FirstTry), Absences: row.Absences,
		Altered: row.Altered, Limited: row.Limited, Predecessor: fromBeforeRow(row.Before), Now: row.DBNow,
		ReconnectHold: time.Duration(value(row.ReconnectHoldSeconds)) * time.Second,
	}
	job.Paused = job.Channel.Paused() && !job.Post.OverridesPause
	job.Credentials, err = openCredentials(s.box, row.Channel)
	if err != nil {
		return Job{}, fmt.Errorf("credentials of channel %s: %w", job.Channel.ID, err)
	}
	return job, s.placed(ctx, &job)
}

// Intent is the attempt that an execution is about to make.
type Intent struct {
	N      int
	Handle string
	Marker string
	Owner  uuid.UUID // unique to this execution
}

// Prepared stores the handle of an attempt as soon as the network returns it.
func (s *Attempts) Prepared(ctx context.Context, job Job, intent Intent) error {
	before := clause.Expr{
		SQL:  "publish_attempt.state = ANY(CAST(? AS text[]))",
		Vars: []any{toArray(post.AttemptsBefore(post.AttemptPrepare, post.ByAnyone))},
	}
	return classify(s.db.conn(ctx).Table("publish_attempt").Clauses(clause.OnConflict{
		Columns:   []clause.Column{{Name: "post_id"}, {Name: "n"}},
		DoUpdates: clause.AssignmentColumns([]string{"handle", "marker"}),
		Where:     clause.Where{Exprs: []clause.Expression{before}},
	}).Create(map[string]any{
		"post_id": job.Post.ID, "n": intent.N, "revision": job.Post.Revision, "channel_id": job.Channel.ID,
		"state": string(post.AttemptAfter(post.AttemptPrepare)), "handle": intent.Handle, "marker": intent.Marker,
		"owner": intent.Owner, "started_at": dbNow,
	}).Error)
}

// Intend records that the irrevocable call is about to be made. Only the caller that gets nil may make the call. It
// returns ErrFenced if another attempt is fenced, and ErrStale if the post is no longer claimed in this revision.
func (s *Attempts) Intend(ctx context.Context, job Job, intent Intent) error {
	result := s.db.conn(ctx).Exec(intendAttempt, map[string]any{
		"post": job.Post.ID, "content": job.Post.ContentHash(), "n": intent.N, "revision": job.Post.Revision, "handle": intent.Handle,
		"marker": intent.Marker, "owner": intent.Owner.String(), "sent": string(post.AttemptAfter(post.AttemptSend)),
		"before": toArray(post.AttemptsBefore(post.AttemptSend, post.ByAnyone)),
	})
	switch {
	case isDuplicate(result.Error):
		return ErrFenced
	case result.Error != nil:
		return classify(result.Error)
	case result.RowsAffected == 0:
		return ErrStale
	default:
		return nil
	}
}

// Withdraw cancels an intent after the response to Intend was lost. The owning execution knows that it did not send.
// Withdraw does nothing if the intent was never recorded.
func (s *Attempts) Withdraw(ctx context.Context, job Job, intent Intent) error {
	before := toArray(post.AttemptsBefore(post.AttemptWithdraw, post.ByOwner))
	return classify(s.db.conn(ctx).Table("publish_attempt").
		Where("post_id = ? AND n = ? AND owner = ?", job.Post.ID, intent.N, intent.Owner).
		Where("state = ANY(CAST(? AS text[]))", before).
		Updates(map[string]any{
			"state": string(post.AttemptAfter(post.AttemptWithdraw)), "finished_at": dbNow, "failure_class": "transient",
			"failure_code": "INTENT_WITHDRAWN", "failure_message": "The attempt was withdrawn before anything was sent.",
		}).Error)
}

// Taken returns the given external IDs that already belong to posts of this service.
func (s *Attempts) Taken(ctx context.Context, id ident.Channel, externalIDs []string) (map[string]bool, error) {
	var found []string
	err := s.db.conn(ctx).Table("publish_attempt").
		Where("channel_id = ? AND state = 'CONFIRMED' AND external_id = ANY(?)", id, textArray(externalIDs)).
		Pluck("external_id", &found).Error
	taken := make(map[string]bool, len(found))
	for _, f := range found {
		taken[f] = true
	}
	return taken, classify(err)
}

// ListByPost returns the attempts of a post, oldest first.
func (s *Attempts) ListByPost(ctx context.Context, id ident.Post) ([]Attempt, error) {
	var rows []attemptRow
	err := s.db.conn(ctx).Table("publish_attempt").Select(attemptColumns).
		Where("post_id = ?", id).Order("n").Find(&rows).Error
	return each(rows, fromAttemptRow), classify(err)
}

package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"socialpub.internal/shared/domain/channel"
	"socialpub.internal/shared/domain/post"
	"socialpub.internal/shared/infra/secretbox"
	"socialpub.internal/shared/kernel/ident"
)

// AttemptState is where one attempt to publish a post stands.
type AttemptState string

// The states of an attempt. SENT, UNKNOWN and CONFIRMED form the fence: while one stands, nobody sends.
const (
	AttemptPrepared     AttemptState = "PREPARED"     // claimed, the network prepared something; nothing is visible yet
	AttemptSent         AttemptState = "SENT"         // about to make the irrevocable call, or just making it
	AttemptUnknown      AttemptState = "UNKNOWN"      // the call was made, its answer was lost
	AttemptConfirmed    AttemptState = "CONFIRMED"    // the network has the post
	AttemptRejected     AttemptState = "REJECTED"     // the network certainly does not have it
	AttemptUndetermined AttemptState = "UNDETERMINED" // nobody can know; a person must look
	AttemptAbandoned    AttemptState = "ABANDONED"    // nobody could know, and a person decided to try again
)

// Fenced reports whether the state forbids sending.
func (s AttemptState) Fenced() bool {
	return s == AttemptSent || s == AttemptUnknown || s == AttemptConfirmed
}

// ErrFenced says that another attempt was sent, or may have been: nobody may send now.
var ErrFenced = errors.New("an attempt to publish this post already stands")

// ErrDuplicate says that the network's post already belongs to another post of ours.
var ErrDuplicate = errors.New("the network's post belongs to another post")

// CodeNotAsked is the failure code of an attempt that ended before any call, because the channel's network limits it. It
// only counts for the retry budget.
const CodeNotAsked = "NOT_ASKED"

// Attempt is one try of the publish protocol.
type Attempt struct {
	N          int
	Revision   int
	State      AttemptState
	Handle     string
	Marker     string // what was prepared
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

// Job is everything a publishing activity needs, read in one statement.
type Job struct {
	Post        post.Post
	Channel     channel.Channel
	Credentials channel.Credentials
	CredRev     int
	Attempt     Attempt // the last one; N is 0 when there was none
	// FirstTry is when the present plan was first tried; zero before that. The retry budget counts from it.
	FirstTry time.Time
	// Absences is how often reading the network showed that an attempt of the present plan had not arrived.
	Absences int
	// Altered says that the post was edited after the database was restored: what went out before may have said what the post said
	// then, and looking for what it says now proves nothing.
	Altered bool
	// Limited says that the channel's network limits it: Turn has to be asked before a call.
	Limited bool
	Now     time.Time // the database's clock, which alone decides whether a post is due
}

type jobRow struct {
	Post     postRow    `gorm:"embedded;embeddedPrefix:post_"`
	Channel  channelRow `gorm:"embedded;embeddedPrefix:channel_"`
	Attempt  attemptRow `gorm:"embedded;embeddedPrefix:attempt_"`
	FirstTry *time.Time
	Absences int
	Altered  bool
	Limited  bool
	DBNow    time.Time `gorm:"column:db_now"`
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
		N: value(r.N), Revision: value(r.Revision), State: AttemptState(value(r.State)), Handle: value(r.Handle), Marker: value(r.Marker),
		StartedAt: value(r.StartedAt), SentAt: value(r.SentAt), FinishedAt: value(r.FinishedAt),
		ExternalID: value(r.ExternalID), URL: value(r.PostURL), Class: value(r.FailureClass), Code: value(r.FailureCode),
		Message: value(r.FailureMessage), Reconciled: value(r.Reconciled),
	}
}

const attemptColumns = `n, revision, state, handle, marker, started_at, sent_at, finished_at, external_id, post_url,
	failure_class, failure_code, failure_message, reconciled`

var (
	claimJob = `WITH p AS (
		UPDATE post SET publishing_since = COALESCE(publishing_since, now())
		WHERE id = @id AND status = 'SCHEDULED' AND revision = @revision AND scheduled_at <= now()
		RETURNING *
	)` + selectJob
	loadJob = `WITH p AS (SELECT * FROM post WHERE id = @id)` + selectJob
	// selectJob joins what a publishing activity needs.
	selectJob = ` SELECT ` + prefixed("p", "post_", postColumns) + `, ` + prefixed("c", "channel_", channelColumns) + `, ` +
		prefixed("a", "attempt_", attemptColumns) + `,
		(SELECT min(f.started_at) FROM publish_attempt f WHERE f.post_id = p.id AND f.revision = p.revision) AS first_try,
		(SELECT count(*) FROM publish_attempt f WHERE f.post_id = p.id AND f.revision = p.revision AND f.state = 'REJECTED'
			AND f.reconciled > 0) AS absences,
		COALESCE(a.failure_code = '` + CodeRestored + `' AND a.marker <> ` + restoredMarker + `, false) AS altered,
		EXISTS (SELECT 1 FROM channel_limit l WHERE l.channel_id = p.channel_id) AS limited,
		clock_timestamp() AS db_now
	FROM p JOIN channel c ON c.id = p.channel_id
	LEFT JOIN LATERAL (SELECT * FROM publish_attempt WHERE post_id = p.id ORDER BY n DESC LIMIT 1) a ON true`
)

// Attempts is the publish protocol's memory.
type Attempts struct {
	db  *DB
	box *secretbox.Keyring
}

// NewAttempts makes the store. The keyring opens the channels' credentials.
func NewAttempts(db *DB, box *secretbox.Keyring) *Attempts { return &Attempts{db: db, box: box} }

// Claim marks the post as being published, if it is still SCHEDULED in this revision and due, and reads all that
// publishing needs. ErrStale when it is not: whoever loses the claim does nothing. Claiming again what one holds is fine.
func (s *Attempts) Claim(ctx context.Context, id ident.Post, revision int) (Job, error) {
	return s.job(ctx, claimJob, map[string]any{"id": id, "revision": revision}, ErrStale)
}

// Load reads the same without claiming; NOT_FOUND when there is no such post.
func (s *Attempts) Load(ctx context.Context, id ident.Post) (Job, error) {
	return s.job(ctx, loadJob, map[string]any{"id": id}, notFound("post"))
}

func (s *Attempts) job(ctx context.Context, statement string, params map[string]any, absent error) (Job, error) {
	var row jobRow
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
		Altered: row.Altered, Limited: row.Limited, Now: row.DBNow,
	}
	job.Credentials, err = openCredentials(s.box, row.Channel)
	if err != nil {
		return Job{}, fmt.Errorf("credentials of channel %s: %w", job.Channel.ID, err)
	}
	return job, nil
}

// Intent is the attempt an execution is about to make.
type Intent struct {
	N      int
	Handle string
	Marker string
	Owner  uuid.UUID // of this execution alone
}

func (i Intent) params(job Job) map[string]any {
	return map[string]any{
		"post": job.Post.ID, "n": i.N, "revision": job.Post.Revision, "channel": job.Channel.ID, "handle": i.Handle,
		"marker": i.Marker, "owner": i.Owner.String(),
	}
}

// Prepared keeps the handle of an attempt as soon as the network gave it.
func (s *Attempts) Prepared(ctx context.Context, job Job, intent Intent) error {
	return classify(s.db.conn(ctx).Exec(`
		INSERT INTO publish_attempt (post_id, n, revision, channel_id, state, handle, marker, owner, started_at)
		VALUES (@post, @n, @revision, @channel, 'PREPARED', @handle, @marker, @owner, now())
		ON CONFLICT (post_id, n) DO UPDATE SET handle = excluded.handle, marker = excluded.marker
			WHERE publish_attempt.state = 'PREPARED'`, intent.params(job)).Error)
}

// Intend records that the irrevocable call is about to be made. Only who gets nil may make it: ErrFenced when another
// attempt stands, ErrStale when the post is no longer claimed in this revision.
func (s *Attempts) Intend(ctx context.Context, job Job, intent Intent) error {
	result := s.db.conn(ctx).Exec(`
		INSERT INTO publish_attempt (post_id, n, revision, channel_id, state, handle, marker, owner, started_at, sent_at)
		SELECT id, CAST(@n AS integer), revision, channel_id, 'SENT', CAST(@handle AS text), CAST(@marker AS text),
			CAST(@owner AS uuid), now(), now() FROM post
		WHERE id = @post AND status = 'SCHEDULED' AND revision = @revision AND publishing_since IS NOT NULL
		FOR NO KEY UPDATE
		ON CONFLICT (post_id, n) DO UPDATE SET state = 'SENT', sent_at = now(), owner = excluded.owner
			WHERE publish_attempt.state = 'PREPARED' AND publish_attempt.handle = excluded.handle`, intent.params(job))
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

// Withdraw takes back an intent whose recording was answered by silence: the execution that owns it knows that it did not
// send. Nothing happens when the intent was never recorded.
func (s *Attempts) Withdraw(ctx context.Context, job Job, intent Intent) error {
	return classify(s.db.conn(ctx).Exec(`
		UPDATE publish_attempt SET state = 'REJECTED', finished_at = now(), failure_class = 'transient',
			failure_code = 'INTENT_WITHDRAWN', failure_message = 'The attempt was withdrawn before anything was sent.'
		WHERE post_id = @post AND n = @n AND owner = @owner AND state = 'SENT'`, intent.params(job)).Error)
}

// Taken reports which of the network's posts belong to posts of ours already.
func (s *Attempts) Taken(ctx context.Context, id ident.Channel, externalIDs []string) (map[string]bool, error) {
	var found []string
	err := s.db.conn(ctx).Raw(`SELECT external_id FROM publish_attempt
		WHERE channel_id = ? AND state = 'CONFIRMED' AND external_id = ANY(?)`, id, textArray(externalIDs)).Scan(&found).Error
	taken := make(map[string]bool, len(found))
	for _, f := range found {
		taken[f] = true
	}
	return taken, classify(err)
}

// ListByPost reads the attempts of a post, first to last.
func (s *Attempts) ListByPost(ctx context.Context, id ident.Post) ([]Attempt, error) {
	var rows []attemptRow
	err := s.db.conn(ctx).Raw(`SELECT `+attemptColumns+` FROM publish_attempt WHERE post_id = ? ORDER BY n`, id).Scan(&rows).Error
	attempts := make([]Attempt, len(rows))
	for i, r := range rows {
		attempts[i] = fromAttemptRow(r)
	}
	return attempts, classify(err)
}

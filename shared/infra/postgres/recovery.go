package postgres

import (
	"context"
	"time"

	"socialpub.internal/shared/domain/channel"
	"socialpub.internal/shared/kernel/ident"
)

// CodeRestored marks the attempt that stands for whatever happened to a post after the moment that the database was put back
// to.
const CodeRestored = "DATABASE_RESTORED"

// Recovery makes a database that was restored to an earlier moment safe to go on with. What went out since then, in the gap, is
// open again in it, with nothing that tells. So every open post gets an attempt of unknown outcome: the fence of the publish
// protocol then has its network asked before it is sent.
type Recovery struct{ db *DB }

// NewRecovery makes the store.
func NewRecovery(db *DB) *Recovery { return &Recovery{db: db} }

// Gap is where the knowledge of a restored database ends, and what is known of the time since from elsewhere.
type Gap struct {
	Since time.Time
	// Askable are the types of channels whose networks can be asked what became of a post.
	Askable []channel.Type
	// Published are posts that went out in the gap, as far as Temporal remembers.
	Published []ident.Post
}

// Recovered is what a recovery did.
type Recovered struct {
	Held     int // posts that are not sent before it is known whether they are out
	Enqueued int // open posts, deliveries and files that Temporal is told of anew
}

// KnownUntil is the last moment of which the database knows anything; zero when it is empty. What a clock that ran ahead wrote down
// does not reach beyond the present.
func (s *Recovery) KnownUntil(ctx context.Context) (time.Time, error) {
	var row struct{ Known *time.Time }
	err := s.db.conn(ctx).Raw(`SELECT LEAST(k.known, now()) AS known FROM (SELECT GREATEST((SELECT max(created_at) FROM event),
		(SELECT max(updated_at) FROM post), (SELECT max(at) FROM post_timeline)) AS known) k WHERE k.known IS NOT NULL`).Scan(&row).Error
	return value(row.Known), classify(err)
}

// aRevision is more changes than any post had in a gap: plans of the restored posts are newer than those that Temporal holds.
const aRevision = 1_000_000

const (
	// restoredMarker stands for what the post p says, in an attempt of a restored database: what is looked for on its network.
	restoredMarker = `'restored:' || md5(CAST(ROW(p.content_type, p.title, p.content, p.options) AS text))`
	// widen has what was open when the backup was taken looked for in the whole gap, and not by what had been prepared by then. What
	// an earlier recovery looks for stays what it was.
	widen = `UPDATE publish_attempt a SET state = 'UNKNOWN', handle = '', finished_at = now(), failure_class = 'unknown',
			failure_code = @code, failure_message = @message,
			marker = CASE WHEN failure_code = @code THEN marker ELSE ` + restoredMarker + ` END
		FROM post p WHERE p.id = a.post_id AND p.status = 'SCHEDULED' AND a.state IN ('SENT', 'UNKNOWN')`
	// fenceOpen makes the fence. Posts on networks that cannot be asked are held only when they may well be out: those that were due,
	// and those that Temporal knows to be published.
	fenceOpen = `INSERT INTO publish_attempt (post_id, n, revision, channel_id, state, marker, owner, started_at, sent_at, finished_at,
			failure_class, failure_code, failure_message)
		SELECT p.id, COALESCE((SELECT max(n) FROM publish_attempt WHERE post_id = p.id), 0) + 1, p.revision, p.channel_id, 'UNKNOWN',
			` + restoredMarker + `, gen_random_uuid(), CAST(@since AS timestamptz), CAST(@since AS timestamptz), now(), 'unknown', CAST(@code AS text), CAST(@message AS text)
		FROM post p JOIN channel c ON c.id = p.channel_id
		WHERE p.status IN ('DRAFT', 'PENDING_APPROVAL', 'SCHEDULED')
			AND NOT EXISTS (SELECT 1 FROM publish_attempt f WHERE f.post_id = p.id AND f.state IN ('SENT', 'UNKNOWN', 'CONFIRMED'))
			AND (c.type = ANY(CAST(@askable AS text[])) OR p.status = 'SCHEDULED' AND p.scheduled_at <= now() OR p.id = ANY(CAST(@published AS uuid[])))`
	renew  = `UPDATE post SET revision = revision + CAST(? AS integer)`
	forget = `DELETE FROM outbox WHERE kind IN ('post', 'restart')`
)

// Run does it, all or nothing. Nothing else may run on the database meanwhile. Running it again does no harm.
func (s *Recovery) Run(ctx context.Context, gap Gap) (Recovered, error) {
	var done Recovered
	published := make(textArray, len(gap.Published))
	for i, id := range gap.Published {
		published[i] = id.String()
	}
	params := map[string]any{
		"code": CodeRestored, "message": "The database was restored to an earlier moment. Whether the post was published since then is not recorded.",
		"since": gap.Since, "askable": toArray(gap.Askable), "published": published,
	}
	err := s.db.WithinTx(ctx, func(ctx context.Context) error {
		for _, statement := range []string{widen, fenceOpen} {
			result := s.db.conn(ctx).Exec(statement, params)
			if result.Error != nil {
				return classify(result.Error)
			}
			done.Held += int(result.RowsAffected)
		}
		if err := s.db.conn(ctx).Exec(renew, aRevision).Error; err != nil {
			return classify(err)
		}
		if err := s.db.conn(ctx).Exec(forget).Error; err != nil {
			return classify(err)
		}
		var err error
		done.Enqueued, err = NewOutbox(s.db).EnqueueAll(ctx)
		return err
	})
	return done, err
}

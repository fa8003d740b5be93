package postgres

import (
	"context"
	"time"

	"socialpub.internal/shared/domain/channel"
	"socialpub.internal/shared/kernel/ident"
)

// CodeRestored is the failure code of the attempt that represents unknown events of a post after the moment to which
// the database was restored.
const CodeRestored = "DATABASE_RESTORED"

// Recovery makes a database that was restored to an earlier moment safe to use. Posts sent since that moment, in the
// gap, are open again in the database, without a record of the call. So every open post gets an attempt of unknown
// outcome: the fence of the publish protocol then checks its network before the post is sent.
type Recovery struct{ db *DB }

// NewRecovery returns the store.
func NewRecovery(db *DB) *Recovery { return &Recovery{db: db} }

// Gap is the time since the last moment that a restored database knows, with information from other sources.
type Gap struct {
	Since time.Time
	// Askable holds the channel types whose networks can report whether a post was published.
	Askable []channel.Type
	// Published holds the posts published in the gap, as far as Temporal's history shows.
	Published []ident.Post
}

// Recovered is the result of a recovery.
type Recovered struct {
	Held     int // posts that are held until it is known whether they were published
	Enqueued int // open posts, deliveries and files enqueued again for Temporal
}

// KnownUntil returns the time of the latest record in the database; zero if it is empty. Times in the future, written
// by a clock that ran ahead, are capped at the present.
func (s *Recovery) KnownUntil(ctx context.Context) (time.Time, error) {
	var row struct{ Known *time.Time }
	err := s.db.conn(ctx).Raw(`SELECT LEAST(k.known, now()) AS known FROM (SELECT GREATEST((SELECT max(created_at) FROM event),
		(SELECT max(updated_at) FROM post), (SELECT max(at) FROM post_timeline)) AS known) k WHERE k.known IS NOT NULL`).Scan(&row).Error
	return value(row.Known), classify(err)
}

// aRevision is larger than the number of changes of any post in a gap, so that plans of the restored posts are newer
// than those that Temporal holds.
const aRevision = 1_000_000

const (
	// restoredMarker identifies the content of the post p in an attempt of a restored database, for the search on its
	// network.
	restoredMarker = `'restored:' || md5(CAST(ROW(p.content_type, p.title, p.content, p.options) AS text))`
	// widen extends the search for attempts that were open at the time of the backup to the whole gap, and drops their
	// prepared handles. Markers of an earlier recovery stay unchanged.
	widen = `UPDATE publish_attempt a SET state = 'UNKNOWN', handle = '', finished_at = now(), failure_class = 'unknown',
			failure_code = @code, failure_message = @message,
			marker = CASE WHEN failure_code = @code THEN marker ELSE ` + restoredMarker + ` END
		FROM post p WHERE p.id = a.post_id AND p.status = 'SCHEDULED' AND a.state IN ('SENT', 'UNKNOWN')`
	// fenceOpen creates the fence. Posts on networks that cannot be queried are held only if they may have been
	// published: those that were due, and those that Temporal knows to be published.
	fenceOpen = `INSERT INTO publish_attempt (post_id, n, revision, channel_id, state, marker, owner, started_at, sent_at, finished_at,
			failure_class, failure_code, failure_message)
		SELECT p.id, COALESCE((SELECT max(n) FROM publish_attempt WHERE post_id = p.id), 0) + 1, p.revision, p.channel_id, 'UNKNOWN',
			` + restoredMarker + `, gen_random_uuid(), CAST(@since AS timestamptz), CAST(@since AS timestamptz), now(), 'unknown', CAST(@code AS text), CAST(@message AS text)
		FROM post p JOIN channel c ON c.id = p.channel_id
		WHERE p.status IN ('DRAFT', 'PENDING_APPROVAL', 'SCHEDULED')
			AND NOT EXISTS (SELECT 1 FROM publish_attempt f WHERE f.post_id = p.id AND f.state IN ('SENT', 'UNKNOWN', 'CONFIRMED'))
			AND (c.type = ANY(CAST(@askable AS text[])) OR p.status = 'SCHEDULED' AND p.scheduled_at <= now() OR p.id = ANY(CAST(@published AS uuid[])))`
	renew          = `UPDATE post SET revision = revision + CAST(? AS integer)`
	deleteMessages = `DELETE FROM outbox WHERE kind IN ('post', 'restart')`
)

// Run performs the recovery, all or nothing. Nothing else may use the database in the meantime. Running it again is
// safe.
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
		if err := s.db.conn(ctx).Exec(deleteMessages).Error; err != nil {
			return classify(err)
		}
		var err error
		done.Enqueued, err = NewOutbox(s.db).EnqueueAll(ctx)
		return err
	})
	return done, err
}

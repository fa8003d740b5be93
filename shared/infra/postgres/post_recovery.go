package postgres

import (
	"context"
	"time"

	"gorm.io/gorm"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/flow/postflow"
	"fencepost.internal/shared/kernel/ident"
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
	Held     int // posts and answers that are held until it is known whether they were sent
	Enqueued int // open posts, deliveries and files enqueued again for Temporal
}

// KnownUntil returns the time of the latest record in the database; zero if it is empty. Times in the future, written
// by a clock that ran ahead, are capped at the present.
func (s *Recovery) KnownUntil(ctx context.Context) (time.Time, error) {
	var row struct{ Known *time.Time }
	err := s.db.conn(ctx).Table(`(SELECT GREATEST((SELECT max(created_at) FROM event), (SELECT max(updated_at) FROM post),
		(SELECT max(at) FROM post_timeline)) AS known) k`).
		Select("LEAST(k.known, now()) AS known").Where("k.known IS NOT NULL").Scan(&row).Error
	return value(row.Known), classify(err)
}

// aRevision is larger than the number of changes of any post in a gap, so that plans of the restored posts are newer
// than those that Temporal holds.
const aRevision = 1_000_000

// Run performs the recovery, all or nothing. Nothing else may use the database in the meantime. Running it again is
// safe.
func (s *Recovery) Run(ctx context.Context, gap Gap) (Recovered, error) {
	var done Recovered
	published := make(textArray, len(gap.Published))
	for i, id := range gap.Published {
		published[i] = id.String()
	}
	params := map[string]any{
		"code": CodeRestored,
		"message": "The database was restored to an earlier moment. Whether the post was published since then is not " +
			"recorded.",
		"unknown": string(post.AttemptAfter(post.AttemptRestore)),
		"open":    toArray(post.AttemptsBefore(post.AttemptRestore, post.ByAnyone)),
		"since":   gap.Since, "askable": toArray(gap.Askable), "published": published,
	}
	err := s.db.WithinTx(ctx, func(ctx context.Context) error {
		for _, statement := range []string{widenAttempts, fencePosts, holdReplies} {
			result := s.db.conn(ctx).Exec(statement, params)
			if result.Error != nil {
				return classify(result.Error)
			}
			done.Held += int(result.RowsAffected)
		}
		renewed := s.db.conn(ctx).Session(&gorm.Session{AllowGlobalUpdate: true}).Table("post").
			Update("revision", gorm.Expr("revision + CAST(? AS integer)", aRevision))
		if renewed.Error != nil {
			return classify(renewed.Error)
		}
		stale := s.db.conn(ctx).Table("outbox").Where("kind IN ?", []string{postflow.KindPost, postflow.KindRestart}).Delete(nil)
		if stale.Error != nil {
			return classify(stale.Error)
		}
		if err := (&Reminders{db: s.db}).passed(ctx, gap.Since); err != nil {
			return err
		}
		var err error
		if done.Enqueued, err = NewOutbox(s.db).EnqueueAll(ctx); err != nil {
			return err
		}
		return s.db.settleHere(ctx)
	})
	return done, err
}

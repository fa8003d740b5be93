package postgres

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/google/uuid"

	"socialpub.internal/shared/domain/linkpage"
	"socialpub.internal/shared/kernel/ident"
)

// Visits stores the visit counts of link pages.
type Visits struct{ db *DB }

// NewVisits returns the store.
func NewVisits(db *DB) *Visits { return &Visits{db: db} }

// VisitBatch holds the counts of a process since its last batch.
type VisitBatch struct {
	ID       uuid.UUID // a batch that is sent again is not counted again
	Views    []ViewCount
	Visitors []VisitorSeen
	Clicks   []ClickCount
}

// ViewCount is the number of views of a page on a day.
type ViewCount struct {
	PageID ident.LinkPage `json:"page_id"`
	Day    string         `json:"day"` // 2006-01-02
	Views  int64          `json:"views"`
	Bots   int64          `json:"bots"`
}

// VisitorSeen is one visitor of a page on a day.
type VisitorSeen struct {
	PageID  ident.LinkPage `json:"page_id"`
	Day     string         `json:"day"`
	Visitor string         `json:"visitor"` // 16 bytes in hexadecimal
	Source  string         `json:"source"`  // hash of the visitor's address, in the same form
}

// ClickCount is the number of clicks on a block on a day.
type ClickCount struct {
	PageID  ident.LinkPage  `json:"page_id"`
	BlockID ident.LinkBlock `json:"block_id"`
	Day     string          `json:"day"`
	Clicks  int64           `json:"clicks"`
}

// lockVisited locks the pages that a batch has visitors for. The next statement then sees every visitor written before
// it, so that the limit of a source holds across processes.
const lockVisited = `SELECT id FROM link_page
	WHERE id IN (SELECT s.page_id FROM jsonb_to_recordset(CAST(@visitors AS jsonb)) AS s (page_id uuid)) ORDER BY id FOR NO KEY UPDATE`

// addVisits adds a batch in one statement. Rows are written in the same order everywhere, so that two processes do not
// deadlock. Pages deleted in the meantime are skipped. A source adds visitors up to its limit.
const addVisits = `WITH once AS (
		INSERT INTO link_visit_batch (id) VALUES (@id) ON CONFLICT DO NOTHING RETURNING id
	), counted AS (
		SELECT v.page_id, v.day, sum(v.views) AS views, sum(v.bots) AS bots
		FROM once, jsonb_to_recordset(CAST(@views AS jsonb)) AS v (page_id uuid, day date, views bigint, bots bigint) GROUP BY v.page_id, v.day
	), clicked AS (
		SELECT c.page_id, c.block_id, c.day, sum(c.clicks) AS clicks
		FROM once, jsonb_to_recordset(CAST(@clicks AS jsonb)) AS c (page_id uuid, block_id uuid, day date, clicks bigint) GROUP BY c.page_id, c.block_id, c.day
	), seen AS (
		SELECT DISTINCT s.page_id, s.day, decode(s.visitor, 'hex') AS visitor, decode(s.source, 'hex') AS source
		FROM once, jsonb_to_recordset(CAST(@visitors AS jsonb)) AS s (page_id uuid, day date, visitor text, source text)
	), kept AS (
		SELECT id FROM link_page WHERE id IN (SELECT page_id FROM counted UNION SELECT page_id FROM clicked UNION SELECT page_id FROM seen)
		ORDER BY id FOR KEY SHARE
	), known AS (
		SELECT v.page_id, v.day, v.source, count(*) AS visitors
		FROM link_visitor v JOIN (SELECT DISTINCT page_id, day, source FROM seen) AS s USING (page_id, day, source) GROUP BY 1, 2, 3
	), ranked AS (
		SELECT s.*, coalesce(known.visitors, 0) + row_number() OVER (PARTITION BY s.page_id, s.day, s.source ORDER BY s.visitor) AS place
		FROM seen s JOIN kept ON kept.id = s.page_id LEFT JOIN known USING (page_id, day, source)
		WHERE NOT EXISTS (SELECT FROM link_visitor v WHERE v.page_id = s.page_id AND v.day = s.day AND v.visitor = s.visitor)
	), fresh AS (
		INSERT INTO link_visitor (page_id, day, visitor, source)
		SELECT page_id, day, visitor, source FROM ranked WHERE place <= @most ORDER BY 1, 2, 3
		ON CONFLICT DO NOTHING RETURNING page_id, day
	), views AS (
		INSERT INTO page_view_day AS d (page_id, day, views, visitors, bots)
		SELECT c.page_id, c.day, c.views, (SELECT count(*) FROM fresh f WHERE f.page_id = c.page_id AND f.day = c.day), c.bots
		FROM counted c JOIN kept ON kept.id = c.page_id ORDER BY 1, 2
		ON CONFLICT (page_id, day) DO UPDATE SET views = d.views + excluded.views, visitors = d.visitors + excluded.visitors, bots = d.bots + excluded.bots
	) INSERT INTO click_day AS d (page_id, block_id, day, clicks)
		SELECT c.page_id, c.block_id, c.day, c.clicks FROM clicked c JOIN kept ON kept.id = c.page_id ORDER BY 1, 2, 3
		ON CONFLICT (page_id, block_id, day) DO UPDATE SET clicks = d.clicks + excluded.clicks`

// Add adds a batch to the counts. It may be called again after any error: each batch counts once.
func (s *Visits) Add(ctx context.Context, b VisitBatch) error {
	views, err := jsonParam(b.Views)
	clicks, clickErr := jsonParam(b.Clicks)
	visitors, visitorErr := jsonParam(b.Visitors)
	if err := errors.Join(err, clickErr, visitorErr); err != nil {
		return err
	}
	values := map[string]any{
		"id": b.ID, "views": orNone(views), "clicks": orNone(clicks), "visitors": orNone(visitors), "most": linkpage.MaxSourceVisitors,
	}
	return s.db.WithinTx(ctx, func(ctx context.Context) error {
		if err := s.db.conn(ctx).Exec(lockVisited, values).Error; err != nil {
			return classify(err)
		}
		return classify(s.db.conn(ctx).Exec(addVisits, values).Error)
	})
}

func orNone(list string) string {
	if list == "null" {
		return "[]"
	}
	return list
}

const saltLength = 32

// Salt returns the key of the day's hashes, which is the same for every process. The first call of the day creates it.
func (s *Visits) Salt(ctx context.Context, day time.Time) ([]byte, error) {
	fresh := make([]byte, saltLength)
	if _, err := rand.Read(fresh); err != nil {
		return nil, err
	}
	var row struct{ Salt []byte }
	err := s.db.conn(ctx).Raw(`INSERT INTO link_visit_salt (day, salt) VALUES (CAST(? AS date), ?)
		ON CONFLICT (day) DO UPDATE SET day = excluded.day RETURNING salt`, day.Format(time.DateOnly), fresh).Scan(&row).Error
	return row.Salt, classify(err)
}

// Forget deletes the data that visits before today were counted with. It deletes the keys first, after which a hash can
// no longer be attributed to a visitor, then the hashes and the batches. Counts that a process still holds from the day
// before are added, at worst with their visitors counted as new.
func (s *Visits) Forget(ctx context.Context, today time.Time) error {
	return classify(s.db.conn(ctx).Exec(`WITH salts AS (
			DELETE FROM link_visit_salt WHERE day < CAST(@today AS date)
		), visitors AS (
			DELETE FROM link_visitor WHERE day < CAST(@today AS date) - 1
		) DELETE FROM link_visit_batch WHERE created_at < now() - interval '2 days'`,
		map[string]any{"today": today.Format(time.DateOnly)}).Error)
}

// Read returns the visits of a page in a period: every day with counts, and every block.
func (s *Visits) Read(ctx context.Context, page ident.LinkPage, period linkpage.Period) ([]linkpage.DayVisits, []BlockDay, error) {
	span := map[string]any{"page": page, "from": period.From.Format(time.DateOnly), "to": period.To.Format(time.DateOnly)}
	var days []linkpage.DayVisits
	err := s.db.conn(ctx).Raw(`SELECT CAST(day AS timestamptz) AS day, sum(views) AS views, sum(visitors) AS visitors, sum(clicks) AS clicks FROM (
			SELECT day, views, visitors, 0 AS clicks FROM page_view_day WHERE page_id = @page AND day BETWEEN CAST(@from AS date) AND CAST(@to AS date)
			UNION ALL
			SELECT day, 0, 0, clicks FROM click_day WHERE page_id = @page AND day BETWEEN CAST(@from AS date) AND CAST(@to AS date)
		) AS d GROUP BY day ORDER BY day`, span).Scan(&days).Error
	if err != nil {
		return nil, nil, classify(err)
	}
	var blocks []BlockDay
	err = s.db.conn(ctx).Raw(`SELECT block_id, CAST(day AS timestamptz) AS day, clicks FROM click_day
		WHERE page_id = @page AND day BETWEEN CAST(@from AS date) AND CAST(@to AS date) ORDER BY block_id, day`, span).Scan(&blocks).Error
	return days, blocks, classify(err)
}

// BlockDay is the number of clicks on one block on one day.
type BlockDay struct {
	BlockID ident.LinkBlock
	Day     time.Time
	Clicks  int64
}

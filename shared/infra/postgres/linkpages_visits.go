package postgres

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/google/uuid"

	"fencepost.internal/shared/domain/linkpage"
	"fencepost.internal/shared/kernel/ident"
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
	Short    []ShortClicks
}

// ShortClicks is a number of clicks on a short link.
type ShortClicks struct {
	Code   string `json:"code"`
	Clicks int64  `json:"clicks"`
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

// visited are the pages that a batch has visitors for. They are locked before the batch is added. The next statement
// then sees every visitor written before it, so that the limit of a source holds across processes.
const visited = `id IN (SELECT s.page_id FROM jsonb_to_recordset(CAST(@visitors AS jsonb)) AS s (page_id uuid))`

// clickedShort are the short links with clicks in a batch. They are locked in an order, as visited.
const clickedShort = `code IN (SELECT s.code FROM jsonb_to_recordset(CAST(@short AS jsonb)) AS s (code text))`

// Add adds a batch to the counts. It may be called again after any error: each batch counts once.
func (s *Visits) Add(ctx context.Context, b VisitBatch) error {
	views, err := jsonParam(b.Views)
	clicks, clickErr := jsonParam(b.Clicks)
	visitors, visitorErr := jsonParam(b.Visitors)
	short, shortErr := jsonParam(b.Short)
	if err := errors.Join(err, clickErr, visitorErr, shortErr); err != nil {
		return err
	}
	values := map[string]any{
		"id": b.ID, "views": orNone(views), "clicks": orNone(clicks), "visitors": orNone(visitors), "short": orNone(short),
		"most": linkpage.MaxSourceVisitors,
	}
	return s.db.WithinTx(ctx, func(ctx context.Context) error {
		var locked []ident.LinkPage
		err := s.db.conn(ctx).Table("link_page").Where(visited, values).Order("id").
			Clauses(locking("FOR NO KEY UPDATE")).Pluck("id", &locked).Error
		if err != nil {
			return classify(err)
		}
		if len(b.Short) > 0 {
			var codes []string
			err := s.db.conn(ctx).Table("short_link").Where(clickedShort, values).Order("code").
				Clauses(locking("FOR NO KEY UPDATE")).Pluck("code", &codes).Error
			if err != nil {
				return classify(err)
			}
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
	err := s.db.conn(ctx).Raw(takeSalt, map[string]any{"day": day.Format(time.DateOnly), "salt": fresh}).Scan(&row).Error
	return row.Salt, classify(err)
}

// Prune deletes the data that visits before today were counted with. It deletes the keys first, after which a hash can
// no longer be attributed to a visitor, then the hashes and the batches. Counts that a process still holds from the day
// before are added, at worst with their visitors counted as new.
func (s *Visits) Prune(ctx context.Context, today time.Time) error {
	date := today.Format(time.DateOnly)
	return s.db.WithinTx(ctx, func(ctx context.Context) error {
		err := s.db.conn(ctx).Table("link_visit_salt").Where("day < CAST(? AS date)", date).Delete(nil).Error
		if err != nil {
			return err
		}
		err = s.db.conn(ctx).Table("link_visitor").Where("day < CAST(? AS date) - 1", date).Delete(nil).Error
		if err != nil {
			return err
		}
		return s.db.conn(ctx).Table("link_visit_batch").Where("created_at < now() - interval '2 days'").Delete(nil).Error
	})
}

// Read returns the visits of a page in a period: every day with counts, and every block.
func (s *Visits) Read(
	ctx context.Context, page ident.LinkPage, period linkpage.Period,
) ([]linkpage.DayVisits, []BlockDay, error) {
	span := map[string]any{"page": page, "from": period.From.Format(time.DateOnly), "to": period.To.Format(time.DateOnly)}
	var days []linkpage.DayVisits
	err := s.db.conn(ctx).Raw(readVisits, span).Scan(&days).Error
	if err != nil {
		return nil, nil, classify(err)
	}
	var blocks []BlockDay
	err = s.db.conn(ctx).Table("click_day").Select("block_id, CAST(day AS timestamptz) AS day, clicks").
		Where("page_id = @page AND day BETWEEN CAST(@from AS date) AND CAST(@to AS date)", span).
		Order("block_id, day").Scan(&blocks).Error
	return days, blocks, classify(err)
}

// BlockDay is the number of clicks on one block on one day.
type BlockDay struct {
	BlockID ident.LinkBlock
	Day     time.Time
	Clicks  int64
}

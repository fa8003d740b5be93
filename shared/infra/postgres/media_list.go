package postgres

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/ident"
)

// MediaSort is the order of a list of assets.
type MediaSort string

// Orders of assets.
const (
	NewestMedia  MediaSort = "" // the newest first
	OldestMedia  MediaSort = "OLDEST"
	LargestMedia MediaSort = "LARGEST"
	MediaByName  MediaSort = "NAME"
)

// MediaFilter narrows List; zero fields do not filter.
type MediaFilter struct {
	Sort MediaSort
	// AfterSize and AfterName are those of Before, in the orders LARGEST and NAME.
	AfterSize int64
	AfterName string

	Type        media.Type
	Search      post.Search // words of the name, the alternative text or the labels
	Labels      []string    // any of them, in either case
	Unused      bool        // without the assets that something refers to
	Untold      bool        // without an alternative text, apart from documents, which need none
	Ready       bool        // without the assets that are not processed yet
	CreatedFrom time.Time   // inclusive
	CreatedTo   time.Time   // exclusive
	Before      ident.Media // the page starts after this asset
	Limit       int
}

// List returns assets in the order of the filter.
func (s *Media) List(ctx context.Context, workspace ident.Workspace, filter MediaFilter) (assets []media.Asset, err error) {
	text, params := filter.statement(workspace)
	rows, err := s.db.query(ctx, compile(text), params)
	if err != nil {
		return nil, classify(err)
	}
	defer func() { err = errors.Join(err, classify(rows.Close())) }()
	assets = []media.Asset{}
	for rows.Next() {
		var row mediaRow
		if err := s.db.gorm.ScanRows(rows, &row); err != nil {
			return nil, classify(err)
		}
		assets = append(assets, fromMediaRow(row))
	}
	return assets, classify(rows.Err())
}

func (f MediaFilter) statement(workspace ident.Workspace) (text string, params map[string]any) {
	params = map[string]any{
		"workspace": workspace, "type": string(f.Type), "from": f.CreatedFrom, "to": f.CreatedTo, "before": f.Before,
		"limit": f.Limit, "size": f.AfterSize, "name": f.AfterName,
	}
	f.words().into(params)
	var rest []string
	if f.Unused {
		rest = append(rest, `NOT EXISTS (SELECT FROM media_reference r WHERE r.media_id = id)`)
	}
	if f.Untold {
		rest = append(rest, untold)
	}
	if f.Ready {
		rest = append(rest, `processed_at IS NOT NULL`)
	}
	if !f.CreatedFrom.IsZero() {
		rest = append(rest, `created_at >= @from`)
	}
	if !f.CreatedTo.IsZero() {
		rest = append(rest, `created_at < @to`)
	}
	if !f.words().indexed() {
		return `SELECT ` + mediaColumns + f.ordered(rest, `@limit`), params
	}
	return twoPlans{
		ordered: `SELECT *` + f.ordered(nil, strconv.Itoa(inspected)), inspected: inspected,
		rest: append(rest, f.words().conditions()...), fitting: f.fitting, columns: mediaColumns, table: "media",
		order: f.order(),
	}.statement(), params
}

// words returns what the list looks for in the index of texts.
func (f MediaFilter) words() lookup { return inMedia(f.Search, post.LabelKeys(f.Labels)) }

// ordered returns the query for the first assets in the order, without its columns.
func (f MediaFilter) ordered(rest []string, limit string) string {
	return ` FROM media WHERE ` + strings.Join(append(f.conditions(), rest...), ` AND `) + ` ORDER BY ` + f.order() + ` LIMIT ` + limit
}

func (f MediaFilter) conditions() []string {
	conditions := []string{`workspace_id = @workspace`}
	if f.Type != "" {
		conditions = append(conditions, `type = @type`)
	}
	if !f.Before.IsZero() {
		conditions = append(conditions, f.position())
	}
	return conditions
}

// order returns the columns by which the list is sorted.
func (f MediaFilter) order() string {
	switch f.Sort {
	case OldestMedia:
		return `id`
	case LargestMedia:
		return `size DESC, id DESC`
	case MediaByName:
		return `lower(name), id`
	case NewestMedia:
	}
	return `id DESC`
}

// position returns the condition for the assets after Before.
func (f MediaFilter) position() string {
	switch f.Sort {
	case OldestMedia:
		return `id > @before`
	case LargestMedia:
		return `(size, id) < (@size, @before)`
	case MediaByName:
		return `(lower(name), id) > (lower(CAST(@name AS text)), @before)`
	case NewestMedia:
	}
	return `id < @before`
}

// untold is the condition of the assets that people who cannot see them know nothing of.
const untold = `alt_text IS NULL AND type <> 'DOCUMENT'`

// MediaCounts are the numbers of a workspace's assets.
type MediaCounts struct {
	All, Unused, Untold int
	ByType              map[media.Type]int
}

// Count counts the assets of a workspace.
func (s *Media) Count(ctx context.Context, workspace ident.Workspace) (MediaCounts, error) {
	var rows []struct {
		Type                   string
		Number, Unused, Untold int
	}
	err := s.db.conn(ctx).Table("media m").
		Joins("LEFT JOIN (SELECT DISTINCT media_id FROM media_reference WHERE workspace_id = ?) r ON r.media_id = m.id", workspace).
		Select("m.type, count(*) AS number, count(*) FILTER (WHERE r.media_id IS NULL) AS unused, "+
			"count(*) FILTER (WHERE "+untold+") AS untold").
		Where("m.workspace_id = ?", workspace).Group("m.type").Scan(&rows).Error
	counts := MediaCounts{ByType: make(map[media.Type]int)}
	for _, r := range rows {
		counts.All, counts.Unused, counts.Untold = counts.All+r.Number, counts.Unused+r.Unused, counts.Untold+r.Untold
		counts.ByType[media.Type(r.Type)] = r.Number
	}
	return counts, classify(err)
}

// fitting returns the query for the assets that the index of texts finds and that meet all conditions.
func (f MediaFilter) fitting(rest []string) string {
	return `SELECT * FROM (SELECT * FROM media WHERE ` + f.words().index() + ` OFFSET 0) AS candidate WHERE ` +
		strings.Join(slices.Concat(f.conditions(), rest), ` AND `)
}

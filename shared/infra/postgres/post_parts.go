package postgres

import (
	"context"
	"database/sql/driver"
	"encoding/json"
	"fmt"

	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/ident"
)

// partsColumn stores the planned parts of a post as jsonb; NULL if there are none.
type partsColumn struct { //nolint:recvcheck // database/sql calls Value on the value and Scan on the pointer
	Thread  []post.Part  `json:"thread,omitempty"`
	Comment post.Comment `json:"comment,omitzero"`
}

// GormDataType returns the type of the column.
func (partsColumn) GormDataType() string { return "jsonb" }

// Value returns the column's value.
func (c partsColumn) Value() (driver.Value, error) {
	if len(c.Thread) == 0 && c.Comment.IsZero() {
		return nil, nil
	}
	type plain partsColumn // without MarshalJSON, which calls Value
	raw, err := json.Marshal(plain(c))
	if err != nil {
		return nil, fmt.Errorf("encode parts: %w", err)
	}
	return string(raw), nil
}

// MarshalJSON writes the field of a row that is passed as JSON.
func (c partsColumn) MarshalJSON() ([]byte, error) {
	raw, err := c.Value()
	if text, ok := raw.(string); ok {
		return []byte(text), nil
	}
	return []byte("null"), err
}

// Scan reads the column.
func (c *partsColumn) Scan(src any) error {
	*c = partsColumn{}
	return scanJSON(src, c)
}

// withParts completes posts with what became of their parts.
func (s *Posts) withParts(ctx context.Context, posts []post.Post) error {
	var roots []ident.Post
	for _, p := range posts {
		if p.PartsState != "" && p.PartsState != post.PartsPending {
			roots = append(roots, p.ID)
		}
	}
	if len(roots) == 0 {
		return nil
	}
	var rows []postRow
	err := s.db.conn(ctx).Table("post").Select("root_id, part_index, part_kind, status, published_at, post_url, error_code, error_message, error_retryable").
		Where("root_id IN ?", roots).Order("root_id, part_index").Find(&rows).Error
	known := make(map[ident.Post][]post.PartState, len(roots))
	for _, p := range fromPostRows(rows) {
		known[p.PartOf.RootID] = append(known[p.PartOf.RootID], post.StateOf(p))
	}
	for i, p := range posts {
		if found, ok := known[p.ID]; ok {
			posts[i].Parts = p.States(found)
		}
	}
	return classify(err)
}

// Parts returns the published and waiting parts of a post as posts, in order, and locks them.
func (s *Posts) Parts(ctx context.Context, root ident.Post) ([]post.Post, error) {
	var rows []postRow
	err := s.db.conn(ctx).Table("post").Select(postRead).Where("root_id = ?", root).Order("part_index").
		Clauses(locking("FOR NO KEY UPDATE")).Find(&rows).Error
	return fromPostRows(rows), classify(err)
}

// placed completes the job of a part with its place: the ids of the parts before on the network, and the data of the root's events.
func (s *Attempts) placed(ctx context.Context, job *Job) error {
	of := &job.Post.PartOf
	if of.IsZero() {
		return nil
	}
	var root postRow
	if err := s.db.conn(ctx).Table("post").Select(postRead).Where("id = ?", of.RootID).Take(&root).Error; err != nil {
		return rowError(err, "post")
	}
	of.Root = fromPostRow(root).EventData()
	parent := job.Post.After.PostID
	if of.Kind == post.PartComment {
		parent = of.RootID
	}
	var row struct {
		Root, Parent *string
		Last         bool
	}
	err := s.db.conn(ctx).Raw(`SELECT
			(SELECT external_id FROM publish_attempt WHERE post_id = @root AND state = 'CONFIRMED') AS root,
			(SELECT external_id FROM publish_attempt WHERE post_id = @parent AND state = 'CONFIRMED') AS parent,
			NOT EXISTS (SELECT FROM post WHERE root_id = @root AND part_index > @index) AS last`,
		map[string]any{"root": of.RootID, "parent": parent, "index": of.Index}).Scan(&row).Error
	of.Last, job.RootExternalID, job.ParentExternalID = row.Last, value(row.Root), value(row.Parent)
	return classify(err)
}

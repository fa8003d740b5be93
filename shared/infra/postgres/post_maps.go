package postgres

import (
	"database/sql/driver"
	"encoding/json"
	"fmt"

	"fencepost.internal/shared/domain/post"
)

// mapColumn stores texts of a post by their names as jsonb; NULL if there are none: its own alternative texts, its
// metadata.
type mapColumn[M post.AltTexts | post.Metadata] struct {
	texts M
}

// GormDataType returns the type of the column, which GORM cannot derive from a map.
func (mapColumn[M]) GormDataType() string { return "jsonb" }

// Value returns the column's value.
func (c mapColumn[M]) Value() (driver.Value, error) {
	if len(c.texts) == 0 {
		return nil, nil
	}
	raw, err := json.Marshal(c.texts)
	if err != nil {
		return nil, fmt.Errorf("encode texts: %w", err)
	}
	return string(raw), nil
}

// MarshalJSON writes the field of a row that is passed as JSON.
func (c mapColumn[M]) MarshalJSON() ([]byte, error) {
	if len(c.texts) == 0 {
		return []byte("null"), nil
	}
	return json.Marshal(c.texts)
}

// Scan reads the column.
func (c *mapColumn[M]) Scan(src any) error {
	c.texts = nil
	return scanJSON(src, &c.texts)
}

package postgres

import (
	"database/sql/driver"
	"encoding/json"
	"fmt"

	"socialpub.internal/shared/domain/post"
)

// altTextsColumn stores a post's own alternative texts as jsonb; NULL if it has none.
type altTextsColumn post.AltTexts //nolint:recvcheck // database/sql calls Value on the value and Scan on the pointer

// Value returns the column's value.
func (t altTextsColumn) Value() (driver.Value, error) {
	if len(t) == 0 {
		return nil, nil
	}
	raw, err := json.Marshal(post.AltTexts(t))
	if err != nil {
		return nil, fmt.Errorf("encode alternative texts: %w", err)
	}
	return string(raw), nil
}

// MarshalJSON writes the field of a row that is passed as JSON.
func (t altTextsColumn) MarshalJSON() ([]byte, error) {
	if len(t) == 0 {
		return []byte("null"), nil
	}
	return json.Marshal(post.AltTexts(t))
}

// Scan reads the column.
func (t *altTextsColumn) Scan(src any) error {
	*t = nil
	return scanJSON(src, (*post.AltTexts)(t))
}

package postgres

import (
	"database/sql/driver"
	"encoding/json"
	"fmt"

	"fencepost.internal/shared/domain/post"
)

// altTextsColumn stores a post's own alternative texts as jsonb; NULL if it has none.
type altTextsColumn struct { //nolint:recvcheck // database/sql calls Value on the value and Scan on the pointer
	texts post.AltTexts
}

// GormDataType returns the type of the column, which GORM cannot derive from a map.
func (altTextsColumn) GormDataType() string { return "jsonb" }

// Value returns the column's value.
func (t altTextsColumn) Value() (driver.Value, error) {
	if len(t.texts) == 0 {
		return nil, nil
	}
	raw, err := json.Marshal(t.texts)
	if err != nil {
		return nil, fmt.Errorf("encode alternative texts: %w", err)
	}
	return string(raw), nil
}

// MarshalJSON writes the field of a row that is passed as JSON.
func (t altTextsColumn) MarshalJSON() ([]byte, error) {
	if len(t.texts) == 0 {
		return []byte("null"), nil
	}
	return json.Marshal(t.texts)
}

// Scan reads the column.
func (t *altTextsColumn) Scan(src any) error {
	t.texts = nil
	return scanJSON(src, &t.texts)
}

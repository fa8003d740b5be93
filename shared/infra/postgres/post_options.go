package postgres

import (
	"database/sql/driver"
	"encoding/json"
	"fmt"

	"fencepost.internal/shared/domain/post"
)

// optionsColumn stores a post's options as jsonb; NULL if the post has no options.
type optionsColumn struct { //nolint:recvcheck // database/sql calls Value on the value and Scan on the pointer
	post.Options

	given bool
}

// Value returns the column's value.
func (o optionsColumn) Value() (driver.Value, error) {
	if !o.given {
		return nil, nil
	}
	raw, err := json.Marshal(o.Options)
	if err != nil {
		return nil, fmt.Errorf("encode options: %w", err)
	}
	return string(raw), nil
}

// MarshalJSON writes the field of a row that is passed as JSON.
func (o optionsColumn) MarshalJSON() ([]byte, error) {
	if !o.given {
		return []byte("null"), nil
	}
	return json.Marshal(o.Options)
}

// Scan reads the column.
func (o *optionsColumn) Scan(src any) error {
	*o = optionsColumn{given: src != nil}
	return scanJSON(src, &o.Options)
}

// scanJSON decodes a jsonb column. NULL leaves the value unchanged.
func scanJSON(src, into any) error {
	var raw []byte
	switch text := src.(type) {
	case nil:
		return nil
	case string:
		raw = []byte(text)
	case []byte:
		raw = text
	default:
		return fmt.Errorf("jsonb column of type %T", src)
	}
	if err := json.Unmarshal(raw, into); err != nil {
		return fmt.Errorf("decode a jsonb column: %w", err)
	}
	return nil
}

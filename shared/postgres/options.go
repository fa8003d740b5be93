package postgres

import (
	"database/sql/driver"
	"encoding/json"
	"fmt"

	"socialpub.internal/shared/post"
)

// optionsColumn carries a post's options as jsonb; none are NULL.
type optionsColumn post.Options //nolint:recvcheck // package sql asks the value for Value and the pointer for Scan

// Value writes the column.
func (o optionsColumn) Value() (driver.Value, error) {
	if post.Options(o).IsZero() {
		return nil, nil
	}
	raw, err := json.Marshal(post.Options(o))
	if err != nil {
		return nil, fmt.Errorf("encode options: %w", err)
	}
	return string(raw), nil
}

// MarshalJSON writes the member of a row that is passed as JSON.
func (o optionsColumn) MarshalJSON() ([]byte, error) {
	if post.Options(o).IsZero() {
		return []byte("null"), nil
	}
	return json.Marshal(post.Options(o))
}

// Scan reads the column.
func (o *optionsColumn) Scan(src any) error {
	*o = optionsColumn{}
	var raw []byte
	switch text := src.(type) {
	case nil:
		return nil
	case string:
		raw = []byte(text)
	case []byte:
		raw = text
	default:
		return fmt.Errorf("options column of type %T", src)
	}
	if err := json.Unmarshal(raw, (*post.Options)(o)); err != nil {
		return fmt.Errorf("decode options: %w", err)
	}
	return nil
}

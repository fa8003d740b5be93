package postgres

import (
	"database/sql/driver"
	"encoding/json"
	"fmt"

	"socialpub.internal/shared/domain/post"
)

// optionsColumn carries a post's options as jsonb; NULL where the post has no set of options.
type optionsColumn struct { //nolint:recvcheck // package sql asks the value for Value and the pointer for Scan
	post.Options

	given bool
}

// Value writes the column.
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

// MarshalJSON writes the member of a row that is passed as JSON.
func (o optionsColumn) MarshalJSON() ([]byte, error) {
	if !o.given {
		return []byte("null"), nil
	}
	return json.Marshal(o.Options)
}

// Scan reads the column.
func (o *optionsColumn) Scan(src any) error {
	*o = optionsColumn{given: src != nil}
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
	if err := json.Unmarshal(raw, &o.Options); err != nil {
		return fmt.Errorf("decode options: %w", err)
	}
	return nil
}

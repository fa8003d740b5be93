package linkpage

import (
	"encoding/json"
	"fmt"
	"time"

	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// Settings holds the content of a block, with one struct per type. The same JSON is stored.
type Settings interface {
	// Type returns the block's type.
	Type() BlockType
	// Fields returns the fields of the type with their values.
	Fields() []Field
	// Traits returns what the service does with the block.
	Traits() Traits
}

// Traits are the properties of a block that do not depend on its type. Zero values mean that the block lacks them.
type Traits struct {
	Label  string // a text by which people recognize the block
	Target string // the URL opened by a click
	Asset  ident.Media
	// Post is a post that the block shows once it is published; nil if the type shows none. A click opens the post on its
	// network.
	Post *ident.Post
	// Until is the time at which the block starts to look different, for example expired.
	Until time.Time
	// Heading reports whether the following blocks belong to this one.
	Heading   bool
	Questions []FAQItem // for search engines
}

const shortText = 60

func shorten(text string) string {
	runes := []rune(text)
	if len(runes) <= shortText {
		return text
	}
	return string(runes[:shortText-1]) + "…"
}

// ReadSettings parses the settings of a block of the given type from JSON. It returns VALIDATION_FAILED with every
// fault at once; pointers start with /settings.
func ReadSettings(t BlockType, raw []byte) (Settings, error) {
	var f faults
	settings := f.settings("/settings", t, raw)
	return settings, apperr.Invalid(f)
}

// settings returns nil only if it reported a fault.
func (f *faults) settings(at string, t BlockType, raw []byte) Settings {
	descriptor, known := DescriptorOf(t)
	if !known {
		return nil // the unknown type is reported elsewhere
	}
	o, ok := newObject(at, raw, f)
	if !ok {
		return nil
	}
	settings := descriptor.read(o)
	o.end()
	return settings
}

// storedBlock is the JSON form of a block.
type storedBlock struct {
	ID        ident.LinkBlock `json:"id"`
	Type      BlockType       `json:"type"`
	Visible   bool            `json:"visible"`
	ShowFrom  time.Time       `json:"showFrom,omitzero"`
	ShowUntil time.Time       `json:"showUntil,omitzero"`
	Settings  json.RawMessage `json:"settings"`
}

// MarshalJSON returns the stored form.
func (b Block) MarshalJSON() ([]byte, error) {
	settings, err := json.Marshal(b.Settings)
	if err != nil {
		return nil, err
	}
	return json.Marshal(storedBlock{
		ID: b.ID, Type: b.Type(), Visible: b.Visible, ShowFrom: b.ShowFrom, ShowUntil: b.ShowUntil, Settings: settings,
	})
}

// UnmarshalJSON parses the stored form. It does not apply the current validation rules, because accepted content
// remains valid.
func (b *Block) UnmarshalJSON(raw []byte) error {
	var stored storedBlock
	if err := json.Unmarshal(raw, &stored); err != nil {
		return err
	}
	descriptor, known := DescriptorOf(stored.Type)
	if !known {
		return fmt.Errorf("linkpage: no such block type %.40q", stored.Type)
	}
	settings, err := descriptor.decode(stored.Settings)
	if err != nil {
		return err
	}
	*b = Block{
		ID: stored.ID, Settings: settings, Visible: stored.Visible, ShowFrom: stored.ShowFrom, ShowUntil: stored.ShowUntil,
	}
	return nil
}

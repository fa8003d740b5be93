package linkpage

import (
	"encoding/json"
	"slices"
)

// BlockType is the kind of a block.
type BlockType string

// descriptors lists every block type in the published order. A type has one file, block_<type>.go, with its settings
// and its descriptor, and one template in services/internal/render/templates. Everything else derives from the
// descriptor: validation, the application's form, the API's form and schema, documentation, and the content of tests.
var descriptors = []Descriptor{
	linkBlock(),
	textBlock(),
	sectionBlock(),
	postCardBlock(),
	productBlock(),
	couponBlock(),
	countdownBlock(),
	noticeBarBlock(),
	faqBlock(),
	testimonialBlock(),
}

// Descriptor describes a block type.
type Descriptor struct {
	Type    BlockType
	Name    string // for people
	Icon    string // of the application's set
	Remark  string // sentence for the documentation; may be empty
	Fields  []Field
	Example Example // zero if every block of the type refers to another resource, such as a post

	read   func(object) Settings
	decode func(raw []byte) (Settings, error)
}

// Example is a request of the API's documentation.
type Example struct {
	Name     string // key in the OpenAPI document
	Summary  string
	Settings map[string]any
}

// describe completes a descriptor: fields declares the fields of the settings that it points to.
func describe[S Settings](d Descriptor, fields func(*S) []Field) Descriptor {
	var zero S
	d.Type, d.Fields = zero.Type(), fields(&zero)
	d.read = func(o object) Settings {
		var s S
		o.fields(fields(&s))
		return s
	}
	d.decode = func(raw []byte) (Settings, error) {
		var s S
		err := json.Unmarshal(raw, &s)
		return s, err
	}
	return d
}

// Descriptors returns the descriptor of every block type in the published order.
func Descriptors() []Descriptor { return slices.Clone(descriptors) }

// DescriptorOf returns the descriptor of a type. It returns false if the type does not exist.
func DescriptorOf(t BlockType) (Descriptor, bool) {
	at := slices.IndexFunc(descriptors, func(d Descriptor) bool { return d.Type == t })
	if at < 0 {
		return Descriptor{}, false
	}
	return descriptors[at], true
}

// BlockTypes lists every type in the published order.
func BlockTypes() []BlockType {
	types := make([]BlockType, len(descriptors))
	for i, d := range descriptors {
		types[i] = d.Type
	}
	return types
}

// Known reports whether the type exists.
func (t BlockType) Known() bool {
	_, known := DescriptorOf(t)
	return known
}

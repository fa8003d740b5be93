package apiforms

import (
	"maps"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"fencepost.internal/shared/domain/linkpage"
)

// Name parts of the schemas of block types: PostCardBlockSettings, PostCardBlockSettingsInput, AddPostCardBlock.
const (
	suffixBlock    = "Block"
	suffixSettings = "BlockSettings"
	suffixInput    = "Input"
	suffixChange   = "Change"
	prefixAdd      = "Add"

	memberType     = "type"
	memberSettings = "settings"

	anySettingsChange = "LinkPageBlockSettingsChange"

	formatID     = "uuid"
	exampleImage = "0190a3c9-5f46-7bad-ae88-9d5b6a7f8e93"
	examplePost  = "0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b60"
)

// DescribeBlocks replaces the schema of blocks in responses with one variant per type, with the property type as
// discriminator and its own settings. It also registers the schemas of the settings of new blocks
// and of their changes.
func DescribeBlocks(schemas huma.Registry) {
	known := schemas.Map()
	for _, d := range linkpage.Descriptors() {
		name := Pascal(string(d.Type))
		whole := schemaOf(d.Fields)
		known[name+suffixSettings] = asResponse(whole)
		known[name+suffixSettings+suffixInput] = asInput(whole)
		known[name+suffixSettings+suffixChange] = asChange(whole)
	}
	oneOfEach(known, "LinkPageBlock", "", "")
}

// DescribeBlockBodies does the same for request bodies. It does not affect how the service parses them.
func DescribeBlockBodies(schemas huma.Registry) {
	known := schemas.Map()
	known[anySettingsChange] = changeOfAnyType(known)
	change := refTo(anySettingsChange)
	change.Description = known["UpdateLinkPageBlock"].Properties[memberSettings].Description
	known["UpdateLinkPageBlock"].Properties[memberSettings] = change
	oneOfEach(known, "AddLinkPageBlock", prefixAdd, suffixInput)
	delete(known, "LinkBlockType") // each variant has its own type property
	nameItems(known)
}

// changeOfAnyType returns the schema of a settings change for a block whose type is known only by its id: the
// properties of all types, each with the widest limits. It replaces the schemas of the types, because a body has no
// discriminator.
func changeOfAnyType(known map[string]*huma.Schema) *huma.Schema {
	out := &huma.Schema{
		Type: huma.TypeObject, Properties: map[string]*huma.Schema{}, AdditionalProperties: false,
		Description: "Settings of a block to change. Only fields of the block's own type are accepted.",
	}
	texts := make(map[string]*meanings)
	for _, t := range linkpage.BlockTypes() {
		name := Pascal(string(t)) + suffixSettings + suffixChange
		for member, of := range known[name].Properties {
			if out.Properties[member] == nil {
				first := *of
				out.Properties[member], texts[member] = &first, &meanings{}
			}
			widen(out.Properties[member], of)
			texts[member].add(string(t), of.Description)
		}
		delete(known, name)
	}
	for member, text := range texts {
		out.Properties[member].Description = text.String()
	}
	return out
}

// widen extends a property's limits to those of the same property of another type.
func widen(s, other *huma.Schema) {
	s.Nullable = s.Nullable || other.Nullable
	if s.MinLength == nil || other.MinLength == nil || *other.MinLength < *s.MinLength {
		s.MinLength = other.MinLength
	}
	if s.MaxLength == nil || other.MaxLength == nil || *other.MaxLength > *s.MaxLength {
		s.MaxLength = other.MaxLength
	}
}

// meanings groups the descriptions of a property by block type.
type meanings struct {
	texts []string
	types map[string][]string
}

func (m *meanings) add(blockType, text string) {
	if m.types == nil {
		m.types = make(map[string][]string)
	}
	if m.types[text] == nil {
		m.texts = append(m.texts, text)
	}
	m.types[text] = append(m.types[text], blockType)
}

// String returns the descriptions, each with its block types.
func (m *meanings) String() string {
	lines := make([]string, len(m.texts))
	for i, text := range m.texts {
		lines[i] = strings.Join(m.types[text], ", ") + ": " + text
	}
	return strings.Join(lines, " ")
}

// nameItems creates components for the objects in lists, one for responses and one for requests.
func nameItems(known map[string]*huma.Schema) {
	for _, d := range linkpage.Descriptors() {
		settings := Pascal(string(d.Type)) + suffixSettings
		for _, f := range d.Fields {
			if f.Kind != linkpage.KindList {
				continue
			}
			for schema, name := range map[string]string{
				settings: f.Item, settings + suffixInput: f.Item + suffixInput, anySettingsChange: f.Item + suffixInput,
			} {
				items := known[schema].Properties[f.Name]
				known[name] = items.Items
				items.Items = refTo(name)
			}
		}
	}
}

// NewBlockSettings returns references to the settings of new blocks, in the order of the block types.
func NewBlockSettings() []*huma.Schema {
	types := linkpage.BlockTypes()
	refs := make([]*huma.Schema, len(types))
	for i, t := range types {
		refs[i] = refTo(Pascal(string(t)) + suffixSettings + suffixInput)
	}
	return refs
}

// oneOfEach replaces the schema of a block of any type with one variant per type.
func oneOfEach(known map[string]*huma.Schema, union, prefix, suffix string) {
	general := *known[union]
	out := &huma.Schema{Discriminator: &huma.Discriminator{PropertyName: memberType, Mapping: map[string]string{}}}
	for _, t := range linkpage.BlockTypes() {
		name := Pascal(string(t))
		variant := general
		variant.Description = "A block of the type " + string(t) + "."
		variant.Properties = maps.Clone(general.Properties)
		variant.Properties[memberType] = &huma.Schema{
			Type: huma.TypeString, Enum: []any{string(t)}, Examples: []any{string(t)},
			Description: general.Properties[memberType].Description,
		}
		settings := refTo(name + suffixSettings + suffix)
		settings.Description = general.Properties[memberSettings].Description
		variant.Properties[memberSettings] = settings
		known[prefix+name+suffixBlock] = &variant
		out.OneOf = append(out.OneOf, refTo(prefix+name+suffixBlock))
		out.Discriminator.Mapping[string(t)] = ComponentSchemas + prefix + name + suffixBlock
	}
	*known[union] = *out
}

func refTo(name string) *huma.Schema { return &huma.Schema{Ref: ComponentSchemas + name} }

// schemaOf returns the schema of an object with the fields of a block type, or of an object in a list.
func schemaOf(fields []linkpage.Field) *huma.Schema {
	out := &huma.Schema{Type: huma.TypeObject, Properties: map[string]*huma.Schema{}, AdditionalProperties: false}
	for _, f := range fields {
		out.Properties[f.Name] = schemaOfField(f)
		out.Required = append(out.Required, f.Name)
	}
	return out
}

func schemaOfField(f linkpage.Field) *huma.Schema {
	s := &huma.Schema{Type: huma.TypeString, Description: f.Doc, Nullable: nullable(f), Pattern: f.Pattern}
	if f.Example != nil {
		s.Examples = []any{f.Example}
	}
	switch f.Kind {
	case linkpage.KindLine, linkpage.KindText, linkpage.KindAmount, linkpage.KindCurrency, linkpage.KindAddress:
		limitLength(s, f)
	case linkpage.KindChoice:
		s.Default = f.Values[0]
		for _, value := range f.Values {
			s.Enum = append(s.Enum, value)
		}
	case linkpage.KindFlag:
		s.Type, s.Default = huma.TypeBoolean, false
	case linkpage.KindNumber:
		s.Type, s.Format = huma.TypeInteger, "int64"
		s.Minimum, s.Maximum = new(float64(f.Min)), new(float64(f.Max))
	case linkpage.KindTime:
		s.Format, s.Examples = FormatTime, []any{ExampleTime}
	case linkpage.KindImage:
		s.Format, s.Examples = formatID, []any{exampleImage}
	case linkpage.KindPost:
		s.Format, s.Examples = formatID, []any{examplePost}
	case linkpage.KindList:
		s.Type, s.MinItems, s.MaxItems, s.Items = huma.TypeArray, new(1), new(f.Max), schemaOf(f.Items)
	}
	return s
}

// limitLength adds the length limits of a text.
func limitLength(s *huma.Schema, f linkpage.Field) {
	s.MaxLength = new(f.Max)
	if f.Required {
		s.MinLength = new(1)
	}
	if f.Kind == linkpage.KindAddress {
		s.Format = "uri"
	}
}

// asResponse returns the response schema: every property, without the current limits.
func asResponse(whole *huma.Schema) *huma.Schema {
	return eachMember(whole, func(m *huma.Schema) {
		m.Default, m.MinLength, m.MaxLength, m.Minimum, m.Maximum, m.MinItems, m.MaxItems, m.Pattern = nil, nil, nil, nil, nil, nil, nil, ""
	})
}

// asInput returns the request schema. A property is required unless it is nullable or has a default.
func asInput(whole *huma.Schema) *huma.Schema {
	out := eachMember(whole, func(*huma.Schema) {})
	out.Required = slices.DeleteFunc(slices.Clone(whole.Required), func(name string) bool {
		return whole.Properties[name].Nullable || whole.Properties[name].Default != nil
	})
	out.AdditionalProperties = false
	return out
}

// asChange returns the schema of a change: all properties are optional.
func asChange(whole *huma.Schema) *huma.Schema {
	out := eachMember(whole, func(m *huma.Schema) { m.Default = nil })
	out.Required, out.AdditionalProperties = nil, false
	return out
}

// eachMember copies a schema and changes its properties, also those of the objects in its lists.
func eachMember(whole *huma.Schema, change func(m *huma.Schema)) *huma.Schema {
	out := *whole
	out.Properties = make(map[string]*huma.Schema, len(whole.Properties))
	for name, member := range whole.Properties {
		changed := *member
		if member.Items != nil {
			changed.Items = eachMember(member.Items, change)
		}
		change(&changed)
		out.Properties[name] = &changed
	}
	return &out
}

// RefersTo adds the names of the schemas that a schema refers to, directly or indirectly, to seen.
func RefersTo(known map[string]*huma.Schema, s *huma.Schema, seen map[string]bool) {
	if s == nil {
		return
	}
	if name, ok := strings.CutPrefix(s.Ref, ComponentSchemas); ok {
		if !seen[name] {
			seen[name] = true
			RefersTo(known, known[name], seen)
		}
		return
	}
	for _, part := range slices.Concat(s.OneOf, s.AnyOf, s.AllOf) {
		RefersTo(known, part, seen)
	}
	for _, member := range s.Properties {
		RefersTo(known, member, seen)
	}
	RefersTo(known, s.Items, seen)
}

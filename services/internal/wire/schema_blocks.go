package wire

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"socialpub.internal/shared/linkpage"
)

// The names that stand behind those of types: PostCardBlockSettings, PostCardBlockSettingsInput, AddPostCardBlock.
const (
	suffixBlock    = "Block"
	suffixSettings = "BlockSettings"
	suffixInput    = "Input"
	suffixChange   = "Change"
	prefixAdd      = "Add"

	memberType     = "type"
	memberSettings = "settings"
)

// settingsOf is the type of a block type's settings.
func settingsOf(t linkpage.BlockType) reflect.Type {
	switch t {
	case linkpage.TypeLink:
		return reflect.TypeFor[LinkBlockSettings]()
	case linkpage.TypeText:
		return reflect.TypeFor[TextBlockSettings]()
	case linkpage.TypeSection:
		return reflect.TypeFor[SectionBlockSettings]()
	case linkpage.TypePostCard:
		return reflect.TypeFor[PostCardBlockSettings]()
	case linkpage.TypeProduct:
		return reflect.TypeFor[ProductBlockSettings]()
	case linkpage.TypeCoupon:
		return reflect.TypeFor[CouponBlockSettings]()
	case linkpage.TypeCountdown:
		return reflect.TypeFor[CountdownBlockSettings]()
	case linkpage.TypeNoticeBar:
		return reflect.TypeFor[NoticeBarBlockSettings]()
	case linkpage.TypeFAQ:
		return reflect.TypeFor[FaqBlockSettings]()
	case linkpage.TypeTestimonial:
		return reflect.TypeFor[TestimonialBlockSettings]()
	default:
		return reflect.TypeFor[struct{}]()
	}
}

// DescribeBlocks puts the blocks of answers into the schemas as what they are: one of ten types, told apart by the member type, each
// with settings of its own. It registers the schemas of settings that NewBlockSettings and BlockSettingsChanges refer to.
func DescribeBlocks(schemas huma.Registry) {
	known := schemas.Map()
	for _, t := range linkpage.BlockTypes() {
		name := Pascal(string(t))
		whole := resolved(schemas, huma.SchemaFromType(schemas, settingsOf(t)))
		known[name+suffixSettings] = asAnswer(whole)
		known[name+suffixSettings+suffixInput] = asInput(whole)
		known[name+suffixSettings+suffixChange] = asChange(whole)
	}
	delete(known, "FaqItem") // which stands where it is used
	oneOfEach(known, "LinkPageBlock", "", "")
}

// DescribeBlockBodies does the same with the bodies of the API's operations. How they are read is the service's own affair.
func DescribeBlockBodies(schemas huma.Registry) {
	known := schemas.Map()
	change := known["UpdateLinkPageBlock"].Properties[memberSettings]
	change.Extensions, change.AnyOf = nil, BlockSettingsChanges()
	oneOfEach(known, "AddLinkPageBlock", prefixAdd, suffixInput)
	delete(known, "LinkBlockType") // of which each block has one
}

// NewBlockSettings refers to the settings that blocks are made of, by their types in order.
func NewBlockSettings() []*huma.Schema { return settingsRefs(suffixInput) }

// BlockSettingsChanges refers to the changes of settings, by the types of blocks in order.
func BlockSettingsChanges() []*huma.Schema { return settingsRefs(suffixChange) }

func settingsRefs(suffix string) []*huma.Schema {
	types := linkpage.BlockTypes()
	refs := make([]*huma.Schema, len(types))
	for i, t := range types {
		refs[i] = refTo(Pascal(string(t)) + suffixSettings + suffix)
	}
	return refs
}

// oneOfEach turns the schema of a block of any type into one for each type.
func oneOfEach(known map[string]*huma.Schema, union, prefix, suffix string) {
	general := *known[union]
	out := &huma.Schema{Discriminator: &huma.Discriminator{PropertyName: memberType, Mapping: map[string]string{}}}
	for _, t := range linkpage.BlockTypes() {
		name := Pascal(string(t))
		variant := general
		variant.Description = "A block of the type " + string(t) + "."
		variant.Properties = maps.Clone(general.Properties)
		variant.Properties[memberType] = &huma.Schema{
			Type: huma.TypeString, Enum: []any{string(t)}, Examples: []any{string(t)}, Description: general.Properties[memberType].Description,
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

// resolved puts the objects of a list in the place of their reference.
func resolved(schemas huma.Registry, s *huma.Schema) *huma.Schema {
	for _, member := range s.Properties {
		if member.Items != nil && member.Items.Ref != "" {
			member.Items = schemas.SchemaFromRef(member.Items.Ref)
		}
	}
	return s
}

// asAnswer is the schema of what is answered: every member, without the limits of today.
func asAnswer(whole *huma.Schema) *huma.Schema {
	return eachMember(whole, func(m *huma.Schema) {
		m.Default, m.MinLength, m.MaxLength, m.Minimum, m.Maximum, m.MinItems, m.MaxItems, m.Pattern = nil, nil, nil, nil, nil, nil, nil, ""
	})
}

// asInput is the schema of what is sent: nothing but what has neither null nor another value to stand in for it must be there.
func asInput(whole *huma.Schema) *huma.Schema {
	out := eachMember(whole, func(*huma.Schema) {})
	out.Required = slices.DeleteFunc(slices.Clone(whole.Required), func(name string) bool {
		return whole.Properties[name].Nullable || whole.Properties[name].Default != nil
	})
	out.AdditionalProperties = false
	return out
}

// asChange is the schema of a change: any of the members.
func asChange(whole *huma.Schema) *huma.Schema {
	out := eachMember(whole, func(m *huma.Schema) { m.Default = nil })
	out.Required, out.AdditionalProperties = nil, false
	return out
}

// eachMember copies a schema and changes its members, also those of the objects in its lists.
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

// RefersTo lists the names of the schemas that a schema refers to, and those refer to.
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

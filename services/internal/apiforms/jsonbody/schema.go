package jsonbody

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/kernel/rfc3339"
)

// node is a schema node, compiled from the published schema, so that validation and documentation agree.
type node struct {
	kind     string // huma.TypeObject, TypeArray, TypeString, TypeBoolean, TypeInteger
	nullable bool
	apart    bool // an object that the operation parses itself

	members  map[string]*node // object
	names    []string         // of the members, sorted
	required []string
	values   *node                   // object whose members have any name, and values of one type; members is then empty
	nameForm func(text string) error // of the names, if they have a form

	items              *node // array
	minItems, maxItems int
	unique             bool
	orOne              bool // a single item may be sent instead of the list

	minLength, maxLength int // string, in characters
	enum                 []string
	format               func(text string) error

	minimum, maximum int64 // integer
}

const unbounded = -1

// ExtensionOrOne marks a list instead of which a client may send its only item.
const ExtensionOrOne = "x-or-one"

// ExtensionItemsApart marks a list whose items are not checked with the body, but parsed by the operation one by one.
const ExtensionItemsApart = "x-items-apart"

// ExtensionApart marks an object whose members are not checked with the body, but parsed by the operation.
const ExtensionApart = "x-apart"

// ExtensionNames is the format of the names of an object whose members have any name. Duplicates are detected without
// regard to case.
const ExtensionNames = "x-names"

// compile compiles a schema. A keyword that this package does not check is an error, so that every published keyword is
// enforced.
func compile(registry huma.Registry, s *huma.Schema) (*node, error) {
	for s.Ref != "" {
		s = registry.SchemaFromRef(s.Ref)
	}
	n := &node{
		kind: s.Type, nullable: s.Nullable, required: s.Required, unique: s.UniqueItems,
		minItems: number(s.MinItems, 0), maxItems: number(s.MaxItems, unbounded),
		minLength: number(s.MinLength, 0), maxLength: number(s.MaxLength, unbounded),
	}
	if s.Pattern != "" || s.ExclusiveMinimum != nil || s.ExclusiveMaximum != nil || s.MultipleOf != nil ||
		s.OneOf != nil || s.AnyOf != nil || s.AllOf != nil || s.Not != nil {
		return nil, fmt.Errorf("jsonbody: a schema of type %q has a keyword that is not checked", s.Type)
	}
	for _, value := range s.Enum {
		text, ok := value.(string)
		if !ok {
			return nil, fmt.Errorf("jsonbody: enum value %v is not a string", value)
		}
		n.enum = append(n.enum, text)
	}
	switch s.Type {
	case huma.TypeObject:
		if n.apart = s.Extensions[ExtensionApart] == true; n.apart {
			return n, nil
		}
		return n, n.compileMembers(registry, s)
	case huma.TypeArray:
		if s.Extensions[ExtensionItemsApart] == true {
			return n, nil
		}
		items, err := compile(registry, s.Items)
		n.items, n.orOne = items, s.Extensions[ExtensionOrOne] == true
		return n, err
	case huma.TypeString:
		var err error
		n.format, err = formatOf(s.Format)
		return n, err
	case huma.TypeBoolean:
		return n, nil
	case huma.TypeInteger:
		n.minimum, n.maximum = bound(s.Minimum, math.MinInt64), bound(s.Maximum, math.MaxInt64)
		return n, nil
	default:
		return nil, fmt.Errorf("jsonbody: schema type %q is not known", s.Type)
	}
}

func (n *node) compileMembers(registry huma.Registry, s *huma.Schema) error {
	if values, ok := s.AdditionalProperties.(*huma.Schema); ok && len(s.Properties) == 0 {
		return n.compileValues(registry, s, values)
	}
	if open, ok := s.AdditionalProperties.(bool); !ok || open {
		return errors.New("jsonbody: an object must reject unknown fields")
	}
	n.members = make(map[string]*node, len(s.Properties))
	for name, schema := range s.Properties {
		member, err := compile(registry, schema)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		n.members[name] = member
	}
	n.names = slices.Sorted(maps.Keys(n.members))
	return nil
}

// compileValues compiles an object with values of one type.
func (n *node) compileValues(registry huma.Registry, s, values *huma.Schema) (err error) {
	format, _ := s.Extensions[ExtensionNames].(string)
	if n.nameForm, err = formatOf(format); err != nil {
		return err
	}
	n.values, err = compile(registry, values)
	return err
}

// formatOf returns the check of a format; nil if it needs none.
func formatOf(format string) (func(text string) error, error) {
	switch format {
	case "", "uri": // the operations check URLs by their own rules
		return nil, nil
	case "uuid":
		return checkUUID, nil
	case "date-time":
		return checkTime, nil
	default:
		return nil, fmt.Errorf("jsonbody: format %q is not known", format)
	}
}

func checkUUID(text string) error {
	if _, err := ident.Parse[ident.Post](text); err != nil {
		return ErrUUID
	}
	return nil
}

func checkTime(text string) error {
	_, err := rfc3339.Parse(text)
	return err
}

func bound(value *float64, absent int64) int64 {
	if value == nil {
		return absent
	}
	return int64(*value)
}

func number(value *int, absent int) int {
	if value == nil {
		return absent
	}
	return *value
}

// wanted returns the type's name for messages.
func (n *node) wanted() string {
	text := map[string]string{
		huma.TypeObject: "an object", huma.TypeArray: "an array", huma.TypeString: "a string",
		huma.TypeBoolean: "true or false",
		huma.TypeInteger: "a whole number",
	}[n.kind]
	if n.nullable {
		text += " or null"
	}
	return text
}

func (n *node) choices() string { return strings.Join(n.enum, ", ") }

package linkpage

import (
	"encoding/json"
	"slices"
	"time"

	"fencepost.internal/shared/kernel/ident"
)

// Maximum lengths of texts that several block types have, in characters.
const (
	MaxBlockTitle  = 100
	MaxDescription = 300
	MaxNotice      = 200
	MaxButton      = 40
	MaxCode        = 40
)

// Kind is the kind of a field's value.
type Kind string

// Kinds of fields.
const (
	KindLine     Kind = "line"     // a text on one line
	KindText     Kind = "text"     // a text whose line breaks are kept
	KindAddress  Kind = "address"  // a URL with https, mailto or tel
	KindChoice   Kind = "choice"   // one of Field.Values
	KindAmount   Kind = "amount"   // an exact amount
	KindCurrency Kind = "currency" // an ISO 4217 code
	KindFlag     Kind = "flag"
	KindNumber   Kind = "number" // a whole number
	KindTime     Kind = "time"
	KindImage    Kind = "image" // an asset of the workspace
	KindPost     Kind = "post"  // a post of the workspace
	KindList     Kind = "list"  // of objects with Field.Items
)

// Field is a field of a block's settings.
type Field struct {
	Name     string
	Kind     Kind
	Required bool
	Min, Max int      // of a number; Max also limits the characters of a text and the objects of a list
	Values   []string // of a choice; the first is the default
	Pattern  string   // regular expression
	Needs    string   // another field, without which this one has no effect
	Item     string   // name of an object of the list
	Items    []Field  // fields of each object of the list
	Example  any      // nil for times and references
	Doc      string

	read  func(object)
	value func() any
}

// Value returns the field's value: a string, bool, int, time.Time, ident.Media, ident.Post, or [][]Field for a list.
func (f Field) Value() any { return f.value() }

// fields reads every field of an object, then checks the fields that need another one.
func (o object) fields(all []Field) {
	values := make(map[string]any, len(all))
	for _, f := range all {
		f.read(o)
		values[f.Name] = f.Value()
	}
	for _, f := range all {
		if f.Needs != "" && values[f.Name] != "" && values[f.Needs] == "" && !o.faulty(f.Needs) {
			o.faults.add(o.pointer(f.Name), "requires %s", f.Needs)
		}
	}
}

// bound completes the declaration of a field whose value is stored at to.
func bound[T any](f Field, kind Kind, to *T, read func(object) T) Field {
	f.Kind = kind
	f.read = func(o object) { *to = read(o) }
	f.value = func() any { return *to }
	return f
}

func line(to *string, f Field) Field {
	return bound(f, KindLine, to, func(o object) string { return o.line(f.Name, f.Max, f.Required) })
}

func text(to *string, f Field) Field {
	return bound(f, KindText, to, func(o object) string { return o.text(f.Name, f.Max, f.Required) })
}

func address(to *string, f Field) Field {
	f.Name, f.Max = "url", MaxAddress
	return bound(f, KindAddress, to, func(o object) string { return o.address(f.Required) })
}

// button declares the text of a link that the block may lack.
func button(to *string, example string) Field {
	return line(to, Field{
		Name: "buttonLabel", Max: MaxButton, Needs: "url", Example: example,
		Doc: "Text of the button. Requires url.",
	})
}

func choice[S ~string](to *S, known []S, f Field) Field {
	for _, k := range known {
		f.Values = append(f.Values, string(k))
	}
	f = bound(f, KindChoice, to, func(o object) S { return chosen(o, f.Name, known) })
	f.value = func() any { return string(*to) }
	return f
}

func flag(to *bool, f Field) Field {
	return bound(f, KindFlag, to, func(o object) bool { return o.flag(f.Name) })
}

func number(to *int, f Field) Field {
	return bound(f, KindNumber, to, func(o object) int { return o.number(f.Name, f.Min, f.Max) })
}

func instant(to *time.Time, f Field) Field {
	return bound(f, KindTime, to, func(o object) time.Time { return o.instant(f.Name, f.Required) })
}

func image(to *ident.Media, doc string) Field {
	f := Field{Name: "imageMediaId", Doc: doc}
	return bound(f, KindImage, to, func(o object) ident.Media { return reference[ident.Media](o, f.Name, f.Required) })
}

func publication(to *ident.Post, f Field) Field {
	return bound(f, KindPost, to, func(o object) ident.Post { return reference[ident.Post](o, f.Name, f.Required) })
}

// price declares an amount and its currency, which require each other. The amount is text because a binary fraction
// would not be exact. Reading the amount also reads the currency.
func price(amount, currency *string) []Field {
	one := Field{Name: "price", Max: MaxCode, Example: "38.00", Doc: "Exact amount, as text. Requires currency."}
	two := Field{Name: "currency", Max: MaxCode, Example: "EUR", Doc: "Currency of the price (ISO 4217)."}
	one.Pattern, two.Pattern = amountPattern.String(), currencyPattern.String()
	return []Field{
		bound(one, KindAmount, amount, func(o object) (read string) {
			read, *currency = o.price()
			return read
		}),
		bound(two, KindCurrency, currency, func(object) string { return *currency }),
	}
}

// list declares an array of at least one object; fields declares the fields of an object.
func list[T any](to *[]T, f Field, fields func(*T) []Field) Field {
	f.Required, f.Items = true, fields(new(T))
	f = bound(f, KindList, to, func(o object) []T {
		items := []T{} // stored as an empty array, never as null
		o.objects(f.Name, f.Max, func(element object) {
			var item T
			element.fields(fields(&item))
			items = append(items, item)
		})
		return items
	})
	f.value = func() any {
		items := make([][]Field, len(*to))
		for i := range *to {
			items[i] = fields(&(*to)[i])
		}
		return items
	}
	return f
}

// FreeText reports whether a user writes any text into the field.
func (f Field) FreeText() bool { return f.Kind == KindLine || f.Kind == KindText }

// Sampling fills the samples of blocks.
type Sampling struct {
	Image ident.Media // zero: none
	Post  ident.Post
	Time  string             // RFC 3339
	Text  func(Field) string // text of each free text field; nil: its example
}

// Samples returns a block of every type with every field set, as a client writes it. Tests and example data use them,
// so that they include new types.
func Samples(in Sampling) []NewBlock {
	return in.Complete(nil)
}

// Complete appends a sample of every type that the blocks lack.
func (in Sampling) Complete(blocks []NewBlock) []NewBlock {
	for _, d := range descriptors {
		if !slices.ContainsFunc(blocks, func(b NewBlock) bool { return b.Type == d.Type }) {
			blocks = append(blocks, NewBlock{Type: d.Type, Settings: d.Sample(in)})
		}
	}
	return blocks
}

// Sample returns settings with every field set to its example, as a client writes them.
func (d Descriptor) Sample(in Sampling) json.RawMessage {
	raw, err := json.Marshal(in.object(d.Fields))
	if err != nil { // cannot happen: examples are texts, numbers and flags
		return nil
	}
	return raw
}

func (in Sampling) object(fields []Field) map[string]any {
	sample := make(map[string]any, len(fields))
	for _, f := range fields {
		sample[f.Name] = in.value(f)
	}
	return sample
}

func (in Sampling) value(f Field) any {
	switch {
	case f.Kind == KindImage && in.Image.IsZero():
		return nil
	case f.Kind == KindImage:
		return in.Image
	case f.Kind == KindPost:
		return in.Post
	case f.Kind == KindTime:
		return in.Time
	case f.Kind == KindList:
		return []any{in.object(f.Items)}
	case f.FreeText() && in.Text != nil:
		return in.Text(f)
	default:
		return f.Example
	}
}

package inbox

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/plaintext"
)

// Template is a message that a network has approved, which may also be sent after the time for answers in own words.
type Template struct {
	Name     string
	Language string // as the network names it
	Category string // by which the network bills it
	Named    bool   // its variables have names instead of numbers
	Parts    []TemplatePart
}

// PartKind is a kind of part of a template.
type PartKind string

// The parts of a template. A button's text is the part of its address that a variable completes.
const (
	PartHeader PartKind = "HEADER"
	PartBody   PartKind = "BODY"
	PartFooter PartKind = "FOOTER"
	PartButton PartKind = "BUTTON"
)

// TemplatePart is a part of a template, in the order in which people see it.
type TemplatePart struct {
	Kind  PartKind
	Index int    // of a button
	Label string // of a button
	Text  string // with variables such as {{1}}; of a button: its address, or empty
}

// TemplateUse is a template with the values of its variables, as an answer sends it.
type TemplateUse struct {
	Name     string          `json:"name"`
	Language string          `json:"language"`
	Category string          `json:"category"`
	Values   []TemplateValue `json:"values,omitempty"`
}

// TemplateValue is the value of a variable.
type TemplateValue struct {
	Part  PartKind `json:"part"`
	Index int      `json:"index,omitempty"` // of a button
	Name  string   `json:"name,omitempty"`  // empty: the variables have numbers, whose order is that of the values
	Value string   `json:"value"`
}

// The greatest lengths with values (WhatsApp: Templates, Components).
const (
	longestHeader  = 60
	longestBody    = 1024
	longestAddress = 2000
)

var variable = regexp.MustCompile(`\{\{\s*([A-Za-z0-9_]+)\s*\}\}`)

// Piece is a piece of a part: its own words, or a variable.
type Piece struct {
	Text string
	Slot string // of the variable; empty: Text is sent as it is
}

// Slot is a variable of a template.
type Slot struct {
	Key   string // unique in the template
	Name  string // of the variable in its part
	Part  TemplatePart
	Label string // for people
}

// Slots returns the variables of a part, each once, in the order of their first use.
func (p TemplatePart) Slots() (slots []Slot) {
	for _, found := range variable.FindAllStringSubmatch(p.Text, -1) {
		s := Slot{Key: p.key(found[1]), Name: found[1], Part: p, Label: p.label(found[1])}
		if !slices.ContainsFunc(slots, func(other Slot) bool { return other.Key == s.Key }) {
			slots = append(slots, s)
		}
	}
	if !slices.ContainsFunc(slots, func(s Slot) bool { return strings.Trim(s.Name, "0123456789") != "" }) {
		slices.SortStableFunc(slots, func(a, b Slot) int { return number(a.Name) - number(b.Name) }) // a text may have {{2}} first
	}
	return slots
}

func number(text string) int {
	n, _ := strconv.Atoi(text) // of digits
	return n
}

func (p TemplatePart) key(name string) string {
	return strings.ToLower(string(p.Kind)) + "-" + strconv.Itoa(p.Index) + "-" + name
}

func (p TemplatePart) label(name string) string {
	if strings.Trim(name, "0123456789") == "" {
		name = "Variable " + name
	}
	switch p.Kind {
	case PartHeader:
		return name + " of the title"
	case PartButton:
		return "End of the address of the button “" + p.Label + "”"
	case PartBody, PartFooter:
	}
	return name
}

// Pieces returns the text of a part, cut at its variables.
func (p TemplatePart) Pieces() (pieces []Piece) {
	rest := 0
	for _, at := range variable.FindAllStringSubmatchIndex(p.Text, -1) {
		if at[0] > rest {
			pieces = append(pieces, Piece{Text: p.Text[rest:at[0]]})
		}
		pieces, rest = append(pieces, Piece{Text: p.Text[at[0]:at[1]], Slot: p.key(p.Text[at[2]:at[3]])}), at[1]
	}
	if rest < len(p.Text) {
		pieces = append(pieces, Piece{Text: p.Text[rest:]})
	}
	return pieces
}

// Slots returns the variables of all parts.
func (t Template) Slots() (slots []Slot) {
	for _, p := range t.Parts {
		slots = append(slots, p.Slots()...)
	}
	return slots
}

// Text returns the text of the body.
func (t Template) Text() string {
	for _, p := range t.Parts {
		if p.Kind == PartBody {
			return p.Text
		}
	}
	return ""
}

// Fill returns what is sent with the values of the variables by their keys, and the text that the person reads.
// VALIDATION_FAILED with what is wrong, by the keys.
func (t Template) Fill(values map[string]string) (use TemplateUse, text string, err error) {
	use = TemplateUse{Name: t.Name, Language: t.Language, Category: t.Category}
	clean := make(map[string]string, len(values))
	var faults []apperr.Field
	for _, s := range t.Slots() {
		// A value is one line: the network refuses others.
		value := strings.Join(strings.Fields(plaintext.Normalize(values[s.Key])), " ")
		if value == "" {
			faults = append(faults, apperr.Field{Pointer: "/" + s.Key, Message: "Enter a text."})
		}
		clean[s.Key] = value
		v := TemplateValue{Part: s.Part.Kind, Index: s.Part.Index, Value: value}
		if t.Named {
			v.Name = s.Name
		}
		use.Values = append(use.Values, v)
	}
	var lines []string
	for _, p := range t.Parts {
		filled := p.fill(clean)
		most := map[PartKind]int{PartHeader: longestHeader, PartBody: longestBody, PartButton: longestAddress}[p.Kind]
		if over := len([]rune(filled)) - most; over > 0 && len(p.Slots()) > 0 {
			faults = append(faults, apperr.Field{
				Pointer: "/" + p.Slots()[0].Key, Message: fmt.Sprintf("With its values, this part is %d characters too long.", over),
			})
		}
		switch p.Kind {
		case PartButton:
			lines = append(lines, strings.TrimSpace("["+p.Label+"] "+filled))
		case PartHeader, PartBody, PartFooter:
			lines = append(lines, filled)
		}
	}
	if len(faults) > 0 {
		return use, "", apperr.Invalid(faults)
	}
	return use, strings.Join(lines, "\n"), nil
}

func (p TemplatePart) fill(values map[string]string) string {
	return variable.ReplaceAllStringFunc(p.Text, func(found string) string {
		return values[p.key(variable.FindStringSubmatch(found)[1])]
	})
}

package linkpage

// TypeText is the type of a text.
const TypeText BlockType = "TEXT"

// MaxText is the maximum length of a text, in characters.
const MaxText = 5000

// Text is a text of one or more lines.
type Text struct {
	Text  string    `json:"text"`
	Align Alignment `json:"align"`
}

// Alignment is the alignment of lines.
type Alignment string

// Alignments of a text.
const (
	AlignStart  Alignment = "START"
	AlignCenter Alignment = "CENTER"
)

// Type returns TEXT.
func (Text) Type() BlockType { return TypeText }

// Traits implements Settings.
func (s Text) Traits() Traits { return Traits{Label: shorten(s.Text)} }

// Fields implements Settings.
func (s Text) Fields() []Field { return textFields(&s) }

func textFields(s *Text) []Field {
	return []Field{
		text(&s.Text, Field{
			Name: "text", Required: true, Max: MaxText, Example: "I make tableware in small batches.",
			Doc: "The text. Line breaks are kept.",
		}),
		choice(&s.Align, []Alignment{AlignStart, AlignCenter}, Field{
			Name: "align", Example: "CENTER", Doc: "Alignment of the lines.",
		}),
	}
}

func textBlock() Descriptor {
	return describe(Descriptor{
		Name: "Text", Icon: "text-align-start",
		Example: Example{"text", "Text", map[string]any{
			"text": "I make tableware in small batches.", "align": AlignCenter,
		}},
	}, textFields)
}

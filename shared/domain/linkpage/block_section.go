package linkpage

// TypeSection is the type of a heading.
const TypeSection BlockType = "SECTION"

// Section is a heading for the following blocks.
type Section struct {
	Title       string `json:"title"`
	Description string `json:"description"`
}

// Type returns SECTION.
func (Section) Type() BlockType { return TypeSection }

// Traits implements Settings.
func (s Section) Traits() Traits { return Traits{Label: s.Title, Heading: true} }

// Fields implements Settings.
func (s Section) Fields() []Field { return sectionFields(&s) }

func sectionFields(s *Section) []Field {
	return []Field{
		line(&s.Title, Field{
			Name: "title", Required: true, Max: MaxBlockTitle, Example: "Workshops", Doc: "Heading of the following blocks.",
		}),
		text(&s.Description, Field{
			Name: "description", Max: MaxDescription, Example: "Six places each", Doc: "Text below the heading.",
		}),
	}
}

func sectionBlock() Descriptor {
	return describe(Descriptor{
		Name: "Section", Icon: "heading",
		Example: Example{"section", "A heading", map[string]any{"title": "Workshops", "description": "Six places each"}},
	}, sectionFields)
}

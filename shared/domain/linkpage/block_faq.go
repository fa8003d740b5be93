package linkpage

// TypeFAQ is the type of a list of questions.
const TypeFAQ BlockType = "FAQ"

// Maximum lengths of a question and its answer, in characters, and the maximum number of questions.
const (
	MaxQuestion = 200
	MaxAnswer   = 2000
	MaxItems    = 30
)

// FAQ is a list of questions and answers.
type FAQ struct {
	Title string    `json:"title"`
	Items []FAQItem `json:"items"`
}

// FAQItem is one question with its answer.
type FAQItem struct {
	Question string `json:"question"`
	Answer   string `json:"answer"`
}

// Type returns FAQ.
func (FAQ) Type() BlockType { return TypeFAQ }

// Traits implements Settings.
func (s FAQ) Traits() Traits { return Traits{Label: s.Title, Questions: s.Items} }

// Fields implements Settings.
func (s FAQ) Fields() []Field { return faqFields(&s) }

func faqFields(s *FAQ) []Field {
	return []Field{
		line(&s.Title, Field{
			Name: "title", Max: MaxBlockTitle, Example: "Questions", Doc: "Heading of the questions.",
		}),
		list(&s.Items, Field{
			Name: "items", Max: MaxItems, Item: "FaqItem",
			Doc: "Questions with their answers, in display order.",
		}, faqItemFields),
	}
}

func faqItemFields(s *FAQItem) []Field {
	return []Field{
		line(&s.Question, Field{
			Name: "question", Required: true, Max: MaxQuestion, Example: "Are they dishwasher safe?",
			Doc: "The question, on one line.",
		}),
		text(&s.Answer, Field{
			Name: "answer", Required: true, Max: MaxAnswer, Example: "Yes, all of them.",
			Doc: "The answer. Line breaks are kept.",
		}),
	}
}

func faqBlock() Descriptor {
	return describe(Descriptor{
		Name: "Questions", Icon: "circle-question-mark",
		Example: Example{"questions", "Questions and answers", map[string]any{
			"items": []any{map[string]any{"question": "Are they dishwasher safe?", "answer": "Yes, all of them."}},
		}},
	}, faqFields)
}

package linkpage

// TypeNoticeBar is the type of a notice.
const TypeNoticeBar BlockType = "NOTICE_BAR"

// NoticeBar is a bar with a current notice.
type NoticeBar struct {
	Text   string `json:"text"`
	Tone   Tone   `json:"tone"`
	URL    string `json:"url"` // may be empty
	Button string `json:"buttonLabel"`
}

// Tone is the kind of a notice.
type Tone string

// Tones of a notice.
const (
	ToneInfo    Tone = "INFO"
	ToneSuccess Tone = "SUCCESS"
	ToneWarning Tone = "WARNING"
)

// Type returns NOTICE_BAR.
func (NoticeBar) Type() BlockType { return TypeNoticeBar }

// Traits implements Settings.
func (s NoticeBar) Traits() Traits { return Traits{Label: shorten(s.Text), Target: s.URL} }

// Fields implements Settings.
func (s NoticeBar) Fields() []Field { return noticeBarFields(&s) }

func noticeBarFields(s *NoticeBar) []Field {
	return []Field{
		line(&s.Text, Field{
			Name: "text", Required: true, Max: MaxNotice, Example: "Closed until Monday", Doc: "The notice, on one line.",
		}),
		choice(&s.Tone, []Tone{ToneInfo, ToneSuccess, ToneWarning}, Field{
			Name: "tone", Example: "WARNING", Doc: "Kind of the notice.",
		}),
		address(&s.URL, Field{
			Example: "https://example.com/hours", Doc: "Target: a URL with https, mailto or tel.",
		}),
		button(&s.Button, "Hours"),
	}
}

func noticeBarBlock() Descriptor {
	return describe(Descriptor{
		Name: "Notice bar", Icon: "megaphone",
		Example: Example{"notice", "A notice at the top", map[string]any{
			"text": "Closed until Monday", "tone": ToneWarning,
		}},
	}, noticeBarFields)
}

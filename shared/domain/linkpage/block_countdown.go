package linkpage

import "time"

// TypeCountdown is the type of a countdown.
const TypeCountdown BlockType = "COUNTDOWN"

// Countdown shows the time left until an instant.
type Countdown struct {
	Title     string    `json:"title"`
	EndsAt    time.Time `json:"endsAt"`
	EndedText string    `json:"endedText"` // shown afterwards
	URL       string    `json:"url"`       // may be empty
	Button    string    `json:"buttonLabel"`
}

// Type returns COUNTDOWN.
func (Countdown) Type() BlockType { return TypeCountdown }

// Traits implements Settings.
func (s Countdown) Traits() Traits { return Traits{Label: s.Title, Target: s.URL, Until: s.EndsAt} }

// Fields implements Settings.
func (s Countdown) Fields() []Field { return countdownFields(&s) }

func countdownFields(s *Countdown) []Field {
	return []Field{
		line(&s.Title, Field{
			Name: "title", Required: true, Max: MaxBlockTitle, Example: "Kiln opening", Doc: "Name of the event.",
		}),
		instant(&s.EndsAt, Field{Name: "endsAt", Required: true, Doc: "End of the countdown."}),
		line(&s.EndedText, Field{
			Name: "endedText", Max: MaxNotice, Example: "The kiln is open!", Doc: "Text shown after the end.",
		}),
		address(&s.URL, Field{
			Example: "https://shop.example.com/kiln", Doc: "Target: a URL with https, mailto or tel.",
		}),
		button(&s.Button, "Remind me"),
	}
}

func countdownBlock() Descriptor {
	return describe(Descriptor{
		Name: "Countdown", Icon: "timer",
		Example: Example{"countdown", "A countdown", map[string]any{
			"title": "Kiln opening", "endsAt": "2026-03-15T10:00:00+01:00", "endedText": "The kiln is open!",
		}},
	}, countdownFields)
}

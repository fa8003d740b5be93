package linkedinapi

import (
	"slices"
	"strings"

	"fencepost.internal/services/sandbox/internal/figures"
	"fencepost.internal/services/sandbox/internal/ledger"
	"fencepost.internal/services/sandbox/internal/stage"
)

// poll is a poll below the text.
type poll struct {
	Question string `json:"question"`
	Options  []struct {
		Text string `json:"text"`
	} `json:"options"`
	Settings struct {
		Duration string `json:"duration"`
	} `json:"settings"`
}

// attach adds the poll to the draft of a post.
func (p *poll) attach(post *ledger.Draft) stage.Rule[stage.Response] {
	const longestQuestion, longestChoice, fewest, most = 140, 30, 2, 4
	durations := []string{"ONE_DAY", "THREE_DAYS", "SEVEN_DAYS", "FOURTEEN_DAYS"}
	choices := make([]string, len(p.Options))
	for i, one := range p.Options {
		choices[i] = one.Text
	}
	wrong := func(choice string) bool { return choice == "" || figures.Characters(choice) > longestChoice }
	post.Detail("poll", p.Question+" "+strings.Join(choices, " / "))
	post.Detail("poll_duration", p.Settings.Duration)
	return stage.If(p.Question == "" || figures.Characters(p.Question) > longestQuestion,
		invalid("/content/poll/question :: has 1 to 140 characters")).
		Or(len(choices) < fewest || len(choices) > most || slices.ContainsFunc(choices, wrong),
			invalid("/content/poll/options :: has 2 to 4 options of at most 30 characters")).
		Or(!slices.Contains(durations, p.Settings.Duration),
			invalid("/content/poll/settings/duration :: is not a member of the enumeration"))
}

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
	const longestQuestion, longestAnswer, fewest, most = 140, 30, 2, 4
	durations := []string{"ONE_DAY", "THREE_DAYS", "SEVEN_DAYS", "FOURTEEN_DAYS"}
	answers := make([]string, len(p.Options))
	for i, one := range p.Options {
		answers[i] = one.Text
	}
	wrong := func(answer string) bool { return answer == "" || figures.Characters(answer) > longestAnswer }
	post.Detail("poll", p.Question+" "+strings.Join(answers, " / "))
	post.Detail("poll_duration", p.Settings.Duration)
	return stage.If(p.Question == "" || figures.Characters(p.Question) > longestQuestion,
		invalid("/content/poll/question :: has 1 to 140 characters")).
		Or(len(answers) < fewest || len(answers) > most || slices.ContainsFunc(answers, wrong),
			invalid("/content/poll/options :: has 2 to 4 options of at most 30 characters")).
		Or(!slices.Contains(durations, p.Settings.Duration),
			invalid("/content/poll/settings/duration :: is not a member of the enumeration"))
}

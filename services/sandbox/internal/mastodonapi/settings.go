package mastodonapi

import (
	"slices"
	"strconv"
	"strings"

	"fencepost.internal/services/sandbox/internal/figures"
	"fencepost.internal/services/sandbox/internal/ledger"
	"fencepost.internal/services/sandbox/internal/stage"
)

// The details of statuses with settings.
const (
	warning   = "spoiler_text"
	sensitive = "sensitive"
	language  = "language"
)

// Limits of polls.
const (
	mostChoices   = 4
	longestChoice = 50
	shortestPoll  = 300 // seconds
	longestPoll   = 2_629_746
)

// settings are the members of a status beside its text and its media.
type settings struct {
	Warning   string `json:"spoiler_text"`
	Sensitive bool   `json:"sensitive"`
	Language  string `json:"language"`
	Poll      *struct {
		Options  []string `json:"options"`
		Seconds  int      `json:"expires_in"`
		Multiple bool     `json:"multiple"`
	} `json:"poll"`
}

// check refuses a poll beside files, or beyond the limits.
func (s settings) check(files bool) stage.Check {
	if s.Poll == nil {
		return stage.Check{}
	}
	long := func(choice string) bool { return figures.Characters(choice) > longestChoice }
	return stage.If(files, invalid("Cannot attach files to a post with a poll")).
		Or(len(s.Poll.Options) < 2, invalid("Options must be more than one item")).
		Or(len(s.Poll.Options) > mostChoices, invalid("Options can't contain more than 4 items")).
		Or(slices.ContainsFunc(s.Poll.Options, long), invalid("Options can't be longer than 50 characters each")).
		Or(s.Poll.Seconds < shortestPoll, invalid("Expires at is too soon")).
		Or(s.Poll.Seconds > longestPoll, invalid("Expires at is too far into the future"))
}

// set adds the settings to a status. A status with a warning is sensitive.
func (s settings) set(draft *ledger.Draft) {
	draft.Detail(warning, s.Warning)
	draft.Detail(language, s.Language)
	if s.Sensitive || s.Warning != "" {
		draft.Detail(sensitive, "true")
	}
	if s.Poll == nil {
		return
	}
	draft.Detail("poll", strings.Join(s.Poll.Options, " / "))
	draft.Detail("poll_seconds", strconv.Itoa(s.Poll.Seconds))
	if s.Poll.Multiple {
		draft.Detail("poll_multiple", "true")
	}
}

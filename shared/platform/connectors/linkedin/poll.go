package linkedin

import (
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/platform/rules"
)

// poll is a poll below the text (learn.microsoft.com/linkedin/marketing/community-management/shares/poll-post-api).
type poll struct {
	Question string       `json:"question"`
	Options  []pollOption `json:"options"`
	Settings pollSettings `json:"settings"`
}

type pollOption struct {
	Text string `json:"text"`
}

type pollSettings struct {
	Duration string `json:"duration"`
}

// Minutes for which a poll is open.
const (
	oneDay    = 1_440
	threeDays = 3 * oneDay
	week      = 7 * oneDay
	fortnight = 14 * oneDay
)

// durationOf returns LinkedIn's name for the time for which a poll is open, by default a day.
func durationOf(minutes *int64) string {
	if minutes == nil {
		return "ONE_DAY"
	}
	return map[int64]string{
		oneDay: "ONE_DAY", threeDays: "THREE_DAYS", week: "SEVEN_DAYS", fortnight: "FOURTEEN_DAYS",
	}[*minutes]
}

func pollOf(o post.Options) *poll {
	if len(o.PollOptions) == 0 {
		return nil
	}
	p := &poll{Question: o.PollQuestion, Settings: pollSettings{durationOf(o.PollMinutes)}}
	for _, choice := range o.PollOptions {
		p.Options = append(p.Options, pollOption{choice})
	}
	return p
}

// pollRules returns the options of a poll.
func pollRules() []rules.Option {
	const longestQuestion, longestChoice = 140, 30
	return []rules.Option{
		rules.PollOptions(rules.Span{Min: 2, Max: 4}, longestChoice, "link"),
		rules.PollMinutes(rules.Span{Min: oneDay, Max: fortnight}, "1440", "4320", "10080", "20160"),
		{
			Name: "pollQuestion", Is: rules.Prose, Max: longestQuestion, Needs: "pollOptions",
			Meaning: "question of the poll, which it requires",
		},
	}
}

// optionFaults refuses a poll without a question.
func optionFaults(o post.Options) map[string]string {
	if len(o.PollOptions) > 0 && o.PollQuestion == "" {
		return map[string]string{"pollQuestion": "A poll on LinkedIn needs pollQuestion; add it."}
	}
	return nil
}

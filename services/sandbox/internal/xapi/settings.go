package xapi

import (
	"slices"
	"strconv"
	"strings"

	"fencepost.internal/services/sandbox/internal/figures"
	"fencepost.internal/services/sandbox/internal/ledger"
)

// settings are the members of a post beside its text and its media.
type settings struct {
	Replies string `json:"reply_settings"`
	Poll    *struct {
		Options []string `json:"options"`
		Minutes int      `json:"duration_minutes"`
	} `json:"poll"`
	Quote       string `json:"quote_tweet_id"`
	AI          bool   `json:"made_with_ai"`
	Partnership bool   `json:"paid_partnership"`
}

// Limits of polls.
const (
	fewestChoices, mostChoices    = 2, 4
	longestChoice                 = 25
	shortestMinutes, mostMinutes  = 5, 10_080
	wrongPoll                     = "The poll is invalid."
	wrongParts                    = "media, poll and quote_tweet_id are mutually exclusive."
	wrongReplies, wrongQuotedPost = "reply_settings is not a member of the enumeration.", "quote_tweet_id is invalid."
)

// set adds the settings to a post. It returns X's fault; empty if there is none.
func (a *api) set(draft *ledger.Draft, of settings, media bool) string {
	parts := 0
	for _, has := range []bool{media, of.Poll != nil, of.Quote != ""} {
		if has {
			parts++
		}
	}
	_, quoted := a.Stage.Ledger.Get(network, of.Quote)
	switch {
	case !slices.Contains([]string{"", "following", "mentionedUsers", "subscribers", "verified"}, of.Replies):
		return wrongReplies
	case parts > 1:
		return wrongParts
	case of.Quote != "" && !quoted:
		return wrongQuotedPost
	}
	draft.Detail("reply_settings", of.Replies)
	draft.Detail(quotedPost, of.Quote)
	for name, is := range map[string]bool{"made_with_ai": of.AI, "paid_partnership": of.Partnership} {
		if is {
			draft.Detail(name, "true")
		}
	}
	if of.Poll == nil {
		return ""
	}
	wrong := func(choice string) bool { return choice == "" || figures.Characters(choice) > longestChoice }
	if n := len(of.Poll.Options); n < fewestChoices || n > mostChoices || slices.ContainsFunc(of.Poll.Options, wrong) ||
		of.Poll.Minutes < shortestMinutes || of.Poll.Minutes > mostMinutes {
		return wrongPoll
	}
	draft.Detail("poll", strings.Join(of.Poll.Options, " / "))
	draft.Detail("poll_minutes", strconv.Itoa(of.Poll.Minutes))
	return ""
}

package x

import (
	"regexp"

	"fencepost.internal/shared/domain/post"
)

// settings are what the options add to a post.
type settings struct {
	Replies     string `json:"reply_settings,omitempty"`
	Poll        *poll  `json:"poll,omitempty"`
	Quote       string `json:"quote_tweet_id,omitempty"`
	AI          bool   `json:"made_with_ai,omitempty"`
	Partnership bool   `json:"paid_partnership,omitempty"`
}

type poll struct {
	Options []string `json:"options"`
	Minutes int64    `json:"duration_minutes"`
}

// The values of the option replies, with X's names. X has none for everyone.
const everyone = "everyone"

func replySettings() map[string]string {
	return map[string]string{
		"following": "following", "mentioned": "mentionedUsers", "subscribers": "subscribers", "verified": "verified",
	}
}

// usualPoll is the duration of a poll without pollMinutes.
const usualPoll = 24 * 60

func settingsOf(o post.Options) settings {
	set := settings{
		Replies: replySettings()[o.Replies], Quote: quoted(o.Quote), AI: isTrue(o.AIGenerated), Partnership: isTrue(o.BrandContent),
	}
	if len(o.PollOptions) > 0 {
		set.Poll = &poll{Options: o.PollOptions, Minutes: usualPoll}
		if o.PollMinutes != nil {
			set.Poll.Minutes = *o.PollMinutes
		}
	}
	return set
}

func isTrue(flag *bool) bool { return flag != nil && *flag }

// statusPattern matches the addresses of posts.
var statusPattern = regexp.MustCompile(`^https://(?:www\.|mobile\.)?(?:x|twitter)\.com/\w{1,20}/status/([0-9]{1,20})(?:[/?#].*)?$`)

// quoted returns the id of the post at an address; empty if it is not that of a post.
func quoted(address string) string {
	at := statusPattern.FindStringSubmatch(address)
	if at == nil {
		return ""
	}
	return at[1]
}

// optionFaults refuses a quote of something else than a post.
func optionFaults(o post.Options) map[string]string {
	if o.Quote != "" && !statusPattern.MatchString(o.Quote) {
		return map[string]string{"quote": "quote must be the address of a post on X, like https://x.com/NAME/status/1."}
	}
	return nil
}

package mastodon

import (
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/rules/textlen"
)

// visiblePublic is the visibility of posts without the option.
const visiblePublic = "public"

// settings are what the options add to a status (docs.joinmastodon.org/methods/statuses/#create).
type settings struct {
	Warning   string `json:"spoiler_text,omitempty"`
	Sensitive bool   `json:"sensitive,omitempty"`
	Language  string `json:"language,omitempty"`
	Poll      *poll  `json:"poll,omitempty"`
}

type poll struct {
	Options  []string `json:"options"`
	Seconds  int64    `json:"expires_in"`
	Multiple bool     `json:"multiple,omitempty"`
}

const (
	usualPoll = 24 * 60 // minutes of a poll without pollMinutes
	inMinute  = 60      // seconds
)

func settingsOf(o post.Options) settings {
	set := settings{Warning: o.ContentWarning, Sensitive: isTrue(o.Sensitive), Language: o.Language}
	if len(o.PollOptions) > 0 {
		minutes := int64(usualPoll)
		if o.PollMinutes != nil {
			minutes = *o.PollMinutes
		}
		set.Poll = &poll{Options: o.PollOptions, Seconds: minutes * inMinute, Multiple: isTrue(o.PollMultiple)}
	}
	return set
}

func isTrue(flag *bool) bool { return flag != nil && *flag }

// checkPoll returns the failure of a poll that the server would refuse.
func (s session) checkPoll(o post.Options, of limits) *platform.Failure {
	if most := of.Polls.Options; most > 0 && len(o.PollOptions) > most {
		return s.Fail(platform.ClassRejected, CodeRefused, errLimit,
			"The poll has %d answers, and the account's Mastodon server allows %d. Remove some, then publish the post again.",
			len(o.PollOptions), most)
	}
	for i, choice := range o.PollOptions {
		if most := of.Polls.Characters; most > 0 && textlen.Characters(choice) > most {
			return s.Fail(platform.ClassRejected, CodeRefused, errLimit,
				"Answer %d of the poll is longer than the %d characters that the account's Mastodon server allows. Shorten it, then "+
					"publish the post again.", i+1, most)
		}
	}
	return nil
}

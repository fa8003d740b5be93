package threads

import (
	"encoding/json"
	"net/url"
	"strings"

	"fencepost.internal/shared/domain/post"
)

// replyControls returns Threads' names for the values of the option replies.
func replyControls() map[string]string {
	return map[string]string{
		"everyone": "everyone", "following": "accounts_you_follow", "followers": "followers_only", "mentioned": "mentioned_only",
	}
}

// withSettings adds the options of posts of every form (developers.facebook.com/docs/threads/reference/publishing).
func withSettings(form url.Values, o post.Options) url.Values {
	if control := replyControls()[o.Replies]; control != "" {
		form.Set("reply_control", control)
	}
	if o.TopicTag != "" {
		form.Set("topic_tag", o.TopicTag)
	}
	if o.Sensitive != nil && *o.Sensitive && form.Get("media_type") != "TEXT" {
		form.Set("is_spoiler_media", "true")
	}
	return form
}

// pollOf returns the parameter with the choices of a poll, which is open for a day.
func pollOf(choices []string) string {
	named := make(map[string]string, len(choices))
	for i, choice := range choices {
		named["option_"+string(rune('a'+i))] = choice
	}
	raw, _ := json.Marshal(named) // only strings: cannot fail
	return string(raw)
}

// optionFaults refuses a topic with characters that Threads does not take.
func optionFaults(o post.Options) map[string]string {
	if strings.ContainsAny(o.TopicTag, ".&") {
		return map[string]string{"topicTag": "topicTag must not contain . or &; remove them."}
	}
	return nil
}

package threadsapi

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"fencepost.internal/services/sandbox/internal/figures"
	"fencepost.internal/services/sandbox/internal/metaapi"
	"fencepost.internal/services/sandbox/internal/stage"
)

// Settings of a post.
const (
	detailReplies = "reply_control"
	detailTopic   = "topic_tag"
	detailSpoiler = "is_spoiler_media"
	detailPoll    = "poll_attachment"
	detailLink    = "link_attachment"

	longestTopic  = 50
	longestChoice = 25
)

// set adds the settings to a container.
func (a *api) set(r stage.Request, c *metaapi.Container) stage.Check {
	controls := []string{"", "everyone", "accounts_you_follow", "mentioned_only", "parent_post_author_only", "followers_only"}
	topic, poll, link := r.Values.Get(detailTopic), r.Values.Get(detailPoll), r.Values.Get(detailLink)
	spoiler := r.Values.Get(detailSpoiler)
	address, err := url.Parse(link)
	if c.Details == nil {
		c.Details = make(map[string]string)
	}
	for _, name := range []string{detailReplies, detailTopic, detailSpoiler, detailPoll, detailLink} {
		if value := r.Values.Get(name); value != "" {
			c.Details[name] = value
		}
	}
	const text = " is allowed for text posts only"
	return stage.If(!slices.Contains(controls, r.Values.Get(detailReplies)), a.Invalid("Param reply_control is invalid")).
		Or(figures.Characters(topic) > longestTopic || strings.ContainsAny(topic, ".&"), a.Invalid("Param topic_tag is invalid")).
		Or(spoiler != "" && (c.Kind == kindText || spoiler != "true" && spoiler != "false"),
			a.Invalid("Param is_spoiler_media is allowed for images and videos only")).
		Or(poll != "" && c.Kind != kindText, a.Invalid("Param poll_attachment"+text)).
		Or(poll != "" && !validPoll(poll), a.Invalid("Param poll_attachment must have 2 to 4 options of at most 25 characters")).
		Or(link != "" && c.Kind != kindText, a.Invalid("Param link_attachment"+text)).
		Or(link != "" && (err != nil || address.Host == ""), a.Invalid("Param link_attachment must be a valid URL")).
		Or(c.Details[detailAttached] != "" && (poll != "" || link != ""),
			a.Invalid("Param text_attachment cannot be used with poll_attachment or link_attachment"))
}

// validPoll reports whether a poll has the options a and b, then c, then d.
func validPoll(given string) bool {
	var options map[string]string
	if json.Unmarshal([]byte(given), &options) != nil || len(options) < 2 || len(options) > 4 {
		return false
	}
	for i := range len(options) {
		if choice := options["option_"+string(rune('a'+i))]; choice == "" || figures.Characters(choice) > longestChoice {
			return false
		}
	}
	return true
}

package telegram

import (
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/platform"
)

// settings are what the options add to a message of every kind (core.telegram.org/bots/api#sendmessage).
type settings struct {
	Silent    bool `json:"disable_notification,omitempty"`
	Protected bool `json:"protect_content,omitempty"`
}

func settingsOf(o post.Options) settings {
	return settings{Silent: isTrue(o.Silent), Protected: isTrue(o.Protected)}
}

func isTrue(flag *bool) bool { return flag != nil && *flag }

// fields returns the settings for a form.
func (s settings) fields() [][2]string {
	var fields [][2]string
	if s.Silent {
		fields = append(fields, [2]string{"disable_notification", "true"})
	}
	if s.Protected {
		fields = append(fields, [2]string{"protect_content", "true"})
	}
	return fields
}

// The values of the option linkPreview.
const (
	previewBelow = "below"
	previewAbove = "above"
	previewNone  = "none"
)

// linkPreview says whether and where a message shows the page of its first link.
type linkPreview struct {
	Disabled bool `json:"is_disabled,omitempty"`
	Above    bool `json:"show_above_text,omitempty"`
}

// linkPreviewOf returns nil for Telegram's own choice, which is below.
func linkPreviewOf(place string) *linkPreview {
	switch place {
	case previewNone:
		return &linkPreview{Disabled: true}
	case previewAbove:
		return &linkPreview{Above: true}
	default:
		return nil
	}
}

// poll is a poll, whose question is the text of the post (core.telegram.org/bots/api#sendpoll).
type poll struct {
	Question string       `json:"question,omitempty"`
	Options  []pollOption `json:"options,omitempty"`
	Multiple bool         `json:"allows_multiple_answers,omitempty"`
}

type pollOption struct {
	Text string `json:"text"`
}

func pollOf(content platform.Content) poll {
	p := poll{Question: content.Text, Multiple: isTrue(content.Options.PollMultiple)}
	for _, choice := range content.Options.PollOptions {
		p.Options = append(p.Options, pollOption{choice})
	}
	return p
}

// hidden marks the photos and videos that a reader opens. Documents have no mark.
func hidden(o post.Options, items []item) []item {
	for i := range items {
		items[i].Spoiler = isTrue(o.Sensitive) && items[i].Type != document
	}
	return items
}

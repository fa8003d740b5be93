package posts

import (
	"time"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/post"
)

// SignOf returns the words of the state of a post, with its color and its icon.
func SignOf(p post.Post, of channel.Channel, deleted bool) [3]string {
	s := signOf(p, of, deleted)
	return [3]string{s.Text, s.Tone, s.Icon}
}

// WaitOf returns why a post waits, and the action and the page that end the wait.
func WaitOf(p post.Post, of channel.Channel) [3]string {
	w := waitOf(p, of)
	return [3]string{w.Text, w.Action, w.Path}
}

// Lines returns the timeline as its lines begin: title, text, words of a person, code.
func Lines(timeline []post.Entry, of channel.Channel) [][4]string {
	var lines [][4]string
	for _, e := range entries(timeline, of) {
		lines = append(lines, [4]string{e.Title, e.Text, e.Quote, e.Code})
	}
	return lines
}

// Remedy returns what can be done about an error: the advice, the button and whether it is the main action.
func Remedy(e post.Error, of channel.Channel) (text, retry string, fit bool) {
	r := remedyOf(&e, of)
	return r.Text, r.Retry, r.Fit
}

// DayOf returns the heading of a day.
func DayOf(at, now time.Time) string {
	title, day := dayOf(at, now)
	return title + "|" + day
}

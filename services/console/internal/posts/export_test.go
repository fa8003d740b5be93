package posts

import (
	"reflect"
	"time"

	"fencepost.internal/services/console/internal/poststate"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/ident"
)

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
	r := poststate.RemedyOf(&e, of)
	return r.Text, r.Retry, r.Fit
}

// DayOf returns the heading of a day.
func DayOf(at, now time.Time) string {
	title, day := dayOf(at, now)
	return title + "|" + day
}

// Verdict returns what the page of a post says first: kind, title, text, proof, and what is left of the wait.
func Verdict(p post.Post, of channel.Channel, attempts []postgres.Attempt, now time.Time) [5]string {
	v := verdictOf(item{
		Post: p, Channel: of, Sign: poststate.Of(p, of, false), Glyph: poststate.Glyph(p, of), Wait: poststate.WaitOf(p, of),
	}, attempts, now)
	left := ""
	if v.Limit != nil {
		left = v.Limit.Left + ". " + v.Limit.End
	}
	return [5]string{v.Kind, v.Title, v.Text, v.Proof, left}
}

// Facts returns what the page says about an attempt: title, step, words of the network, what was sent, time.
func Facts(a postgres.Attempt, of channel.Channel) [5]string {
	f := factsOf(a, of)
	return [5]string{f.Title, f.Step, f.Said, f.Sent, f.Elapsed}
}

// Track returns the way of a post: state and text of each stage.
func Track(p post.Post, of channel.Channel, timeline []post.Entry, attempts []postgres.Attempt) (track [][2]string) {
	for _, s := range trackOf(item{Post: p, Channel: of, Sign: poststate.Of(p, of, false), Glyph: poststate.Glyph(p, of)}, timeline, attempts) {
		track = append(track, [2]string{s.State, s.Text})
	}
	return track
}

// Undone writes an undo and reads it again.
func Undone(do, label string, ids []ident.Post, times []time.Time) (token string, same bool) {
	u := undo{do: do, label: label, posts: ids, times: times}
	token = u.token()
	read, ok := parseUndo(token)
	if do != "time" {
		u.times = make([]time.Time, len(ids))
	}
	return token, ok && reflect.DeepEqual(u, read)
}

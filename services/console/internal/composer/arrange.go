package composer

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/rules"
)

// written is the text of a channel, or the common one.
type written struct {
	For  string
	Text string
	Own  bool
}

// texts returns the common text and those of channels.
func (d draft) texts(channels []channel.Channel) []written {
	all := []written{{common, d.Text, false}}
	for _, one := range channels {
		id := one.ID.String()
		all = append(all, written{id, d.textOf(id), d.Own[id].Text != nil})
	}
	return all
}

// arrange does what a button of a thread says, a verb and what it is about:
//
//	add CHANNEL, split CHANNEL          adds a part, or as many as the text needs
//	move KEY PLACE, drop KEY            moves a part, to a place from 0, or removes it
//	own CHANNEL, none CHANNEL, follow CHANNEL                       gives the channel a thread, none, or the common one
//	owncomment CHANNEL, nocomment CHANNEL, followcomment CHANNEL    the same for a first comment
//	common CHANNEL                                                  gives the channel the common thread and comment
//
// CHANNEL is an ID, or "all" for the common thread. It returns the texts that it has changed, and why it does nothing.
func (c *composer) arrange(v *frame.Visit, s *sent) (changed []written, fault string, err error) {
	words := append(strings.Fields(v.Fields().Get("parts")), "", "", "")
	verb, of, d := words[0], words[1], &s.draft
	before := d.texts(s.desk.channels)
	switch verb {
	case "move", "drop":
		err = d.place(verb, of, words[2])
	case "add", "split":
		if of != common && !s.desk.has(of) {
			return nil, goneChannel, nil
		}
		if of != common && d.Own[of].Thread == nil {
			err = d.diverge("own", of)
		}
		if verb == "split" {
			fault = c.split(v, s, of)
			break
		}
		d.focus = d.nextKey()
		d.setThread(of, append(slices.Clone(d.threadOf(of)), part{Key: d.focus}))
	default:
		if of == common || verb == "" {
			return nil, "", noPage()
		}
		if !s.desk.has(of) {
			return nil, goneChannel, nil
		}
		err = d.diverge(verb, of)
	}
	for i, now := range d.texts(s.desk.channels) {
		if now != before[i] {
			changed = append(changed, now)
		}
	}
	return changed, fault, err
}

const goneChannel = "This channel is no longer connected."

// has reports whether the draft can be for a channel.
func (d desk) has(id string) bool {
	return slices.ContainsFunc(d.channels, func(one channel.Channel) bool { return one.ID.String() == id })
}

// diverge gives a channel its own thread or comment, or the common one again.
func (d *draft) diverge(verb, id string) error {
	own := d.Own[id]
	switch verb {
	case "own":
		thread, key := slices.Clone(d.Thread), d.nextKey()
		for i := range thread {
			thread[i].Key = key + i
		}
		own.Thread = &thread
	case "none":
		own.Thread = &[]part{}
	case "follow":
		own.Thread = nil
	case "owncomment":
		own.Comment = new(d.Comment)
	case "nocomment":
		own.Comment = new(comment)
	case "followcomment":
		own.Comment = nil
	case "common":
		own.Thread, own.Comment = nil, nil
	default:
		return noPage()
	}
	d.Own[id] = own
	return nil
}

// place moves or removes a part of any thread. The part that is there now is written next.
func (d *draft) place(verb, keyed, placed string) error {
	key, err := strconv.Atoi(keyed)
	if err != nil {
		return noPage()
	}
	threads := map[string][]part{common: d.Thread}
	for id, own := range d.Own {
		if own.Thread != nil {
			threads[id] = *own.Thread
		}
	}
	for of, thread := range threads {
		at := slices.IndexFunc(thread, func(p part) bool { return p.Key == key })
		if at < 0 {
			continue
		}
		moved, rest := thread[at], slices.Delete(slices.Clone(thread), at, at+1)
		if verb == "move" {
			to, err := strconv.Atoi(placed)
			if err != nil {
				return noPage()
			}
			at = max(0, min(to, len(rest)))
			rest = slices.Insert(rest, at, moved)
		}
		d.setThread(of, rest)
		if len(rest) > 0 {
			d.focus = rest[min(at, len(rest)-1)].Key
		}
		return nil
	}
	return nil // it was removed in another tab
}

// setThread replaces the thread of a channel, or the common one. The numbers of a numbered thread stay right.
func (d *draft) setThread(of string, thread []part) {
	texts := d.textsWith(of, thread)
	if of == common || d.Own[of].Text != nil {
		texts = rules.Renumber(texts, d.textsWith(of, d.threadOf(of)))
	}
	thread = slices.Clone(thread)
	for i := range thread {
		thread[i].Text = texts[i+1]
	}
	own := d.Own[of]
	switch {
	case of == common:
		d.Text, d.Thread = texts[0], thread
		return
	case own.Text != nil:
		own.Text = &texts[0]
	}
	own.Thread = &thread
	d.Own[of] = own
}

// textsWith returns the text of a channel, or the common one, and those of the parts after it.
func (d draft) textsWith(of string, thread []part) []string {
	texts := []string{d.textOf(of)}
	for _, p := range thread {
		texts = append(texts, p.Text)
	}
	return texts
}

// split divides the text of a channel, or the common one, so that each part fits on every network that takes threads. Channels
// without threads and those with a thread of their own keep the whole text. It returns why it cannot; empty if it can.
func (c *composer) split(v *frame.Visit, s *sent, of string) (fault string) {
	d := &s.draft
	var threading []channel.Channel
	var others []string
	for _, one := range s.desk.channels {
		id := one.ID.String()
		switch {
		case of == common && d.Own[id].Thread != nil && d.Own[id].Text == nil: // its thread stays as it is
			others = append(others, id)
		case !d.picked(one.ID) || id != of && (of != common || d.Own[id].Text != nil):
		case c.app.PartFault(one, post.PartReply) == "":
			threading = append(threading, one)
		default:
			others = append(others, id)
		}
	}
	whole := strings.TrimSpace(d.textOf(of))
	parts := rules.Split(whole, func(text string) bool {
		return !slices.ContainsFunc(threading, func(one channel.Channel) bool {
			return c.app.TextLength(one, platform.Content{
				ContentType: d.kindOf(one.ID), Text: text, Options: d.Options[one.ID.String()],
			}).Over() > 0
		})
	}, v.Fields().Has("number"))
	old := d.threadOf(of)
	if n := len(parts) + len(old); n > post.LongestThread {
		return fmt.Sprintf("This text needs %d parts. A thread has at most %d.", n, post.LongestThread)
	}
	if len(parts) == 1 {
		return ""
	}
	key := d.nextKey()
	var thread []part
	for i, text := range parts[1:] {
		thread = append(thread, part{Key: key + i, Text: text})
	}
	thread = append(thread, old...)
	if of != common {
		own := d.Own[of]
		own.Text, own.Thread = &parts[0], &thread
		d.Own[of] = own
		return ""
	}
	d.Text, d.Thread = parts[0], thread
	for _, id := range others {
		own := d.Own[id]
		own.Text = &whole
		if own.Thread == nil {
			own.Thread = &[]part{}
		}
		d.Own[id] = own
	}
	return ""
}

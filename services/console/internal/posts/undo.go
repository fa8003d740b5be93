package posts

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"strings"
	"time"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// undo takes an action back by another one on the posts that it changed. It travels with the page that confirms the action,
// and is checked like every other form: it can do no more than the person may do.
type undo struct {
	do    string // as in the form of an action: time, label, unlabel, archive, unarchive or delete
	label string
	posts []ident.Post
	times []time.Time // of each of the posts
}

// undoOf returns what takes an action back; zero if nothing does: a deleted post is gone, and people have been asked to
// approve.
func undoOf(d operation, results []app.SetResult) (u undo) {
	switch {
	case d.copy:
		u.do = "delete"
	case d.Do == post.ActionArchive:
		u.do = "unarchive"
	case d.Do == post.ActionUnarchive:
		u.do = "archive"
	case d.AddLabel != "":
		u.do, u.label = "unlabel", d.AddLabel
	case d.RemoveLabel != "":
		u.do, u.label = "label", d.RemoveLabel
	case d.Do == "":
		u.do = "time"
	}
	for _, r := range results {
		if r.Changed && u.do != "" {
			u.posts = append(u.posts, r.After.ID)
			u.times = append(u.times, r.Before.ScheduledAt)
		}
	}
	return u
}

// token writes the undo for a form; empty if there is nothing to take back.
func (u undo) token() string {
	if u.do == "" || len(u.posts) == 0 {
		return ""
	}
	var out bytes.Buffer
	out.WriteString(u.do + "\n" + u.label + "\n")
	for i, id := range u.posts {
		out.Write(id[:])
		if u.do == "time" {
			at := int64(0)
			if !u.times[i].IsZero() {
				at = u.times[i].UnixMilli()
			}
			_ = binary.Write(&out, binary.BigEndian, at) // writes to memory
		}
	}
	return base64.RawURLEncoding.EncodeToString(out.Bytes())
}

// parseUndo reads a token, and reports whether it is one.
func parseUndo(token string) (u undo, ok bool) {
	raw, err := base64.RawURLEncoding.DecodeString(token)
	head := strings.SplitN(string(raw), "\n", 3)
	if err != nil || len(head) != 3 {
		return u, false
	}
	u.do, u.label = head[0], head[1]
	const wide, stamp = 16, 8
	rest, size := []byte(head[2]), wide
	if u.do == "time" {
		size += stamp
	}
	if len(rest) == 0 || len(rest)%size != 0 {
		return u, false
	}
	for ; len(rest) > 0; rest = rest[size:] {
		u.posts = append(u.posts, ident.Post(rest[:wide]))
		var at time.Time
		if u.do == "time" {
			if ms := int64(binary.BigEndian.Uint64(rest[wide:size])); ms != 0 { //nolint:gosec // G115: the same bits
				at = time.UnixMilli(ms).UTC()
			}
		}
		u.times = append(u.times, at)
	}
	return u, true
}

// operation returns the action, and whether it is one.
func (u undo) operation() (d operation, ok bool) {
	switch u.do {
	case "time":
		at := make(map[ident.Post]time.Time, len(u.posts))
		for i, id := range u.posts {
			at[id] = u.times[i]
		}
		d.To = func(of post.Post) time.Time { return at[of.ID] }
	case "label":
		d.AddLabel = u.label
	case "unlabel":
		d.RemoveLabel = u.label
	case "archive":
		d.Do = post.ActionArchive
	case "unarchive":
		d.Do = post.ActionUnarchive
	case "delete":
		d.Do = post.ActionDelete
	}
	d.done, d.not = "Taken back for", "taken back"
	return d, u.do == "time" || d.AddLabel != "" || d.RemoveLabel != "" || d.Do != ""
}

// takeBack takes an action on posts back.
func (p *posts) takeBack(v *frame.Visit) error {
	u, ok := parseUndo(v.Form("undo"))
	d, known := u.operation()
	if !ok || !known {
		return apperr.New(apperr.NotFound, "This page does not exist.")
	}
	results, err := p.app.ActOnPosts(v.Request.Context(), v.Principal, u.posts, d.PostsAction)
	if err != nil {
		return err
	}
	target := p.back(v)
	if u.do == "delete" && !isList(v, target) { // the copy that was open
		target = v.Path("/posts")
	}
	return v.DoneWith(target, frame.Notice{Text: summary(d, results)})
}

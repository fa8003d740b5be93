package posts

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/kernel/plaintext"
	"fencepost.internal/shared/kernel/wallclock"
)

// editor is the form that changes a post in place.
type editor struct {
	Open       bool
	Version    string // of the post that the person saw
	Title      string
	Content    string
	Alts       []altText
	Labels     string // separated by commas
	Day, Clock string
	Faults     map[string]string // by member
	Conflict   *conflict
	Was        string // the base of a form that is shown again
}

// altText is the alternative text of an attachment.
type altText struct {
	ID           ident.Media
	Name         string
	ThumbnailURL string
	Text         string
}

// conflict says who changed the post while a person edited it, and what it says now.
type conflict struct {
	By      string
	At      time.Time
	Members []difference
}

// difference is a member that differs between the post and what a person typed.
type difference struct{ Name, Theirs, Mine string }

// Other returns the faults that no field of the form shows.
func (e editor) Other() (texts []string) {
	for name, text := range e.Faults {
		if !slices.Contains([]string{"title", "content", "labels", "scheduledAt"}, name) {
			texts = append(texts, text)
		}
	}
	slices.Sort(texts)
	return texts
}

// local is the format of a day and a time of a form.
const local = "2006-01-02 15:04"

// editorOf returns the form with the post as it is.
func editorOf(of post.Post, media []app.DeliveredAsset, zone *time.Location) editor {
	e := editor{
		Version: app.PostTag(of), Title: of.Title, Content: of.Content, Labels: strings.Join(of.Labels, ", "),
	}
	for _, m := range media {
		text, own := of.MediaAltTexts[m.ID]
		if !own {
			text = m.AltText
		}
		e.Alts = append(e.Alts, altText{m.ID, m.Name, m.ThumbnailURL, text})
	}
	if !of.ScheduledAt.IsZero() {
		e.Day, e.Clock, _ = strings.Cut(of.ScheduledAt.In(zone).Format(local), " ")
	}
	return e
}

// typed returns the form with what a person typed.
func (e editor) typed(v *frame.Visit) editor {
	e.Open, e.Version = true, v.Form("version")
	e.Title, e.Labels, e.Day, e.Clock = v.Form("title"), v.Form("labels"), v.Form("day"), v.Form("clock")
	e.Content = strings.ReplaceAll(plaintext.Normalize(v.Request.PostFormValue("content")), "\r\n", "\n")
	e.Alts = slices.Clone(e.Alts)
	for i, a := range e.Alts {
		e.Alts[i].Text = v.Form("alt-" + a.ID.String())
	}
	return e
}

// changes returns the edit from one state of the form to another, or what is wrong with it by member. What a person did
// not change stays as it is, so that a post of a set keeps following its base.
func (e editor) changes(to editor, zone *time.Location) (edit post.Edit, faults map[string]string) {
	faults = make(map[string]string)
	if to.Title != e.Title {
		edit.Title = &to.Title
	}
	if to.Content != e.Content {
		edit.Content = &to.Content
	}
	if texts, changed := e.altTexts(to); changed {
		edit.MediaAltTexts = &texts
	}
	if to.Labels != e.Labels {
		names, found := frame.ReadLabels(to.Labels, "post")
		if found != "" {
			faults["labels"] = found
		}
		edit.Labels = &names
	}
	if to.Day != e.Day || to.Clock != e.Clock {
		at, err := time.Parse(local, to.Day+" "+to.Clock)
		switch {
		case to.Day == "" && to.Clock == "":
			edit.ScheduledAt = &time.Time{}
		case err != nil:
			faults["scheduledAt"] = "Choose a day and a time."
		default:
			at = wallclock.In(zone, at)
			edit.ScheduledAt = &at
		}
	}
	return edit, faults
}

// altTexts returns the texts of the attachments, and whether a person changed one.
func (e editor) altTexts(to editor) (texts post.AltTexts, changed bool) {
	texts = make(post.AltTexts, len(to.Alts))
	for i, a := range to.Alts {
		texts[a.ID] = a.Text
		changed = changed || a.Text != e.Alts[i].Text
	}
	return texts, changed
}

// typedMember is a member of the form with its value.
type typedMember struct {
	key, name string
	value     *string
}

func membersOf(e *editor) []typedMember {
	list := []typedMember{
		{"title", "Title", &e.Title},
		{"content", "Text", &e.Content},
		{"labels", "Labels", &e.Labels},
		{"day", "Day", &e.Day},
		{"clock", "Time", &e.Clock},
	}
	for i, a := range e.Alts {
		list = append(list, typedMember{"alt-" + a.ID.String(), "Description of " + a.Name, &e.Alts[i].Text})
	}
	return list
}

// Base returns what the form had before a person typed, as one hash per member.
func (e editor) Base() string {
	values := url.Values{}
	for _, m := range membersOf(&e) {
		values.Set(m.key, hash(*m.value))
	}
	return values.Encode()
}

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}

// merge takes over what someone else changed in members that the person did not change, and returns the members that both
// changed.
func merge(e *editor, theirs editor, base string) (both []difference) {
	before, _ := url.ParseQuery(base) // of a malformed base, the pairs before the fault
	now := membersOf(&theirs)
	for i, m := range membersOf(e) {
		mine, other := *m.value, *now[i].value
		switch {
		case mine == other:
		case hash(mine) == before.Get(m.key):
			*m.value = other
		case hash(other) != before.Get(m.key):
			both = append(both, difference{m.name, other, mine})
		}
	}
	return both
}

// edits reports whether the visitor may change the post in place.
func edits(v *frame.Visit, of post.Post) bool {
	return of.Status.Allows(post.ActionEdit) && of.PublishingSince.IsZero() && v.Principal.Allows(credential.PostsWrite) &&
		(of.Status != post.Scheduled || v.Principal.Allows(credential.PostsPublish))
}

// edit changes a post in place. What someone else changed since the visitor saw the post is kept; if both changed the
// same member, the visitor decides.
func (p *posts) edit(v *frame.Visit) error {
	id, err := frame.PathID(v, "post", ident.Parse[ident.Post])
	if err != nil {
		return err
	}
	for try := range mostSaves {
		form, again, err := p.save(v, id)
		switch {
		case again && try < mostSaves-1: // someone was faster by a moment
			continue
		case again:
			return apperr.New(apperr.PublishInProgress, "The post is being changed by others. Go back and try again.")
		case err != nil:
			return gone(v, err)
		case form == nil:
			return nil
		case form.Conflict != nil:
			return p.pageOf(v, id, shown{status: http.StatusConflict, editor: form})
		default:
			return p.pageOf(v, id, shown{status: http.StatusUnprocessableEntity, editor: form})
		}
	}
	return nil
}

// mostSaves is the number of times that a form is saved while others change the post.
const mostSaves = 5

// save saves the form and responds. It returns the form if it has faults or a conflict, and whether someone else changed
// the post at the same time.
func (p *posts) save(v *frame.Visit, id ident.Post) (refused *editor, again bool, err error) {
	ctx := v.Request.Context()
	found, err := p.app.Post(ctx, v.Principal, id)
	if err != nil {
		return nil, false, err
	}
	if found.Status == post.Scheduled { // it was approved as it is
		if err := v.Principal.Require(credential.PostsPublish); err != nil {
			return nil, false, err
		}
	}
	media, err := p.app.PostMedia(ctx, v.Principal, found)
	if err != nil {
		return nil, false, err
	}
	now := editorOf(found, media, v.Zone())
	form, notice := now.typed(v), "Saved."
	if form.Version != now.Version {
		by, err := p.lastEditor(v, id)
		if err != nil {
			return nil, false, err
		}
		if both := merge(&form, now, v.Form("base")); len(both) > 0 {
			form.Version, form.Conflict = now.Version, &conflict{By: by, At: found.UpdatedAt, Members: both}
			form.Was = now.Base()
			return &form, false, nil
		}
		notice = "Saved. What " + by + " changed meanwhile is kept."
	}
	change, faults := now.changes(form, v.Zone())
	if len(faults) == 0 {
		_, err = p.app.EditPost(app.Expecting(ctx, []string{now.Version}), v.Principal, id,
			func(post.Post) (post.Edit, error) { return change, nil })
		if apperr.Is(err, apperr.PreconditionFailed) {
			return nil, true, nil
		}
		if faults = faultsOf(err); len(faults) == 0 && err != nil {
			return nil, false, err
		}
	}
	if len(faults) > 0 {
		form.Faults, form.Version, form.Was = faults, v.Form("version"), v.Form("base")
		return &form, false, nil
	}
	return nil, false, v.Done(v.Path("/posts/"+id.String()), notice)
}

// faultsOf returns the faults of an edit by member; none for an error of the service.
func faultsOf(err error) map[string]string {
	if known, ok := frame.Faults(err); ok {
		return known
	}
	known, ok := errors.AsType[*apperr.Error](err)
	if !ok {
		return nil
	}
	switch known.Code { //nolint:exhaustive // the others are no fault of the form
	case apperr.ScheduledInPast:
		return map[string]string{"scheduledAt": "That time has passed. Choose a later one."}
	case apperr.InvalidState, apperr.PublishInProgress, apperr.ChannelNotPublishable, apperr.ChannelDisconnected:
		return map[string]string{"": frame.Sentence(known.Message)}
	}
	return nil
}

// lastEditor returns the name of the person or program that changed a post last.
func (p *posts) lastEditor(v *frame.Visit, id ident.Post) (string, error) {
	timeline, err := p.app.Timeline(v.Request.Context(), v.Principal, id)
	if err != nil {
		return "", err
	}
	for _, e := range slices.Backward(timeline) {
		if by := frame.Actor(e.Actor); by != "" {
			return by, nil
		}
	}
	return "someone", nil
}

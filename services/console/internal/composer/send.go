package composer

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/console/internal/series"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/post"
	domain "fencepost.internal/shared/domain/series"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// sent is a form with the scratch to which it belongs.
type sent struct {
	id      ident.Scratch
	version int
	draft   draft
	desk    desk
}

// read parses a form.
func (c *composer) read(v *frame.Visit) (s sent, err error) {
	if s.id, err = ident.Parse[ident.Scratch](v.Form("scratch")); err != nil {
		return s, noPage()
	}
	if s.version, err = strconv.Atoi(v.Form("version")); err != nil || s.version < 0 {
		return s, noPage()
	}
	of, err := readOrigin(v.Form("origin"))
	if err != nil {
		return s, err
	}
	if s.desk, err = c.desk(v, of); err != nil {
		return s, err
	}
	if s.draft, err = read(v, of, s.desk.channels); err != nil {
		return s, err
	}
	c.readOptions(v, &s.draft, s.desk.channels)
	return s, nil
}

// save keeps what a person writes, and answers with what is found about it.
func (c *composer) save(v *frame.Visit) error {
	s, err := c.read(v)
	if err != nil {
		return err
	}
	data := page{Scratch: s.id, Version: s.version, Strip: v.Fields().Has("strip"), Numbers: v.Fields().Has("number")}
	if data.Threaded = v.Fields().Has("parts"); data.Threaded {
		if data.Arranged, data.Fault, err = c.arrange(v, &s); err != nil {
			return err
		}
	}
	if data.look, err = c.examine(v, s.draft, s.desk); err != nil {
		return err
	}
	if s.version > 0 || !s.draft.empty() { // nothing is kept of a page that was only opened
		if err := c.keep(v, &data); err != nil {
			return err
		}
	}
	return v.Page(frame.Page{Name: "composer/checked", Part: "main", Data: &data})
}

// newer says whether a scratch was saved on another device since the page read it.
func (c *composer) newer(v *frame.Visit) error {
	var kept postgres.Scratch
	if id, err := ident.Parse[ident.Scratch](v.Query("scratch")); err == nil {
		kept, err = c.app.Scratch(v.Request.Context(), v.Principal, id)
		if err != nil && !apperr.Is(err, apperr.NotFound) { // it was sent or deleted there, or nothing was saved yet
			return err
		}
	}
	known, _ := strconv.Atoi(v.Query("version"))
	return v.Page(frame.Page{Name: "composer/newer", Part: "main", Data: struct {
		Address string
		Newer   bool
	}{address(v, kept.ID.String()), kept.Version > known}})
}

// keep saves a draft. It stays in the page if it cannot be saved.
func (c *composer) keep(v *frame.Visit, data *page) error {
	content, err := data.draft.encoded()
	if err != nil {
		return err
	}
	saved, copied, err := c.app.SaveScratch(v.Request.Context(), v.Principal, data.Scratch, data.Version, content)
	if known, ok := errors.AsType[*apperr.Error](err); ok && known.Code == apperr.QuotaExceeded {
		data.Fault = frame.Sentence(known.Message)
		return nil
	}
	if err != nil {
		return err
	}
	if copied {
		data.Copied = data.Scratch
	}
	data.Scratch, data.Version, data.Saved = saved.ID, saved.Version, true
	return nil
}

// send creates the posts.
func (c *composer) send(v *frame.Visit) error {
	s, err := c.read(v)
	if err != nil {
		return err
	}
	data := page{Scratch: s.id, Version: s.version, Refused: true}
	if data.look, err = c.examine(v, s.draft, s.desk); err != nil {
		return err
	}
	wanted := data.wanted()
	if len(wanted) > 0 && s.draft.Origin != nil {
		data.draft.Channels = wanted
		return c.change(v, &data)
	}
	if len(wanted) > 0 {
		created, err := c.compose(v, data, wanted)
		if err == nil {
			return v.Done(data.target(v, created), data.notice(len(created))+c.repeat(v, data.draft, created))
		}
		known, ok := errors.AsType[*apperr.Error](err)
		if !ok || known.Code == apperr.Unavailable || known.Code == apperr.Internal || known.Code == apperr.InsufficientScope {
			return err
		}
		data.Fault = fault(known)
	}
	return c.again(v, &data, http.StatusUnprocessableEntity)
}

// fault returns the words of a refusal.
func fault(known *apperr.Error) string {
	if len(known.Fields) > 0 {
		return frame.Sentence(known.Fields[0].Message)
	}
	return frame.Sentence(known.Message)
}

// wanted returns the channels whose posts are created now; none if a fault prevents it. A draft may break the rules of its
// network.
func (l *look) wanted() []ident.Channel {
	switch {
	case len(l.draft.Channels) == 0:
		l.Findings = append([]finding{{Stop: true, Text: "Choose a channel.", Fix: fix{Kind: "channels", Text: "Choose"}}}, l.Findings...)
		l.Stops++
		return nil
	case l.draft.empty():
		l.Findings = append([]finding{{Stop: true, Text: "Write a text or add media."}}, l.Findings...)
		l.Stops++
		return nil
	case l.Timing.Fault != "":
		return nil
	case !l.Plans() && l.storable(), l.Stops == 0:
		return l.draft.Channels
	case l.draft.ready:
		return slices.DeleteFunc(slices.Clone(l.draft.Channels), func(id ident.Channel) bool {
			return !slices.Contains(l.Ready, id.String())
		})
	default:
		return nil
	}
}

// storable reports whether the labels and the parts can be stored.
func (l *look) storable() bool {
	_, found := l.draft.labels()
	for _, m := range l.Marks {
		if m.Picked {
			found = append(found, l.draft.beyond(m.Channel)...)
		}
	}
	return len(found) == 0
}

// compose creates posts for the channels, and keeps what is for the other ones.
func (c *composer) compose(v *frame.Visit, data page, wanted []ident.Channel) ([]ident.Post, error) {
	d := data.draft
	composition := app.Composition{
		Scratch: data.Scratch, Posts: data.request(wanted), Ask: d.When == approval, Idea: d.Idea,
	}
	if d.When == approval {
		composition.At = data.Timing.At
	}
	if len(wanted) < len(d.Channels) {
		rest := d
		rest.Channels = slices.DeleteFunc(slices.Clone(d.Channels), func(id ident.Channel) bool { return slices.Contains(wanted, id) })
		var err error
		if composition.Rest, err = rest.encoded(); err != nil {
			return nil, err
		}
	}
	return c.app.Compose(v.Request.Context(), v.Principal, composition)
}

// repeat makes a series of new posts if the person chose so, and says how they repeat.
func (c *composer) repeat(v *frame.Visit, d draft, created []ident.Post) string {
	rule, repeats := d.Repeat.Rule(v.Workspace.Timezone)
	if !repeats || d.When != atTime {
		return ""
	}
	first, err := c.app.Post(v.Request.Context(), v.Principal, created[0])
	if err == nil {
		var started domain.Series
		if started, err = c.app.RepeatSet(v.Request.Context(), v.Principal, first.GroupID, rule); err == nil {
			return " Repeats " + series.Words(started.Rule) + "."
		}
	}
	if known, ok := errors.AsType[*apperr.Error](err); ok && known.Code == apperr.InvalidState {
		return " " + frame.Sentence(known.Message)
	}
	return " They could not be repeated. Choose Repeat on the page of the post."
}

// target returns the page on which the new posts are seen.
func (p page) target(v *frame.Visit, created []ident.Post) string {
	day := p.Timing.At
	if p.draft.When == atSlot {
		for _, m := range p.Marks {
			if m.Picked && !m.At.IsZero() && (day.IsZero() || m.At.Before(day)) {
				day = m.At
			}
		}
	}
	switch {
	case len(created) == 1:
		return v.Path("/posts/" + created[0].String())
	case day.IsZero() && p.draft.When == asDraft:
		return v.Path("/posts?status=draft")
	case day.IsZero() && p.draft.When == approval:
		return v.Path("/posts?status=pending_approval")
	case day.IsZero():
		return v.Path("/calendar")
	default:
		return v.Path("/calendar?" + url.Values{"view": {"week"}, "day": {day.In(v.Zone()).Format(time.DateOnly)}}.Encode())
	}
}

// notice confirms what happened to a number of posts.
func (p page) notice(n int) string {
	posts := "1 post"
	if n != 1 {
		posts = fmt.Sprintf("%d posts", n)
	}
	var text string
	switch p.draft.When {
	case atOnce:
		text = posts + " on the way."
	case asDraft:
		text = posts + " saved as drafts."
		if n == 1 {
			text = "Saved as a draft."
		}
	case approval:
		text = "Approval requested for " + posts + "."
	case atSlot, atTime:
		text = posts + " scheduled."
	case asPlanned:
		text = "Saved " + posts + "."
	}
	if rest := len(p.draft.Channels) - n; rest > 0 {
		text += fmt.Sprintf(" What is left is under Unfinished, for %d more.", rest)
	}
	return text
}

// Button says what the main button does.
func (l *look) Button() string {
	n := l.Picked
	posts := fmt.Sprintf(" %d posts", n)
	if n == 1 {
		posts = " 1 post"
	}
	if n == 0 {
		posts = ""
	}
	switch l.draft.When {
	case atOnce:
		return "Publish" + strings.TrimSuffix(strings.TrimSuffix(posts, " posts"), " post") + " now"
	case approval:
		return "Ask for approval"
	case asDraft:
		return "Save" + map[bool]string{true: " draft", false: " drafts"}[n < 2]
	case asPlanned:
		return "Save" + posts
	case atSlot, atTime:
	}
	return "Schedule" + posts
}

// Plans reports whether the posts will be published, so that a fault in one of them matters now.
func (l *look) Plans() bool {
	return l.draft.When != asDraft && (l.draft.When != asPlanned || slices.ContainsFunc(l.existing.posts, func(p post.Post) bool {
		return p.Status == post.Scheduled && l.draft.picked(p.ChannelID)
	}))
}

// Verb says what the main button does, without a number.
func (l *look) Verb() string {
	switch l.draft.When {
	case atOnce:
		return "Publish"
	case approval:
		return "Ask for"
	case asDraft, asPlanned:
		return "Save"
	case atSlot, atTime:
	}
	return "Schedule"
}

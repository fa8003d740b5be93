package composer

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/console/internal/series"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/kernel/plaintext"
)

// when is the choice of the time of posts.
type when string

const (
	atSlot   when = "slot"
	atTime   when = "time"
	atOnce   when = "now"
	approval when = "approval"
	asDraft  when = "draft"
	// asPlanned leaves the times of existing posts as they are.
	asPlanned when = "planned"
)

// draft holds the text of a person: the form, and the content of a scratch.
type draft struct { //nolint:recvcheck // arrangements of its parts change it
	Text     string            `json:"text"`
	Title    string            `json:"title,omitempty"`
	Kind     post.ContentType  `json:"kind,omitempty"`
	Channels []ident.Channel   `json:"channels,omitempty"` // to publish to
	Own      map[string]own    `json:"own,omitempty"`      // by the channel's ID
	Media    []ident.Media     `json:"media,omitempty"`
	Alt      map[string]string `json:"alt,omitempty"` // by the asset's ID
	// Options are those of channels, by the channel\'s ID.
	Options map[string]post.Options `json:"options,omitempty"`
	// Covers are pictures beside the videos of channels, by the channel's ID.
	Covers map[string]ident.Media `json:"covers,omitempty"`
	// Thread has the parts after the text.
	Thread  []part  `json:"thread,omitempty"`
	Comment comment `json:"comment,omitzero"`
	Labels  string  `json:"labels,omitempty"`
	// Campaign is that of the posts; zero: none.
	Campaign ident.Campaign `json:"campaign,omitzero"`
	When     when           `json:"when,omitempty"`
	Day      string         `json:"day,omitempty"`   // of the workspace's clock
	Clock    string         `json:"clock,omitempty"` // of the workspace's clock
	// Repeat is the preset by which new posts with a time repeat.
	Repeat series.Preset `json:"repeat,omitempty"`
	// Idea is the card of a board that becomes the posts; zero: none.
	Idea ident.IdeaCard `json:"idea,omitzero"`
	// Origin names the posts that the draft changes; nil: it becomes new ones.
	Origin *origin `json:"origin,omitempty"`
	ready  bool    // only the posts without a fault are wanted
	focus  int     // key of the part that is written next; zero: none
}

// own holds the text and the files of a channel that replace the common ones.
type own struct {
	Text  *string          `json:"text,omitempty"`
	Title *string          `json:"title,omitempty"`
	Kind  post.ContentType `json:"kind,omitempty"`  // of an existing post; empty: the common one
	Media []ident.Media    `json:"media,omitempty"` // some of the common files; empty: all
	// Thread and Comment are nil for the common ones.
	Thread  *[]part  `json:"thread,omitempty"`
	Comment *comment `json:"comment,omitempty"`
}

func (o own) empty() bool {
	return o.Text == nil && o.Title == nil && o.Kind == "" && len(o.Media) == 0 && o.Thread == nil && o.Comment == nil
}

// started returns a new draft as the address asks for it.
func started(v *frame.Visit, channels []channel.Channel) draft {
	d := draft{When: atSlot, Kind: post.ContentPost}
	at, err := time.Parse(time.RFC3339, v.Query("at")) // of a free slot
	if err != nil {
		at, err = time.ParseInLocation("2006-01-02T15:04", v.Query("at"), v.Zone())
	}
	if at = at.In(v.Zone()); err == nil {
		d.When, d.Day, d.Clock = atTime, at.Format(time.DateOnly), at.Format("15:04")
	}
	for _, wanted := range v.Request.URL.Query()["channel"] {
		for _, one := range channels {
			if one.ID.String() == wanted {
				d.Channels = append(d.Channels, one.ID)
			}
		}
	}
	for _, text := range v.Request.URL.Query()["media"] {
		if id, err := ident.Parse[ident.Media](text); err == nil && !slices.Contains(d.Media, id) {
			d.Media = append(d.Media, id) // those of other workspaces are left out
		}
	}
	d.Campaign, _ = ident.Parse[ident.Campaign](v.Query("campaign"))
	d.Text = line(v.Query("text"))
	return d.usable(v)
}

// usable lets only people who may publish schedule posts.
func (d draft) usable(v *frame.Visit) draft {
	if !v.Principal.Allows(credential.PostsPublish) {
		return d.asking()
	}
	return d
}

// asking asks others instead of scheduling.
func (d draft) asking() draft {
	if d.When != asDraft && d.When != asPlanned {
		d.When = approval
	}
	return d
}

// restored parses the content of a scratch.
func restored(content json.RawMessage) (d draft, err error) {
	if err := json.Unmarshal(content, &d); err != nil {
		return d, fmt.Errorf("decode a scratch: %w", err)
	}
	return d, nil
}

// line returns a text of a form as it is stored. Unlike other fields, it keeps the space that a person is typing.
func line(given string) string { return plaintext.Normalize(strings.ToValidUTF8(given, "")) }

// read parses the form for some channels; NOT_FOUND for another one.
func read(v *frame.Visit, of *origin, channels []channel.Channel) (draft, error) {
	fields := v.Fields()
	d := draft{
		Text: line(fields.Get("text")), Title: line(fields.Get("title")), Kind: post.ContentType(fields.Get("kind")),
		Labels: line(fields.Get("labels")), When: when(fields.Get("when")), Day: v.Form("day"), Clock: v.Form("clock"),
		Repeat: series.Preset(fields.Get("repeat")), ready: fields.Has("ready"), Own: make(map[string]own), Alt: make(map[string]string), Options: make(map[string]post.Options),
	}
	if !d.Kind.Known() {
		d.Kind = post.ContentPost
	}
	d.Origin = of
	if !slices.Contains([]when{atSlot, atTime, atOnce, approval, asDraft}, d.When) {
		d.When = atSlot
		if d.Origin != nil {
			d.When = asPlanned
		}
	}
	d.Campaign, _ = ident.Parse[ident.Campaign](fields.Get("campaign")) // one that the workspace does not have is left out
	d.Idea, _ = ident.Parse[ident.IdeaCard](fields.Get("idea"))         // as above
	var err error
	if d.Channels, err = ids(fields, "channel", ident.Parse[ident.Channel]); err != nil {
		return d, err
	}
	for _, id := range d.Channels {
		if !slices.ContainsFunc(channels, func(c channel.Channel) bool { return c.ID == id }) {
			return d, noPage()
		}
	}
	if d.Media, err = ids(fields, "media", ident.Parse[ident.Media]); err != nil {
		return d, err
	}
	for _, c := range channels {
		one, err := d.readOwn(fields, c.ID.String())
		if err != nil {
			return d, err
		}
		if !one.empty() {
			d.Own[c.ID.String()] = one
		}
	}
	if err := d.readParts(fields, channels); err != nil {
		return d, err
	}
	for _, id := range slices.Concat(d.Media, d.partMedia()) {
		if name := "alt." + id.String(); fields.Has(name) {
			d.Alt[id.String()] = line(fields.Get(name))
		}
	}
	if d.Covers, err = readCovers(fields, channels); err != nil {
		return d, err
	}
	return d.usable(v), nil
}

// readOwn parses what a channel has of its own.
func (d draft) readOwn(fields url.Values, id string) (one own, err error) {
	if name := "text." + id; fields.Has(name) {
		text := line(fields.Get(name))
		one.Text = &text
	}
	if name := "title." + id; fields.Has(name) {
		text := line(fields.Get(name))
		one.Title = &text
	}
	if kind := post.ContentType(fields.Get("kind." + id)); kind.Known() {
		one.Kind = kind
	}
	chosen, err := ids(fields, "media."+id, ident.Parse[ident.Media])
	for _, file := range d.Media { // in the common order
		if slices.Contains(chosen, file) {
			one.Media = append(one.Media, file)
		}
	}
	if len(one.Media) == len(d.Media) {
		one.Media = nil
	}
	return one, err
}

// ids parses a repeated field of IDs, each once.
func ids[I ~[16]byte](fields url.Values, name string, parse func(string) (I, error)) ([]I, error) {
	var found []I
	for _, text := range fields[name] {
		id, err := parse(text)
		if err != nil {
			return nil, noPage()
		}
		if !slices.Contains(found, id) {
			found = append(found, id)
		}
	}
	return found, nil
}

// noPage is the refusal of an address or a form with something that the workspace does not have.
func noPage() error { return apperr.New(apperr.NotFound, "This page does not exist.") }

// encoded returns the content of the draft's scratch.
func (d draft) encoded() (json.RawMessage, error) { return json.Marshal(d) }

// empty reports whether nothing was written.
func (d draft) empty() bool {
	return strings.TrimSpace(d.Text) == "" && d.Title == "" && len(d.Own) == 0 && len(d.Media) == 0 && len(d.Thread) == 0 && d.Comment.empty()
}

// picked reports whether the draft is for a channel.
func (d draft) picked(id ident.Channel) bool { return slices.Contains(d.Channels, id) }

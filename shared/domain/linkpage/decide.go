package linkpage

import (
	"bytes"
	"encoding/json"
	"slices"
	"time"

	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// Maximum lengths of a page's texts, in characters.
const (
	MaxTitle          = 100
	MaxBio            = 500
	MaxSEOTitle       = 100
	MaxSEODescription = 300
)

// New is the input of a new page. Handle and Title are required.
type New struct {
	ID          ident.LinkPage // zero: a new one
	WorkspaceID ident.Workspace
	Handle      string
	Title       string
	Bio         string
	SEO         SEO
	Theme       Theme
}

// Create returns a page with an empty draft. It returns VALIDATION_FAILED with every fault at once.
func Create(in New, now time.Time) (Page, error) {
	var f faults
	p := Page{
		ID: orNew(in.ID), WorkspaceID: in.WorkspaceID, Handle: f.handle("/handle", in.Handle), Revision: 1,
		Draft: Content{
			Title: f.title(in.Title), Bio: f.text("/bio", in.Bio, MaxBio), SEO: f.seo(in.SEO),
			Theme: f.theme("/theme", in.Theme), Blocks: []Block{},
		},
		CreatedAt: now, UpdatedAt: now,
	}
	return p, apperr.Invalid(f)
}

// orNew returns the ID, or a new one if it is zero.
func orNew[I ~[16]byte](id I) I {
	if id == (I{}) {
		return ident.New[I]()
	}
	return id
}

func (f *faults) title(given string) string {
	before := len(*f)
	title := f.line("/title", given, MaxTitle)
	if title == "" && len(*f) == before {
		f.add("/title", "is required")
	}
	return title
}

func (f *faults) seo(given SEO) SEO {
	return SEO{
		Title:       f.line("/seo/title", given.Title, MaxSEOTitle),
		Description: f.line("/seo/description", given.Description, MaxSEODescription),
		Image:       given.Image, NoIndex: given.NoIndex,
	}
}

// Edit is a change of the draft; nil leaves a field unchanged.
type Edit struct {
	Handle *string
	Title  *string
	Bio    *string
	SEO    *SEOEdit
	Theme  *ThemeEdit
}

// SEOEdit is a change of the data for search engines; nil leaves a field unchanged, and a zero value removes it.
type SEOEdit struct {
	Title       *string
	Description *string
	Image       *ident.Media
	NoIndex     *bool
}

func (e SEOEdit) over(s SEO) SEO {
	set(&s.Title, e.Title)
	set(&s.Description, e.Description)
	set(&s.Image, e.Image)
	set(&s.NoIndex, e.NoIndex)
	return s
}

// ThemeEdit is a change of the design; nil leaves a field unchanged, and a zero value resets it to that of a new page.
type ThemeEdit struct {
	Name       *ThemeName
	Accent     *Color
	Appearance *Appearance
	Avatar     *ident.Media
}

// over applies the change to a design. If the accent is the theme's own, it changes with the theme.
func (e ThemeEdit) over(t Theme) Theme {
	if t.Accent == t.Name.Design().Accent {
		t.Accent = ""
	}
	set(&t.Name, e.Name)
	set(&t.Accent, e.Accent)
	set(&t.Appearance, e.Appearance)
	set(&t.Avatar, e.Avatar)
	return t
}

func set[T any](member, value *T) {
	if value != nil {
		*member = *value
	}
}

// Edit changes the draft. It returns VALIDATION_FAILED with every fault at once.
func (p Page) Edit(in Edit, now time.Time) (Page, error) {
	var f faults
	next := p
	if in.Handle != nil {
		next.Handle = f.handle("/handle", *in.Handle)
	}
	if in.Title != nil {
		next.Draft.Title = f.title(*in.Title)
	}
	if in.Bio != nil {
		next.Draft.Bio = f.text("/bio", *in.Bio, MaxBio)
	}
	if in.SEO != nil {
		next.Draft.SEO = f.seo(in.SEO.over(p.Draft.SEO))
	}
	if in.Theme != nil {
		next.Draft.Theme = f.theme("/theme", in.Theme.over(p.Draft.Theme))
	}
	if err := apperr.Invalid(f); err != nil {
		return Page{}, err
	}
	return next.edited(p, now), nil
}

// edited increments the revision, unless the edit changed nothing.
func (p Page) edited(before Page, now time.Time) Page {
	if p.Handle == before.Handle && p.Draft.equal(before.Draft) {
		return before
	}
	p.Revision++
	p.UpdatedAt = later(now, before.UpdatedAt)
	return p
}

func (c Content) equal(other Content) bool {
	return c.Title == other.Title && c.Bio == other.Bio && c.SEO == other.SEO && c.Theme == other.Theme &&
		slices.EqualFunc(c.Blocks, other.Blocks, Block.equal)
}

func (b Block) equal(other Block) bool {
	one, err := json.Marshal(b)
	two, otherErr := json.Marshal(other)
	return err == nil && otherErr == nil && bytes.Equal(one, two)
}

// later keeps timestamps in order if the clock was set back.
func later(now, before time.Time) time.Time {
	if now.Before(before) {
		return before
	}
	return now
}

// Publish copies the draft to the live version. It changes nothing if the draft is already live.
func (p Page) Publish(now time.Time) Page {
	if !p.Changed() {
		return p
	}
	p.Versions++
	p.Revision++
	p.UpdatedAt = later(now, p.UpdatedAt)
	p.Live = &Live{Handle: p.Handle, Content: p.Draft, Version: p.Versions, Revision: p.Revision, PublishedAt: p.UpdatedAt}
	return p
}

// Unpublish removes the live version; the draft stays. It returns INVALID_STATE if the page is not published.
func (p Page) Unpublish(now time.Time) (Page, error) {
	if p.Live == nil {
		return Page{}, notPublished()
	}
	p.Live, p.UpdatedAt = nil, later(now, p.UpdatedAt)
	p.Revision++
	return p, nil
}

// Discard makes the draft equal to the live version again. It returns INVALID_STATE if the page is not published.
func (p Page) Discard(now time.Time) (Page, error) {
	if p.Live == nil {
		return Page{}, notPublished()
	}
	if !p.Changed() {
		return p, nil
	}
	live := *p.Live
	p.Handle, p.Draft = live.Handle, live.Content
	p.Revision++
	p.UpdatedAt = later(now, p.UpdatedAt)
	live.Revision = p.Revision // nothing is left to publish
	p.Live = &live
	return p, nil
}

func notPublished() error {
	return &apperr.Error{
		Code: apperr.InvalidState, Message: "The page is not published.", CurrentStatus: string(Draft),
	}
}

// CheckRevision refuses a change based on another revision of the page: PRECONDITION_FAILED. Zero matches any revision.
func (p Page) CheckRevision(expected int) error {
	if expected == 0 || expected == p.Revision {
		return nil
	}
	return apperr.New(apperr.PreconditionFailed,
		"The page has changed to revision %d. Read it again before you change it.", p.Revision)
}

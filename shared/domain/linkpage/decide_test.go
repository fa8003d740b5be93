package linkpage_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/linkpage"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

var now = time.Date(2026, time.March, 1, 9, 0, 0, 0, time.UTC)

func newPage(t *testing.T) linkpage.Page {
	t.Helper()
	page, err := linkpage.Create(linkpage.New{
		WorkspaceID: ident.New[ident.Workspace](), Handle: " Mara-Makes ", Title: " Mara ",
	}, now)
	require.NoError(t, err)
	return page
}

// add inserts a link into the draft.
func add(
	t *testing.T, page linkpage.Page, title string, change func(*linkpage.NewBlock),
) (linkpage.Page, linkpage.Block) {
	t.Helper()
	in := linkpage.NewBlock{
		Type: "LINK", Settings: json.RawMessage(`{"title":"` + title + `","url":"https://a.example/"}`),
	}
	if change != nil {
		change(&in)
	}
	next, block, err := page.AddBlock(in, now.Add(time.Minute))
	require.NoError(t, err)
	return next, block
}

func labels(c linkpage.Content) (out []string) {
	for _, b := range c.Blocks {
		out = append(out, b.Settings.Traits().Label)
	}
	return out
}

func TestCreate(t *testing.T) {
	t.Parallel()
	page := newPage(t)
	require.Equal(t, "mara-makes", page.Handle, "one form, whatever the case")
	require.Equal(t, "Mara", page.Draft.Title)
	require.Equal(t, linkpage.Draft, page.Status())
	require.True(t, page.Changed())
	require.Equal(t, 1, page.Revision)
	require.Equal(t, linkpage.Theme{Name: linkpage.ThemePaper, Accent: "#1c1b1a", Appearance: linkpage.AppearanceAuto},
		page.Draft.Theme)
	require.Empty(t, page.Assets())
}

func TestHandles(t *testing.T) {
	t.Parallel()
	for handle, want := range map[string]string{
		"abc": "", "a1_b-2": "", "MARA": "", strings.Repeat("a", 30): "", "ab": "must have 3 to 30 characters",
		strings.Repeat("a", 31): "must have",
		"":                      "must have", "a b": "must consist of letters", "-abc": "must consist of",
		"abc-": "must consist of",
		"a--b": "must consist of", "a_-b": "must consist of", "a.b": "must consist of", "a/b": "must consist of",
		"äbc": "must consist of", "abc\r\nX: y": "must consist of", "a%2fb": "must consist of", "Admin": "is reserved",
		"robots": "is reserved", "login": "is reserved", "ſet": "must consist of", "KELVIN\u212a": "",
	} {
		_, err := linkpage.Create(linkpage.New{Handle: handle, Title: "A"}, now)
		if want == "" {
			require.NoError(t, err, handle)
			continue
		}
		require.ErrorContains(t, err, "/handle "+want, handle)
	}
	for _, name := range linkpage.Reserved() {
		require.True(t, linkpage.ValidHandle(name) || name == "well-known" || strings.Contains(name, "-"), name)
	}
}

func TestAllPageFaultsAreReported(t *testing.T) {
	t.Parallel()
	in := linkpage.New{
		Handle: "x", Title: " ", Bio: strings.Repeat("a", 501), SEO: linkpage.SEO{Title: "a\nb", Description: "\x00"},
		Theme: linkpage.Theme{Name: "NEON", Accent: "red", Appearance: "DIM"},
	}
	_, err := linkpage.Create(in, now)
	var failure *apperr.Error
	require.ErrorAs(t, err, &failure)
	var pointers []string
	for _, f := range failure.Fields {
		pointers = append(pointers, f.Pointer)
	}
	require.ElementsMatch(t, []string{
		"/handle", "/title", "/bio", "/seo/title", "/seo/description", "/theme/name", "/theme/accentColor",
		"/theme/appearance",
	}, pointers)
	_, err = linkpage.Create(linkpage.New{Handle: "abc", Title: "A\xff", Theme: linkpage.Theme{Accent: "#FFFFFF"}}, now)
	require.ErrorContains(t, err, "/title is not UTF-8 text")
	require.ErrorContains(t, err,
		"/theme/accentColor has a contrast of 1.1 to the background of this theme; at least 3 is needed, as #")
	_, err = linkpage.Create(linkpage.New{
		Handle: "abc", Title: "A", Theme: linkpage.Theme{Accent: "#FFFFFF", Appearance: linkpage.AppearanceDark},
	}, now)
	require.NoError(t, err, "white on dark")
}

func TestEditsChangeOnlyDraft(t *testing.T) {
	t.Parallel()
	page, _ := add(t, newPage(t), "One", nil)
	page = page.Publish(now)
	require.Equal(t, linkpage.Published, page.Status())
	require.False(t, page.Changed())
	live := *page.Live

	handle, title, bio := "other", "New", "Hello"
	image := ident.New[ident.Media]()
	seo, theme := linkpage.SEOEdit{Title: new("S"), Image: &image}, linkpage.ThemeEdit{Name: new(linkpage.ThemeOcean)}
	edited, err := page.Edit(linkpage.Edit{Handle: &handle, Title: &title, Bio: &bio, SEO: &seo, Theme: &theme},
		now.Add(time.Hour))
	require.NoError(t, err)
	edited, _ = add(t, edited, "Two", nil)
	require.Equal(t, live, *edited.Live, "visitors see what they saw")
	require.True(t, edited.Changed())
	require.Equal(t, 5, edited.Revision)
	require.Equal(t, now.Add(time.Hour), edited.UpdatedAt, "never back")
	require.Equal(t, []string{"other", "mara-makes"}, edited.Handles(), "both are the page's")
	require.Equal(t, []ident.Media{image}, edited.Assets())

	again := edited.Publish(now.Add(2 * time.Hour))
	require.Equal(t, linkpage.Live{
		Handle: "other", Content: edited.Draft, Version: 2, Revision: 6, PublishedAt: now.Add(2 * time.Hour),
	}, *again.Live)
	require.Equal(t, []string{"other"}, again.Handles())
	require.Equal(t, again, again.Publish(now.Add(3*time.Hour)), "nothing to publish")

	down, err := again.Unpublish(now.Add(3 * time.Hour))
	require.NoError(t, err)
	require.Nil(t, down.Live)
	require.Equal(t, 3, down.Publish(now.Add(4*time.Hour)).Live.Version, "no version has the number of another")
	_, err = down.Unpublish(now)
	require.True(t, apperr.Is(err, apperr.InvalidState))

	same, err := edited.Edit(linkpage.Edit{Title: &title}, now.Add(9*time.Hour))
	require.NoError(t, err)
	require.Equal(t, edited, same, "an edit that changes nothing is none")
	bad := ""
	_, err = edited.Edit(linkpage.Edit{Title: &bad}, now)
	require.ErrorContains(t, err, "/title is required")
}

func TestBlocks(t *testing.T) {
	t.Parallel()
	page, one := add(t, newPage(t), "One", nil)
	page, two := add(t, page, "Two", nil)
	first := 0
	page, zero := add(t, page, "Zero", func(in *linkpage.NewBlock) { in.Position = &first })
	require.Equal(t, []string{"Zero", "One", "Two"}, labels(page.Draft))
	require.True(t, one.Visible)

	ordered, err := page.Order([]ident.LinkBlock{two.ID, zero.ID, one.ID}, now)
	require.NoError(t, err)
	require.Equal(t, []string{"Two", "Zero", "One"}, labels(ordered.Draft))
	require.Equal(t, []string{"Zero", "One", "Two"}, labels(page.Draft), "a decision changes nothing it was given")
	_, err = page.Order([]ident.LinkBlock{two.ID, two.ID}, now)
	for _, says := range []string{"/blockIds/1 is listed twice", "/blockIds lacks block " + zero.ID.String()} {
		require.ErrorContains(t, err, says)
	}
	_, err = page.Order([]ident.LinkBlock{two.ID, ident.New[ident.LinkBlock]()}, now)
	require.True(t, apperr.Is(err, apperr.NotFound))

	hidden, from, until := false, now, now.Add(time.Hour)
	edited, block, err := page.EditBlock(one.ID, linkpage.BlockEdit{
		Settings: json.RawMessage(`{"title":"Uno","url":"https://b.example/"}`), Visible: &hidden, ShowFrom: &from,
		ShowUntil: &until,
	}, now)
	require.NoError(t, err)
	require.Equal(t, "Uno", block.Settings.Traits().Label)
	require.Equal(t, []string{"Zero", "Uno", "Two"}, labels(edited.Draft))
	require.Equal(t, []string{"Zero", "One", "Two"}, labels(page.Draft))
	none := time.Time{}
	_, block, err = edited.EditBlock(one.ID, linkpage.BlockEdit{ShowFrom: &none, ShowUntil: &none}, now)
	require.NoError(t, err)
	require.Zero(t, block.ShowFrom)
	_, _, err = edited.EditBlock(one.ID, linkpage.BlockEdit{ShowUntil: &from, Settings: json.RawMessage(`{"url":null}`)},
		now)
	require.ErrorContains(t, err, "/showUntil is not after showFrom")
	require.ErrorContains(t, err, "/settings/url is required")

	removed, err := page.RemoveBlock(one.ID, now)
	require.NoError(t, err)
	require.Equal(t, []string{"Zero", "Two"}, labels(removed.Draft))
	require.Equal(t, []string{"Zero", "One", "Two"}, labels(page.Draft))
	_, err = removed.RemoveBlock(one.ID, now)
	require.True(t, apperr.Is(err, apperr.NotFound))
	_, _, err = removed.EditBlock(one.ID, linkpage.BlockEdit{}, now)
	require.True(t, apperr.Is(err, apperr.NotFound))
}

func TestInvalidBlocks(t *testing.T) {
	t.Parallel()
	page := newPage(t)
	far := 1
	_, _, err := page.AddBlock(linkpage.NewBlock{Type: "HTML", Position: &far, ShowFrom: time.Unix(0, 0)}, now)
	require.ErrorContains(t, err,
		`/type "HTML" is not one of LINK, TEXT, SECTION, POST_CARD, PRODUCT, COUPON, COUNTDOWN, NOTICE_BAR, FAQ, TESTIMONIAL`)
	require.ErrorContains(t, err, "/position must be between 0 and 0")
	require.ErrorContains(t, err, "/showFrom is not within the years")
	_, _, err = page.AddBlock(linkpage.NewBlock{Type: "TEXT"}, now)
	require.ErrorContains(t, err, "/settings must be an object")
	for range linkpage.MaxBlocks {
		page, _ = add(t, page, "x", nil)
	}
	_, _, err = page.AddBlock(linkpage.NewBlock{Type: "SECTION", Settings: json.RawMessage(`{"title":"x"}`)}, now)
	require.ErrorContains(t, err, "at most 100 are allowed")
}

func TestBlockVisibility(t *testing.T) {
	t.Parallel()
	_, always := add(t, newPage(t), "x", nil)
	_, hidden := add(t, newPage(t), "x", func(in *linkpage.NewBlock) { in.Hidden = true })
	_, bounded := add(t, newPage(t), "x",
		func(in *linkpage.NewBlock) { in.ShowFrom, in.ShowUntil = now, now.Add(time.Hour) })
	require.True(t, always.ShownAt(now))
	require.False(t, hidden.ShownAt(now))
	for at, want := range map[time.Duration]bool{-1: false, 0: true, time.Hour - 1: true, time.Hour: false} {
		require.Equal(t, want, bounded.ShownAt(now.Add(at)), at)
	}
}

func TestRevisions(t *testing.T) {
	t.Parallel()
	page := newPage(t)
	require.NoError(t, page.CheckRevision(0))
	require.NoError(t, page.CheckRevision(1))
	err := page.CheckRevision(2)
	require.True(t, apperr.Is(err, apperr.PreconditionFailed))
	require.ErrorContains(t, err, "changed to revision 1")
	for i, change := range []func(p linkpage.Page) (linkpage.Page, error){
		func(p linkpage.Page) (linkpage.Page, error) { return p.Edit(linkpage.Edit{Bio: new("x")}, now) },
		func(p linkpage.Page) (linkpage.Page, error) { return p.Publish(now), nil },
		func(p linkpage.Page) (linkpage.Page, error) { return p.Unpublish(now) },
	} {
		page, err = change(page)
		require.NoError(t, err)
		require.Equal(t, i+2, page.Revision, "what is read afterwards is something else")
	}
}

func TestDesignPatch(t *testing.T) {
	t.Parallel()
	avatar := ident.New[ident.Media]()
	page, err := linkpage.Create(linkpage.New{
		Handle: "mara", Title: "A", Theme: linkpage.Theme{Avatar: avatar},
		SEO: linkpage.SEO{Title: "S", Description: "D", NoIndex: true},
	}, now)
	require.NoError(t, err)
	edit := func(e linkpage.ThemeEdit) linkpage.Theme {
		t.Helper()
		page, err = page.Edit(linkpage.Edit{Theme: &e}, now)
		require.NoError(t, err)
		return page.Draft.Theme
	}
	ocean := linkpage.ThemeOcean.Design().Accent
	require.Equal(t, linkpage.Theme{
		Name: linkpage.ThemeOcean, Accent: ocean, Appearance: linkpage.AppearanceAuto, Avatar: avatar,
	},
		edit(linkpage.ThemeEdit{Name: new(linkpage.ThemeOcean)}), "its own accent")
	require.Equal(t, ocean, edit(linkpage.ThemeEdit{Appearance: new(linkpage.AppearanceDark)}).Accent,
		"which the design changes in the dark")
	require.Equal(t, ocean, edit(linkpage.ThemeEdit{Appearance: new(linkpage.AppearanceLight), Accent: &ocean}).Accent)
	require.Equal(t, linkpage.Color("#123456"), edit(linkpage.ThemeEdit{Accent: new(linkpage.Color("#123456"))}).Accent)
	require.Equal(t, linkpage.Color("#123456"), edit(linkpage.ThemeEdit{Name: new(linkpage.ThemeSand)}).Accent,
		"one that was chosen stays")
	_, err = page.Edit(linkpage.Edit{Theme: &linkpage.ThemeEdit{Appearance: new(linkpage.AppearanceDark)}}, now)
	require.ErrorContains(t, err, "/theme/accentColor has a contrast of", "where it can be seen")
	require.Equal(t, linkpage.ThemeSand.Design().Accent, edit(linkpage.ThemeEdit{Accent: new(linkpage.Color(""))}).Accent)
	require.Zero(t, edit(linkpage.ThemeEdit{Avatar: new(ident.Media{})}).Avatar)
	page, err = page.Edit(linkpage.Edit{SEO: &linkpage.SEOEdit{Description: new("")}}, now)
	require.NoError(t, err)
	require.Equal(t, linkpage.SEO{Title: "S", NoIndex: true}, page.Draft.SEO)
}

// TestSettingsPatch patches the settings of each type (RFC 7396).
func TestSettingsPatch(t *testing.T) {
	t.Parallel()
	for typ, raw := range whole(t) {
		page, block, err := newPage(t).AddBlock(linkpage.NewBlock{Type: typ, Settings: json.RawMessage(raw)}, now)
		require.NoError(t, err)
		same, again, err := page.EditBlock(block.ID, linkpage.BlockEdit{Settings: json.RawMessage(`{}`)}, now)
		require.NoError(t, err, typ)
		require.Equal(t, block, again)
		require.Equal(t, page, same, "nothing changed")
		_, _, err = page.EditBlock(block.ID, linkpage.BlockEdit{Settings: json.RawMessage(`{"onclick":null}`)}, now)
		require.ErrorContains(t, err, "/settings/onclick is an unknown field")
		_, _, err = page.EditBlock(block.ID, linkpage.BlockEdit{Settings: json.RawMessage(`[]`)}, now)
		require.ErrorContains(t, err, "/settings must be an object")
	}
	page, block, err := newPage(t).AddBlock(linkpage.NewBlock{
		Type: "TESTIMONIAL", Settings: json.RawMessage(`{"quote":"a","author":"b"}`),
	}, now)
	require.NoError(t, err)
	page, changed, err := page.EditBlock(block.ID, linkpage.BlockEdit{Settings: json.RawMessage(`{"rating":4}`)}, now)
	require.NoError(t, err)
	require.Equal(t, linkpage.Testimonial{Quote: "a", Author: "b", Rating: 4}, changed.Settings)
	_, changed, err = page.EditBlock(block.ID, linkpage.BlockEdit{
		Settings: json.RawMessage(`{"rating":null,"quote":"c"}`),
	}, now)
	require.NoError(t, err)
	require.Equal(t, linkpage.Testimonial{Quote: "c", Author: "b"}, changed.Settings)
}

// TestPagesAreBoundedInSize fills a page with the largest blocks.
func TestPagesAreBoundedInSize(t *testing.T) {
	t.Parallel()
	item := `{"question":"` + strings.Repeat("ü", linkpage.MaxQuestion) + `","answer":"` + strings.Repeat("ü",
		linkpage.MaxAnswer) + `"},`
	in := linkpage.NewBlock{
		Type:     "FAQ",
		Settings: json.RawMessage(`{"items":[` + strings.TrimSuffix(strings.Repeat(item, linkpage.MaxItems), ",") + `]}`),
	}
	page, err := newPage(t), error(nil)
	for err == nil {
		require.LessOrEqual(t, len(page.Draft.Blocks), linkpage.MaxSize/100_000)
		var next linkpage.Page
		if next, _, err = page.AddBlock(in, now); err == nil {
			page = next
		}
	}
	require.ErrorContains(t, err, "/settings makes the blocks of the page")
	page, small := add(t, page, "x", nil)
	_, _, err = page.EditBlock(small.ID, linkpage.BlockEdit{Settings: json.RawMessage(`{"title":"y"}`)}, now)
	require.NoError(t, err)
}

func TestContentReferences(t *testing.T) {
	t.Parallel()
	page := newPage(t)
	image, post := ident.New[ident.Media](), ident.New[ident.Post]()
	for range 2 {
		page, _ = add(t, page, "x", func(in *linkpage.NewBlock) {
			in.Settings = json.RawMessage(`{"title":"x","url":"tel:+123","imageMediaId":"` + image.String() + `"}`)
		})
		page, _ = add(t, page, "x", func(in *linkpage.NewBlock) {
			in.Type, in.Settings = "POST_CARD", json.RawMessage(`{"postId":"`+post.String()+`"}`)
		})
	}
	require.Equal(t, []ident.Media{image}, page.Assets())
	require.Equal(t, []ident.Post{post}, page.Draft.Posts())
	page = page.Publish(now)
	empty, err := page.RemoveBlock(page.Draft.Blocks[0].ID, now)
	require.NoError(t, err)
	require.Equal(t, []ident.Media{image}, empty.Assets())
	_, found := page.Draft.Block(ident.New[ident.LinkBlock]())
	require.False(t, found)
}

func TestPeriods(t *testing.T) {
	t.Parallel()
	day := func(d int) time.Time { return time.Date(2026, time.March, d, 0, 0, 0, 0, time.UTC) }
	for _, c := range []struct {
		from, to, wantFrom, wantTo time.Time
		days                       int
	}{
		{time.Time{}, time.Time{}, day(1).AddDate(0, 0, -29), day(1), 30},
		{day(1), time.Time{}, day(1), day(1), 1},
		{time.Time{}, day(1), day(1).AddDate(0, 0, -29), day(1), 30},
		{day(1).AddDate(0, 0, -364), day(1), day(1).AddDate(0, 0, -364), day(1), 365},
	} {
		period, err := linkpage.NewPeriod(c.from, c.to, now)
		require.NoError(t, err)
		require.Equal(t, linkpage.Period{From: c.wantFrom, To: c.wantTo}, period)
		require.Equal(t, c.days, period.Days())
	}
	_, err := linkpage.NewPeriod(day(2), day(1), now)
	require.ErrorContains(t, err, "from is after to")
	_, err = linkpage.NewPeriod(day(1).AddDate(-1, 0, 0), day(1), now)
	require.ErrorContains(t, err, "more than 365 days")
	early := time.Date(1, time.January, 31, 0, 0, 0, 0, time.UTC)
	_, err = linkpage.NewPeriod(time.Time{}, early, now)
	require.NoError(t, err)
	_, err = linkpage.NewPeriod(time.Time{}, early.AddDate(0, 0, -1), now)
	require.ErrorContains(t, err, "to must be 0001-01-31 or later if from is omitted: the range has 30 days")
	require.Equal(t, day(1), linkpage.DayOf(now))
}

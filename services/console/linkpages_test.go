package main

import (
	"context"
	"encoding/json"
	"fmt"
	"html"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/linkpage"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/member"
	"fencepost.internal/shared/domain/workspace"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/ident"
)

// names has the records of domains.
type names struct {
	mu    sync.Mutex
	cname map[string]string
	hosts map[string][]string
	txt   map[string][]string
	down  bool
}

func (n *names) set(change func()) {
	n.mu.Lock()
	defer n.mu.Unlock()
	change()
}

func lookUp[T any](n *names, records *map[string]T, host string) (T, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	record, known := (*records)[host]
	switch {
	case n.down:
		return record, &net.DNSError{Err: "server failure", Name: host, IsTemporary: true}
	case !known:
		return record, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	return record, nil
}

func (n *names) LookupCNAME(_ context.Context, host string) (string, error) {
	return lookUp(n, &n.cname, host)
}

func (n *names) LookupHost(_ context.Context, host string) ([]string, error) {
	return lookUp(n, &n.hosts, host)
}

func (n *names) LookupTXT(_ context.Context, host string) ([]string, error) {
	return lookUp(n, &n.txt, host)
}

// linkPage creates a link page with a block.
func (b *bundle) linkPage(t *testing.T, w workspace.Workspace, name string) (page, block string) {
	t.Helper()
	created, err := linkpage.Create(linkpage.New{
		WorkspaceID: w.ID, Title: "Secret of " + name, Handle: "p-" + ident.New[ident.LinkPage]().String()[24:],
	}, b.clock.Now())
	require.NoError(t, err)
	store := postgres.NewLinkPages(b.db)
	require.NoError(t, store.Insert(t.Context(), created))
	changed, err := store.Change(t.Context(), w.ID, created.ID, func(_ context.Context, p linkpage.Page) (linkpage.Page, error) {
		next, _, err := p.AddBlock(linkpage.NewBlock{
			Type: "LINK", Settings: json.RawMessage(`{"title":"Secret of ` + name + `","url":"https://example.com/"}`),
		}, b.clock.Now())
		return next, err
	})
	require.NoError(t, err)
	return changed.ID.String(), changed.Draft.Blocks[0].ID.String()
}

// pageWriter is a workspace whose link page an editor has open.
type pageWriter struct {
	*bundle
	tenant

	br   *browser
	all  string // path of all link pages
	page string // path of the link page
	id   ident.LinkPage
}

func writes(t *testing.T) pageWriter {
	t.Helper()
	b := setup(t)
	of := b.furnish(t, "Ours")
	br := b.browser(t)
	br.signInAs(t, b.membership(t, of.workspace, member.Editor).Email)
	id, err := ident.Parse[ident.LinkPage](of.wildcards["linkpage"])
	require.NoError(t, err)
	all := filled("/w/{workspace}/linkpages", of.wildcards)
	return pageWriter{b, of, br, all, all + "/" + id.String(), id}
}

// stored returns the link page.
func (w pageWriter) stored(t *testing.T) linkpage.Page {
	t.Helper()
	page, err := postgres.NewLinkPages(w.db).Get(t.Context(), w.workspace.ID, w.id)
	require.NoError(t, err)
	return page
}

// sends sends a form that is accepted.
func (br *browser) sends(t *testing.T, path string, form url.Values) {
	t.Helper()
	got := br.post(t, path, form)
	require.Equal(t, http.StatusSeeOther, got.status, html.UnescapeString(got.body))
}

// sampleForm returns a form with every field of a block type.
func sampleForm(t *testing.T, d linkpage.Descriptor, in linkpage.Sampling) url.Values {
	t.Helper()
	var settings map[string]any
	require.NoError(t, json.Unmarshal(d.Sample(in), &settings))
	form := url.Values{"type": {string(d.Type)}, "visible": {"yes"}, "key": {string(d.Type)}}
	fillSample(form, "s.", d.Fields, settings)
	return form
}

func fillSample(form url.Values, prefix string, fields []linkpage.Field, settings map[string]any) {
	for _, f := range fields {
		name := prefix + f.Name
		switch value := settings[f.Name].(type) {
		case bool:
			form.Set(name, map[bool]string{true: "yes"}[value])
		case float64:
			form.Set(name, fmt.Sprint(value))
		case []any:
			for n, item := range value {
				members, _ := item.(map[string]any)
				fillSample(form, fmt.Sprintf("%s.%d.", name, n), f.Items, members)
			}
		case string:
			form.Set(name, value)
			if f.Kind == linkpage.KindTime {
				day, hour, _ := strings.Cut(strings.TrimSuffix(value, ":00Z"), "T")
				form.Set(name, day)
				form.Set(name+".time", hour)
			}
		}
	}
}

// TestEveryBlockTypeHasItsForm adds a block of each type by its generated form, opens it again, and saves it unchanged.
func TestEveryBlockTypeHasItsForm(t *testing.T) {
	t.Parallel()
	w := writes(t)
	image := postgrestest.Asset(t, w.db, media.Asset{
		ID: ident.New[ident.Media](), WorkspaceID: w.workspace.ID, Name: "Bowl.png", Type: media.Image, ContentType: media.ContentTypePNG, Size: 5,
		CreatedAt: w.clock.Now(),
	})
	shown, err := ident.Parse[ident.Post](w.wildcards["post"])
	require.NoError(t, err)
	in := linkpage.Sampling{Image: image.ID, Post: shown, Time: "2031-03-06T09:00:00Z"}
	postgrestest.Exec(t, w.dsn, `UPDATE link_page SET draft = jsonb_set(draft, '{blocks}', '[]') WHERE id = $1`, w.id.String())
	for i, d := range linkpage.Descriptors() {
		body := w.br.visited(t, w.page+"?add="+string(d.Type)).body
		form := sampleForm(t, d, in)
		for name := range form {
			if name != "type" && name != "key" {
				require.Contains(t, body, `name="`+name+`"`, d.Type)
			}
		}
		w.br.sends(t, w.page+"/blocks", form)
		blocks := w.stored(t).Draft.Blocks
		require.Len(t, blocks, i+1, d.Type)
		want, err := linkpage.ReadSettings(d.Type, d.Sample(in))
		require.NoError(t, err)
		require.Equal(t, want, blocks[i].Settings)

		w.br.visited(t, w.page+"?block="+blocks[i].ID.String())
		form.Set("seen", html.UnescapeString(w.br.hidden(t, "seen")))
		w.br.sends(t, w.page+"/blocks/"+blocks[i].ID.String(), form)
		require.Equal(t, blocks, w.stored(t).Draft.Blocks, "nothing was changed: %s", d.Type)

		empty := w.br.post(t, w.page+"/blocks", url.Values{"type": {string(d.Type)}, "key": {"empty"}})
		require.Equal(t, http.StatusUnprocessableEntity, empty.status, d.Type)
		require.Contains(t, empty.body, `class="fault"`, d.Type)
	}
	body := w.br.visited(t, w.page+"/preview").body
	for _, want := range []string{"Breakfast bowl", "Kiln opening", "Are they dishwasher safe?", `target="_blank"`} {
		require.Contains(t, body, want)
	}
	require.Equal(t, http.StatusNotFound, w.br.get(t, w.page+"?add=EVIL").status)
	require.Equal(t, http.StatusNotFound, w.br.post(t, w.page+"/blocks", url.Values{"type": {"EVIL"}}).status)
}

// TestLinkPageIsCreatedOnce creates one page by a form that is sent twice, and refuses handles.
func TestLinkPageIsCreatedOnce(t *testing.T) {
	t.Parallel()
	w := writes(t)
	w.br.visited(t, w.all+"/new")
	form := url.Values{"title": {"Mara & <b>Söhne</b>"}, "handle": {"Mara-Weber"}, "key": {w.br.hidden(t, "key")}}
	w.br.sends(t, w.all, form)
	where := w.br.last.header.Get("Location")
	w.br.sends(t, w.all, form)
	require.Equal(t, where, w.br.last.header.Get("Location"), "one form is one page")
	require.Contains(t, w.br.visited(t, where).body, "Mara &amp; &lt;b&gt;Söhne&lt;/b&gt;")
	require.Contains(t, w.br.visited(t, w.all).body, "pages.example.com/mara-weber")

	for handle, fault := range map[string]string{
		"mara-weber": "Is taken", "ab": "Must have 3 to 30 characters", "admin": "Is reserved", "a b c": "Must consist of letters",
		`"><script>`: "Must consist of letters",
	} {
		form = url.Values{"title": {"Kept"}, "handle": {handle}, "key": {handle}}
		got := w.br.post(t, w.all, form)
		require.Equal(t, http.StatusUnprocessableEntity, got.status, handle)
		require.Contains(t, got.body, fault)
		require.Contains(t, got.body, `value="Kept"`)
		require.NotContains(t, got.body, "<script>")
		said := w.br.visited(t, w.all+"/handle?handle="+url.QueryEscape(handle)).body
		require.Contains(t, said, fault)
	}
	require.Equal(t, "free-one is free.", w.br.visited(t, w.all+"/handle?handle=Free-One").body)
	require.Contains(t, w.br.visited(t, w.all+"/handle?handle=mara-weber&page="+where[len(where)-36:]).body, "is free", "its own")
	require.Equal(t, http.StatusNotFound, w.br.get(t, w.all+"/handle?handle=mara-weber&page="+w.workspace.ID.String()).status)
}

// TestHostileBlocks refuses addresses that are none, and shows texts as texts.
func TestHostileBlocks(t *testing.T) {
	t.Parallel()
	w := writes(t)
	const evil = `"><script>alert(1)</script>`
	for _, address := range []string{"javascript:alert(1)", "//evil.test", "http://example.com", "https:evil", "data:text/html,x", "https://a@b.test/"} {
		form := url.Values{"type": {"LINK"}, "key": {address}, "s.title": {evil}, "s.url": {address}}
		got := w.br.post(t, w.page+"/blocks", form)
		require.Equal(t, http.StatusUnprocessableEntity, got.status, address)
		require.Contains(t, html.UnescapeString(got.body), address, "what was entered is kept")
		require.NotContains(t, got.body, "<script>alert")
	}
	w.br.sends(t, w.page+"/blocks", url.Values{
		"type": {"LINK"}, "key": {"evil"}, "s.title": {evil}, "s.url": {"https://example.com/?a=1&b=2"}, "visible": {"yes"},
	})
	for _, path := range []string{w.page, w.page + "/preview", w.page + "/changes"} {
		require.NotContains(t, w.br.visited(t, path).body, "<script>alert", path)
	}
	preview := w.br.visited(t, w.page+"/preview")
	require.Contains(t, preview.body, "&lt;script&gt;")
	policy := preview.header.Get("Content-Security-Policy")
	for _, want := range []string{"default-src 'none'", "frame-ancestors 'self'", "sandbox allow-scripts allow-popups allow-popups-to-escape-sandbox"} {
		require.Contains(t, policy, want)
	}
	require.NotContains(t, policy, "allow-same-origin")
	require.Contains(t, w.br.visited(t, w.page).header.Get("Content-Security-Policy"), "frame-src 'self'")

	theirs := w.furnish(t, "Theirs")
	for name, id := range map[string]string{"s.imageMediaId": theirs.wildcards["media"], "s.postId": theirs.wildcards["post"]} {
		form := url.Values{"type": {map[string]string{"s.imageMediaId": "LINK", "s.postId": "POST_CARD"}[name]}, "key": {name}, name: {id}}
		form.Set("s.title", "x")
		form.Set("s.url", "https://example.com/")
		got := w.br.post(t, w.page+"/blocks", form)
		require.Equal(t, http.StatusUnprocessableEntity, got.status, name)
		require.NotContains(t, got.body, "Secret of Theirs")
	}
}

// TestListsOfBlocks adds and removes rows of a list without a script.
func TestListsOfBlocks(t *testing.T) {
	t.Parallel()
	w := writes(t)
	form := url.Values{
		"type": {"FAQ"}, "key": {"faq"}, "visible": {"yes"}, "s.items.0.question": {"One?"}, "s.items.0.answer": {"Yes."}, "more": {"1"},
	}
	got := w.br.post(t, w.page+"/blocks", form)
	require.Equal(t, http.StatusOK, got.status)
	require.Contains(t, got.body, `name="s.items.1.question"`)
	require.Contains(t, got.body, `value="One?"`)
	require.Len(t, w.stored(t).Draft.Blocks, 1, "nothing is added yet")
	form.Del("more")
	form.Set("s.items.2.question", "Two?") // the second row is empty
	got = w.br.post(t, w.page+"/blocks", form)
	require.Equal(t, http.StatusUnprocessableEntity, got.status)
	require.Contains(t, got.body, `id="s.items.1.answer-fault"`)
	form.Set("s.items.2.answer", "No.")
	w.br.sends(t, w.page+"/blocks", form)
	settings, err := linkpage.ReadSettings("FAQ", []byte(`{"items":[{"question":"One?","answer":"Yes."},{"question":"Two?","answer":"No."}]}`))
	require.NoError(t, err)
	require.Equal(t, settings, w.stored(t).Draft.Blocks[1].Settings)
}

// TestTwoOrderBlocks moves different blocks at the same time: both moves count, and no block is lost.
func TestTwoOrderBlocks(t *testing.T) {
	t.Parallel()
	w := writes(t)
	for n := range 5 {
		w.br.sends(t, w.page+"/blocks", url.Values{"type": {"TEXT"}, "key": {strconv.Itoa(n)}, "s.text": {strconv.Itoa(n)}, "visible": {"yes"}})
	}
	blocks := w.stored(t).Draft.Blocks
	ids := make([]string, len(blocks))
	for i, b := range blocks {
		ids[i] = b.ID.String()
	}
	other := w.browser(t)
	other.signInAs(t, w.membership(t, w.workspace, member.Admin).Email)
	var both sync.WaitGroup
	statuses := make([]int, 2)
	both.Go(func() {
		statuses[0] = w.br.post(t, w.page+"/blocks/"+ids[5]+"/move", url.Values{"to": {"first"}}).status
	})
	both.Go(func() {
		statuses[1] = other.post(t, w.page+"/blocks/"+ids[1]+"/move", url.Values{"to": {"after"}, "after": {ids[3]}}).status
	})
	both.Wait()
	require.Equal(t, []int{http.StatusSeeOther, http.StatusSeeOther}, statuses)
	var order []string
	for _, b := range w.stored(t).Draft.Blocks {
		order = append(order, b.ID.String())
	}
	require.Equal(t, []string{ids[5], ids[0], ids[2], ids[3], ids[1], ids[4]}, order)

	w.br.sends(t, w.page+"/blocks/"+ids[0]+"/move", url.Values{"to": {"up"}})
	require.Equal(t, ids[0], w.stored(t).Draft.Blocks[0].ID.String())
	w.br.sends(t, w.page+"/blocks/"+ids[0]+"/move", url.Values{"to": {"up"}})
	require.Equal(t, ids[0], w.stored(t).Draft.Blocks[0].ID.String(), "it stays at the end")
	other.sends(t, w.page+"/blocks/"+ids[3]+"/delete", nil)
	got := w.br.post(t, w.page+"/blocks/"+ids[1]+"/move", url.Values{"to": {"after"}, "after": {ids[3]}}, "Hx-Request", "true")
	require.Equal(t, http.StatusConflict, got.status)
	require.Equal(t, "Another member deleted the block meanwhile.", got.body)
	require.Len(t, w.stored(t).Draft.Blocks, 5)
}

// TestBlockIsEditedByTwo says who changed what, and keeps both entries.
func TestBlockIsEditedByTwo(t *testing.T) {
	t.Parallel()
	w := writes(t)
	block := w.page + "/blocks/" + w.wildcards["block"]
	w.br.visited(t, w.page+"?block="+w.wildcards["block"])
	mine := url.Values{"seen": {html.UnescapeString(w.br.hidden(t, "seen"))}, "s.title": {"Mine"}, "s.url": {"https://example.com/"}, "visible": {"yes"}}
	other := w.browser(t)
	other.signInAs(t, w.membership(t, w.workspace, member.Admin).Email)
	theirs := url.Values{"seen": mine["seen"], "s.title": {"Theirs"}, "s.url": {"https://example.com/"}, "s.description": {"More"}, "visible": {"yes"}}
	other.sends(t, block, theirs)
	got := w.br.post(t, block, mine)
	require.Equal(t, http.StatusConflict, got.status)
	for _, want := range []string{
		"Grace Hopper changed the page since you opened it.", "Title: now “<bdi>Theirs</bdi>”, yours is “<bdi>Mine</bdi>”", "Description: now “<bdi>More</bdi>”",
		`value="Mine"`,
	} {
		require.Contains(t, got.body, want)
	}
	require.Equal(t, "Theirs", w.stored(t).Draft.Blocks[0].Settings.Traits().Label)
	mine.Set("seen", html.UnescapeString(w.br.hidden(t, "seen")))
	w.br.sends(t, block, mine)
	require.Equal(t, "Mine", w.stored(t).Draft.Blocks[0].Settings.Traits().Label)

	mine.Set("type", "LINK")
	mine.Set("s.title", "Written meanwhile")
	other.sends(t, block+"/delete", nil)
	got = w.br.post(t, block, mine)
	require.Equal(t, http.StatusConflict, got.status)
	require.Contains(t, got.body, "Another member deleted the block meanwhile.")
	require.Contains(t, got.body, `value="Written meanwhile"`)
	mine.Set("key", w.br.hidden(t, "key"))
	w.br.sends(t, w.page+"/blocks", mine)
	require.Equal(t, "Written meanwhile", w.stored(t).Draft.Blocks[0].Settings.Traits().Label)

	w.br.visited(t, w.page+"/look")
	look := url.Values{"seen": {html.UnescapeString(w.br.hidden(t, "seen"))}, "title": {"One"}, "theme": {"OCEAN"}, "appearance": {"DARK"}}
	other.sends(t, w.page+"/look", url.Values{"seen": look["seen"], "title": {"Two"}, "theme": {"SAND"}, "appearance": {"AUTO"}})
	got = w.br.post(t, w.page+"/look", look)
	require.Equal(t, http.StatusConflict, got.status)
	require.Contains(t, got.body, "Grace Hopper changed the page since you opened it.")
	require.Contains(t, got.body, `value="One"`)
	require.Equal(t, "Two", w.stored(t).Draft.Title)
}

// TestLinkPageIsPublished publishes a page, compares it, and takes it back.
func TestLinkPageIsPublished(t *testing.T) {
	t.Parallel()
	w := writes(t)
	live := postgres.NewLivePages(w.db)
	require.Contains(t, w.br.visited(t, w.page+"/changes").body, "Not published yet")
	w.br.sends(t, w.page+"/publish", nil)
	w.br.sends(t, w.page+"/publish", nil) // twice is once
	page := w.stored(t)
	require.Equal(t, 1, page.Versions)
	require.Contains(t, w.br.visited(t, w.page).body, "https://pages.example.com/"+page.Handle)

	w.br.visited(t, w.page+"/look")
	w.br.sends(t, w.page+"/look", url.Values{
		"seen": {html.UnescapeString(w.br.hidden(t, "seen"))}, "title": {"Another"}, "bio": {"Two\nlines"}, "theme": {"OCEAN"}, "appearance": {"AUTO"},
	})
	w.br.visited(t, w.page+"/sharing")
	w.br.sends(t, w.page+"/sharing", url.Values{
		"seen": {html.UnescapeString(w.br.hidden(t, "seen"))}, "title": {"For search"}, "description": {"All about it"}, "hidden": {"yes"},
	})
	w.br.sends(t, w.page+"/blocks", url.Values{"type": {"TEXT"}, "key": {"x"}, "s.text": {"Added text"}, "visible": {"yes"}})
	w.br.visited(t, w.page+"?block="+w.wildcards["block"])
	w.br.sends(t, w.page+"/blocks/"+w.wildcards["block"], url.Values{
		"seen": {html.UnescapeString(w.br.hidden(t, "seen"))}, "s.title": {"New name"}, "s.url": {"https://example.com/"}, "showUntil": {"2031-01-01"},
	})
	body := w.br.visited(t, w.page+"/changes").body
	for _, want := range []string{
		"Title changed", "Secret of Ours", "Another", "Text below the title changed", "Search and sharing changed", "Paper", "Ocean",
		"Added:</strong> <bdi>Text “Added text”", "Changed:</strong> <bdi>Link “New name”", "Visible: ", "Show until: ", "2031-01-01 00:00",
	} {
		require.Contains(t, body, want)
	}
	require.Contains(t, w.br.visited(t, w.all).body, "Changed since publishing")
	require.Contains(t, w.br.visited(t, w.page+"/preview?live=1").body, "Secret of Ours")
	require.NotContains(t, w.br.visited(t, w.page+"/preview").body, "New name", "it is hidden")

	w.br.sends(t, w.page+"/discard", nil)
	page = w.stored(t)
	require.Equal(t, "Secret of Ours", page.Draft.Title)
	require.False(t, page.Changed())
	require.Contains(t, w.br.visited(t, w.page+"/changes").body, "Nothing to publish")
	w.br.sends(t, w.page+"/unpublish", nil)
	w.br.sends(t, w.page+"/unpublish", nil)
	w.br.sends(t, w.page+"/discard", nil)
	_, err := live.ByHandle(t.Context(), page.Handle)
	require.Error(t, err)
	w.br.sends(t, w.page+"/delete", nil)
	require.Equal(t, http.StatusNotFound, w.br.get(t, w.page).status)
}

// TestLinkPageSettingsAreRefused keeps what was entered.
func TestLinkPageSettingsAreRefused(t *testing.T) {
	t.Parallel()
	w := writes(t)
	theirs := w.furnish(t, "Theirs")
	for _, wrong := range []struct {
		path  string
		form  url.Values
		fault string
	}{
		{"/look", url.Values{"title": {""}, "bio": {"Kept"}, "theme": {"OCEAN"}}, "Fill this in."},
		{"/look", url.Values{"title": {"Kept"}, "theme": {"OCEAN"}, "accent": {"red"}}, "is not a color"},
		{"/look", url.Values{"title": {"Kept"}, "theme": {"OCEAN"}, "accent": {"#ffffff"}}, "contrast"},
		{"/look", url.Values{"title": {"Kept"}, "theme": {"EVIL"}}, "is not one of"},
		{"/look", url.Values{"title": {"Kept"}, "theme": {"OCEAN"}, "picture": {theirs.wildcards["media"]}}, "is not here any more"},
		{"/look", url.Values{"title": {"Kept"}, "theme": {"OCEAN"}, "picture": {"evil"}}, "Choose a picture from the list."},
		{"/sharing", url.Values{"title": {strings.Repeat("x", 101)}, "description": {"Kept"}}, "has 101 characters"},
		{"/address", url.Values{"handle": {"Kept!"}}, "Must consist of letters"},
		{"/address", url.Values{"handle": {strings.Repeat("kept", 9)}}, "Must have 3 to 30 characters"},
	} {
		got := w.br.post(t, w.page+wrong.path, wrong.form)
		require.Equal(t, http.StatusUnprocessableEntity, got.status, wrong.form)
		require.Contains(t, strings.ToLower(html.UnescapeString(got.body)), strings.ToLower(wrong.fault))
		require.Contains(t, strings.ToLower(got.body), "kept")
		require.NotContains(t, got.body, "Secret of Theirs")
	}
	w.br.sends(t, w.page+"/address", url.Values{"handle": {"Another-One"}})
	require.Equal(t, "another-one", w.stored(t).Handle)
	require.Contains(t, w.br.visited(t, w.page+"/preview?theme=OCEAN&appearance=DARK&accent=").body, "#071a24", "a design that is tried")
	require.NotEqual(t, linkpage.ThemeOcean, w.stored(t).Draft.Theme.Name)
}

// TestRolesOnLinkPages hides what a role may not do, and refuses it.
func TestRolesOnLinkPages(t *testing.T) {
	t.Parallel()
	w := writes(t)
	viewer := w.browser(t)
	viewer.signInAs(t, w.membership(t, w.workspace, member.Viewer).Email)
	body := viewer.visited(t, w.page).body
	require.Contains(t, body, "Secret of Ours")
	for _, hidden := range []string{"/publish", "/delete", "?add=", "?block=", "/look", "/move"} {
		require.NotContains(t, body, w.page+hidden)
	}
	require.NotContains(t, viewer.visited(t, w.all).body, w.all+"/new")
	require.NotContains(t, viewer.visited(t, w.page+"/address").body, `<form class="lpform"`)
	require.Equal(t, http.StatusForbidden, viewer.post(t, w.page+"/publish", nil).status)
	require.Equal(t, http.StatusForbidden, viewer.get(t, w.page+"/look").status)
	require.Nil(t, w.stored(t).Live)
}

// TestFiguresOfLinkPages shows visits and clicks by day and block, and nothing for a plan without them.
func TestFiguresOfLinkPages(t *testing.T) {
	t.Parallel()
	w := writes(t)
	day := linkpage.DayOf(w.clock.Now())
	for n := range 3 {
		at := day.AddDate(0, 0, -n).Format("2006-01-02")
		postgrestest.Exec(t, w.dsn, `INSERT INTO page_view_day (page_id, day, views, visitors) VALUES ($1, $2, $3, $4)`, w.id.String(), at, 1200+n, 700)
		postgrestest.Exec(t, w.dsn, `INSERT INTO click_day (page_id, block_id, day, clicks) VALUES ($1, $2, $3, $4)`,
			w.id.String(), w.wildcards["block"], at, 40+n)
	}
	body := w.br.visited(t, w.page+"/figures").body
	for _, want := range []string{"3\u202f603", "2\u202f100", "<dd>123</dd>", day.Format("Mon 2 Jan") + ": 1200</title>", `class="num">123</td>`} {
		require.Contains(t, body, want)
	}
	require.Contains(t, w.br.visited(t, w.page).body, "123 clicks")
	require.Contains(t, w.br.visited(t, w.all).body, "3\u202f603 visits in 30 days")
	require.Equal(t, 7, strings.Count(w.br.visited(t, w.page+"/figures?days=7").body, `<tr><th scope="row">`)-1)
	postgrestest.Exec(t, w.dsn, `UPDATE workspace SET plan = 'FREE' WHERE id = $1`, w.workspace.ID.String())
	body = w.br.visited(t, w.page+"/figures").body
	require.NotContains(t, body, "lpsums", "no figure is shown as 0")
	require.NotContains(t, w.br.visited(t, w.all).body, "visits in 30 days")
	require.NotContains(t, w.br.visited(t, w.page).body, "clicks")
}

// TestCodesOfLinkPages downloads the QR code as both kinds of pictures.
func TestCodesOfLinkPages(t *testing.T) {
	t.Parallel()
	w := writes(t)
	svg := w.br.visited(t, w.page+"/qr.svg?download=1")
	require.Equal(t, "image/svg+xml", svg.header.Get("Content-Type"))
	require.Contains(t, svg.header.Get("Content-Disposition"), w.stored(t).Handle+".svg")
	require.Greater(t, strings.Count(svg.body, "h1v1h-1z"), 200)
	png := w.br.visited(t, w.page+"/qr.png")
	require.True(t, strings.HasPrefix(png.body, "\x89PNG"))
}

// TestOwnDomain verifies a domain by its records, shows what was found instead, and stops showing the page after a check that
// finds other ones.
func TestOwnDomain(t *testing.T) {
	t.Parallel()
	w := writes(t)
	w.br.sends(t, w.page+"/publish", nil)
	live := postgres.NewLivePages(w.db)
	served := func() map[string]string {
		found, err := live.Domains(t.Context())
		require.NoError(t, err)
		return found
	}
	for _, host := range []string{"localhost", "pages.example.com", "x.pages.example.com", "example.com", "127.0.0.1", "a b.test", "müller.test", `"><script>`, ""} {
		got := w.br.post(t, w.page+"/domain", url.Values{"host": {host}})
		require.Equal(t, http.StatusUnprocessableEntity, got.status, host)
		require.NotContains(t, got.body, "<script>")
	}
	check := func() string {
		t.Helper()
		w.br.sends(t, w.page+"/domain/check", nil)
		return html.UnescapeString(w.br.visited(t, w.page+"/address").body)
	}
	w.br.sends(t, w.page+"/domain", url.Values{"host": {" HTTPS://Links.Mara.test/ "}})
	domain := linkpage.Domain{PageID: w.id, Host: "links.mara.test"}
	body := w.br.visited(t, w.page+"/address").body
	for _, want := range []string{"links.mara.test", "pages.example.com", domain.ProofHost(), domain.Proof(), "Not ready"} {
		require.Contains(t, body, want)
	}
	require.Empty(t, served(), "a claim alone shows nothing")
	require.Contains(t, check(), "There is no record for links.mara.test yet.")
	w.names.set(func() {
		w.names.cname = map[string]string{"links.mara.test": "shop.evil.test."}
		w.names.hosts = map[string][]string{"links.mara.test": {"192.0.2.9"}, "pages.example.com": {"192.0.2.1", "192.0.2.2"}}
	})
	require.Contains(t, check(), "links.mara.test leads to shop.evil.test, not to pages.example.com.")
	w.names.set(func() { w.names.cname["links.mara.test"] = "pages.example.com." })
	require.Contains(t, check(), "There is no TXT record _fencepost.links.mara.test yet.")
	w.names.set(func() { w.names.txt = map[string][]string{domain.ProofHost(): {"fencepost-page=\x00<b>other"}} })
	require.Contains(t, check(), `The TXT record _fencepost.links.mara.test is`)
	require.NotContains(t, w.br.last.body, "<b>other")
	require.Empty(t, served())
	w.names.set(func() { w.names.txt[domain.ProofHost()] = []string{"x", domain.Proof()} })
	require.Contains(t, check(), "Ready")
	require.Equal(t, map[string]string{"links.mara.test": w.stored(t).Handle}, served())
	require.Contains(t, w.br.visited(t, w.page).body, "https://links.mara.test")

	// Another workspace cannot take it: the records prove the claim of this page alone.
	theirs := w.furnish(t, "Theirs")
	owner := w.browser(t)
	owner.signInAs(t, w.membership(t, theirs.workspace, member.Owner).Email)
	their := filled("/w/{workspace}/linkpages/{linkpage}", theirs.wildcards)
	owner.sends(t, their+"/domain", url.Values{"host": {"links.mara.test"}})
	owner.sends(t, their+"/domain/check", nil)
	require.Contains(t, html.UnescapeString(owner.visited(t, their+"/address").body), "The TXT record _fencepost.links.mara.test is")
	their2, err := ident.Parse[ident.LinkPage](theirs.wildcards["linkpage"])
	require.NoError(t, err)
	w.names.set(func() {
		w.names.txt[domain.ProofHost()] = append(w.names.txt[domain.ProofHost()], linkpage.Domain{PageID: their2, Host: "links.mara.test"}.Proof())
	})
	owner.sends(t, their+"/domain/check", nil)
	require.Contains(t, owner.visited(t, their+"/address").body, "Another page shows this domain.")
	require.Equal(t, map[string]string{"links.mara.test": w.stored(t).Handle}, served())

	// What cannot be read changes nothing; what leads to another host is no longer shown.
	w.clock.Advance(linkpage.RecheckVerified)
	w.names.set(func() { w.names.down = true })
	require.NoError(t, w.app.CheckLinkDomains(t.Context()))
	require.Len(t, served(), 1)
	require.Contains(t, check(), "Ready")
	w.clock.Advance(linkpage.RecheckVerified)
	w.names.set(func() {
		w.names.down = false
		w.names.cname["links.mara.test"] = "other.example.net."
	})
	require.NoError(t, w.app.CheckLinkDomains(t.Context()))
	require.Empty(t, served())
	require.Contains(t, html.UnescapeString(w.br.visited(t, w.page+"/address").body), "links.mara.test leads to other.example.net, not to pages.example.com.")
	w.names.set(func() { w.names.hosts["links.mara.test"] = []string{"192.0.2.2"} }) // by an address of ours
	require.Contains(t, check(), "Ready")
	w.br.sends(t, w.page+"/domain/remove", nil)
	require.Empty(t, served())
	w.br.sends(t, w.page+"/domain/check", nil)
}

package main

import (
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/idea"
	"fencepost.internal/shared/domain/member"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/domain/workspace"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/ident"
)

// idea creates a card on the board of a workspace, and returns it with the board, a column and a label.
func (b *bundle) idea(t *testing.T, w workspace.Workspace, name string) map[string]string {
	t.Helper()
	store := postgres.NewIdeas(b.db)
	boards, err := store.Boards(t.Context(), w.ID)
	require.NoError(t, err)
	created, err := store.AddCard(t.Context(), w.ID, boards[0].ID, func(board idea.Board) (idea.Card, error) {
		return board.AddCard(idea.NewCard{Title: "Secret of " + name}, b.clock.Now())
	})
	require.NoError(t, err)
	return map[string]string{
		"board": boards[0].ID.String(), "card": created.ID.String(), "column": boards[0].Columns[1].ID.String(), "label": boards[0].Labels[0].ID.String(),
	}
}

// notes is a workspace with an idea, whose pages a member has open.
type notes struct {
	*bundle
	tenant

	board, card string // addresses
}

func noting(t *testing.T) notes {
	t.Helper()
	b := setup(t)
	of := b.furnish(t, "Ours")
	return notes{b, of, filled("/w/{workspace}/ideas/boards/{board}", of.wildcards), filled("/w/{workspace}/ideas/cards/{card}", of.wildcards)}
}

func (n notes) as(t *testing.T, role member.Role) *browser {
	t.Helper()
	br := n.browser(t)
	br.signInAs(t, n.membership(t, n.workspace, role).Email)
	return br
}

var printField = regexp.MustCompile(`name="(seen\.[a-z]+)" value="([^"]*)"`)

// opened returns the form of a card as the page shows it, with other values.
func (br *browser) opened(t *testing.T, card string, fields url.Values) url.Values {
	t.Helper()
	shown := br.visited(t, card).body
	form := url.Values{"title": {html.UnescapeString(regexp.MustCompile(`id="title"[^>]* value="([^"]*)"`).FindStringSubmatch(shown)[1])}}
	for _, found := range printField.FindAllStringSubmatch(shown, -1) {
		form.Set(found[1], found[2])
	}
	for name, values := range fields {
		form[name] = values
	}
	return form
}

// TestIdeaIsAdded adds one idea by one form that is sent twice, with every field.
func TestIdeaIsAdded(t *testing.T) {
	t.Parallel()
	b := noting(t)
	br := b.as(t, member.Contributor)
	require.Equal(t, b.board, br.get(t, filled("/w/{workspace}/ideas", b.wildcards)).header.Get("Location"))
	require.Contains(t, br.visited(t, b.board).body, "Secret of Ours")
	require.Contains(t, br.visited(t, b.board+"/cards/new?column="+b.wildcards["column"]).body, "New idea")
	form := url.Values{
		"id": {br.hidden(t, "id")}, "column": {br.hidden(t, "column")}, "title": {"Trends <b> https://example.com/trends?a=b"},
		"content": {"One\r\ntwo <i>"}, "due": {"2026-12-04"}, "label": {b.wildcards["label"], ident.New[ident.IdeaLabel]().String()},
		"media": {b.wildcards["media"]}, "then": {"card"},
	}
	require.Equal(t, http.StatusSeeOther, br.post(t, b.board+"/cards", form).status)
	where := br.last.header.Get("Location")
	require.Equal(t, http.StatusSeeOther, br.post(t, b.board+"/cards", form).status)
	require.Equal(t, where, br.last.header.Get("Location"), "one form is one idea")
	require.Equal(t, []string{"Trends <b>|https://example.com/trends?a=b|2026-12-04|Grace Hopper"}, b.column(t,
		`SELECT concat_ws('|', d.title, d.link, d.due, u.name) FROM idea_card d JOIN app_user u ON u.id = d.author_id WHERE d.title <> 'Secret of Ours'`))
	for _, want := range []string{"Trends &lt;b&gt;", "two &lt;i&gt;", `href="https://example.com/trends?a=b"`, "example.com", "In progress", "Evergreen"} {
		require.Contains(t, br.visited(t, where).body, want)
	}
	require.Contains(t, br.visited(t, filled("/w/{workspace}/media/{media}", b.wildcards)).body, where, "what uses the file leads there")

	for address, in := range map[string]bool{
		"?q=TRENDS": true, "?q=two": true, "?q=nowhere": false, "?label=" + b.wildcards["label"]: true, "?label=x&all=x": true,
		"?q=" + strings.Repeat("a", 300): true,
	} {
		require.Equal(t, in, strings.Contains(br.visited(t, b.board+address).body, where+`"`), address)
	}
	require.Contains(t, br.visited(t, b.board+"?q=nowhere").body, "No ideas found")
	require.NotContains(t, b.as(t, member.Viewer).visited(t, where).body, `name="seen.title"`, "who may not change it has no form")

	gone := url.Values{"title": {"In a column that is gone"}, "column": {ident.New[ident.IdeaColumn]().String()}}
	require.Equal(t, http.StatusSeeOther, br.post(t, b.board+"/cards", gone).status, "it is not lost")
	require.Equal(t, http.StatusSeeOther, br.post(t, where+"/delete", nil).status)
	require.Equal(t, http.StatusNotFound, br.get(t, where).status)
}

// TestIdeaForms keeps what was entered when a form is refused.
func TestIdeaForms(t *testing.T) {
	t.Parallel()
	b := noting(t)
	br := b.as(t, member.Editor)
	wrong := url.Values{
		"title": {`a"><script>alert(1)</script>` + "\u202e"}, "link": {"javascript:alert(1)"}, "due": {"soon"}, "content": {"kept <b>"},
	}
	for _, path := range []string{b.board + "/cards", b.card} {
		require.Equal(t, http.StatusUnprocessableEntity, br.post(t, path, wrong).status)
		for _, want := range []string{
			"&lt;script&gt;", "Contains line breaks or other control characters", "Must be an http or https URL", "Choose a day.", "kept &lt;b&gt;",
			`value="javascript:alert(1)"`,
		} {
			require.Contains(t, br.last.body, want)
		}
		require.NotContains(t, br.last.body, "<script>alert")
		require.NotContains(t, br.last.body, `href="javascript`)
	}
	wrong.Del("due")
	require.Equal(t, http.StatusUnprocessableEntity, br.post(t, b.board+"/cards", wrong).status)
	require.Equal(t, http.StatusNotFound, br.post(t, b.board+"/cards", url.Values{"title": {"a"}, "media": {ident.New[ident.Media]().String()}}).status)
	require.Equal(t, []string{"Secret of Ours"}, b.column(t, `SELECT title FROM idea_card`))
}

// TestIdeaIsEditedByTwo keeps changes of different fields, and shows both when two changed the same one.
func TestIdeaIsEditedByTwo(t *testing.T) {
	t.Parallel()
	b := noting(t)
	br, other := b.as(t, member.Editor), b.as(t, member.Contributor)
	mine := br.opened(t, b.card, url.Values{"title": {"Mine"}, "content": {"Notes of mine"}})
	theirs := other.opened(t, b.card, url.Values{"link": {"https://example.com/theirs"}})
	require.Equal(t, http.StatusSeeOther, other.post(t, b.card, theirs).status)
	require.Equal(t, http.StatusSeeOther, br.post(t, b.card, mine).status)
	stored := func() []string {
		return b.column(t, `SELECT concat_ws('|', title, content, link) FROM idea_card`)
	}
	require.Equal(t, []string{"Mine|Notes of mine|https://example.com/theirs"}, stored(), "both are kept")

	mine = br.opened(t, b.card, url.Values{"title": {"Mine again"}, "link": {"https://example.com/theirs"}, "content": {"Notes of mine"}})
	theirs = other.opened(t, b.card, url.Values{"title": {"Theirs <b>"}, "link": {"https://example.com/theirs"}, "content": {"Notes of mine"}})
	require.Equal(t, http.StatusSeeOther, other.post(t, b.card, theirs).status)
	require.Equal(t, http.StatusConflict, br.post(t, b.card, mine).status)
	for _, want := range []string{"Grace Hopper", "changed the same fields since you opened this idea.", "“Theirs &lt;b&gt;”", `value="Mine again"`} {
		require.Contains(t, br.last.body, want)
	}
	require.Equal(t, []string{"Theirs <b>|Notes of mine|https://example.com/theirs"}, stored())
	for _, found := range printField.FindAllStringSubmatch(br.last.body, -1) {
		mine.Set(found[1], found[2])
	}
	require.Equal(t, http.StatusSeeOther, br.post(t, b.card, mine).status)
	require.Equal(t, []string{"Mine again|Notes of mine|https://example.com/theirs"}, stored())
}

// TestIdeaIsMoved moves an idea by its page and by the script.
func TestIdeaIsMoved(t *testing.T) {
	t.Parallel()
	b := noting(t)
	br := b.as(t, member.Editor)
	first := regexp.MustCompile(`data-column="([^"]+)"`).FindStringSubmatch(br.visited(t, b.board).body)[1]
	second := b.wildcards["column"]
	script := func(form url.Values) page {
		t.Helper()
		return br.post(t, b.card+"/move", form, "HX-Request", "true")
	}
	got := script(url.Values{"to": {second}, "from": {first}})
	require.Equal(t, http.StatusOK, got.status)
	require.Equal(t, "Moved to In progress.", got.body)
	got = script(url.Values{"to": {first}, "from": {ident.New[ident.IdeaColumn]().String()}})
	require.Equal(t, http.StatusConflict, got.status)
	require.Equal(t, "Another member moved the idea meanwhile.", got.body)
	require.Equal(t, http.StatusUnprocessableEntity, script(url.Values{"to": {ident.New[ident.IdeaColumn]().String()}}).status)
	gone := br.post(t, filled("/w/{workspace}/ideas/cards/"+ident.New[ident.IdeaCard]().String()+"/move", b.wildcards), nil, "HX-Request", "true")
	require.Equal(t, "The idea is not here any more.", gone.body)

	require.Contains(t, br.visited(t, b.card+"/move").body, "It is number 1 in")
	for want, wrong := range map[string]url.Values{
		"Choose a column.": {}, "Enter a number from 1.": {"to": {first}, "place": {"0"}},
		"The column is not here any more.": {"to": {ident.New[ident.IdeaColumn]().String()}},
	} {
		require.Equal(t, http.StatusUnprocessableEntity, br.post(t, b.card+"/move", wrong).status)
		require.Contains(t, br.last.body, want)
	}
	other := b.idea(t, b.workspace, "another")["card"]
	require.Equal(t, http.StatusSeeOther, br.post(t, b.card+"/move?back=card", url.Values{"to": {first}, "place": {"1"}}).status)
	require.Equal(t, b.card, br.last.header.Get("Location"))
	shown := br.visited(t, b.board).body
	require.Less(t, strings.Index(shown, b.wildcards["card"]), strings.Index(shown, other))
	require.Equal(t, http.StatusOK, script(url.Values{"to": {first}, "from": {first}, "before": {other}}).status, "it stays")
	require.Equal(t, http.StatusSeeOther, br.post(t, b.card+"/move", url.Values{"to": {first}}).status)
	shown = br.visited(t, b.board).body
	require.Greater(t, strings.Index(shown, b.wildcards["card"]), strings.Index(shown, other))
	require.Equal(t, http.StatusForbidden, b.as(t, member.Viewer).post(t, b.card+"/move", url.Values{"to": {second}}).status)
}

// TestTwoOrderTheSameIdeas moves cards by two members at once, while a third one edits them: nothing is lost.
func TestTwoOrderTheSameIdeas(t *testing.T) {
	t.Parallel()
	b := noting(t)
	cards := []string{b.wildcards["card"]}
	for range 5 {
		cards = append(cards, b.idea(t, b.workspace, "more")["card"])
	}
	columns := b.column(t, `SELECT id::text FROM idea_column WHERE board_id = $1 ORDER BY position`, b.wildcards["board"])
	var work sync.WaitGroup
	for n, br := range []*browser{b.as(t, member.Editor), b.as(t, member.Contributor)} {
		work.Go(func() {
			for i, card := range cards {
				path := filled("/w/{workspace}/ideas/cards/"+card, b.wildcards)
				br.post(t, path+"/move", url.Values{"to": {columns[(i+n)%2]}, "before": {cards[(i+3)%len(cards)]}}, "HX-Request", "true")
				if br.last.status != http.StatusOK {
					t.Errorf("%d: %s", br.last.status, br.last.body)
				}
			}
		})
	}
	editor := b.as(t, member.Editor)
	form := editor.opened(t, b.card, url.Values{"content": {"written meanwhile"}})
	require.Equal(t, http.StatusSeeOther, editor.post(t, b.card, form).status)
	work.Wait()
	require.Equal(t, []string{"6"}, b.column(t, `SELECT count(DISTINCT (column_id, rank))::text FROM idea_card WHERE board_id = $1`, b.wildcards["board"]))
	require.Equal(t, []string{"written meanwhile"}, b.column(t, `SELECT content FROM idea_card WHERE id = $1`, b.wildcards["card"]))
}

// TestBoardIsArranged adds, changes, shifts and removes columns and labels, and boards.
func TestBoardIsArranged(t *testing.T) {
	t.Parallel()
	b := noting(t)
	br := b.as(t, member.Editor)
	arrange, color := b.board+"/arrange", post.LabelColors()[4]
	column, label := b.board+"/columns/"+b.wildcards["column"], b.board+"/labels/"+b.wildcards["label"]
	columns := func() string {
		return strings.Join(b.column(t, `SELECT c.name || c.color FROM idea_column c WHERE c.board_id = $1 ORDER BY c.position`, b.wildcards["board"]), ", ")
	}
	require.Contains(t, br.visited(t, arrange).body, `value="#2e7d32" selected`, "its color can be kept")
	for _, step := range []struct {
		path string
		form url.Values
		want string
	}{
		{b.board + "/columns", url.Values{"name": {"Later <b>"}, "color": {color}}, "Ideas, In progress, Ready, Done, Later <b>" + color},
		{column, url.Values{"do": {"right"}}, "Ideas, Ready, In progress, Done, Later <b>" + color},
		{column, url.Values{"do": {"left"}}, "Ideas, In progress, Ready, Done, Later <b>" + color},
		{column, url.Values{"name": {"Doing"}, "was.name": {"In progress"}}, "Ideas, Doing, Ready, Done, Later <b>" + color},
		{column, url.Values{"do": {"remove"}}, "Ideas, Ready, Done, Later <b>" + color},
	} {
		require.Equal(t, http.StatusSeeOther, br.post(t, step.path, step.form).status, br.last.body)
		require.Equal(t, step.want, columns())
	}
	require.Contains(t, br.visited(t, arrange).body, "Later &lt;b&gt;")
	full := b.board + "/columns/" + b.column(t, `SELECT column_id::text FROM idea_card WHERE id = $1`, b.wildcards["card"])[0]
	ready := b.column(t, `SELECT id::text FROM idea_column WHERE name = 'Ready' AND board_id = $1`, b.wildcards["board"])[0]
	for _, wrong := range []struct {
		path   string
		form   url.Values
		status int
		want   string
	}{
		{full, url.Values{"do": {"remove"}}, http.StatusUnprocessableEntity, "Choose a column for its ideas."},
		{b.board + "/columns", url.Values{"name": {"ready"}}, http.StatusUnprocessableEntity, "Is the name of another column"},
		{b.board + "/columns", url.Values{"name": {"Red"}, "color": {"red"}}, http.StatusUnprocessableEntity, "Is not one of the colors of labels"},
		{b.board + "/labels", url.Values{"name": {" "}}, http.StatusUnprocessableEntity, "Enter a name."},
		{full, url.Values{"name": {"Mine"}, "was.name": {"Older"}}, http.StatusConflict, "Another member changed this since you opened it."},
		{b.board, url.Values{"name": {""}, "was.name": {"Ideas"}}, http.StatusUnprocessableEntity, "Enter a name."},
	} {
		require.Equal(t, wrong.status, br.post(t, wrong.path, wrong.form).status, wrong.want)
		require.Contains(t, br.last.body, wrong.want)
	}
	require.Equal(t, http.StatusSeeOther, br.post(t, full, url.Values{"do": {"remove"}, "into": {ready}}).status)
	require.Equal(t, []string{ready}, b.column(t, `SELECT column_id::text FROM idea_card WHERE id = $1`, b.wildcards["card"]))
	require.Equal(t, http.StatusNotFound, br.post(t, full, url.Values{"do": {"left"}}).status)

	require.Equal(t, http.StatusSeeOther, br.post(t, b.board+"/labels", url.Values{"name": {"Market"}, "color": {color}}).status)
	require.Equal(t, http.StatusSeeOther, br.post(t, label, url.Values{"name": {"Always"}, "was.name": {"Evergreen"}, "color": {"#2e7d32"}, "was.color": {"#2e7d32"}}).status)
	require.Contains(t, br.visited(t, b.board).body, "Always")
	require.Equal(t, http.StatusSeeOther, br.post(t, label, url.Values{"do": {"remove"}}).status)
	require.NotContains(t, br.visited(t, b.board).body, "Always")

	require.Equal(t, http.StatusConflict, br.post(t, b.board+"/delete", nil).status, "the only board stays")
	boards := filled("/w/{workspace}/ideas/boards", b.wildcards)
	require.Contains(t, br.visited(t, boards+"/new").body, "New board")
	require.Equal(t, http.StatusUnprocessableEntity, br.post(t, boards, url.Values{"name": {"IDEAS"}}).status)
	require.Equal(t, http.StatusSeeOther, br.post(t, boards, url.Values{"name": {"Winter"}}).status)
	winter := br.last.header.Get("Location")
	require.Contains(t, br.visited(t, winter).body, "No ideas yet")
	require.Equal(t, http.StatusSeeOther, br.post(t, winter, url.Values{"name": {"Summer"}, "was.name": {"Winter"}}).status)
	require.Contains(t, br.visited(t, b.board).body, winter)
	require.Equal(t, http.StatusSeeOther, br.post(t, winter+"/delete", nil).status)
	require.Equal(t, http.StatusNotFound, br.get(t, winter).status)

	writer := b.as(t, member.Contributor)
	require.NotContains(t, writer.visited(t, b.board).body, arrange)
	require.Equal(t, http.StatusForbidden, writer.get(t, arrange).status)
}

// TestIdeaBecomesPosts writes posts from an idea, first for one of two channels, then for the other one.
func TestIdeaBecomesPosts(t *testing.T) {
	t.Parallel()
	b := noting(t)
	postgrestest.Exec(t, b.dsn, `UPDATE idea_card SET content = 'Notes', link = 'https://example.com/a' WHERE id = $1`, b.wildcards["card"])
	br := b.as(t, member.Editor)
	compose := filled("/w/{workspace}/compose", b.wildcards)
	write := compose + "?idea=" + b.wildcards["card"]
	require.Contains(t, html.UnescapeString(br.visited(t, b.board).body), write)
	require.Contains(t, br.visited(t, write).body, ">Secret of Ours\n\nNotes\n\nhttps://example.com/a</textarea>")
	form := br.composed(t, url.Values{"text": {"From the idea"}, "channel": {b.wildcards["channel"]}, "idea": {br.hidden(t, "idea")}})
	require.Equal(t, http.StatusOK, br.post(t, compose+"/save", form).status)
	kept := br.get(t, write)
	require.Equal(t, http.StatusSeeOther, kept.status, "what was begun goes on")
	require.Contains(t, br.visited(t, kept.header.Get("Location")).body, "From the idea")
	form = br.composed(t, url.Values{"text": {"From the idea"}, "channel": {b.wildcards["channel"]}, "idea": {br.hidden(t, "idea")}})
	require.Equal(t, http.StatusSeeOther, br.post(t, compose, form).status)
	created := br.last.header.Get("Location")
	require.Contains(t, br.visited(t, b.card).body, created)
	require.Contains(t, br.last.body, "From the idea")
	require.Contains(t, br.visited(t, b.board).body, "Draft")

	require.Equal(t, http.StatusOK, br.visited(t, write).status, "a further post starts anew")
	form = br.composed(t, url.Values{"text": {"Once more"}, "channel": {b.wildcards["channel"]}, "idea": {ident.New[ident.IdeaCard]().String()}})
	require.Equal(t, http.StatusSeeOther, br.post(t, compose, form).status, "an idea that was deleted meanwhile")
	for _, wrong := range []string{"x", ident.New[ident.IdeaCard]().String(), b.furnish(t, "Theirs").wildcards["card"]} {
		require.Equal(t, http.StatusNotFound, br.get(t, compose+"?idea="+wrong).status)
	}
	require.Equal(t, []string{"1"}, b.column(t, `SELECT count(*)::text FROM idea_card_post`))
	postgrestest.Exec(t, b.dsn, `UPDATE idea_card SET due = $1 WHERE id = $2`, b.clock.Now().Add(-48*time.Hour).Format(time.DateOnly), b.wildcards["card"])
	require.NotContains(t, br.visited(t, b.board).body, "Was due", "something became of it")
	postgrestest.Exec(t, b.dsn, `DELETE FROM idea_card_post`)
	require.Contains(t, br.visited(t, b.board).body, "Was due")
}

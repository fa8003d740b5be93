package httpapi_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/idea"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/ident"
)

const pathIdeas = "/v1/idea-boards"

func (of tenant) board() string { return pathIdeas + "/" + of.ideas.ID.String() }

// card adds a card to our board.
func (b *bundle) card(t testing.TB, body string) map[string]any {
	t.Helper()
	created := b.post(t, b.ours.board()+"/cards", body)
	require.Equal(t, http.StatusCreated, created.status, created.body)
	return created.object(t)
}

// cards reads our board.
func (b *bundle) cards(t testing.TB, query url.Values) (titles []string, board map[string]any) {
	t.Helper()
	read := b.get(t, b.ours.board()+"?"+query.Encode())
	require.Equal(t, http.StatusOK, read.status, read.body)
	board = read.object(t)
	for _, c := range objects(t, board["cards"]) {
		titles = append(titles, text(t, c, "title"))
	}
	return titles, board
}

// objects decodes a list of objects.
func objects(t testing.TB, list any) (out []map[string]any) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(encode(t, list)), &out))
	return out
}

func TestIdeaBoardOfNewWorkspace(t *testing.T) {
	t.Parallel()
	b := setup(t)
	list := b.get(t, pathIdeas)
	require.Equal(t, http.StatusOK, list.status, list.body)
	require.Equal(t, []string{"data", "nextCursor"}, slices.Sorted(maps.Keys(list.object(t))))
	require.Nil(t, list.object(t)["nextCursor"])
	boards, ok := list.object(t)["data"].([]any)
	require.True(t, ok)
	require.Len(t, boards, 1)

	titles, board := b.cards(t, nil)
	require.Empty(t, titles)
	require.Nil(t, board["nextCursor"])
	require.Contains(t, b.get(t, b.ours.board()).body, `"cards":[]`)
	require.Len(t, board["columns"], len(b.ours.ideas.Columns))
	require.Len(t, board["labels"], len(b.ours.ideas.Labels))
	delete(board, "cards")
	delete(board, "nextCursor")
	require.Equal(t, boards[0], board)
	require.Equal(t, []string{"cardCount", "columns", "createdAt", "id", "labels", "name", "updatedAt"},
		slices.Sorted(maps.Keys(board)))
	require.Equal(t, map[string]any{"id": b.ours.ideas.Columns[0].ID.String(), "name": "Ideas", "cardCount": 0.0},
		objects(t, board["columns"])[0])
}

func TestCreateIdeaCard(t *testing.T) {
	t.Parallel()
	b := setup(t)
	first, second := b.ours.ideas.Columns[0].ID.String(), b.ours.ideas.Columns[1].ID.String()
	bare := b.card(t, `{"title":" Kiln "}`)
	require.Equal(t, map[string]any{
		"id": bare["id"], "boardId": b.ours.ideas.ID.String(), "columnId": first, "position": 0.0, "title": "Kiln",
		"content":  "",
		"labelIds": []any{}, "mediaIds": []any{}, "link": nil, "createdAt": bare["createdAt"], "updatedAt": bare["createdAt"],
	}, bare)
	labels := []string{b.ours.ideas.Labels[2].ID.String(), b.ours.ideas.Labels[0].ID.String()}
	whole := b.card(t, `{"title":"Clay","content":"a\r\n b ","columnId":"`+strings.ToUpper(second)+
		`","position":0,"labelIds":`+encode(t, labels)+
		`,"mediaIds":["`+b.ours.media.String()+`"],"link":"https://example.com/ä"}`)
	require.Equal(t, second, whole["columnId"])
	require.Equal(t, "a\n b", whole["content"])
	require.Equal(t, []any{labels[1], labels[0]}, whole["labelIds"], "in the board's order")
	require.Equal(t, []any{b.ours.media.String()}, whole["mediaIds"])
	require.Equal(t, "https://example.com/%C3%A4", whole["link"])
	b.card(t, `{"title":"On top","content":null,"columnId":null,"link":null,"position":0}`)
	b.card(t, `{"title":"Between","position":1}`)

	titles, board := b.cards(t, nil)
	require.Equal(t, []string{"On top", "Between", "Kiln", "Clay"}, titles)
	require.Equal(t, whole, objects(t, board["cards"])[3], "read as it was made")
	require.InDelta(t, 4, board["cardCount"], 0)
	require.Equal(t, []any{3.0, 1.0, 0.0, 0.0}, counts(t, board))
	require.Equal(t, 0, b.count(t, `event`), "ideas have no events")

	refused := b.do(t, request{method: http.MethodDelete, path: "/v1/media/" + b.ours.media.String(), key: b.ours.key})
	p := requireProblem(t, refused, http.StatusConflict, "MEDIA_IN_USE")
	require.Equal(t, []any{map[string]any{"type": "IDEA_CARD", "id": whole["id"], "name": "Clay"}}, p["references"])
}

func counts(t testing.TB, board map[string]any) (out []any) {
	t.Helper()
	for _, c := range objects(t, board["columns"]) {
		out = append(out, c["cardCount"])
	}
	return out
}

func TestInvalidIdeaCards(t *testing.T) {
	t.Parallel()
	b := setup(t)
	label := b.ours.ideas.Labels[0].ID.String()
	for body, want := range map[string][]string{
		`{"title":""}`:     {"/title"},
		`{"title":" \t "}`: {"/title"},
		`{"title":"a\nb"}`: {"/title"},
		`{"title":"` + strings.Repeat("é", 201) + `","content":"` + strings.Repeat("x", 10_001) + `"}`: {
			"/title", "/content",
		},
		`{"title":"x","position":1}`:                                       {"/position"},
		`{"title":"x","position":-1,"link":"a"}`:                           {"/position", "/link"},
		`{"title":"x","position":1.5}`:                                     {"/position"},
		`{"title":"x","position":"TOP"}`:                                   {"/position"},
		`{"title":"x","position":9223372036854775808}`:                     {"/position"},
		`{"title":"x","link":"javascript:alert(1)"}`:                       {"/link"},
		`{"title":"x","link":"https://u:p@example.com"}`:                   {"/link"},
		`{"title":" ","link":"ftp://x","labelIds":["x"],"notes":""}`:       {"/labelIds/0", "/notes", "/title", "/link"},
		`{"title":"x","labelIds":["` + label + `","` + label + `"]}`:       {"/labelIds/1"},
		`{"title":"x","mediaIds":` + encode(t, ids[ident.Media](21)) + `}`: {"/mediaIds"},
	} {
		p := requireProblem(t, b.post(t, b.ours.board()+"/cards", body), http.StatusUnprocessableEntity, "VALIDATION_FAILED")
		require.ElementsMatch(t, want, pointers(t, p), body)
	}
	// From another board of the same workspace, and from another workspace.
	other := idea.DefaultBoard(b.ours.id, b.clock.Now())
	require.NoError(t, postgres.NewIdeas(b.db).InsertBoard(t.Context(), other))
	for _, foreign := range []idea.Board{other, b.theirs.ideas} {
		for _, body := range []string{
			`{"title":"x","columnId":"` + foreign.Columns[0].ID.String() + `"}`,
			`{"title":"x","labelIds":["` + label + `","` + foreign.Labels[0].ID.String() + `"]}`,
		} {
			requireProblem(t, b.post(t, b.ours.board()+"/cards", body), http.StatusNotFound, "NOT_FOUND")
		}
	}
	for _, member := range []string{`"columnId":"ID"`, `"labelIds":["ID"]`, `"mediaIds":["ID"]`} {
		body := `{"title":"x",` + strings.Replace(member, "ID", uuid.Nil.String(), 1) + `}`
		requireProblem(t, b.post(t, b.ours.board()+"/cards", body), http.StatusNotFound, "NOT_FOUND")
	}
	mixed := `{"title":"x","mediaIds":["` + b.ours.media.String() + `","` + b.theirs.media.String() + `"]}`
	requireProblem(t, b.post(t, b.ours.board()+"/cards", mixed), http.StatusNotFound, "NOT_FOUND")
	requireProblem(t, b.post(t, b.theirs.board()+"/cards", `{"title":"x"}`), http.StatusNotFound, "NOT_FOUND")
	require.Equal(t, 0, b.count(t, `idea_card`), "nothing was made")
	require.Equal(t, 0, b.count(t, `media_reference`))

	b.exec(t, `INSERT INTO idea_card (id, board_id, column_id, rank, title, content, created_at, updated_at)
		SELECT gen_random_uuid(), $1, $2, n, 'x', '', now(), now() FROM generate_series(1, $3) AS n`, b.ours.ideas.ID,
		b.ours.ideas.Columns[0].ID, idea.MaxCards)
	p := requireProblem(t, b.post(t, b.ours.board()+"/cards", `{"title":"x"}`), http.StatusForbidden, "QUOTA_EXCEEDED")
	require.Equal(t, "The board has 2000 cards, and 2000 are allowed.", p["detail"])
}

func ids[I ~[16]byte](n int) []I {
	out := make([]I, n)
	for i := range out {
		out[i] = ident.New[I]()
	}
	return out
}

func TestPagesOfIdeaCards(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var want []string
	for column := range 2 {
		for i := range 4 {
			title := fmt.Sprint(column, "/", i)
			b.card(t, `{"title":"`+title+`","columnId":"`+b.ours.ideas.Columns[column].ID.String()+`"}`)
			want = append(want, title)
		}
	}
	for limit := 1; limit <= 9; limit++ {
		var seen []string
		query := url.Values{"limit": {strconv.Itoa(limit)}}
		for {
			titles, board := b.cards(t, query)
			seen = append(seen, titles...)
			require.InDelta(t, 8, board["cardCount"], 0, "of the board, not of the page")
			next, more := board["nextCursor"].(string)
			if !more {
				break
			}
			require.Len(t, titles, limit)
			query.Set("cursor", next)
		}
		require.Equal(t, want, seen, "pages of %d", limit)
	}

	_, board := b.cards(t, url.Values{"limit": {"5"}})
	cursor := url.QueryEscape(text(t, board, "nextCursor"))
	b.card(t, `{"title":"new","position":0}`) // before the cards that were read
	titles, _ := b.cards(t, url.Values{"cursor": {text(t, board, "nextCursor")}})
	require.Equal(t, want[5:], titles, "nothing twice")
	for _, path := range []string{
		b.ours.board() + "?cursor=x", b.ours.board() + "?cursor=" + cursor + "x",
		pathIdeas + "/" + b.other(t) + "?cursor=" + cursor,
	} {
		requireProblem(t, b.get(t, path), http.StatusUnprocessableEntity, "INVALID_CURSOR")
	}
	stolen := b.do(t, request{method: http.MethodGet, path: b.theirs.board() + "?cursor=" + cursor, key: b.theirs.key})
	requireProblem(t, stolen, http.StatusUnprocessableEntity, "INVALID_CURSOR")
	for _, limit := range []string{"0", "101", "-1", "x", "1.5"} {
		p := requireProblem(t, b.get(t, b.ours.board()+"?limit="+limit), http.StatusUnprocessableEntity, "VALIDATION_FAILED")
		require.Equal(t, []string{"limit"}, pointers(t, p))
	}
}

// other creates another board in our workspace.
func (b *bundle) other(t testing.TB) string {
	t.Helper()
	board := idea.DefaultBoard(b.ours.id, b.clock.Now())
	require.NoError(t, postgres.NewIdeas(b.db).InsertBoard(t.Context(), board))
	return board.ID.String()
}

func TestIdeaCardsAreCreatedOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	path, video := b.ours.board()+"/cards", b.asset(t, b.ours.id, media.Video).String()
	body := `{"title":"Kiln","mediaIds":["` + video + `"]}`
	first := b.once(t, "k1", path, body)
	requireFresh(t, first, http.StatusCreated)
	requireReplay(t, first, b.once(t, "k1", path, ` {"mediaIds":["`+video+`"], "title":"Kiln"}`))
	requireProblem(t, b.once(t, "k1", path, `{"title":"Other"}`), http.StatusUnprocessableEntity, "IDEMPOTENCY_KEY_REUSED")
	requireProblem(t, b.once(t, "k1", pathIdeas+"/"+b.other(t)+"/cards", body), http.StatusUnprocessableEntity,
		"IDEMPOTENCY_KEY_REUSED")
	requireProblem(t, b.once(t, "k2", path, `{"title":"x","position":9}`), http.StatusUnprocessableEntity,
		"VALIDATION_FAILED")
	requireFresh(t, b.once(t, "k2", path, `{"title":"x"}`), http.StatusCreated)
	requireFresh(t, b.onceAs(t, b.theirs.key, "k1", b.theirs.board()+"/cards", `{"title":"Kiln"}`), http.StatusCreated)
	require.Equal(t, 3, b.count(t, `idea_card`))
}

// TestConcurrentIdeaCardsGetDistinctPositions checks that concurrent requests to several servers get different positions.
func TestConcurrentIdeaCardsGetDistinctPositions(t *testing.T) {
	t.Parallel()
	b := setup(t)
	other := b.twin(t)
	const n = 30
	responses := atOnce(n, func(i int) response {
		return []*bundle{b, other}[i%2].post(t, b.ours.board()+"/cards", `{"title":"`+strconv.Itoa(i)+`"}`)
	})
	places := map[any]bool{}
	for _, a := range responses {
		require.Equal(t, http.StatusCreated, a.status, a.body)
		places[a.object(t)["position"]] = true
	}
	require.Len(t, places, n)
	titles, board := b.cards(t, nil)
	require.Len(t, titles, n)
	for i, c := range objects(t, board["cards"]) {
		require.InDelta(t, i, c["position"], 0)
	}
}

// TestScopesOfIdeas checks that the scopes are opt-in, and that the read scope does not allow writing.
func TestScopesOfIdeas(t *testing.T) {
	t.Parallel()
	b := setup(t)
	usual := b.key(t, b.ours.id, credential.DefaultScopes()...)
	reader, writer := b.key(t, b.ours.id, credential.IdeasRead), b.key(t, b.ours.id, credential.IdeasWrite)
	for key, want := range map[string][3]int{
		usual: {403, 403, 403}, reader: {200, 200, 403}, writer: {403, 403, 201},
	} {
		got := [3]int{
			b.do(t, request{method: http.MethodGet, path: pathIdeas, key: key}).status,
			b.do(t, request{method: http.MethodGet, path: b.ours.board(), key: key}).status,
			b.do(t, request{
				method: http.MethodPost, path: b.ours.board() + "/cards", key: key, contentType: "application/json",
				body: `{"title":"x"}`,
			}).status,
		}
		require.Equal(t, want, got)
	}
}

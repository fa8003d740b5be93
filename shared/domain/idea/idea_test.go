package idea_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/idea"
	"fencepost.internal/shared/domain/linkpage"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

var now = time.Date(2026, time.March, 1, 9, 0, 0, 0, time.UTC)

func board() idea.Board { return idea.DefaultBoard(ident.New[ident.Workspace](), now) }

func pointers(t *testing.T, err error) (out []string) {
	t.Helper()
	var failure *apperr.Error
	require.ErrorAs(t, err, &failure)
	require.Equal(t, apperr.ValidationFailed, failure.Code)
	for _, f := range failure.Fields {
		out = append(out, f.Pointer)
	}
	return out
}

func TestDefaultBoard(t *testing.T) {
	t.Parallel()
	b, other := board(), board()
	require.NotEqual(t, b.ID, other.ID)
	require.Len(t, b.Columns, 4)
	require.Zero(t, b.Cards())
	seen := map[string]bool{}
	for _, l := range b.Labels {
		require.False(t, l.ID.IsZero())
		require.False(t, seen[l.Name] || seen[l.Color], "no two labels look alike")
		seen[l.Name], seen[l.Color] = true, true
		require.Regexp(t, `^#[0-9a-f]{6}$`, l.Color)
		require.GreaterOrEqual(t, linkpage.Contrast(linkpage.Color(l.Color), "#ffffff"), 4.5, "%s: white text on it", l.Name)
	}
	for _, c := range b.Columns {
		require.False(t, c.ID.IsZero() || seen[c.ID.String()])
		seen[c.ID.String()] = true
	}
}

func TestAddCard(t *testing.T) {
	t.Parallel()
	b := board()
	b.Columns[0].Cards, b.Columns[2].Cards = 3, 7
	card, err := b.AddCard(idea.NewCard{Title: "  Behind the kiln \n"}, now)
	require.NoError(t, err)
	require.Equal(t, idea.Card{
		ID: card.ID, BoardID: b.ID, ColumnID: b.Columns[0].ID, Position: 3, Title: "Behind the kiln",
		LabelIDs:  []ident.IdeaLabel{},
		CreatedAt: now, UpdatedAt: now,
	}, card, "at the end of the first column")
	require.False(t, card.ID.IsZero())

	assets, top := []ident.Media{ident.New[ident.Media](), ident.New[ident.Media]()}, 0
	card, err = b.AddCard(idea.NewCard{
		ColumnID: b.Columns[2].ID, Position: &top, Title: strings.Repeat("é", idea.MaxTitle), Content: " a\r\n\tb ",
		LabelIDs: []ident.IdeaLabel{b.Labels[3].ID, b.Labels[1].ID}, MediaIDs: assets, Link: " https://example.com/ä?b=c#d ",
	}, now)
	require.NoError(t, err)
	require.Equal(t, b.Columns[2].ID, card.ColumnID)
	require.Zero(t, card.Position)
	require.Equal(t, "a\n\tb", card.Content)
	require.Equal(t, []ident.IdeaLabel{b.Labels[1].ID, b.Labels[3].ID}, card.LabelIDs, "in the board's order")
	require.Equal(t, assets, card.MediaIDs, "in the order given")
	require.Equal(t, "https://example.com/%C3%A4?b=c#d", card.Link)
}

func TestAllCardFaultsAreReported(t *testing.T) {
	t.Parallel()
	b := board()
	label, asset, position := b.Labels[0].ID, ident.New[ident.Media](), 1
	_, err := b.AddCard(idea.NewCard{
		Title: strings.Repeat("x", idea.MaxTitle+1), Content: strings.Repeat("x", idea.MaxContent) + "\x00",
		Link: "example.com", Position: &position,
		LabelIDs: []ident.IdeaLabel{label, label}, MediaIDs: []ident.Media{asset, ident.New[ident.Media](), asset},
	}, now)
	require.Equal(t, []string{"/title", "/content", "/content", "/link", "/labelIds/1", "/mediaIds/2", "/position"},
		pointers(t, err))
	require.ErrorContains(t, err, "must have at most 200 characters, not 201")
	require.ErrorContains(t, err, `must be at most 0, the number of cards in the column "Ideas"`)
}

func TestTitlesAndTexts(t *testing.T) {
	t.Parallel()
	b, negative := board(), -1
	for name, c := range map[string]struct {
		in   idea.NewCard
		want []string
	}{
		"no title":        {idea.NewCard{}, []string{"/title"}},
		"blank title":     {idea.NewCard{Title: " \t\n\u00a0"}, []string{"/title"}},
		"two lines":       {idea.NewCard{Title: "a\nb"}, []string{"/title"}},
		"line separator":  {idea.NewCard{Title: "a\u2028b"}, []string{"/title"}},
		"escape sequence": {idea.NewCard{Title: "a\x1b[31m"}, []string{"/title"}},
		"no UTF-8":        {idea.NewCard{Title: "a\xff", Content: "\xff"}, []string{"/title", "/content"}},
		"above the top":   {idea.NewCard{Title: "a", Position: &negative}, []string{"/position"}},
		"too many labels": {
			idea.NewCard{Title: "a", LabelIDs: many[ident.IdeaLabel](idea.MaxLabels + 1)}, []string{"/labelIds"},
		},
		"too many assets": {idea.NewCard{Title: "a", MediaIDs: many[ident.Media](idea.MaxMedia + 1)}, []string{"/mediaIds"}},
	} {
		_, err := b.AddCard(c.in, now)
		require.Equal(t, c.want, pointers(t, err), name)
	}
}

func many[I ~[16]byte](n int) []I {
	ids := make([]I, n)
	for i := range ids {
		ids[i] = ident.New[I]()
	}
	return ids
}

// TestForeignResourcesAreRefused checks that it makes no difference whether another board has the resource.
func TestForeignResourcesAreRefused(t *testing.T) {
	t.Parallel()
	b, other, far := board(), board(), 5
	for _, in := range []idea.NewCard{
		{Title: "a", ColumnID: other.Columns[0].ID, Position: &far},
		{Title: "a", ColumnID: ident.New[ident.IdeaColumn]()},
		{Title: "a", LabelIDs: []ident.IdeaLabel{b.Labels[0].ID, other.Labels[0].ID}},
	} {
		_, err := b.AddCard(in, now)
		require.True(t, apperr.Is(err, apperr.NotFound), "%v", err)
	}
	b.Columns[1].Cards = idea.MaxCards
	_, err := b.AddCard(idea.NewCard{Title: "a"}, now)
	require.True(t, apperr.Is(err, apperr.QuotaExceeded), "%v", err)
	require.ErrorContains(t, err, "The board has 2000 cards, and 2000 are allowed.")
}

func link(given string) (string, error) {
	card, err := board().AddCard(idea.NewCard{Title: "a", Link: given}, now)
	return card.Link, err
}

func TestLinks(t *testing.T) {
	t.Parallel()
	longest := "https://a.example/" + strings.Repeat("a", idea.MaxLink-18)
	for given, want := range map[string]string{
		"": "", " ": "", "http://a.example": "http://a.example", "HTTPS://a.example/?ä": "https://a.example/?%C3%A4",
		longest: longest,
	} {
		got, err := link(given)
		require.NoError(t, err, given)
		require.Equal(t, want, got)
	}
	for given, want := range map[string]string{
		"a.example":              "must be an http or https URL, for example https://example.com/article",
		"https:///a":             "must be an http or https URL, for example https://example.com/article",
		"https://u:p@a.example/": "contains a user name or a password; remove them",
		"https://bücher.example": "contains a host name that is not ASCII; send its ASCII form, which begins with xn--",
		longest + "a":            "must have at most 2048 bytes, not 2049",
		"https://a.example/" + strings.Repeat("é", 400): "must have at most 2048 bytes, not 2418",
	} {
		_, err := link(given)
		require.Equal(t, []string{"/link"}, pointers(t, err), given)
		require.ErrorContains(t, err, want)
	}
}

func TestRanks(t *testing.T) {
	t.Parallel()
	rank, room := idea.RankBetween(nil, nil)
	require.True(t, room)
	below, _ := idea.RankBetween(&rank, nil)
	above, _ := idea.RankBetween(nil, &rank)
	require.Less(t, above, rank)
	require.Less(t, rank, below)
	// Always at the same place: below the first, above all cards inserted before.
	last, n := below, 0
	for {
		between, room := idea.RankBetween(&rank, &last)
		if !room {
			break
		}
		require.Greater(t, between, rank)
		require.Less(t, between, last)
		last, n = between, n+1
	}
	require.Equal(t, 32, n)
	far := int64(math.MaxInt64) / 4
	between, room := idea.RankBetween(new(-far), &far)
	require.True(t, room)
	require.Zero(t, between)
}

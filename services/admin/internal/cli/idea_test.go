package cli_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/kernel/ident"
)

func TestIdeas(t *testing.T) {
	t.Parallel()
	b := setup(t)
	workspace := b.workspace(t)
	boards := b.many(t, "idea", "boards", "--workspace", workspace)
	require.Len(t, boards, 1, "made with the workspace")
	board := text(t, boards[0], "id")
	require.ElementsMatch(t, []string{"id", "name", "cardCount", "columns", "labels", "createdAt", "updatedAt"},
		keysOf(boards[0]))
	require.Equal(t, "The board has no cards. Add one with: admin idea add\n",
		b.ok(t, "idea", "list", "--workspace", workspace))

	added := b.one(t, "idea", "add", "--workspace", workspace, "--title", " The new kiln ", "--content", "Three photos",
		"--column", "in PROGRESS",
		"--label", "question", "--label", "Evergreen", "--label", "EVERGREEN", "--link", "https://example.com/kiln")
	require.Equal(t, record{
		"id": added["id"], "column": "In progress", "position": 0.0, "title": "The new kiln", "content": "Three photos",
		"labels": []any{"Evergreen", "Question"}, "mediaIds": []any{}, "link": "https://example.com/kiln",
		"createdAt": "2026-03-01T09:00:00.000Z", "updatedAt": "2026-03-01T09:00:00.000Z",
	}, added)
	said := b.ok(t, "idea", "add", "--workspace", workspace, "--board", board, "--title", "On top", "--column",
		"In progress", "--top")
	require.Contains(t, said, "added to Ideas, column In progress: On top\n")
	b.ok(t, "idea", "add", "--workspace", workspace, "--title", "Later")

	var titles []string
	for _, card := range b.many(t, "idea", "list", "--workspace", workspace, "--board", strings.ToUpper(board)) {
		titles = append(titles, text(t, card, "title"))
	}
	require.Equal(t, []string{"Later", "On top", "The new kiln"}, titles, "column by column")
	require.Contains(t, b.ok(t, "idea", "list", "--workspace", workspace), "Evergreen, Question")
	require.Contains(t, b.ok(t, "idea", "boards", "--workspace", workspace),
		"Ideas (1), In progress (2), Ready (0), Done (0)")
	require.Empty(t, b.events(t), "ideas emit no events")
}

func TestIdeaRefuses(t *testing.T) {
	t.Parallel()
	b := setup(t)
	workspace, other := b.workspace(t), b.workspace(t)
	theirs := text(t, b.many(t, "idea", "boards", "--workspace", other)[0], "id")
	refused(t, b.run(t, "idea", "add", "--title", "x"), "--workspace is required")
	refused(t, b.run(t, "idea", "add", "--workspace", workspace, "--title", "a\nb", "--content", "\x1b[2J", "--column",
		"Nowhere", "--label", "None",
		"--link", "javascript:alert(1)"), "5 problems", "--title contains line breaks",
		"--content contains control characters",
		`--column "Nowhere" is not on this board; choose Ideas, In progress, Ready or Done`,
		`--label "None" is not on this board`, "--link must be an http or https URL")
	refused(t, b.run(t, "idea", "add", "--workspace", workspace), "--title must not be empty")
	refused(t, b.run(t, "idea", "list", "--workspace", workspace, "--board", "x"), `--board "x" is not an id`)
	failed(t, b.run(t, "idea", "list", "--workspace", workspace, "--board", theirs), "has no such idea board")
	failed(t, b.run(t, "idea", "add", "--workspace", workspace, "--board", theirs, "--title", "x"),
		"has no such idea board")
	missing := ident.New[ident.Workspace]().String()
	for _, command := range []string{"boards", "list"} {
		failed(t, b.run(t, "idea", command, "--workspace", missing), "There is no workspace")
	}
	require.Empty(t, b.many(t, "idea", "list", "--workspace", workspace))
	require.Empty(t, b.many(t, "idea", "list", "--workspace", other))
}

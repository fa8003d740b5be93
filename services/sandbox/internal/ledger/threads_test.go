package ledger_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/sandbox/internal/ledger"
)

func ids(posts []ledger.Post) []string {
	names := make([]string, len(posts))
	for i, post := range posts {
		names[i] = post.ID
	}
	return names
}

// TestThreads checks that a list of roots has each thread once, that the replies follow their parents, and that both last
// over a restart and a deletion.
func TestThreads(t *testing.T) {
	t.Parallel()

	b := setup(t)
	reply := func(text, parent string) string {
		d := draft("x", "acme", text)
		d.Parent = parent
		return b.publish(t, d).ID
	}
	root := b.publish(t, draft("x", "acme", "1/3")).ID
	other := b.publish(t, draft("x", "acme", "Hello")).ID
	second := reply("2/3", root)
	comment := reply("First", root)
	third := reply("3/3", second)
	for range 2 {
		require.Equal(t, []string{second, third, comment}, ids(b.Below("x", root)))
		require.Empty(t, b.Below("x", other))
		require.Empty(t, b.Below("threads", root))
		require.Equal(t, []string{other, root}, ids(b.List(ledger.Filter{Roots: true})))
		require.Len(t, b.List(ledger.Filter{}), 5)
		b.reopen(t)
	}
	_, err := b.Delete("x", second)
	require.NoError(t, err)
	require.Equal(t, []string{comment}, ids(b.Below("x", root)))
	require.Equal(t, []string{third, other, root}, ids(b.List(ledger.Filter{Roots: true})), "its parent is gone")
}

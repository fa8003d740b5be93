package cursor_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/internal/cursor"
)

// FuzzDecode checks that a text is a valid cursor only if it is exactly the one that was made for the use.
func FuzzDecode(f *testing.F) {
	c := codec(f, "a")
	f.Add(c.Encode(cursor.Use{"posts", "w"}, make([]byte, 16)), "posts", "w")
	f.Add(c.Encode(cursor.Use{"posts", "w"}, make([]byte, 16)), "post", "sw")
	f.Add("AQ==", "", "")
	f.Fuzz(func(t *testing.T, text, list, workspace string) {
		use := cursor.Use{list, workspace}
		for _, length := range []int{16, 24} {
			position := make([]byte, length)
			if err := c.Decode(use, text, position); err != nil {
				require.ErrorIs(t, err, cursor.ErrInvalid)
				require.Equal(t, make([]byte, length), position)
				continue
			}
			require.Equal(t, text, c.Encode(use, position))
		}
	})
}

// FuzzUse checks that a cursor is valid only for its own use, however the parts are split.
func FuzzUse(f *testing.F) {
	c := codec(f, "a")
	f.Add("posts", "w", "post", "sw")
	f.Add("posts", "", "posts", "")
	f.Add("a\x00\x00\x00\x01", "b", "a", "\x00\x00\x00\x01b")
	f.Fuzz(func(t *testing.T, list, workspace, otherList, otherWorkspace string) {
		use, other, after := cursor.Use{list, workspace}, cursor.Use{otherList, otherWorkspace}, []byte{15: 9}
		text := c.Encode(use, after)
		got := make([]byte, 16)
		require.NoError(t, c.Decode(use, text, got))
		require.Equal(t, after, got)
		require.Equal(t, list == otherList && workspace == otherWorkspace, c.Decode(other, text, got) == nil)
		require.ErrorIs(t, c.Decode(append(use, ""), text, got), cursor.ErrInvalid)
	})
}

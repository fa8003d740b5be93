package cursor_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"socialpub.internal/services/internal/cursor"
)

// FuzzDecode: a text is a cursor only if it is, to the letter, the one that was made for the use.
func FuzzDecode(f *testing.F) {
	c := codec(f, "a")
	f.Add(c.Encode(cursor.Use{"posts", "w"}, [16]byte{1, 2, 3}), "posts", "w")
	f.Add(c.Encode(cursor.Use{"posts", "w"}, [16]byte{1, 2, 3}), "post", "sw")
	f.Add("AQ==", "", "")
	f.Fuzz(func(t *testing.T, text, list, workspace string) {
		use := cursor.Use{list, workspace}
		after, err := c.Decode(use, text)
		if err != nil {
			require.ErrorIs(t, err, cursor.ErrInvalid)
			require.Zero(t, after)
			return
		}
		require.Equal(t, text, c.Encode(use, after))
	})
}

// FuzzUse: a cursor is good for its own use and for no other, however the parts are cut.
func FuzzUse(f *testing.F) {
	c := codec(f, "a")
	f.Add("posts", "w", "post", "sw")
	f.Add("posts", "", "posts", "")
	f.Add("a\x00\x00\x00\x01", "b", "a", "\x00\x00\x00\x01b")
	f.Fuzz(func(t *testing.T, list, workspace, otherList, otherWorkspace string) {
		use, other, after := cursor.Use{list, workspace}, cursor.Use{otherList, otherWorkspace}, [16]byte{15: 9}
		text := c.Encode(use, after)
		got, err := c.Decode(use, text)
		require.NoError(t, err)
		require.Equal(t, after, got)
		_, err = c.Decode(other, text)
		require.Equal(t, list == otherList && workspace == otherWorkspace, err == nil)
		_, err = c.Decode(append(use, ""), text)
		require.ErrorIs(t, err, cursor.ErrInvalid)
	})
}

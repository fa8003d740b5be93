package frame_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/console/internal/frame"
)

// TestColorsBeside checks that a form offers a color that is none of the usual ones in the place of the one that looks like it.
func TestColorsBeside(t *testing.T) {
	t.Parallel()
	for present, name := range map[string]string{"#2e7d32": "Green", "#1565c0": "Blue", "#c62828": "Red", "#6a1b9a": "Violet", "#a15c00": "Amber"} {
		list := frame.ColorsBeside(present)
		require.Len(t, list, len(frame.LabelColors()))
		require.Contains(t, list, frame.LabelColor{Value: present, Name: name})
	}
	require.Equal(t, frame.LabelColors(), frame.ColorsBeside(""))
	require.Equal(t, frame.LabelColors(), frame.ColorsBeside("red"))
}

package media_test

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/media"
)

func TestFaultsOfParts(t *testing.T) {
	t.Parallel()
	const whole = 90 * time.Second
	for _, tc := range []struct {
		start, end time.Duration
		field      string
		text       string
	}{
		{0, 60 * time.Second, "", ""},
		{30 * time.Second, whole, "", ""},
		{time.Second, 2 * time.Second, "", ""},
		{-1, whole, "start", "from 0"},
		{whole, whole, "start", "ends at 1:30"},
		{0, whole + 1, "end", "ends at 1:30"},
		{0, time.Second - 1, "end", "one second"},
		{time.Minute, time.Second, "end", "one second"},
		{0, whole, "end", "whole video"},
	} {
		faults := media.Trim{Start: tc.start, End: tc.end}.Faults(whole)
		if tc.field == "" {
			require.Empty(t, faults)
			continue
		}
		require.Len(t, faults, 1)
		require.Contains(t, faults[tc.field], tc.text)
	}
}

func TestNamesOfParts(t *testing.T) {
	t.Parallel()
	part := media.Trim{Start: 2500 * time.Millisecond, End: time.Minute}
	require.Equal(t, "Kiln, 0:02.5 to 1:00.mp4", part.Name("Kiln.mp4"))
	require.Equal(t, "Kiln, 0:02.5 to 1:00", part.Name("Kiln"))
	long := part.Name(strings.Repeat("ü", media.LongestName-4) + ".mp4")
	require.Equal(t, media.LongestName, utf8.RuneCountInString(long))
	require.True(t, strings.HasSuffix(long, "ü, 0:02.5 to 1:00.mp4"))
}

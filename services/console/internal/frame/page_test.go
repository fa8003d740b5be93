package frame_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/shared/kernel/clock/clocktest"
)

func TestTimesInProse(t *testing.T) {
	t.Parallel()

	zone, err := time.LoadLocation("Europe/Stockholm")
	require.NoError(t, err)
	v := frame.ViewIn(zone, clocktest.New(time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)))
	for text, want := range map[string]string{
		"Created, to be published at 2026-07-01T22:30:00.000Z.": `Created, to be published at <time datetime="2026-07-01T22:30:00Z" title="Thursday, 2 July 2026, 00:30:00 CEST">Thu 2 Jul, 00:30</time>.`,
		"Used up until 2027-01-05T08:00:00Z":                    `Used up until <time datetime="2027-01-05T08:00:00Z" title="Tuesday, 5 January 2027, 09:00:00 CET">5 Jan 2027, 09:00</time>`,
		`<b title="2026-07-01T22:30:00Z">`:                      `&lt;b title=&#34;<time datetime="2026-07-01T22:30:00Z" title="Thursday, 2 July 2026, 00:30:00 CEST">Thu 2 Jul, 00:30</time>&#34;&gt;`,
		"Fails at 2026-03-01T12:00:00Z.":                        `Fails at <time datetime="2026-03-01T12:00:00Z" title="Sunday, 1 March 2026, 13:00:00 CET">13:00</time>.`,
		"Next try at 2026-03-01T23:30:09.5Z.":                   `Next try at <time datetime="2026-03-01T23:30:09Z" title="Monday, 2 March 2026, 00:30:09 CET">Mon 2 Mar, 00:30:09</time>.`,
		"2026-17-41T22:30:00Z is no time":                       "2026-17-41T22:30:00Z is no time",
		"X2026-07-01T22:30:00Z":                                 "X2026-07-01T22:30:00Z",
		"":                                                      "",
	} {
		require.Equal(t, want, string(v.Prose(text)))
	}
}

func TestUnavailableMentionsPossibleSave(t *testing.T) {
	t.Parallel()
	require.Contains(t, frame.Unavailable("POST"), "may have been saved")
	require.NotContains(t, frame.Unavailable("GET"), "saved")
}

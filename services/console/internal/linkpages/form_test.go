package linkpages_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/console/internal/linkpages"
	"fencepost.internal/shared/domain/linkpage"
	"fencepost.internal/shared/kernel/ident"
)

// TestFormsKeepEverySetting writes the settings of each type into its form and reads them back, in a zone with summer time.
func TestFormsKeepEverySetting(t *testing.T) {
	t.Parallel()
	zone, err := time.LoadLocation("Europe/Stockholm")
	require.NoError(t, err)
	in := linkpage.Sampling{Image: ident.New[ident.Media](), Post: ident.New[ident.Post](), Time: "2031-07-06T09:30:00Z"}
	for _, d := range linkpage.Descriptors() {
		settings, err := linkpage.ReadSettings(d.Type, d.Sample(in))
		require.NoError(t, err)
		block := linkpage.Block{Settings: settings, Visible: true, ShowFrom: time.Date(2031, time.January, 1, 12, 0, 0, 0, time.UTC)}
		values := linkpages.ValuesOf(block, zone)
		require.Equal(t, "2031-01-01", values.Get("showFrom"))
		require.Equal(t, "13:00", values.Get("showFrom.time"))
		again, err := linkpage.ReadSettings(d.Type, linkpages.SettingsOf(linkpages.Sent(values, d), d, zone))
		require.NoError(t, err, d.Type)
		require.Equal(t, settings, again)
	}
}

// TestBlocksHaveWordsAndIcons checks what the forms show of each type.
func TestBlocksHaveWordsAndIcons(t *testing.T) {
	t.Parallel()
	var check func(fields []linkpage.Field)
	check = func(fields []linkpage.Field) {
		for _, f := range fields {
			label := linkpages.WordingOf(f).Label
			require.Regexp(t, `^[A-Z][a-z]+( [a-z’]+)*$`, label, f.Name)
			require.NotContains(t, label, "id", f.Name)
			check(f.Items)
		}
	}
	for _, d := range linkpage.Descriptors() {
		require.NotEmpty(t, d.Name, d.Type)
		_, err := frame.Icon(d.Icon)
		require.NoError(t, err, d.Type)
		check(d.Fields)
	}
	for _, theme := range linkpage.ThemeNames() {
		require.Contains(t, string(linkpages.Swatch(theme)), string(theme.Design().Light.Bottom))
	}
}

func TestBars(t *testing.T) {
	t.Parallel()
	drawn := linkpages.Bars(100, 0, 50, 200, 1)
	require.Equal(t, 3, strings.Count(drawn, "<rect"), "a day without a visit has no bar")
	for _, want := range []string{`viewBox="0 0 40 100"`, `x="11" y="75" width="8" height="25"`, `y="0" width="8" height="100"`, `height="2"`, "&lt;Mon&gt;: 200"} {
		require.Contains(t, drawn, want)
	}
	require.NotContains(t, linkpages.Bars(100), "<rect")
	require.NotContains(t, linkpages.Bars(100, 0, 0), "<rect")
}

package connectors_test

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/analytics"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/platform/connectors"
)

// TestFiguresAreThoseOfDocumentation compares what networks declare with the lists of docs/analytics.md.
func TestFiguresAreThoseOfDocumentation(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("../../../docs/analytics.md")
	require.NoError(t, err)
	ofDays, ofPosts, ok := strings.Cut(string(raw), "**A post**")
	require.True(t, ok)
	ofPosts, _, _ = strings.Cut(ofPosts, "**Particulars**")
	_, ofDays, _ = strings.Cut(ofDays, "**A day of a channel.**")
	days := []analytics.Figure{
		analytics.Followers, analytics.Impressions, analytics.Reach, analytics.Engagements, analytics.ProfileViews, analytics.WebsiteClicks,
	}
	posts := []analytics.Figure{
		analytics.Impressions, analytics.Reach, analytics.Likes, analytics.Comments, analytics.Shares, analytics.Saves, analytics.Clicks, analytics.VideoViews,
	}
	named := 0
	for _, of := range channel.Types() {
		c, line := connectors.Coverage(of), documented(ofDays, of)
		require.Equal(t, figuresIn(line, days), c.Channel, of)
		require.Equal(t, lateIn(line), c.Late, of)
		require.Equal(t, figuresIn(documented(ofPosts, of), posts), c.Posts, of)
		if len(c.Channel) > 0 {
			named++
			require.True(t, of.Capabilities().Analytics, of)
		}
	}
	require.Equal(t, 13, named)
}

// documented returns the line of a list about a channel type, without what is in parentheses.
func documented(list string, of channel.Type) string {
	for line := range strings.Lines(list) {
		names, about, ok := strings.Cut(line, ": ")
		if ok && strings.HasPrefix(line, "- ") && strings.Contains(names, "`"+string(of)+"`") {
			return regexp.MustCompile(` \([^)]*\)`).ReplaceAllString(about, "")
		}
	}
	return ""
}

func figuresIn(line string, figures []analytics.Figure) (found []analytics.Figure) {
	line, _, _ = strings.Cut(line, ";")
	for _, f := range figures {
		for name := range strings.SplitSeq(strings.TrimSpace(line), ", ") {
			if name == strings.ToLower(f.Name()) {
				found = append(found, f)
			}
		}
	}
	return found
}

// lateIn returns the number of days after which the line says that figures are complete; some days are three.
func lateIn(line string) int {
	_, late, ok := strings.Cut(line, "late ")
	if !ok {
		return 0
	}
	most := 3
	for _, text := range regexp.MustCompile(`\d`).FindAllString(late, -1) {
		most, _ = strconv.Atoi(text)
	}
	return most
}

package rules_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/platform/connectors"
	"fencepost.internal/shared/platform/rules"
)

// TestTokens checks that the tokens that networks limit are counted, and similar texts are not.
func TestTokens(t *testing.T) {
	t.Parallel()

	for _, test := range []struct {
		typ  channel.Type
		noun string
		text string
		want int
	}{
		{channel.InstagramProfessional, "hashtag", "", 0},
		{channel.InstagramProfessional, "hashtag", "#one #two,#three (#four)", 4},
		{channel.InstagramProfessional, "hashtag", "#one#two##three", 3},
		{channel.InstagramProfessional, "hashtag", "#Grüße #早上 #2026", 3},
		{channel.InstagramProfessional, "hashtag", "C# is # 1, it&#39;s; a#b", 0},
		{channel.InstagramProfessional, "mention", "@one and (@two), @three.four", 3},
		{channel.InstagramProfessional, "mention", "me@example.com, 5 @ 3", 0},
		{channel.Twitter, "cashtag", "$ACME\n$BRK.B up", 2},
		{channel.Twitter, "cashtag", "$5 and US$ACME, $TOOLONGS", 0},
		{channel.Threads, "different link", "http://a.com http://a.com https://a.com b.com", 2},
		{channel.Threads, "different link", "https://a.com/日本1 https://a.com/日本2 https://a.com/日本2", 2},
		{channel.GoogleBusiness, "phone number", "(555) 123-4567 or 555-123-4567, +1 555 123 4567", 3},
		{channel.GoogleBusiness, "phone number", "+4930901820", 1},
		{
			channel.GoogleBusiness, "phone number",
			"2026-03-01, +5 degrees, 10.000.000, ISBN 978-3-16-148410-0, /555-123-4567", 0,
		},
	} {
		row, _ := connectors.Rules().Of(test.typ)
		at := slices.IndexFunc(row.Limits, func(l rules.Limit) bool { return l.Of.Noun == test.noun })
		require.GreaterOrEqual(t, at, 0)
		require.Equal(t, test.want, row.Limits[at].Of.Count(test.text), test.text)
	}
}

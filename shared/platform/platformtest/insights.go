package platformtest

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/analytics"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/kernel/clock/clocktest"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors"
)

// InsightsHarness configures the tests of the figures that a link reports.
type InsightsHarness struct {
	Network channel.Network
	// Open starts a sandbox network for one test. Prefix is the path prefix of the network under test.
	Open   func(t *testing.T) InsightsWorld
	Prefix string
	// Link returns the link for the API at config.BaseURL, with the timeouts that are set.
	Link func(t *testing.T, config connectors.Config) platform.Link
	// Account returns an account of the sandbox network. The name is in lower case.
	Account func(name string) platform.Account
	// Unknown is a well-formed id that no post has.
	Unknown string
	// Refreshes means that the network's tokens can be refreshed. Renews means that they can, but only before they
	// expire.
	Refreshes, Renews bool
	// Day lists the fields of ChannelFigures that the network reports, and Post those of PostFigures. An empty Post means
	// that the network reports nothing about posts. History is the minimum number of the last ninety days with figures.
	Day, Post []string
	History   int
}

// InsightsWorld is a running sandbox network whose clock the test controls.
type InsightsWorld struct {
	Sandbox Sandbox
	Clock   *clocktest.Fake
	// Publish adds a post to the account and returns the post's id on the network.
	Publish func(t *testing.T, account platform.Account) string
}

// RunInsights checks the guarantees of platform.Insighter: the reported figures are consistent and stable, each failure
// has its class, and malformed values are not read as figures.
func RunInsights(t *testing.T, h InsightsHarness) {
	t.Helper()
	for name, test := range map[string]func(*testing.T, *insightsBench){
		"declares itself":         testInsightsDeclaration,
		"ninety days":             testInsightsHistory,
		"days that are not there": testInsightsNoDays,
		"posts":                   testInsightsPosts,
		"many posts":              testInsightsManyPosts,
		"posts of others":         testInsightsForeignPosts,
		"no posts":                testInsightsNoPosts,
		"an expired token":        testInsightsExpiredToken,
		"a dead token":            testInsightsDeadToken,
		"a rate limit":            testInsightsRateLimit,
		"unavailable":             testInsightsUnavailable,
		"a slow response":         testInsightsSlow,
		noResponse:                testInsightsTimeout,
		"no connection":           testInsightsRefused,
		"changed responses":       testInsightsDistorted,
		"invalid responses":       testInsightsMangled,
		"a redirect":              testInsightsRedirect,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			test(t, newInsightsBench(t, h, name))
		})
	}
}

// insightsBench is one link with one account and a front in front of the sandbox.
type insightsBench struct {
	InsightsHarness
	InsightsWorld

	front     *front
	link      platform.Link
	insighter platform.Insighter
	account   platform.Account
	today     analytics.Date
}

func newInsightsBench(t *testing.T, h InsightsHarness, name string) *insightsBench {
	t.Helper()
	b := &insightsBench{InsightsHarness: h, InsightsWorld: h.Open(t), account: h.Account(letters(name))}
	b.today = analytics.DateOf(b.Clock.Now())
	b.front = newFront(t, b.Sandbox.URL, func(*http.Request) bool { return true })
	b.link = h.Link(t, b.config(name))
	insighter, ok := b.link.(platform.Insighter)
	require.True(t, ok, "the link returns figures")
	b.insighter = insighter
	return b
}

func (b *insightsBench) config(test string) connectors.Config {
	return connectors.Config{BaseURL: b.front.server.URL + b.Prefix, Clock: b.Clock, CallTimeout: callTimeout(test)}
}

// days reads the figures from the given number of days ago to today.
func (b *insightsBench) days(t *testing.T, back int) ([]analytics.ChannelDay, error) {
	t.Helper()
	return b.insighter.AccountInsights(t.Context(), b.account, b.today.Add(-back), b.today)
}

func (b *insightsBench) posts(t *testing.T, ids ...string) (map[string]analytics.PostFigures, error) {
	t.Helper()
	return b.insighter.PostInsights(t.Context(), b.account, ids)
}

func (b *insightsBench) reportsPosts() bool { return len(b.Post) > 0 }

func (b *insightsBench) inject(t *testing.T, kind string, times int, delay time.Duration) {
	t.Helper()
	b.Sandbox.Inject(t, Fault{
		Platform: string(b.Network), Account: b.account.ExternalID, Step: "any", Kind: kind, Times: times,
		DelayMs: delay.Milliseconds(),
	})
}

func (b *insightsBench) requireFailure(t *testing.T, err error, classes ...platform.Class) {
	t.Helper()
	_ = requireSafeFailure(t, err, b.account.Credentials, classes...)
}

func testInsightsDeclaration(t *testing.T, b *insightsBench) {
	t.Helper()
	require.Contains(t, b.link.Types(), b.account.Type)
	for _, kind := range b.link.Types() {
		require.Equal(t, b.Network, kind.Network())
		require.True(t, kind.Capabilities().Analytics, "%s", kind)
	}
}

// testInsightsHistory checks that ninety days are reported as far back as the network goes, that a second read returns
// the same figures, and that reading a year does not fail.
func testInsightsHistory(t *testing.T, b *insightsBench) {
	t.Helper()
	days, err := b.days(t, 89)
	require.NoError(t, err)
	requireDays(t, days, b.today.Add(-89), b.today)
	require.GreaterOrEqual(t, len(days), b.History)
	reported := make(map[string]bool)
	for _, day := range days {
		for name, figure := range dayMembers(day) {
			reported[name] = reported[name] || figure != nil
		}
	}
	require.ElementsMatch(t, b.Day, known(reported), "only the figures of the network")

	again, err := b.days(t, 89)
	require.NoError(t, err)
	require.Equal(t, days, again)
	few, err := b.days(t, 6)
	require.NoError(t, err)
	requireDays(t, few, b.today.Add(-6), b.today)
	require.LessOrEqual(t, len(few), 7)
	year, err := b.days(t, 364)
	require.NoError(t, err)
	requireDays(t, year, b.today.Add(-364), b.today)
	require.GreaterOrEqual(t, len(year), len(days))
}

// testInsightsNoDays checks that future days and empty ranges yield no figures.
func testInsightsNoDays(t *testing.T, b *insightsBench) {
	t.Helper()
	for _, span := range [][2]int{{1, 30}, {0, -1}, {5, 2}} {
		days, err := b.insighter.AccountInsights(t.Context(), b.account, b.today.Add(span[0]), b.today.Add(span[1]))
		require.NoError(t, err)
		require.Empty(t, days)
	}
}

// testInsightsPosts reads three posts and one unknown post. No figure may be lower later.
func testInsightsPosts(t *testing.T, b *insightsBench) {
	t.Helper()
	ids := []string{b.Publish(t, b.account), b.Publish(t, b.account), b.Publish(t, b.account)}
	_, err := b.posts(t, ids...) // fresh posts may have no figures yet
	require.NoError(t, err)
	earlier := b.later(t, 36*time.Hour, ids)
	for name, figure := range map[string]map[string]analytics.PostFigures{"then": earlier, "again": b.later(t, 0, ids)} {
		require.Equal(t, earlier, figure, name)
	}
	for id, after := range b.later(t, 60*time.Hour, ids) {
		members := postMembers(after)
		for name, before := range postMembers(earlier[id]) {
			if before != nil {
				require.LessOrEqual(t, *before, *members[name], "%s of %s", name, id)
			}
		}
	}
}

// later advances the clock of the link and the sandbox by age, reads the posts and checks their figures.
func (b *insightsBench) later(t *testing.T, age time.Duration, ids []string) map[string]analytics.PostFigures {
	t.Helper()
	b.advance(t, age)
	found, err := b.posts(t, append([]string{b.Unknown}, ids...)...)
	require.NoError(t, err)
	require.NotNil(t, found)
	if !b.reportsPosts() {
		require.Empty(t, found)
		return found
	}
	require.Len(t, found, len(ids))
	reported := make(map[string]bool)
	for _, id := range ids {
		requireFits(t, found[id])
		for name, figure := range postMembers(found[id]) {
			reported[name] = reported[name] || figure != nil
		}
	}
	require.ElementsMatch(t, b.Post, known(reported), "only the figures of the network")
	return found
}

// advance moves the clock of the link and the sandbox. The account's token may expire meanwhile.
func (b *insightsBench) advance(t *testing.T, by time.Duration) {
	t.Helper()
	b.Clock.Advance(by)
	if b.Refreshes {
		fresh, err := b.link.Refresh(t.Context(), b.account)
		require.NoError(t, err)
		b.account.Credentials = fresh
	}
}

// testInsightsManyPosts reads more posts than fit into one call of any network.
func testInsightsManyPosts(t *testing.T, b *insightsBench) {
	t.Helper()
	ids := slices.Repeat([]string{b.Unknown}, 120)
	ids[0], ids[60], ids[119] = b.Publish(t, b.account), b.Publish(t, b.account), b.Publish(t, b.account)
	b.advance(t, 72*time.Hour)
	found, err := b.posts(t, ids...)
	require.NoError(t, err)
	if b.reportsPosts() {
		require.Len(t, found, 3)
	}
}

// testInsightsForeignPosts checks that malformed ids are not sent to the network.
func testInsightsForeignPosts(t *testing.T, b *insightsBench) {
	t.Helper()
	foreign := []string{
		"", ".", "..", "1/insights", "1?x=1", "1,2", "1\r\nX-Evil: 1", "a b", strings.Repeat("9", 300), "<script>",
		"%2e%2e",
	}
	found, err := b.posts(t, foreign...)
	require.NoError(t, err)
	require.Empty(t, found)
	require.Zero(t, b.front.commits.Load(), "nothing of it leaves")
}

func testInsightsNoPosts(t *testing.T, b *insightsBench) {
	t.Helper()
	found, err := b.posts(t)
	require.NoError(t, err)
	require.NotNil(t, found)
	require.Empty(t, found)
	require.Zero(t, b.front.commits.Load())
}

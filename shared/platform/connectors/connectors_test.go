package connectors_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/analytics"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/infra/config"
	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors"
	"fencepost.internal/shared/platform/platformtest"
	"fencepost.internal/shared/platform/rules"
	"fencepost.internal/shared/platform/testnet"
)

// network refuses every request and records its path.
type network struct {
	*httptest.Server

	mu    sync.Mutex
	paths []string
}

func newNetwork(t *testing.T) *network {
	t.Helper()
	n := &network{}
	n.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n.mu.Lock()
		n.paths = append(n.paths, r.URL.Path)
		n.mu.Unlock()
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusForbidden)
		_, _ = w.Write([]byte("{}"))
	}))
	t.Cleanup(n.Close)
	return n
}

// requested returns the paths since the last call.
func (n *network) requested() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	paths := n.paths
	n.paths = nil
	return paths
}

// withoutSandbox returns an environment with every URL set to the given one and no application credentials.
func withoutSandbox(t *testing.T, address string) connectors.Environment {
	t.Helper()
	environ := make(map[string]string)
	for _, variable := range config.Describe[connectors.Environment]() {
		if strings.HasSuffix(variable.Name, "_URL") && variable.Name != "NETWORKS_SANDBOX_URL" {
			environ[variable.Name] = address
		}
	}
	environ["GOOGLE_TOKEN_URL"] = address + "/token"
	environment, err := config.Load[connectors.Environment](environ)
	require.NoError(t, err)
	return environment
}

func account(t channel.Type) platform.Account {
	id := "1001"
	if t == channel.GoogleBusiness {
		id = "accounts/7/locations/" + id
	}
	return platform.Account{
		ChannelID: ident.New[ident.Channel](), Type: t, ExternalID: id, Username: "acme",
		Credentials: channel.Credentials{
			AccessToken: "123456:access", RefreshToken: "refresh", ExpiresAt: time.Now().Add(-time.Hour),
		},
	}
}

// use calls every method of a link. The results do not matter, because the network refuses every request.
func use(t *testing.T, link platform.Link, typ channel.Type) {
	t.Helper()
	a := account(typ)
	_, _ = link.Refresh(t.Context(), a)
	_, _ = link.Identify(t.Context(), a)
	if lister, ok := link.(platform.BoardLister); ok {
		_, _ = lister.Boards(t.Context(), a)
	}
	if informer, ok := link.(platform.CreatorInformer); ok {
		_, _ = informer.CreatorInfo(t.Context(), a)
	}
	if insighter, ok := link.(platform.Insighter); ok {
		today := analytics.DateOf(time.Now().UTC())
		_, _ = insighter.AccountInsights(t.Context(), a, today.Add(-1), today)
		_, _ = insighter.PostInsights(t.Context(), a, []string{"1", "1_1", "urn:li:share:1"})
	}
	if connector, ok := link.(platform.Connector); ok {
		content := platform.Content{PostID: ident.New[ident.Post](), ContentType: post.ContentPost, Text: "Hello"}
		_, _ = connector.Prepare(t.Context(), a, content, "")
		_, _ = connector.Commit(t.Context(), a, content, "")
	}
}

// TestSandboxReplacesEveryNetwork checks that every request goes to the sandbox if its URL is set.
func TestSandboxReplacesEveryNetwork(t *testing.T) {
	t.Parallel()
	outside, sandbox := newNetwork(t), newNetwork(t)
	cfg := withoutSandbox(t, outside.URL)
	cfg.SandboxURL = sandbox.URL + "/"
	registry, err := connectors.New(cfg, clock.System(), time.Second)
	require.NoError(t, err)
	for _, typ := range channel.Types() {
		link, ok := registry.Link(channel.Channel{Type: typ})
		if !ok {
			continue
		}
		use(t, link, typ)
		requested := sandbox.requested()
		require.NotEmpty(t, requested, "%s sent no request", typ)
		for _, path := range requested {
			// The second product of a network has a prefix that begins with the network's name.
			require.True(t, strings.HasPrefix(path, "/"+string(typ.Network())), "%s asked for %s", typ, path)
		}
		if typ == channel.GoogleBusiness {
			require.Contains(t, requested, "/googlebusiness/token")
			require.Contains(t, requested, "/googlebusiness/performance/v1/locations/1001:fetchMultiDailyMetricsTimeSeries")
		}
		if typ == channel.YouTube {
			require.Contains(t, requested, "/youtube/token")
			require.Contains(t, requested, "/youtube/analytics/reports")
			require.Contains(t, requested, "/youtube/videos")
		}
	}
	require.Empty(t, outside.requested())
}

// TestNetworksAreCalledWithoutSandbox checks that requests go to the configured networks, even if no application
// credentials are set.
func TestNetworksAreCalledWithoutSandbox(t *testing.T) {
	t.Parallel()
	outside := newNetwork(t)
	registry, err := connectors.New(withoutSandbox(t, outside.URL), clock.System(), time.Second)
	require.NoError(t, err)
	for _, typ := range channel.Types() {
		if link, ok := registry.Link(channel.Channel{Type: typ}); ok {
			use(t, link, typ)
			require.NotEmpty(t, outside.requested(), "%s", typ)
		}
	}
}

// TestTestChannelsReachNoNetwork checks for every channel type that the link of a test channel has the capabilities of the
// live one, and that none of its methods sends a request.
func TestTestChannelsReachNoNetwork(t *testing.T) {
	t.Parallel()
	outside := newNetwork(t)
	links, err := testnet.Links(testnet.Config{
		Memory: &platformtest.Memory{Clock: clock.System()}, Clock: clock.System(), Scale: 1,
		PostURL: func(ident.Workspace, ident.Post) string { return "" },
	})
	require.NoError(t, err)
	registry, err := connectors.New(withoutSandbox(t, outside.URL), clock.System(), time.Second, connectors.Testing(links))
	require.NoError(t, err)
	published := 0
	for _, typ := range channel.Types() {
		of := channel.Channel{Type: typ, IsTest: true}
		live, ok := registry.Link(channel.Channel{Type: typ})
		link, tested := registry.Link(of)
		require.Equal(t, ok, tested, "%s", typ)
		if !ok {
			continue
		}
		use(t, link, typ)
		require.Empty(t, outside.requested(), "%s", typ)
		require.Equal(t, capabilities(live), capabilities(link), "%s", typ)
		connector, publishes := registry.For(of)
		if !publishes {
			continue
		}
		published++
		publisher, ok := live.(platform.Connector)
		require.True(t, ok)
		require.Equal(t, publisher.Strength(), connector.Strength(), "%s", typ)
		content := platform.Content{PostID: ident.New[ident.Post](), ContentType: post.ContentPost, Text: "Hello"}
		prepared, err := connector.Prepare(t.Context(), account(typ), content, "")
		require.NoError(t, err)
		pub, err := connector.Commit(t.Context(), account(typ), content, prepared.Handle)
		require.NoError(t, err)
		require.NotEmpty(t, pub.ExternalID, "%s", typ)
		_, _, err = connector.Reconcile(t.Context(), account(typ), content, platform.Sent{Handle: prepared.Handle})
		require.NoError(t, err)
		require.Empty(t, outside.requested(), "%s", typ)
	}
	require.Equal(t, 14, published)
	without, err := connectors.New(withoutSandbox(t, outside.URL), clock.System(), time.Second)
	require.NoError(t, err)
	_, linked := without.Link(channel.Channel{Type: channel.Twitter, IsTest: true})
	require.False(t, linked, "a program without a test network has no link for test channels")
}

// capabilities names the interfaces of a link on which responses to clients depend.
func capabilities(link platform.Link) []string {
	var names []string
	add := func(name string, has bool) {
		if has {
			names = append(names, name)
		}
	}
	_, publishes := link.(platform.Connector)
	_, carries := link.(platform.Carrier)
	_, boards := link.(platform.BoardLister)
	_, informs := link.(platform.CreatorInformer)
	_, changes := link.(platform.LiveChanger)
	_, figures := link.(platform.Insighter)
	add("publishes", publishes)
	add("carries", carries)
	add("boards", boards)
	add("informs", informs)
	add("changes", changes)
	add("figures", figures)
	return names
}

// TestTextTypesHaveConnector compares the links with the rules and with the capabilities of the channel types.
func TestTextTypesHaveConnector(t *testing.T) {
	t.Parallel()
	registry, err := connectors.New(withoutSandbox(t, "https://network.test"), clock.System(), 0)
	require.NoError(t, err)
	for _, typ := range channel.Types() {
		row, ruled := connectors.Rules().Of(typ)
		textAlone := ruled && slices.ContainsFunc(row.Forms, func(f rules.Form) bool { return f.Media.Min == 0 })
		_, publishes := registry.For(channel.Channel{Type: typ})
		if textAlone {
			require.True(t, publishes, "%s takes text, but this build cannot publish to it", typ)
		}
		if publishes {
			require.True(t, ruled, "%s is published to without rules", typ)
			require.True(t, typ.Capabilities().Publish, "%s", typ)
			require.Contains(t, registry.Networks(), typ.Network())
		}
	}
}

// TestAnalyticsFlagMatchesLinks compares the links with the capabilities of the channel types: exactly the types with
// analytics have a link that reports figures. The exception is a Telegram inbox, which has the flag but no figures
// (docs/contract.md, Capabilities).
func TestAnalyticsFlagMatchesLinks(t *testing.T) {
	t.Parallel()
	registry, err := connectors.New(withoutSandbox(t, "https://network.test"), clock.System(), 0)
	require.NoError(t, err)
	for _, typ := range channel.Types() {
		_, found := registry.Insighter(channel.Channel{Type: typ})
		require.Equal(t, typ.Capabilities().Analytics && typ != channel.TelegramBusiness, found, "%s", typ)
		require.Equal(t, found, slices.Contains(registry.Insightful(), typ), "%s", typ)
	}
}

func TestInvalidURLIsReported(t *testing.T) {
	t.Parallel()
	const faulty = "ftp://network.test"
	for name, spoil := range map[string]func(*connectors.Environment){
		"x":              func(c *connectors.Environment) { c.X.APIURL = faulty },
		"threads":        func(c *connectors.Environment) { c.Threads.APIURL = faulty },
		"telegram":       func(c *connectors.Environment) { c.Telegram.APIURL = faulty },
		"linkedin":       func(c *connectors.Environment) { c.LinkedIn.APIURL = faulty },
		"instagram":      func(c *connectors.Environment) { c.Instagram.APIURL = faulty },
		"facebook":       func(c *connectors.Environment) { c.Facebook.APIURL = faulty },
		"googlebusiness": func(c *connectors.Environment) { c.Google.TokenURL = faulty },
		"performance":    func(c *connectors.Environment) { c.GoogleBusiness.PerformanceURL = faulty },
		"youtube":        func(c *connectors.Environment) { c.YouTube.APIURL = faulty },
		"analytics":      func(c *connectors.Environment) { c.YouTube.AnalyticsURL = faulty },
		"pinterest":      func(c *connectors.Environment) { c.Pinterest.APIURL = faulty },
		"tiktok":         func(c *connectors.Environment) { c.TikTok.BusinessURL = faulty },
		"bluesky":        func(c *connectors.Environment) { c.Bluesky.APIURL = faulty },
		"mastodon":       func(c *connectors.Environment) { c.Mastodon.APIURL = faulty },
		"video service":  func(c *connectors.Environment) { c.Bluesky.VideoURL = faulty },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg := withoutSandbox(t, "https://network.test")
			spoil(&cfg)
			_, err := connectors.New(cfg, clock.System(), 0)
			require.ErrorContains(t, err, name)
		})
	}
}

// TestDeclarations checks that the declarations agree with the channel types, and that no two are alike.
func TestDeclarations(t *testing.T) {
	t.Parallel()
	registry, err := connectors.New(withoutSandbox(t, "https://network.test"), clock.System(), 0)
	require.NoError(t, err)
	seen, described := make(map[channel.Network]bool), make(map[channel.Type]bool)
	for _, declared := range connectors.Networks() {
		require.False(t, seen[declared.Network], "%s is declared twice", declared.Network)
		seen[declared.Network] = true
		for _, row := range declared.Rules {
			require.Equal(t, declared.Network, row().Type.Network(), "%s has the rules of %s", declared.Network, row().Type)
		}
		require.NotEmpty(t, declared.Accounts, "%s", declared.Network)
		for _, account := range declared.Accounts {
			require.Equal(t, declared.Network, account.Type.Network(), "%s", account.Type)
			require.NotEmpty(t, account.Needs, "%s", account.Type)
			require.NotEmpty(t, account.Title, "%s", account.Type)
			require.Regexp(t, `^[A-Z].*\.$`, account.About, "%s", account.Type)
			for line := range strings.Lines(account.Needs) {
				require.LessOrEqual(t, len([]rune(line)), 110, "%s: %s", account.Type, line)
			}
			described[account.Type] = true
		}
		for _, described := range declared.Accounts {
			account := declared.SandboxAccount(described.Type, "acme")
			require.NotEmpty(t, account.ID, "%s", described.Type)
			require.Contains(t, account.Credentials.AccessToken, "sandbox-", "%s", described.Type)
			require.Equal(t, described.SandboxRole != "", strings.Contains(account.Credentials.AccessToken,
				"acme@"+described.SandboxRole), "%s", described.Type)
		}
	}
	for _, typ := range channel.Types() {
		_, linked := registry.Link(channel.Channel{Type: typ})
		require.Equal(t, linked, described[typ], "%s", typ)
	}
}

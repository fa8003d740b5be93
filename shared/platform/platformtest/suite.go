package platformtest

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors"
)

// Harness configures the tests of one connector.
type Harness struct {
	Network channel.Network
	// Sandbox is a running sandbox network. Prefix is the path prefix of the network under test.
	Sandbox Sandbox
	Prefix  string
	// Connector returns the connector for the API at config.BaseURL, with the timeouts that are set.
	Connector func(t *testing.T, config connectors.Config) platform.Connector
	// Account returns an account of the sandbox network. The name is in lower case and unique.
	Account func(name string) platform.Account
	// IsCommit reports whether the request is the irrevocable call.
	IsCommit func(r *http.Request) bool
	// Prepares means that the network creates something before the irrevocable call, even for a post without media.
	// Refreshes means that its tokens can be refreshed. Renews means that they can, but only before they expire.
	Prepares, Refreshes, Renews bool
	// Keeps means that the handle holds what the preparation read, although the network created nothing.
	Keeps bool

	// Media lists the kinds of posts with attachments that the connector publishes. It is set only for a
	// platform.Carrier.
	Media []MediaPost
	// MediaStep is the sandbox network's step that receives the media before the irrevocable call: upload or create. It
	// is empty if the irrevocable call sends the media.
	MediaStep string
	// NeedsMedia means that the network accepts no post without media. The first entry of Media is then attached to
	// every post of the suite.
	NeedsMedia bool
	// Options returns the options that every post of the account has. It is nil if the network needs none.
	Options func(t *testing.T, account platform.Account) post.Options
	// Titled means that every post needs a title, which contains neither < nor >; nor does its text.
	Titled bool
	// Addressed means that the irrevocable call goes to a secret address: it has no access token, and its response no body.
	Addressed bool
	// Gone is the id of a post that does not exist, on a network that has threads; empty: it has none.
	Gone string
	// IsComment reports whether the request is the irrevocable call for a first comment, on a network whose comments are no
	// replies; nil: it has none.
	IsComment func(r *http.Request) bool
	// Hides means that the network may hide a post for a while, so that its absence is never certain.
	Hides bool

	comments bool // the content is a first comment
}

// commitTimeout is the timeout of Commit in the tests that wait for it. It is long enough for a busy machine and short
// enough for a test.
const commitTimeout = 1500 * time.Millisecond

// Tests in which the network does not respond to the irrevocable call.
const (
	lostBefore = "no response, not accepted"
	lostAfter  = "no response, accepted"
)

// Run checks every guarantee that the publish protocol relies on (design, Publish protocol).
func Run(t *testing.T, h Harness) {
	t.Helper()
	runMedia(t, h)
	runThreads(t, h)
	runComments(t, h)
	for name, test := range map[string]func(*testing.T, *bench){
		"declares itself":                testDeclaration,
		"publishes":                      testPublish,
		"prepares again with the handle": testPrepareAgain,
		"publishes twenty at once":       testManyAtOnce,
		"an expired token":               testExpiredToken,
		"a renewed token":                testRenewedToken,
		"a dead token":                   testDeadToken,
		"a rate limit":                   testRateLimit,
		"a refusal":                      testReject,
		"a slow response":                testSlow,
		"unavailable while preparing":    testUnavailablePrepare,
		"unavailable while committing":   testUnavailableCommit,
		"no connection":                  testRefused,
		lostBefore:                       testTimeoutBefore,
		lostAfter:                        testTimeoutAfter,
		"an accepted post that belongs to another": testTaken,
		"unexpected responses":                     testMangledResponses,
		"invalid error responses":                  testServerErrors,
		"a redirect":                               testRedirect,
		"a closed send window":                     testSendWindow,
		"a hostile link":                           testHostileLink,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			test(t, newBench(t, h, name))
		})
	}
}

// bench is one connector with one account and a front in front of the sandbox.
type bench struct {
	Harness

	front     *front
	config    connectors.Config
	connector platform.Connector
	account   platform.Account
	content   platform.Content
	kind      MediaPost // of the post's attachments; zero if it has none
	storage   *Storage  // of their bytes
}

func newBench(t *testing.T, h Harness, name string) *bench {
	t.Helper()
	b := &bench{Harness: h, front: newFront(t, h.Sandbox.URL, h.IsCommit)}
	b.config = connectors.Config{
		BaseURL: b.front.server.URL + h.Prefix, Clock: clock.System(), CommitTimeout: callTimeout(name),
	}
	b.connector = h.Connector(t, b.config)
	b.account = h.Account(letters(name))
	if h.comments {
		b.account = h.Account("comment" + letters(name))
	}
	b.content = platform.Content{
		PostID: ident.New[ident.Post](), ContentType: post.ContentPost, Text: "Hello from " + name + " <b>& others</b>\n\nhttps://example.com/a 🌍",
	}
	if h.Options != nil {
		b.content.Options = h.Options(t, b.account)
	}
	if h.Titled {
		b.content.Title = "About " + name
		b.content.Text = strings.NewReplacer("<", "", ">", "").Replace(b.content.Text)
	}
	if h.NeedsMedia {
		b.carry(t, h.Media[0])
	}
	if h.comments {
		b.comment(t)
	}
	return b
}

// settled follows the review of a publication that has no address yet, and returns its result.
func (b *bench) settled(t *testing.T, publication platform.Publication) platform.Publication {
	t.Helper()
	reviewer, ok := b.connector.(platform.Reviewer)
	if !ok || publication.URL != "" {
		return publication
	}
	const timeout = 10 * time.Second
	for until := time.Now().Add(timeout); publication.InReview && time.Now().Before(until); {
		seen, err := reviewer.Review(t.Context(), b.account, publication.ExternalID)
		require.NoError(t, err)
		if !seen.InReview {
			return seen
		}
		require.True(t, pause(t.Context(), longestPause))
	}
	return publication
}

// letters derives an account name from a test's name.
func letters(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z':
			return r
		case r >= '0' && r <= '9':
			return 'a' + r - '0'
		default:
			return -1
		}
	}, name)
}

// ready prepares the post up to the irrevocable call.
func (b *bench) ready(t *testing.T) platform.Handle {
	t.Helper()
	handle, err := prepared(t.Context(), b, b.content, "")
	require.NoError(t, err)
	return handle
}

func (b *bench) commit(t *testing.T) (platform.Publication, platform.Handle, error) {
	t.Helper()
	handle := b.ready(t)
	publication, err := b.connector.Commit(t.Context(), b.account, b.content, handle)
	return publication, handle, err
}

func (b *bench) inject(t *testing.T, step, kind string, delay time.Duration) {
	t.Helper()
	b.Sandbox.Inject(t, Fault{
		Platform: string(b.Network), Account: b.account.ExternalID, Step: step, Kind: kind, DelayMs: delay.Milliseconds(),
	})
}

// requireLedger checks the number of the account's posts on the network, and returns them.
func (b *bench) requireLedger(t *testing.T, count int) []Entry {
	t.Helper()
	entries := slices.DeleteFunc(b.Sandbox.Posts(t, string(b.Network), b.account.ExternalID), func(e Entry) bool {
		return b.comments && e.Parent == ""
	})
	require.Len(t, entries, count)
	return entries
}

func (b *bench) requireFailure(t *testing.T, err error, classes ...platform.Class) {
	t.Helper()
	_ = b.failureOf(t, err, classes...)
}

func (b *bench) failureOf(t *testing.T, err error, classes ...platform.Class) *platform.Failure {
	t.Helper()
	return requireSafeFailure(t, err, b.account.Credentials, classes...)
}

// requireSafeFailure checks the class, code and message of the failure, and that it contains no secret.
func requireSafeFailure(
	t *testing.T, err error, secrets channel.Credentials, classes ...platform.Class,
) *platform.Failure {
	t.Helper()
	failure := Failure(t, err)
	require.Contains(t, classes, failure.Class, "%v", err)
	require.NotEmpty(t, failure.Code)
	require.NotEmpty(t, failure.Message)
	text := fmt.Sprintf("%v %+v %#v %v", err, err, failure, failure.Cause)
	for _, secret := range []string{secrets.AccessToken, secrets.RefreshToken} {
		if secret != "" {
			require.NotContains(t, text, secret)
			require.NotContains(t, text, url.QueryEscape(secret))
		}
	}
	return failure
}

// reconcile reconciles a call that started 2*commitTimeout ago.
func (b *bench) reconcile(
	t *testing.T, handle platform.Handle, taken ...string,
) (platform.Evidence, platform.Publication) {
	t.Helper()
	evidence, publication, err := b.connector.Reconcile(t.Context(), b.account, b.content, platform.Sent{
		Handle: handle, Text: b.content.Text, At: time.Now().Add(-2 * commitTimeout),
		Taken: func(id string) bool {
			for _, other := range taken {
				if other == id {
					return true
				}
			}
			return false
		},
	})
	require.NoError(t, err)
	return evidence, publication
}

// requireFound checks that reconciling finds the entry, or is unclear if the connector declares ReconcileNone.
func (b *bench) requireFound(t *testing.T, handle platform.Handle, entry Entry) {
	t.Helper()
	evidence, publication := b.reconcile(t, handle)
	if b.connector.Strength() == platform.ReconcileNone {
		require.Equal(t, platform.EvidenceUnclear, evidence)
		return
	}
	require.Equal(t, platform.EvidenceFound, evidence)
	require.Equal(t, entry.ID, b.settled(t, publication).ExternalID)
}

func (b *bench) requireAbsent(t *testing.T, handle platform.Handle) {
	t.Helper()
	evidence, _ := b.reconcile(t, handle)
	require.Equal(t, b.absence(), evidence)
}

// absence returns the evidence of a post that is not among those on the network.
func (b *bench) absence() platform.Evidence {
	if b.Hides || b.connector.Strength() == platform.ReconcileNone {
		return platform.EvidenceUnclear
	}
	return platform.EvidenceAbsent
}

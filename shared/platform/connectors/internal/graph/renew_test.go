package graph_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/graph"
	"fencepost.internal/shared/platform/platformtest"
)

// handleOf returns the handle of a post's container of the given age.
func handleOf(age time.Duration, again int) platform.Handle {
	created := epoch - int64(age.Seconds())
	return platform.Handle(fmt.Sprintf(`{"container":"7","since":%d,"made":%d,"again":%d}`, created, created, again))
}

func TestFailedContainers(t *testing.T) {
	t.Parallel()
	passing := ok(`{"status":"ERROR","passing":true}`)
	working := ok(`{"status":"IN_PROGRESS"}`)
	const minute, hour = time.Minute, time.Hour
	for name, c := range map[string]struct {
		look    platformtest.Response
		age     time.Duration
		again   int
		created int // expected number of replacements if a new container is created
		class   platform.Class
	}{
		"expired":                    {look: ok(`{"status":"EXPIRED"}`), created: 4, again: 3},
		"expired too often":          {look: ok(`{"status":"EXPIRED"}`), again: 4, age: minute, class: platform.ClassTransient},
		"gone":                       {look: gone(), age: hour, again: 3, created: 4},
		"gone too often":             {look: gone(), age: 4 * minute, again: 4, class: platform.ClassTransient},
		"gone, just made":            {look: gone(), age: minute / 2, again: 3, created: -1},
		"failed in passing":          {look: passing, created: 1},
		"failed often":               {look: passing, again: 3, created: 4},
		"failed too often":           {look: passing, again: 4, age: minute, class: platform.ClassRejected},
		"failed too often, long ago": {look: passing, again: 4, age: 6 * minute, created: 5},
		"failed for good":            {look: ok(`{"status":"ERROR"}`), class: platform.ClassRejected},
		"worked on":                  {look: working, age: hour, created: -1},
		"worked on for too long":     {look: working, age: hour + minute, created: 1},
		"published":                  {look: ok(`{"status":"PUBLISHED"}`), class: platform.ClassUnknown},
		"a new word":                 {look: ok(`{"status":"PONDERING"}`), class: platform.ClassTransient},
		"no response":                {look: down(), class: platform.ClassTransient},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, map[string][]platformtest.Response{
				createCall: {ok(`{"id":"8"}`)}, "GET /v1/7": {c.look}, "GET /v1/8": status("FINISHED"),
			})
			handle := handleOf(c.age, c.again)
			switch {
			case c.class != "":
				require.Equal(t, c.class, b.failure(t, plan(0), handle).Class)
				require.Equal(t, "?7", b.calls(t))
			case c.created < 0:
				require.Equal(t, handle, b.prepare(t, plan(0), handle).Handle)
				require.Equal(t, "?7", b.calls(t))
			default:
				again := fmt.Sprintf(`"again":%d`, c.created)
				preparation := b.prepare(t, plan(0), handle)
				require.True(t, preparation.Ready)
				require.Contains(t, preparation.Handle, `{"container":"8","since":1800000000`)
				require.Contains(t, preparation.Handle, again)
				require.Equal(t, "?7 + ?8", b.calls(t))
			}
		})
	}
}

// TestFailedItemIsReplaced checks that a failed item is replaced alone, and that a failed container of the post is replaced
// with its items.
func TestFailedItemIsReplaced(t *testing.T) {
	t.Parallel()
	b := setup(t, map[string][]platformtest.Response{
		createCall:  {ok(`{"id":"8"}`)},
		"GET /v1/2": {ok(`{"status":"ERROR","passing":true}`)},
	})
	const one = `{"items":[{"id":"1","done":true},{"id":"2"},{"id":"3","done":true}],"since":1799999990,"made":1799999990}`
	require.JSONEq(t,
		`{"items":[{"id":"1","done":true},{"id":"8"},{"id":"3","done":true}],"since":1799999990,"made":1800000000,"again":1}`,
		string(b.prepare(t, plan(3), one).Handle))
	require.Equal(t, "?2 +b", b.calls(t))

	b = setup(t, map[string][]platformtest.Response{
		createCall: {ok(`{"id":"8"}`), ok(`{"id":"9"}`)}, "GET /v1/7": {ok(`{"status":"ERROR","passing":true}`)},
	})
	require.JSONEq(t, `{"items":[{"id":"8"},{"id":"9"}],"since":1800000000,"made":1800000000,"again":1}`,
		string(b.prepare(t, plan(2), handleOf(time.Minute, 0)).Handle))
	require.Equal(t, "?7 +a +b", b.calls(t))
}

// TestRefusedPostContainerOverridesItems checks that the network's refusal of the post's container overrides the earlier states of its
// items.
func TestRefusedPostContainerOverridesItems(t *testing.T) {
	t.Parallel()
	const done = `{"items":[{"id":"1","done":true},{"id":"2","done":true}],"since":1799999990,"made":1799999990}`
	for name, c := range map[string]struct {
		response platformtest.Response
		want     string // the expected handle; empty: the failure is returned
		class    platform.Class
	}{
		"not ready":   {refusal(2), `{"items":[{"id":"1"},{"id":"2"}],"since":1799999990,"made":1799999990}`, ""},
		"too old":     {refusal(3), `{"items":[{},{}],"again":1}`, ""},
		"no":          {refusal(1), "", platform.ClassRejected},
		"unavailable": {down(), "", platform.ClassTransient},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, map[string][]platformtest.Response{createCall: {c.response}})
			if c.class != "" {
				require.Equal(t, c.class, b.failure(t, plan(2), done).Class)
			} else {
				require.Equal(t, platform.Handle(c.want), b.prepare(t, plan(2), done).Handle)
			}
			require.Equal(t, "+1,2", b.calls(t))
		})
	}
	b := setup(t, map[string][]platformtest.Response{createCall: {refusal(3)}})
	require.Equal(t, graph.CodeStale, b.failure(t, plan(0), "").Code, "there are no items to doubt")
}

func TestNothingIsSentWithoutToken(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	b.account.Credentials.AccessToken = ""
	require.Equal(t, platform.ClassReconnect, b.failure(t, plan(0), "").Class)
	_, err := b.api.Commit(t.Context(), b.account, "7")
	require.Equal(t, platform.ClassReconnect, platformtest.Failure(t, err).Class)
	_, _, err = b.api.Reconcile(t.Context(), b.account, platform.Sent{Handle: "7"}, nil)
	require.Equal(t, platform.ClassReconnect, platformtest.Failure(t, err).Class)
	_, err = b.api.Refresh(t.Context(), b.account, "grant")
	require.Equal(t, platform.ClassReconnect, platformtest.Failure(t, err).Class)
	require.Empty(t, b.script.Requests())
}

// TestCommitRequiresPostContainer checks that Commit needs the post's container: its items alone cannot be published.
func TestCommitRequiresPostContainer(t *testing.T) {
	t.Parallel()
	for _, handle := range []platform.Handle{"", "{}", "x", `{"items":[{"id":"1","done":true}]}`} {
		b := setup(t, nil)
		_, err := b.api.Commit(t.Context(), b.account, handle)
		require.Equal(t, platform.ClassTransient, platformtest.Failure(t, err).Class)
		require.Empty(t, b.script.Requests())
	}
	for _, handle := range []platform.Handle{"7", handleOf(0, 0)} {
		b := setup(t, map[string][]platformtest.Response{"POST /v1/42/media_publish": {ok(`{"id":"180"}`)}})
		publication, err := b.api.Commit(t.Context(), b.account, handle)
		require.NoError(t, err)
		require.Equal(t, "180", publication.ExternalID)
		require.Equal(t, "7", b.script.Requests()[0].Form(t).Get("creation_id"))
	}
}

// TestFinishedContainerWaitsBeforePublish checks the wait between a finished container and its publication. A post without media
// has none.
func TestFinishedContainerWaitsBeforePublish(t *testing.T) {
	t.Parallel()
	b := setup(t, map[string][]platformtest.Response{createCall: {ok(`{"id":"7"}`)}, "GET /v1/7": status("FINISHED")})
	b.api.Settle = 3 * time.Second
	instant := plan(0)
	instant.Instant = true
	require.True(t, b.prepare(t, instant, "").Ready)
	first := b.prepare(t, plan(0), "")
	require.Equal(t, platform.Preparation{
		Handle: `{"container":"7","since":1800000000,"made":1800000000,"ready":1800000000}`, Wait: 3 * time.Second,
	}, first)
	b.clock.Advance(2 * time.Second)
	require.Equal(t, platform.Preparation{Handle: first.Handle, Wait: time.Second}, b.prepare(t, plan(0), first.Handle))
	b.clock.Advance(time.Second)
	require.True(t, b.prepare(t, plan(0), first.Handle).Ready)
}

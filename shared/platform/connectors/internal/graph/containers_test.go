package graph_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/kernel/clock/clocktest"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/graph"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
	"fencepost.internal/shared/platform/platformtest"
)

// epoch is a round Unix time, so that handles are easy to read.
const epoch = 1_800_000_000

const createCall = "POST /v1/42/media"

type bundle struct {
	clock   *clocktest.Fake
	script  *platformtest.Script
	api     graph.API
	account platform.Account
}

func setup(t *testing.T, responses map[string][]platformtest.Response) *bundle {
	t.Helper()
	b := &bundle{clock: clocktest.New(time.Unix(epoch, 0)), script: platformtest.NewScript(t, responses)}
	client, err := httpcall.New(httpcall.Config{
		Network: channel.NetworkInstagram, Name: "Network", BaseURL: b.script.URL, Clock: b.clock,
	})
	require.NoError(t, err)
	b.account = platform.Account{ExternalID: "42", Credentials: channel.Credentials{AccessToken: "token"}}
	b.api = graph.API{
		Client: client, Version: "v1", CreateEdge: "media", PublishEdge: "media_publish", Fields: "status",
		Read: func(r httpcall.Response) (graph.Look, error) { return read(client, r) },
		Class: func(r httpcall.Response) *platform.Failure {
			return class(client, r)
		},
		Missing: graph.Error.Missing,
	}
	return b
}

// read decodes {"status":"ERROR","passing":true}.
func read(client *httpcall.Client, response httpcall.Response) (graph.Look, error) {
	var result struct {
		Status  string `json:"status"`
		Passing bool   `json:"passing"`
	}
	if response.Decode(&result) != nil {
		return graph.Look{}, client.Unclear(response, "no status")
	}
	look := graph.Look{State: graph.ParseState(result.Status), Passing: result.Passing}
	if look.State == graph.Failed {
		look.Failure = client.Fail(platform.ClassRejected, "FAILED", nil, "It failed.")
	}
	return look, nil
}

// class returns a failure by Meta's error code.
func class(client *httpcall.Client, response httpcall.Response) *platform.Failure {
	switch graph.ErrorOf(response).Code {
	case 1:
		return client.Fail(platform.ClassRejected, "NO", nil, "No.")
	case 2:
		return client.Fail(platform.ClassTransient, graph.CodeNotReady, nil, "Not yet.")
	case 3:
		return client.Fail(platform.ClassTransient, graph.CodeStale, nil, "Too old.")
	case 4:
		return client.RateLimited(client.After(60), nil)
	case 5:
		return client.Fail(platform.ClassUser, "RESTRICTED", nil, "The account is restricted.")
	default:
		return client.Unclear(response, "no success")
	}
}

func ok(format string, args ...any) platformtest.Response {
	return platformtest.Response{Body: fmt.Sprintf(format, args...)}
}

func status(word string) []platformtest.Response {
	responses := make([]platformtest.Response, 0, 1)
	for one := range strings.SplitSeq(word, " ") {
		responses = append(responses, ok(`{"status":%q}`, one))
	}
	return responses
}

func refusal(code int) platformtest.Response {
	return platformtest.Response{Status: 400, Body: fmt.Sprintf(`{"error":{"code":%d}}`, code)}
}

func down() platformtest.Response { return platformtest.Response{Status: 503} }

// plan returns a carousel with the given number of items, or a single container for zero.
func plan(items int) graph.Plan {
	p := graph.Plan{Whole: func(_ context.Context, ids []string) (url.Values, error) {
		return url.Values{"children": {strings.Join(ids, ",")}}, nil
	}}
	for i := range items {
		p.Items = append(p.Items, func(context.Context) (url.Values, error) {
			return url.Values{
				"item": {"abcdefghij"[i : i+1]},
			}, nil
		})
	}
	return p
}

func (b *bundle) prepare(t *testing.T, p graph.Plan, handle platform.Handle) platform.Preparation {
	t.Helper()
	preparation, err := b.api.Prepare(t.Context(), b.account, p, handle)
	require.NoError(t, err)
	return preparation
}

func (b *bundle) failure(t *testing.T, p graph.Plan, handle platform.Handle) *platform.Failure {
	t.Helper()
	preparation, err := b.api.Prepare(t.Context(), b.account, p, handle)
	require.Error(t, err)
	require.Zero(t, preparation)
	return platformtest.Failure(t, err)
}

// calls returns the requests so far in short form: "+a" creates an item, "+1,2" creates the post's container of items 1
// and 2, "?7" reads container 7.
func (b *bundle) calls(t *testing.T) string {
	t.Helper()
	var calls []string
	for _, r := range b.script.Requests() {
		if r.Method == http.MethodPost {
			calls = append(calls, "+"+r.Form(t).Get("item")+r.Form(t).Get("children"))
			continue
		}
		calls = append(calls, "?"+strings.TrimPrefix(r.Path, "/v1/"))
	}
	return strings.Join(calls, " ")
}

func TestSingleContainer(t *testing.T) {
	t.Parallel()
	const handle = `{"container":"7","since":1800000000,"made":1800000000}`
	for name, c := range map[string]struct {
		look platformtest.Response
		want platform.Preparation
	}{
		"finished at once": {ok(`{"status":"FINISHED"}`), platform.Preparation{Handle: handle, Ready: true}},
		"in progress":      {ok(`{"status":"IN_PROGRESS"}`), platform.Preparation{Handle: handle, Wait: 5 * time.Second}},
		"cannot be read":   {down(), platform.Preparation{Handle: handle, Wait: 5 * time.Second}},
		"failed":           {ok(`{"status":"ERROR"}`), platform.Preparation{Handle: handle, Wait: 5 * time.Second}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, map[string][]platformtest.Response{createCall: {ok(`{"id":"7"}`)}, "GET /v1/7": {c.look}})
			require.Equal(t, c.want, b.prepare(t, plan(0), ""))
			require.Equal(t, "+ ?7", b.calls(t))
		})
	}
}

func TestWaitsGrow(t *testing.T) {
	t.Parallel()
	b := setup(t, map[string][]platformtest.Response{createCall: {ok(`{"id":"7"}`)}, "GET /v1/7": status("IN_PROGRESS")})
	first := b.prepare(t, plan(0), "")
	var waits []string
	for next := first; len(waits) < 7; next = b.prepare(t, plan(0), first.Handle) {
		require.Equal(t, first.Handle, next.Handle)
		waits = append(waits, next.Wait.String())
		b.clock.Advance(next.Wait)
	}
	require.Equal(t, []string{"5s", "5s", "10s", "20s", "30s", "30s", "30s"}, waits)
}

// TestBareHandle checks that the handle of earlier versions, a container's id, is continued.
func TestBareHandle(t *testing.T) {
	t.Parallel()
	b := setup(t, map[string][]platformtest.Response{
		createCall: {ok(`{"id":"8"}`)}, "GET /v1/7": status("IN_PROGRESS FINISHED"),
	})
	require.Equal(t, platform.Preparation{Handle: "7", Wait: 30 * time.Second}, b.prepare(t, plan(0), "7"))
	require.Equal(t, platform.Preparation{Handle: `{"container":"7"}`, Ready: true}, b.prepare(t, plan(0), "7"))
}

// TestCarousel runs all steps. Each step knows only the handle of the previous one.
func TestCarousel(t *testing.T) {
	t.Parallel()
	b := setup(t, map[string][]platformtest.Response{
		createCall:  {ok(`{"id":"1"}`), ok(`{"id":"2"}`), ok(`{"id":"3"}`), ok(`{"id":"7"}`)},
		"GET /v1/1": status("FINISHED"), "GET /v1/2": status("IN_PROGRESS FINISHED"), "GET /v1/3": status("FINISHED"),
		"GET /v1/7": status("IN_PROGRESS FINISHED"),
	})
	const times = `"since":1800000000,"made":1800000000}`
	steps := []struct {
		handle platform.Handle
		ready  bool
		calls  string
	}{
		{`{"items":[{"id":"1"},{"id":"2"},{"id":"3"}],` + times, false, "+a +b +c"},
		{`{"items":[{"id":"1","done":true},{"id":"2"},{"id":"3","done":true}],` + times, false, "?1 ?2 ?3"},
		{`{"container":"7",` + times, false, "?2 +1,2,3 ?7"},
		{`{"container":"7","since":1800000000,"made":1800000000}`, true, "?7"},
		{`{"container":"7","since":1800000000,"made":1800000000}`, true, "?7"},
	}
	handle, calls := platform.Handle(""), make([]string, 0, len(steps))
	for _, step := range steps {
		preparation := b.prepare(t, plan(3), handle)
		require.Equal(t, step.handle, preparation.Handle)
		require.Equal(t, step.ready, preparation.Ready)
		calls = append(calls, step.calls)
		require.Equal(t, strings.Join(calls, " "), b.calls(t))
		handle = preparation.Handle
	}
}

// TestFailedStepKeepsContainers checks that created containers are kept if a step fails, and that the next step reports the
// failure if it meets it again.
func TestFailedStepKeepsContainers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		response platformtest.Response
		class    platform.Class
	}{"unavailable": {down(), platform.ClassTransient}, "limited": {refusal(4), platform.ClassRateLimited}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, map[string][]platformtest.Response{
				createCall: {ok(`{"id":"1"}`), c.response, c.response, ok(`{"id":"2"}`)}, "GET /v1/1": status("IN_PROGRESS"),
			})
			first := b.prepare(t, plan(2), "")
			require.JSONEq(t, `{"items":[{"id":"1"},{}],"since":1800000000,"made":1800000000}`, string(first.Handle))
			require.Equal(t, c.class, b.failure(t, plan(2), first.Handle).Class)
			require.Contains(t, b.prepare(t, plan(2), first.Handle).Handle, `[{"id":"1"},{"id":"2"}]`)
			require.Equal(t, "+a +b ?1 +b ?1 +b", b.calls(t))
		})
	}
	b := setup(t, map[string][]platformtest.Response{createCall: {ok(`{"id":"1"}`), refusal(1)}})
	require.Equal(t, platform.ClassRejected, b.failure(t, plan(2), "").Class, "a refusal is final")
	b = setup(t, map[string][]platformtest.Response{createCall: {down()}})
	require.Equal(t, platform.ClassTransient, b.failure(t, plan(2), "").Class, "there is nothing to keep")
	b = setup(t, map[string][]platformtest.Response{createCall: {ok(`{"id":"../7"}`)}})
	require.Equal(t, platform.ClassTransient, b.failure(t, plan(0), "").Class, "a hostile id")
}

// TestStepTimeIsLimited checks that a slow step ends after half a minute with the containers created so far.
func TestStepTimeIsLimited(t *testing.T) {
	t.Parallel()
	responses := make([]platformtest.Response, 0, 5)
	for i := range 5 {
		responses = append(responses, ok(`{"id":"%d"}`, i+1))
	}
	b := setup(t, map[string][]platformtest.Response{createCall: responses})
	p := plan(5)
	for i, form := range p.Items {
		p.Items[i] = func(ctx context.Context) (url.Values, error) {
			b.clock.Advance(16 * time.Second)
			return form(ctx)
		}
	}
	first := b.prepare(t, p, "")
	require.Contains(t, first.Handle, `[{"id":"1"},{"id":"2"},{},{},{}]`)
	require.Equal(t, "+a +b", b.calls(t))
}

func TestInvalidHandles(t *testing.T) {
	t.Parallel()
	for _, handle := range []platform.Handle{
		"", "null", "{}", "[]", "not a handle", "\x00", `{"container":"../me"}`, `{"items":[{"id":"x"}]}`,
		`{"items":[{"id":"1"},{"id":"2"},{"id":"3"}]}`,
		`{"items":[{"id":"1","done":true},{"id":"2","done":true}],"since":1799917000}`,
	} {
		t.Run(string(handle), func(t *testing.T) {
			t.Parallel()
			b := setup(t, map[string][]platformtest.Response{createCall: {ok(`{"id":"8"}`), ok(`{"id":"9"}`)}})
			require.Contains(t, b.prepare(t, plan(2), handle).Handle, `[{"id":"8"},{"id":"9"}]`)
			require.Equal(t, "+a +b", b.calls(t))
		})
	}
}

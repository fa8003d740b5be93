package fencepost_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	fencepost "fencepost.internal/sdk/go"
	"fencepost.internal/sdk/go/internal/player"
)

func TestMain(m *testing.M) {
	_ = os.Unsetenv("FENCEPOST_URL") // the cases set what they need
	_ = os.Unsetenv("FENCEPOST_API_KEY")
	os.Exit(m.Run())
}

// conformanceCase has the parts of a case that are for the runners.
type conformanceCase struct {
	Client struct {
		TimeoutSeconds float64
		MaxAttempts    int
		APIKey, URL    json.RawMessage // "null": not given
	}
	Call struct {
		Method    string
		Arguments arguments
		Options   struct{ IdempotencyKey, IfMatch string }
		Take      int
		Cancel    struct {
			AfterSeconds float64
			OnWait       *int
		}
	}
	Expect struct {
		Values   map[string]json.RawMessage
		Count    *int
		Error    map[string]json.RawMessage
		Waits    []bounds
		WaitsSum *bounds
		Progress *progress
	}
}

type arguments struct {
	ID             string
	Query, Body    json.RawMessage
	Method, Path   string
	Text, Name     string
	Alt            string
	TimeoutSeconds float64
	Headers        map[string]string
	Secrets        []string
	Cursor         string
	Time, Zone     string
}

type (
	bounds   struct{ Least, Most float64 }
	progress struct{ Sent, Total int64 }
)

func (b bounds) fit(seconds float64) bool { return b.Least <= seconds && seconds <= b.Most }

// scriptedClock is moved by waits only.
type scriptedClock struct {
	mu     sync.Mutex
	now    time.Time
	waits  []float64
	onWait func(n int)
}

func (c *scriptedClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *scriptedClock) Sleep(ctx context.Context, wait time.Duration) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waits = append(c.waits, wait.Seconds())
	c.now = c.now.Add(wait)
	c.onWait(len(c.waits) - 1)
	return ctx.Err()
}

func TestConformance(t *testing.T) {
	t.Parallel()
	table, err := player.Read("../conformance/cases.json")
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(player.New(table).Handler())
	t.Cleanup(server.Close)
	for _, c := range table.Cases {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			conform(t, server.URL, table, c)
		})
	}
}

// conform plays a case and compares the result with the expected one.
func conform(t *testing.T, control string, table player.Table, source player.Case) {
	t.Helper()
	c := decoded[conformanceCase](t, source)
	var armed struct{ Run, BaseURL string }
	controlPlayer(t, http.MethodPost, control+"/_case/"+source.Name, &armed)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	clock := &scriptedClock{now: began(t, table, source)}
	clock.onWait = func(n int) {
		controlPlayer(t, http.MethodPost, control+"/_run/"+armed.Run+"/wait", new(struct{}))
		if c.Call.Cancel.OnWait != nil && n == *c.Call.Cancel.OnWait {
			cancel()
		}
	}
	if after := c.Call.Cancel.AfterSeconds; after > 0 {
		time.AfterFunc(time.Duration(after*float64(time.Second)), cancel)
	}
	outcome := outcome{take: c.Call.Take}
	client, err := newClient(c, armed.BaseURL, clock)
	if err == nil {
		err = outcome.call(ctx, client, c)
	}
	c.check(t, outcome, clock, err)
	var report player.Report
	controlPlayer(t, http.MethodGet, control+"/_run/"+armed.Run+"/report", &report)
	if !report.OK {
		t.Error(strings.Join(report.Failures, "\n"))
	}
}

func began(t *testing.T, table player.Table, source player.Case) time.Time {
	t.Helper()
	text := table.Clock
	if source.Clock != "" {
		text = source.Clock
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

func newClient(c conformanceCase, base string, clock fencepost.Clock) (*fencepost.Client, error) {
	options := fencepost.Options{
		URL: base, APIKey: "svc_test_conformance", MaxAttempts: c.Client.MaxAttempts, Clock: clock,
		Timeout: time.Duration(c.Client.TimeoutSeconds * float64(time.Second)),
	}
	if string(c.Client.URL) == "null" {
		options.URL = ""
	}
	if string(c.Client.APIKey) == "null" {
		options.APIKey = ""
	}
	return fencepost.New(options)
}

func decoded[T any](t *testing.T, from any) (into T) {
	t.Helper()
	raw, err := json.Marshal(from)
	if err == nil {
		err = json.Unmarshal(raw, &into)
	}
	if err != nil {
		t.Fatal(err)
	}
	return into
}

// outcome has the values that a call returned.
type outcome struct {
	take     int
	result   any
	items    []any
	listed   bool
	progress progress
}

// methods are the calls of the cases.
var methods = map[string]func(context.Context, *fencepost.Client, *outcome, arguments, []fencepost.CallOption) (any, error){
	"analytics.getWorkspace": func(ctx context.Context, c *fencepost.Client, _ *outcome, a arguments, o []fencepost.CallOption) (any, error) {
		return c.Analytics.GetWorkspace(ctx, as[fencepost.GetWorkspaceAnalyticsParams](a.Query), o...)
	},
	"at": func(_ context.Context, _ *fencepost.Client, _ *outcome, a arguments, _ []fencepost.CallOption) (any, error) {
		return fencepost.At(a.Time, a.Zone)
	},
	"channels.list": func(ctx context.Context, c *fencepost.Client, out *outcome, a arguments, o []fencepost.CallOption) (any, error) {
		list, err := c.Channels.List(ctx, as[fencepost.ListChannelsParams](a.Query), o...)
		for _, channel := range list {
			out.items, out.listed = append(out.items, channel), true
		}
		return nil, err
	},
	"events.follow": func(ctx context.Context, c *fencepost.Client, out *outcome, a arguments, _ []fencepost.CallOption) (any, error) {
		return nil, collect(out, c.Events.Follow(ctx, a.Cursor), func(followed fencepost.FollowedEvent) any {
			item := map[string]any{"event": followed.Event, "cursor": nil}
			if followed.Cursor != "" {
				item["cursor"] = followed.Cursor
			}
			return item
		})
	},
	"events.get": func(ctx context.Context, c *fencepost.Client, _ *outcome, a arguments, o []fencepost.CallOption) (any, error) {
		return c.Events.Get(ctx, a.ID, o...)
	},
	"events.list": func(ctx context.Context, c *fencepost.Client, out *outcome, a arguments, o []fencepost.CallOption) (any, error) {
		return nil, collect(out, c.Events.List(ctx, as[fencepost.ListEventsParams](a.Query), o...), same)
	},
	"linkPages.update": func(ctx context.Context, c *fencepost.Client, _ *outcome, a arguments, o []fencepost.CallOption) (any, error) {
		return c.LinkPages.Update(ctx, a.ID, as[fencepost.UpdateLinkPageRequest](a.Body), o...)
	},
	"media.delete": func(ctx context.Context, c *fencepost.Client, _ *outcome, a arguments, o []fencepost.CallOption) (any, error) {
		return nil, c.Media.Delete(ctx, a.ID, o...)
	},
	"media.list": func(ctx context.Context, c *fencepost.Client, out *outcome, a arguments, o []fencepost.CallOption) (any, error) {
		return nil, collect(out, c.Media.List(ctx, as[fencepost.ListMediaParams](a.Query), o...), same)
	},
	"media.upload": func(ctx context.Context, c *fencepost.Client, out *outcome, a arguments, _ []fencepost.CallOption) (any, error) {
		return c.Media.UploadBytes(ctx, []byte(a.Text), fencepost.UploadOptions{
			Name: a.Name, Alt: a.Alt, OnProgress: func(sent, total int64) { out.progress = progress{sent, total} },
		})
	},
	"posts.approve": func(ctx context.Context, c *fencepost.Client, _ *outcome, a arguments, o []fencepost.CallOption) (any, error) {
		return c.Posts.Approve(ctx, a.ID, as[fencepost.DecisionRequest](a.Body), o...)
	},
	"posts.create": func(ctx context.Context, c *fencepost.Client, _ *outcome, a arguments, o []fencepost.CallOption) (any, error) {
		return c.Posts.Create(ctx, as[fencepost.CreatePostsRequest](a.Body), o...)
	},
	"posts.delete": func(ctx context.Context, c *fencepost.Client, _ *outcome, a arguments, o []fencepost.CallOption) (any, error) {
		return nil, c.Posts.Delete(ctx, a.ID, o...)
	},
	"posts.edit": func(ctx context.Context, c *fencepost.Client, _ *outcome, a arguments, o []fencepost.CallOption) (any, error) {
		return c.Posts.Edit(ctx, a.ID, as[fencepost.EditPostRequest](a.Body), o...)
	},
	"posts.get": func(ctx context.Context, c *fencepost.Client, _ *outcome, a arguments, o []fencepost.CallOption) (any, error) {
		return c.Posts.Get(ctx, a.ID, o...)
	},
	"posts.list": func(ctx context.Context, c *fencepost.Client, out *outcome, a arguments, o []fencepost.CallOption) (any, error) {
		return nil, collect(out, c.Posts.List(ctx, as[fencepost.ListPostsParams](a.Query), o...), same)
	},
	"posts.publish": func(ctx context.Context, c *fencepost.Client, _ *outcome, a arguments, o []fencepost.CallOption) (any, error) {
		return c.Posts.Publish(ctx, a.ID, o...)
	},
	"posts.schedule": func(ctx context.Context, c *fencepost.Client, _ *outcome, a arguments, o []fencepost.CallOption) (any, error) {
		return c.Posts.Schedule(ctx, a.ID, as[fencepost.SchedulePostRequest](a.Body), o...)
	},
	"posts.validate": func(ctx context.Context, c *fencepost.Client, _ *outcome, a arguments, o []fencepost.CallOption) (any, error) {
		return c.Posts.Validate(ctx, as[fencepost.CreatePostsRequest](a.Body), o...)
	},
	"posts.waitUntilDone": func(ctx context.Context, c *fencepost.Client, _ *outcome, a arguments, _ []fencepost.CallOption) (any, error) {
		return c.Posts.WaitUntilDone(ctx, a.ID, time.Duration(a.TimeoutSeconds*float64(time.Second)))
	},
	"request": func(ctx context.Context, c *fencepost.Client, _ *outcome, a arguments, o []fencepost.CallOption) (any, error) {
		query := url.Values{}
		for name, value := range as[map[string]string](a.Query) {
			query.Set(name, value)
		}
		var body, result any
		if a.Body != nil {
			body = a.Body
		}
		return &result, c.Request(ctx, a.Method, a.Path, query, body, &result, o...)
	},
	"webhooks.get": func(ctx context.Context, c *fencepost.Client, _ *outcome, a arguments, o []fencepost.CallOption) (any, error) {
		return c.Webhooks.Get(ctx, a.ID, o...)
	},
	"webhooks.verify": func(_ context.Context, c *fencepost.Client, _ *outcome, a arguments, _ []fencepost.CallOption) (any, error) {
		header := http.Header{}
		for name, value := range a.Headers {
			header.Set(name, value)
		}
		return c.Webhooks.Verify(header, []byte(as[string](a.Body)), a.Secrets...)
	},
}

func (out *outcome) call(ctx context.Context, client *fencepost.Client, c conformanceCase) (err error) {
	method, ok := methods[c.Call.Method]
	if !ok {
		return errors.New("the runner has no method " + c.Call.Method)
	}
	var options []fencepost.CallOption
	if key := c.Call.Options.IdempotencyKey; key != "" {
		options = append(options, fencepost.IdempotencyKey(key))
	}
	if etag := c.Call.Options.IfMatch; etag != "" {
		options = append(options, fencepost.IfMatch(etag))
	}
	out.result, err = method(ctx, client, out, c.Call.Arguments, options)
	return err
}

// as decodes an argument. Parameters of queries have the names of fields.
func as[T any](raw json.RawMessage) (out T) {
	if raw == nil {
		return out
	}
	if err := json.Unmarshal(raw, &out); err != nil {
		panic(err) //nolint:forbidigo // a case that the runner does not fit
	}
	return out
}

func same[T any](item T) any { return item }

// collect reads an iterator, up to the number of items of the case.
func collect[T any](out *outcome, sequence iter.Seq2[T, error], item func(T) any) error {
	out.listed = true
	for one, err := range sequence {
		if err != nil {
			return err
		}
		if out.items = append(out.items, item(one)); len(out.items) == out.take {
			return nil
		}
	}
	return nil
}

func (c conformanceCase) check(t *testing.T, out outcome, clock *scriptedClock, err error) {
	t.Helper()
	c.checkError(t, err)
	result := out.result
	if out.listed {
		result = out.items
	}
	document := decoded[any](t, result)
	for pointer, want := range c.Expect.Values {
		if got := canonical(t, at(document, pointer)); got != canonical(t, want) {
			t.Errorf("%s is %s instead of %s", pointer, got, want)
		}
	}
	if want := c.Expect.Count; want != nil && *want != len(out.items) {
		t.Errorf("%d items instead of %d", len(out.items), *want)
	}
	if want := c.Expect.Progress; want != nil && *want != out.progress {
		t.Errorf("the progress is %v instead of %v", out.progress, *want)
	}
	c.checkWaits(t, clock.waits)
}

func (c conformanceCase) checkWaits(t *testing.T, waits []float64) {
	t.Helper()
	var sum float64
	for i, wait := range waits {
		sum += wait
		if i < len(c.Expect.Waits) && !c.Expect.Waits[i].fit(wait) {
			t.Errorf("the wait %d is %v", i, wait)
		}
	}
	if c.Expect.Waits != nil && len(waits) != len(c.Expect.Waits) {
		t.Errorf("the waits are %v instead of %v", waits, c.Expect.Waits)
	}
	if want := c.Expect.WaitsSum; want != nil && !want.fit(sum) {
		t.Errorf("the waits take %v instead of %v", sum, *want)
	}
}

func (c conformanceCase) checkError(t *testing.T, err error) {
	t.Helper()
	if c.Expect.Error == nil {
		if err != nil {
			t.Error(err)
		}
		return
	}
	var failed *fencepost.Error
	if !errors.As(err, &failed) {
		t.Fatalf("the error is %v", err)
	}
	got := map[string]any{
		"kind": failed.Kind, "status": failed.Status, "code": failed.Code, "detail": failed.Detail, "errors": failed.Errors,
		"currentStatus": failed.CurrentStatus, "references": failed.References, "requestId": failed.RequestID,
		"retryAfter": failed.RetryAfter.Seconds(),
	}
	if failed.Code == "" {
		got["code"] = nil
	}
	for name, want := range c.Expect.Error {
		if name == "detailContains" {
			if !strings.Contains(err.Error(), as[string](want)) {
				t.Errorf("%q does not contain %s", err, want)
			}
			continue
		}
		if value := canonical(t, got[name]); value != canonical(t, want) {
			t.Errorf("the error has the %s %s instead of %s", name, value, want)
		}
	}
}

// at returns the value at a JSON Pointer; an absent one is null.
func at(document any, pointer string) any {
	for _, token := range strings.Split(pointer, "/")[1:] {
		switch value := document.(type) {
		case map[string]any:
			document = value[token]
		case []any:
			i, err := strconv.Atoi(token)
			if err != nil || i >= len(value) {
				return "no element " + token
			}
			document = value[i]
		default:
			return "no member " + token
		}
	}
	return document
}

// canonical encodes a value with its members in order.
func canonical(t *testing.T, value any) string {
	t.Helper()
	raw, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var plain any
	if err := decoder.Decode(&plain); err != nil {
		t.Fatal(err)
	}
	raw, err = json.Marshal(plain)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func controlPlayer(t *testing.T, method, address string, into any) {
	t.Helper()
	request, err := http.NewRequestWithContext(context.WithoutCancel(t.Context()), method, address, nil)
	if err != nil {
		t.Error(err)
		return
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Error(err)
		return
	}
	defer response.Body.Close()
	raw, err := io.ReadAll(response.Body)
	if err == nil {
		err = json.Unmarshal(raw, into)
	}
	if err != nil {
		t.Errorf("%s: %v", raw, err)
	}
}

func TestCasesCallEveryRunnerMethod(t *testing.T) {
	t.Parallel()
	table, err := player.Read("../conformance/cases.json")
	if err != nil {
		t.Fatal(err)
	}
	called := map[string]bool{}
	for _, c := range table.Cases {
		called[decoded[conformanceCase](t, c).Call.Method] = true
	}
	known := map[string]bool{}
	for name := range methods {
		known[name] = true
	}
	if !reflect.DeepEqual(called, known) {
		t.Fatalf("the cases call %v, the runner has %v", called, known)
	}
}

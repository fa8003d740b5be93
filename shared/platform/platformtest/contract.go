package platformtest

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/kernel/clock/clocktest"
	"fencepost.internal/shared/platform"
)

// Fixture is a response of a real network, retyped or trimmed from a public source, and what the connector must make of
// it. A connector keeps its fixtures in testdata/contract.
type Fixture struct {
	Name string `json:"-"` // of the file, without .json

	Source  string `json:"source"`  // where the response is published
	Licence string `json:"licence"` // of the source
	// Kind is recorded (a response of the network), official (the network's own description) or third-party.
	Kind string   `json:"kind"`
	Rows []string `json:"rows,omitempty"` // findings that the fixture covers (connectors.TestEveryRowHasFixture)
	// Now is the time of the call; zero means 2026-03-01 09:00 UTC.
	Now time.Time `json:"now,omitzero"`

	// Call is the connector's operation: publish, reconcile, identify, refresh or review.
	Call     string          `json:"call"`
	Parent   string          `json:"parent,omitempty"` // id of the post to which the post replies
	Response FixtureResponse `json:"response"`         // to every request that Others does not list
	// Others lists the responses to other requests, by "METHOD /path". The last one of a list is repeated.
	Others map[string][]FixtureResponse `json:"others,omitempty"`
	Want   FixtureResult                `json:"want"`
}

// FixtureResponse is an HTTP response.
type FixtureResponse struct {
	Status int               `json:"status,omitempty"` // 200 if zero
	Header map[string]string `json:"header,omitempty"`
	Body   json.RawMessage   `json:"body,omitempty"` // JSON, or
	Text   string            `json:"text,omitempty"` // any other body
}

// Content returns the body.
func (r FixtureResponse) Content() string {
	if r.Body != nil {
		return string(r.Body)
	}
	return r.Text
}

func (r FixtureResponse) response() Response {
	header := map[string]string{"Content-Type": "application/json"}
	maps.Copy(header, r.Header)
	return Response{Status: r.Status, Header: header, Body: r.Content()}
}

// FixtureResult is the expected result of the operation: a failure of the class with the code, or a success.
type FixtureResult struct {
	Class    platform.Class `json:"class,omitempty"`
	Code     string         `json:"code,omitempty"`
	Says     string         `json:"says,omitempty"`     // part of the failure's message
	Until    time.Time      `json:"until,omitzero"`     // end of a rate limit
	ID       string         `json:"id,omitempty"`       // of the post or of the account
	InReview bool           `json:"inReview,omitempty"` // of the post
	Evidence string         `json:"evidence,omitempty"` // found, absent or unclear
	Token    string         `json:"token,omitempty"`    // the fresh access token
}

// Fixtures reads the fixtures of a folder.
func Fixtures(t *testing.T, folder string) []Fixture {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(folder, "*.json"))
	require.NoError(t, err)
	require.NotEmpty(t, paths, folder)
	fixtures := make([]Fixture, 0, len(paths))
	for _, path := range paths {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		decoder := json.NewDecoder(bytes.NewReader(text))
		decoder.DisallowUnknownFields()
		one := Fixture{Name: strings.TrimSuffix(filepath.Base(path), ".json")}
		require.NoError(t, decoder.Decode(&one), path)
		require.NotEmpty(t, one.Source, path)
		require.NotEmpty(t, one.Licence, path)
		require.Contains(t, []string{"recorded", "official", "third-party"}, one.Kind, path)
		fixtures = append(fixtures, one)
	}
	return fixtures
}

// Contract configures the test of a connector against its fixtures.
type Contract struct {
	// Link returns the link to the API at the URL.
	Link    func(t *testing.T, url string, clk clock.Clock) platform.Link
	Account platform.Account
	Handle  platform.Handle // of the prepared post, if the network needs one
	PostID  string          // of the post whose review is read
	// Complete adds to the content of the post what the network requires beside the text. It may be nil.
	Complete func(t *testing.T, content *platform.Content)
}

// ContractText is the text of the post in the fixtures.
const ContractText = "Hello from the contract"

// time returns the time of the test, which the posts in the fixture are made at.
func (f Fixture) time() time.Time {
	if !f.Now.IsZero() {
		return f.Now
	}
	return time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
}

// Run checks the class and code of every fixture in testdata/contract.
func (c Contract) Run(t *testing.T) {
	t.Helper()
	c.RunIn(t, filepath.Join("testdata", "contract"))
}

// RunIn is like Run, for the fixtures of another folder.
func (c Contract) RunIn(t *testing.T, folder string) {
	t.Helper()
	for _, fixture := range Fixtures(t, folder) {
		t.Run(fixture.Name, func(t *testing.T) {
			t.Parallel()
			c.check(t, fixture)
		})
	}
}

func (c Contract) check(t *testing.T, fixture Fixture) {
	t.Helper()
	script := NewScript(t, nil)
	script.fallback = fixture.Response.response()
	for key, list := range fixture.Others {
		for _, one := range list {
			script.responses[key] = append(script.responses[key], one.response())
		}
	}
	got, err := c.call(t, c.Link(t, script.URL, clocktest.New(fixture.time())), fixture)
	want := fixture.Want
	if want.Class == "" {
		require.NoError(t, err)
		require.Equal(t, want, got)
		return
	}
	failure := Failure(t, err)
	require.Equal(t, want.Class, failure.Class, "%v", err)
	require.Equal(t, want.Code, failure.Code, "%v", err)
	require.Contains(t, failure.Message, want.Says)
	require.NotContains(t, err.Error(), c.Account.Credentials.AccessToken)
	if !want.Until.IsZero() {
		require.Equal(t, want.Until.UTC(), failure.Until.UTC())
	}
	for key := range fixture.Others {
		require.True(t, script.requested(key), "%s was not called", key)
	}
}

// call makes the fixture's call and describes its result.
func (c Contract) call(t *testing.T, link platform.Link, fixture Fixture) (FixtureResult, error) {
	t.Helper()
	content := platform.Content{ContentType: post.ContentPost, Text: ContractText}
	if c.Complete != nil {
		c.Complete(t, &content)
	}
	if fixture.Parent != "" {
		content.ReplyTo = &platform.ReplyTo{Kind: post.PartReply, RootID: fixture.Parent, ParentID: fixture.Parent}
	}
	ctx, account := t.Context(), c.Account
	switch fixture.Call {
	case "identify":
		found, err := link.Identify(ctx, account)
		return FixtureResult{ID: found.ID}, err
	case "refresh":
		fresh, err := link.Refresh(ctx, account)
		return FixtureResult{Token: fresh.AccessToken}, err
	}
	connector, ok := link.(platform.Connector)
	require.True(t, ok, "the link publishes")
	switch fixture.Call {
	case "publish":
		created, err := connector.Commit(ctx, account, content, c.Handle)
		return FixtureResult{ID: created.ExternalID, InReview: created.InReview}, err
	case "reconcile":
		evidence, found, err := connector.Reconcile(ctx, account, content,
			platform.Sent{Handle: c.Handle, Text: ContractText, At: fixture.time()})
		return FixtureResult{ID: found.ExternalID, InReview: found.InReview, Evidence: EvidenceWord(evidence)}, err
	case "review":
		reviewer, ok := link.(platform.Reviewer)
		require.True(t, ok, "the network reviews posts")
		seen, err := reviewer.Review(ctx, account, c.PostID)
		return FixtureResult{ID: seen.ExternalID, InReview: seen.InReview}, err
	default:
		require.Fail(t, "an unknown call", fixture.Call)
		return FixtureResult{}, nil
	}
}

// EvidenceWord returns the name of the evidence in a fixture.
func EvidenceWord(evidence platform.Evidence) string {
	switch evidence {
	case platform.EvidenceFound:
		return "found"
	case platform.EvidenceAbsent:
		return "absent"
	case platform.EvidenceUnclear:
		return "unclear"
	default:
		return ""
	}
}

// requested reports whether the request of the key, "METHOD /path", was received.
func (s *Script) requested(key string) bool {
	method, path, _ := strings.Cut(key, " ")
	for _, r := range s.Requests() {
		if r.Method == method && r.Path == path {
			return true
		}
	}
	return false
}

// Shape describes the form of a JSON value: the members of objects and the types of their values. Two responses of the
// same form are read by the same code.
func Shape(value any) any {
	switch v := value.(type) {
	case map[string]any:
		shape := make(map[string]any, len(v))
		for name, member := range v {
			shape[name] = Shape(member)
		}
		return shape
	case []any:
		if len(v) == 0 {
			return []any{}
		}
		return []any{Shape(v[0])}
	case string:
		return "string"
	case float64, json.Number:
		return "number"
	case bool:
		return "boolean"
	default:
		return "null"
	}
}

// ShapeOf returns the form of the fixture's response.
func (f Fixture) ShapeOf(t *testing.T) any {
	t.Helper()
	var value any
	require.NoError(t, json.Unmarshal(f.Response.Body, &value))
	return Shape(value)
}

// StatusOf returns the fixture's status, 200 if it has none.
func (f Fixture) StatusOf() int {
	if f.Response.Status == 0 {
		return http.StatusOK
	}
	return f.Response.Status
}

package player_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"fencepost.internal/sdk/go/internal/player"
)

func number(n int) *int { return &n }

// play arms a case of the exchanges, and returns its base URL and a function that posts to the run or reads its report.
func play(t *testing.T, exchanges ...player.Exchange) (base string, wait func(), report func() player.Report) {
	t.Helper()
	server := httptest.NewServer(player.New(player.Table{Cases: []player.Case{{Name: "x", Exchanges: exchanges}}}).Handler())
	t.Cleanup(server.Close)
	var armed struct{ Run, BaseURL string }
	control(t, http.MethodPost, server.URL+"/_case/x", &armed)
	wait = func() { control(t, http.MethodPost, server.URL+"/_run/"+armed.Run+"/wait", new(struct{})) }
	report = func() (out player.Report) {
		control(t, http.MethodGet, server.URL+"/_run/"+armed.Run+"/report", &out)
		return out
	}
	return armed.BaseURL, wait, report
}

func control(t *testing.T, method, url string, into any) {
	t.Helper()
	_, body, err := send(method, url, "", "")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(body), into); err != nil {
		t.Fatalf("%s: %v", body, err)
	}
}

func send(method, url, key, body string) (status int, text string, err error) {
	request, err := http.NewRequestWithContext(context.Background(), method, url, strings.NewReader(body))
	if err != nil {
		return 0, "", err
	}
	request.Header.Set("Idempotency-Key", key)
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}} // no repetition by the transport
	response, err := client.Do(request)
	if err != nil {
		return 0, "", err
	}
	defer response.Body.Close()
	raw, err := io.ReadAll(response.Body)
	return response.StatusCode, string(raw), err
}

func TestExpectedRequestsPass(t *testing.T) {
	t.Parallel()
	base, _, report := play(t,
		player.Exchange{
			Request:  player.Request{Method: "POST", Path: "/a%2Fb", Headers: map[string]player.Matcher{"Idempotency-Key": {Matches: "^k"}}, Body: json.RawMessage(`{"x":1,"y":[2]}`)},
			Response: player.Response{Status: 201, Body: json.RawMessage(`{"url":"{{base}}/z"}`)},
		},
		player.Exchange{
			Request: player.Request{
				Method: "GET", Path: "/c", Query: map[string]json.RawMessage{"q": json.RawMessage(`["1","2"]`)},
				Headers: map[string]player.Matcher{"Idempotency-Key": {Same: number(0)}},
			},
		},
	)
	status, body, err := send("POST", base+"/a%2Fb", "k1", `{"y":[2], "x":1}`)
	if err != nil || status != 201 || body != `{"url":"`+base+`/z"}` {
		t.Fatal(status, body, err)
	}
	if _, _, err := send("GET", base+"/c?q=1&q=2", "k1", ""); err != nil {
		t.Fatal(err)
	}
	if got := report(); !got.OK || len(got.Requests) != 2 {
		t.Fatalf("%+v", got)
	}
}

func TestDifferencesAreReported(t *testing.T) {
	t.Parallel()
	text, size := "abc", 3
	first := player.Exchange{Request: player.Request{Method: "GET", Path: "/", NoBody: true}}
	for name, want := range map[string]player.Request{
		"the request is":              {Method: "PUT", Path: "/a"},
		"the query is":                {Method: "POST", Path: "/a", Query: map[string]json.RawMessage{"q": json.RawMessage(`"1"`)}},
		"as in exchange 0":            {Method: "POST", Path: "/a", Headers: map[string]player.Matcher{"Idempotency-Key": {Same: number(0)}}},
		"absent":                      {Method: "POST", Path: "/a", Headers: map[string]player.Matcher{"Idempotency-Key": {Absent: true}}},
		"instead of ^x":               {Method: "POST", Path: "/a", Headers: map[string]player.Matcher{"Idempotency-Key": {Matches: "^x"}}},
		`instead of "k3"`:             {Method: "POST", Path: "/a", Headers: map[string]player.Matcher{"Idempotency-Key": {Equals: "k3"}}},
		"instead of {":                {Method: "POST", Path: "/a", Body: json.RawMessage(`{"n":9007199254740993}`)},
		"instead of empty":            {Method: "POST", Path: "/a", NoBody: true},
		`instead of "abc"`:            {Method: "POST", Path: "/a", BodyText: &text},
		"instead of 3":                {Method: "POST", Path: "/a", BodySize: &size},
		"another than in exchange -1": {Method: "POST", Path: "/a", Headers: map[string]player.Matcher{"X-None": {Differs: number(-1)}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			base, _, report := play(t, first, player.Exchange{Request: want})
			_, _, _ = send("GET", base+"/", "k1", "")
			_, _, _ = send("POST", base+"/a", "k2", `{"n":9007199254740992}`)
			if got := report(); got.OK || !strings.Contains(strings.Join(got.Failures, "\n"), name) {
				t.Fatalf("%+v", got)
			}
		})
	}
}

func TestMissingAndFurtherRequestsAreReported(t *testing.T) {
	t.Parallel()
	_, _, missing := play(t, player.Exchange{Request: player.Request{Method: "GET", Path: "/"}})
	if got := missing(); got.OK {
		t.Fatalf("%+v", got)
	}
	base, _, further := play(t)
	status, _, err := send("GET", base+"/x", "", "")
	if err != nil || status != http.StatusTeapot {
		t.Fatal(status, err)
	}
	if got := further(); got.OK {
		t.Fatalf("%+v", got)
	}
}

func TestGroupsHaveNoOrder(t *testing.T) {
	t.Parallel()
	part := func(path string) player.Exchange {
		return player.Exchange{Group: "parts", Request: player.Request{Method: "PUT", Path: path}, Response: player.Response{Text: path}}
	}
	base, _, report := play(t, part("/1"), part("/2"), part("/3"))
	for _, path := range []string{"/3", "/1", "/2"} {
		if _, body, err := send("PUT", base+path, "", ""); err != nil || body != path {
			t.Fatal(body, err)
		}
	}
	if got := report(); !got.OK {
		t.Fatalf("%+v", got)
	}
}

func TestRefusalsEndWithWaits(t *testing.T) {
	t.Parallel()
	get := player.Request{Method: "GET", Path: "/"}
	refusal := player.Exchange{Request: get, Fault: player.Fault{Kind: player.FaultRefuse}}
	base, wait, report := play(t,
		refusal, player.Exchange{Request: get, Response: player.Response{Status: 503}}, refusal, refusal, player.Exchange{Request: get})
	for i, status := range []int{0, 503, 0, 0, 200} {
		got, _, err := send("GET", base+"/", "", "")
		if got != status || status == 0 != errors.Is(err, syscall.ECONNREFUSED) {
			t.Fatal(i, got, err)
		}
		if i < 4 {
			wait()
		}
	}
	if got := report(); !got.OK {
		t.Fatalf("%+v", got)
	}
}

func TestFaultsOfConnections(t *testing.T) {
	t.Parallel()
	get := player.Request{Method: "POST", Path: "/"}
	long := player.Response{Text: "a long body"}
	for kind, fits := range map[string]func(error) bool{
		player.FaultResetBefore: func(err error) bool { return err != nil },
		player.FaultResetAfter:  func(err error) bool { return errors.Is(err, syscall.ECONNRESET) },
		player.FaultCut:         func(err error) bool { return errors.Is(err, io.ErrUnexpectedEOF) },
		player.FaultGarbage:     func(err error) bool { return err != nil && strings.Contains(err.Error(), "malformed") },
		player.FaultSlow:        func(err error) bool { return err == nil },
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			base, _, report := play(t, player.Exchange{Request: get, Response: long, Fault: player.Fault{Kind: kind, Bytes: 3, Seconds: 0.01}})
			_, body, err := send("POST", base+"/", "", "body")
			if !fits(err) || kind == player.FaultCut && body != "a l" {
				t.Fatal(body, err)
			}
			if got := report(); !got.OK {
				t.Fatalf("%+v", got)
			}
		})
	}
}

func TestTableIsStrict(t *testing.T) {
	t.Parallel()
	table, err := player.Read("../../../conformance/cases.json")
	if err != nil || len(table.Cases) < 60 {
		t.Fatal(len(table.Cases), err)
	}
	for name, text := range map[string]string{
		"an unknown member": `{"cases":[{"name":"x","exchange":[]}]}`,
		"two of a name":     `{"cases":[{"name":"x","exchanges":[]},{"name":"x","exchanges":[]}]}`,
		"no JSON":           `{`,
	} {
		path := filepath.Join(t.TempDir(), "cases.json")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := player.Read(path); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}

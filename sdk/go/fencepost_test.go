package fencepost_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	fencepost "fencepost.internal/sdk/go"
)

func newTestClient(t *testing.T, options fencepost.Options, handler http.HandlerFunc) *fencepost.Client {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	options.URL, options.APIKey = server.URL, "k"
	client, err := fencepost.New(options)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func kindOf(err error) fencepost.Kind {
	var failed *fencepost.Error
	if !errors.As(err, &failed) {
		return ""
	}
	return failed.Kind
}

// TestVectors verifies the deliveries of the documentation: either signature is enough.
func TestVectors(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("../../docs/examples/receiver/vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var table struct {
		Vectors []struct {
			Name, Secret, BodyBase64 string
			Now                      int64
			Headers                  map[string]string
			Accept                   struct{ Service, Standard bool }
		}
	}
	if err := json.Unmarshal(raw, &table); err != nil || len(table.Vectors) < 40 {
		t.Fatal(len(table.Vectors), err)
	}
	for _, vector := range table.Vectors {
		t.Run(vector.Name, func(t *testing.T) {
			t.Parallel()
			body, err := base64.StdEncoding.DecodeString(vector.BodyBase64)
			if err != nil {
				t.Fatal(err)
			}
			client, err := fencepost.New(fencepost.Options{
				URL: "http://x", APIKey: "k", Clock: &scriptedClock{now: time.Unix(vector.Now, 0)},
			})
			if err != nil {
				t.Fatal(err)
			}
			header := http.Header{}
			for name, value := range vector.Headers {
				header.Set(name, value)
			}
			_, err = client.Webhooks.Verify(header, body, vector.Secret)
			refused := kindOf(err) == fencepost.KindSignature
			if refused == (vector.Accept.Service || vector.Accept.Standard) {
				t.Errorf("the verdict is %v", err)
			}
		})
	}
}

func TestConfiguration(t *testing.T) {
	t.Parallel()
	for name, options := range map[string]fencepost.Options{
		"FENCEPOST_API_KEY": {URL: "http://x"},
		"FENCEPOST_URL":     {APIKey: "k"},
		"ftp://x":           {APIKey: "k", URL: "ftp://x"},
		"api.example.com":   {APIKey: "k", URL: "api.example.com"},
	} {
		_, err := fencepost.New(options)
		if kindOf(err) != fencepost.KindConfiguration || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestEnvironment(t *testing.T) {
	t.Setenv("FENCEPOST_URL", "https://api.example.com")
	t.Setenv("FENCEPOST_API_KEY", "svc_test_x")
	if _, err := fencepost.New(fencepost.Options{}); err != nil {
		t.Error(err)
	}
}

func TestMembersOfChanges(t *testing.T) {
	t.Parallel()
	raw, err := json.Marshal(fencepost.EditPostRequest{Content: fencepost.Set(""), Title: fencepost.Clear[string]()})
	if err != nil || string(raw) != `{"content":"","title":null}` {
		t.Fatal(string(raw), err)
	}
	var back fencepost.EditPostRequest
	if err := json.Unmarshal(raw, &back); err != nil {
		t.Fatal(err)
	}
	if content, ok := back.Content.Get(); !ok || content != "" {
		t.Error("the empty content is lost")
	}
	if _, ok := back.Title.Get(); ok || back.Title.IsZero() || !back.Labels.IsZero() {
		t.Error("null and absent are mixed up")
	}
}

func TestBlocksOfLinkPages(t *testing.T) {
	t.Parallel()
	text := `{"type":"LINK","id":"b","settings":{"title":"Shop","url":"https://example.com"}}`
	var block fencepost.LinkPageBlock
	if err := json.Unmarshal([]byte(text), &block); err != nil {
		t.Fatal(err)
	}
	link, ok := block.Value.(fencepost.LinkBlock)
	if !ok || link.Settings.URL != "https://example.com" {
		t.Fatalf("%+v", block)
	}
	raw, err := json.Marshal(fencepost.AddLinkPageBlockRequest{
		Value: fencepost.AddTextBlock{Type: "TEXT", Settings: fencepost.TextBlockSettingsInput{Text: "Hello"}},
	})
	if err != nil || !strings.Contains(string(raw), `"type":"TEXT"`) {
		t.Fatal(string(raw), err)
	}
	unknown := `{"type":"HOLOGRAM","depth":3}`
	if err := json.Unmarshal([]byte(unknown), &block); err != nil {
		t.Fatal(err)
	}
	if raw, err := json.Marshal(block); err != nil || string(raw) != unknown {
		t.Fatal(string(raw), err)
	}
}

func TestEventsOfUnknownTypes(t *testing.T) {
	t.Parallel()
	event := fencepost.Event{Type: "post.teleported", Data: json.RawMessage(`{"x":1}`)}
	got, err := event.Decode()
	if same, ok := got.(fencepost.Event); err != nil || !ok || string(same.Data) != `{"x":1}` {
		t.Fatal(got, err)
	}
	event = fencepost.Event{Type: fencepost.EventTypeMediaReady, Data: json.RawMessage(`{"name":"a.jpg"}`)}
	got, err = event.Decode()
	if ready, ok := got.(fencepost.MediaReadyEvent); err != nil || !ok || ready.Data.Name != "a.jpg" {
		t.Fatal(got, err)
	}
}

func TestWallClockTimes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ local, zone, want string }{
		{"2026-07-01 09:00", "UTC", "2026-07-01T09:00:00Z"},
		{"2028-12-31 23:30", "Europe/Berlin", "2028-12-31T23:30:00+01:00"}, // the last day of a leap year
		{"2028-12-31 23:30", "Australia/Sydney", "2028-12-31T23:30:00+11:00"},
		{"2011-12-30 12:00", "Pacific/Apia", "2011-12-31T00:00:00+14:00"}, // a day that the zone skipped
		{"2040-07-01 09:00", "America/New_York", "2040-07-01T09:00:00-04:00"},
	} {
		if got, err := fencepost.At(c.local, c.zone); err != nil || got != c.want {
			t.Errorf("%s %s is %s, %v", c.local, c.zone, got, err)
		}
	}
	for _, c := range [][2]string{
		{"2026-02-30 09:00", "UTC"},
		{"2026-12-01", "UTC"},
		{"2026-12-01T09:00:00Z", "UTC"},
		{"2026-12-01 09:00", ""},
		{"2026-12-01 09:00", "Local"},
		{"0000-01-01 00:00", "UTC"},
	} {
		if got, err := fencepost.At(c[0], c[1]); kindOf(err) != fencepost.KindValidation {
			t.Errorf("%v is %s, %v", c, got, err)
		}
	}
}

func TestDeadlineOfTheCallerIsATimeout(t *testing.T) {
	t.Parallel()
	var tries atomic.Int32
	client := newTestClient(t, fencepost.Options{}, func(_ http.ResponseWriter, r *http.Request) {
		tries.Add(1)
		<-r.Context().Done()
	})
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := client.Posts.Get(ctx, "p")
	var failed *fencepost.Error
	if !errors.As(err, &failed) || !failed.Timeout() || failed.Temporary() || !errors.Is(err, context.DeadlineExceeded) || tries.Load() != 1 {
		t.Fatal(err, tries.Load())
	}
}

func TestRealWaitsEndWithTheContext(t *testing.T) {
	t.Parallel()
	client := newTestClient(t, fencepost.Options{}, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "60")
		w.WriteHeader(http.StatusServiceUnavailable)
	})
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	began := time.Now()
	if _, err := client.Posts.Get(ctx, "p"); kindOf(err) != fencepost.KindTimeout || time.Since(began) > 10*time.Second {
		t.Fatal(err)
	}
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	t.Parallel()
	client := newTestClient(t, fencepost.Options{}, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/other", http.StatusFound)
	})
	_, err := client.Posts.Get(t.Context(), "p")
	var failed *fencepost.Error
	if !errors.As(err, &failed) || failed.Status != http.StatusFound {
		t.Fatal(err)
	}
}

func TestResponseHeaderAndConditions(t *testing.T) {
	t.Parallel()
	client := newTestClient(t, fencepost.Options{}, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"7"`)
		if r.Header.Get("If-None-Match") == `"7"` {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		_, _ = io.WriteString(w, `{"id":"p"}`)
	})
	var header http.Header
	if _, err := client.Posts.Get(t.Context(), "p", fencepost.ResponseHeader(&header)); err != nil || header.Get("ETag") != `"7"` {
		t.Fatal(header, err)
	}
	_, err := client.Posts.Get(t.Context(), "p", fencepost.IfNoneMatch(header.Get("ETag")))
	var failed *fencepost.Error
	if !errors.As(err, &failed) || failed.Status != http.StatusNotModified {
		t.Fatal(err)
	}
}

// TestSlowUploadsAreNoTimeout sends a body that moves longer than the time-out of a try.
func TestSlowUploadsAreNoTimeout(t *testing.T) {
	t.Parallel()
	content := strings.Repeat("x", 40<<20)
	mux := http.NewServeMux()
	var base string
	mux.HandleFunc("POST /v1/media/uploads", func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(map[string]any{"mediaId": "m", "method": "PUT", "uploadUrl": base + "/store", "headers": map[string]string{}})
	})
	mux.HandleFunc("PUT /store", func(w http.ResponseWriter, r *http.Request) {
		part := make([]byte, 1<<20)
		for {
			n, err := io.ReadFull(r.Body, part)
			<-time.After(100 * time.Millisecond)
			if err != nil {
				if !errors.Is(err, io.EOF) || n != 0 {
					w.WriteHeader(http.StatusForbidden)
				}
				return
			}
		}
	})
	mux.HandleFunc("POST /v1/media/uploads/m/complete", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"id":"m"}`)
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	base = server.URL
	client, err := fencepost.New(fencepost.Options{URL: base, APIKey: "k", Timeout: 3 * time.Second, MaxAttempts: 1})
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	media, err := client.Media.UploadBytes(t.Context(), []byte(content), fencepost.UploadOptions{Name: "a.MP4"})
	if err != nil || media.ID != "m" || time.Since(began) < 3*time.Second {
		t.Fatal(media, err, time.Since(began))
	}
	_, err = client.Media.UploadFile(t.Context(), "/does/not/exist.jpg", fencepost.UploadOptions{})
	if kindOf(err) != fencepost.KindValidation || !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
}

func TestCardsOfABoard(t *testing.T) {
	t.Parallel()
	client := newTestClient(t, fencepost.Options{}, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("cursor") == "" {
			_, _ = io.WriteString(w, `{"cards":[{"id":"1"},{"id":"2"}],"nextCursor":"c"}`)
			return
		}
		_, _ = io.WriteString(w, `{"cards":[{"id":"3"}],"nextCursor":null}`)
	})
	var ids string
	for card, err := range client.Ideas.ListCards(t.Context(), "b", fencepost.GetIdeaBoardParams{Limit: 2}) {
		if err != nil {
			t.Fatal(err)
		}
		ids += card.ID
	}
	if ids != "123" {
		t.Fatal(ids)
	}
}

// TestSignedWebhooksAreGenuine signs as the service does: both signatures are valid, for the body and the time alone.
func TestSignedWebhooksAreGenuine(t *testing.T) {
	t.Parallel()
	const secret = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="
	body := []byte(`{"id":"evt_1","type":"post.published"}`)
	event := fencepost.Event{ID: "evt_1", Type: fencepost.EventTypePostPublished}
	for _, without := range []string{"X-Service-Signature", "Webhook-Signature"} {
		header := http.Header{}
		if err := fencepost.SignWebhook(header, event, body, secret, time.Now()); err != nil {
			t.Fatal(err)
		}
		header.Del(without)
		got, err := fencepost.VerifyWebhook(header, body, secret)
		if err != nil || got.ID != "evt_1" {
			t.Fatalf("without %s: %v %v", without, got, err)
		}
		if _, err := fencepost.VerifyWebhook(header, append(body, ' '), secret); kindOf(err) != fencepost.KindSignature {
			t.Fatalf("another body is genuine: %v", err)
		}
	}
	if err := fencepost.SignWebhook(http.Header{}, event, body, "whsec_!", time.Now()); kindOf(err) != fencepost.KindValidation {
		t.Fatalf("an invalid secret signs: %v", err)
	}
}

// TestCredentialOfEachCall calls for a person, whose token changes.
func TestCredentialOfEachCall(t *testing.T) {
	t.Parallel()
	token, sent := "one", []string{}
	client := newTestClient(t, fencepost.Options{
		Credential: func(context.Context) (string, error) {
			if token == "" {
				return "", errors.New("signed out")
			}
			return token, nil
		},
	}, func(w http.ResponseWriter, r *http.Request) {
		sent = append(sent, r.Header.Get("Authorization"))
		w.WriteHeader(http.StatusNoContent)
	})
	for _, token = range []string{"one", "two"} {
		var into map[string]any
		if err := client.Request(t.Context(), http.MethodDelete, "/v1/x", nil, nil, &into); err != nil || into != nil {
			t.Fatalf("an empty response: %v %v", into, err)
		}
	}
	token = ""
	if err := client.Request(t.Context(), http.MethodDelete, "/v1/x", nil, nil, nil); err == nil || len(sent) != 2 {
		t.Fatalf("sent without a credential: %v %v", sent, err)
	}
	if sent[0] != "Bearer one" || sent[1] != "Bearer two" {
		t.Fatal(sent)
	}
}

// TestFollowingWithFilters sends them with each page, and returns the events as they were.
func TestFollowingWithFilters(t *testing.T) {
	t.Parallel()
	var queries []string
	client := newTestClient(t, fencepost.Options{}, func(w http.ResponseWriter, r *http.Request) {
		queries = append(queries, r.URL.RawQuery)
		if r.URL.Query().Get("cursor") == "" {
			fmt.Fprint(w, `{"data":[{"id":"evt_1","sequence":1,"unknown":[1.0]}],"nextCursor":"c1","hasMore":true}`)
			return
		}
		fmt.Fprint(w, `{"data":[{"id":"evt_2","sequence":2}],"nextCursor":"c2","hasMore":false}`)
	})
	var got []string
	for followed, err := range client.Events.FollowWith(t.Context(), fencepost.ListEventsParams{Type: "post.published"}, time.Millisecond) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, string(followed.Raw)+followed.Cursor)
		if len(got) == 2 {
			break
		}
	}
	if got[0] != `{"id":"evt_1","sequence":1,"unknown":[1.0]}c1` || got[1] != `{"id":"evt_2","sequence":2}c2` {
		t.Fatal(got)
	}
	if queries[0] != "type=post.published" || queries[1] != "cursor=c1&type=post.published" {
		t.Fatal(queries)
	}
}

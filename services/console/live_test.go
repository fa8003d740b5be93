package main

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/console/internal/live"
	"fencepost.internal/shared/domain/event"
	"fencepost.internal/shared/domain/member"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/ident"
)

// stream is an open stream of changes.
type stream struct {
	status   int
	header   http.Header
	messages chan message // closed at its end
	close    context.CancelFunc
}

type message struct {
	kind, id string
	data     map[string]any
}

// watch opens a stream of changes, with the position of the last message that the browser has.
func (br *browser) watch(t *testing.T, path, last string) stream {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, br.base+path, http.NoBody)
	require.NoError(t, err)
	if last != "" {
		r.Header.Set("Last-Event-ID", last)
	}
	response, err := br.Do(r) //nolint:bodyclose // the goroutine closes it
	require.NoError(t, err)
	s := stream{status: response.StatusCode, header: response.Header, messages: make(chan message, 100), close: cancel}
	go func() {
		defer close(s.messages)
		defer func() { _ = response.Body.Close() }()
		var m message
		for lines := bufio.NewScanner(response.Body); lines.Scan(); {
			name, value, _ := strings.Cut(lines.Text(), ": ")
			switch name {
			case "event":
				m.kind = value
			case "id":
				m.id = value
			case "data":
				_ = json.Unmarshal([]byte(value), &m.data)
			case "":
				s.messages <- m
				m = message{}
			}
		}
	}()
	return s
}

// next returns the next message other than a beat; the zero message at the end of the stream.
func (s stream) next(t *testing.T) message {
	t.Helper()
	late := time.After(20 * time.Second)
	for {
		select {
		case m := <-s.messages:
			if m.kind != "beat" {
				return m
			}
		case <-late:
			require.FailNow(t, "no message arrived")
		}
	}
}

// happens adds an event about a post to the log and numbers it.
func (b *bundle) happens(t *testing.T, of ident.Workspace, typ event.Type, data any) {
	t.Helper()
	e, err := event.New(of, typ, b.clock.Now(), data)
	require.NoError(t, err)
	events := postgres.NewEvents(b.db)
	require.NoError(t, events.Insert(t.Context(), e, ident.Webhook{}))
	_, _, err = events.FanOut(t.Context(), 1000)
	require.NoError(t, err)
}

func TestChangesArrive(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours, theirs := b.furnish(t, "Ours"), b.furnish(t, "Theirs")
	br := b.browser(t)
	br.signInAs(t, b.membership(t, ours.workspace, member.Viewer).Email)
	path := filled("/w/{workspace}/live", ours.wildcards)
	s := br.watch(t, path, "")
	require.Equal(t, http.StatusOK, s.status)
	require.Equal(t, "text/event-stream", s.header.Get("Content-Type"))
	first := s.next(t)
	require.Equal(t, "hello", first.kind)
	post, other := ident.New[ident.Post](), ident.New[ident.Post]()
	channel := ident.New[ident.Channel]()
	b.happens(t, theirs.workspace.ID, event.PostCreated, event.PostData{PostID: other})
	b.happens(t, ours.workspace.ID, event.LeadCreated, event.LeadData{})
	b.happens(t, ours.workspace.ID, event.PostApproved, event.ApprovalData{PostData: event.PostData{PostID: post}})
	got := s.next(t)
	require.Equal(t, "change", got.kind)
	require.Equal(t, map[string]any{"posts": []any{post.String()}, "approvals": []any{post.String()}}, got.data)
	b.happens(t, ours.workspace.ID, event.ChannelDisconnected, event.ChannelData{ChannelID: channel})
	require.Equal(t, map[string]any{"channels": []any{channel.String()}}, s.next(t).data)
	s.close()

	b.happens(t, ours.workspace.ID, event.PostDeleted, event.PostData{PostID: other})
	for _, again := range []stream{br.watch(t, path, got.id), br.watch(t, path+"?after="+got.id, "")} {
		require.Equal(t, "hello", again.next(t).kind)
		missed := again.next(t)
		require.Equal(t, map[string]any{"posts": []any{other.String()}, "channels": []any{channel.String()}}, missed.data)
		again.close()
	}
	require.Regexp(t, `data-live="`+path+`\?after=[1-9]`, br.visited(t, filled("/w/{workspace}/posts", ours.wildcards)).body)
}

// TestStreamLimitsMissedChanges asks for more changes than one message names.
func TestStreamLimitsMissedChanges(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours := b.furnish(t, "Ours")
	br := b.browser(t)
	br.signInAs(t, b.membership(t, ours.workspace, member.Viewer).Email)
	const missed = 500
	for range missed {
		e, err := event.New(ours.workspace.ID, event.PostCreated, b.clock.Now(), event.PostData{})
		require.NoError(t, err)
		require.NoError(t, postgres.NewEvents(b.db).Insert(t.Context(), e, ident.Webhook{}))
	}
	b.happens(t, ours.workspace.ID, event.PostCreated, event.PostData{})
	s := br.watch(t, filled("/w/{workspace}/live", ours.wildcards), "0")
	require.Equal(t, "hello", s.next(t).kind)
	require.Equal(t, map[string]any{"all": true}, s.next(t).data)
}

// TestStreamsEnd ends streams with the session, with the membership, and with the program.
func TestStreamsEnd(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours := b.furnish(t, "Ours")
	site, err := New(b.config)
	require.NoError(t, err)
	b.server.Config.Handler = site.Handler()
	path := filled("/w/{workspace}/live", ours.wildcards)
	open := func() (*browser, ident.User, stream) {
		person := b.membership(t, ours.workspace, member.Viewer)
		br := b.browser(t)
		br.signInAs(t, person.Email)
		s := br.watch(t, path, "")
		require.Equal(t, "hello", s.next(t).kind)
		return br, person.ID, s
	}
	_, stays, staying := open()
	_, ends, ending := open()
	postgrestest.Exec(t, b.dsn, `DELETE FROM user_session WHERE user_id = $1`, ends)
	require.Equal(t, "goodbye", ending.next(t).kind)
	require.Empty(t, ending.next(t).kind)
	remaining, leaves, leaving := open()
	_, err = b.users.Leave(t.Context(), leaves, ours.workspace.ID, b.clock.Now())
	require.NoError(t, err)
	require.Equal(t, "goodbye", leaving.next(t).kind)
	require.Empty(t, leaving.next(t).kind)
	require.Equal(t, http.StatusNotFound, remaining.get(t, path).status)

	b.happens(t, ours.workspace.ID, event.PostDeleted, event.PostData{PostID: ident.New[ident.Post]()})
	require.Equal(t, "change", staying.next(t).kind, "others keep their stream: %s", stays)
	site.Drain()
	require.Empty(t, staying.next(t).kind)
	br := b.browser(t)
	br.signInAs(t, b.membership(t, ours.workspace, member.Viewer).Email)
	require.Equal(t, http.StatusServiceUnavailable, br.get(t, path).status)
}

// TestStreamsNameRecentConversations opens a second page after a conversation changed: the stream of the first page has
// reported it, and that of the second reports it again.
func TestStreamsNameRecentConversations(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours := b.furnish(t, "Ours")
	br := b.browser(t)
	br.signInAs(t, b.membership(t, ours.workspace, member.Viewer).Email)
	path := filled("/w/{workspace}/live", ours.wildcards)
	first := br.watch(t, path, "")
	require.Equal(t, "hello", first.next(t).kind)
	postgrestest.Exec(t, b.dsn, `UPDATE conversation SET changed_at = now() WHERE id = $1`, ours.wildcards["conversation"])
	want := map[string]any{"conversations": []any{ours.wildcards["conversation"]}}
	require.Equal(t, want, first.next(t).data)
	second := br.watch(t, path, "")
	require.Equal(t, "hello", second.next(t).kind)
	require.Equal(t, want, second.next(t).data)
}

// counted counts the reads of the event log.
type counted struct {
	live.Feed

	reads atomic.Int64
}

func (c *counted) List(
	ctx context.Context, workspace ident.Workspace, filter postgres.EventFilter,
) ([]postgres.LoggedEvent, error) {
	c.reads.Add(1)
	return c.Feed.List(ctx, workspace, filter)
}

// TestStreamsShareReads opens the streams of many people: the number of reads is that of one, and each person has a
// limit.
func TestStreamsShareReads(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours := b.furnish(t, "Ours")
	feed := &counted{Feed: b.config.Events}
	b.server.Config.Handler = b.site(t, func(cfg *Config) {
		cfg.Events, cfg.LiveEvery = feed, 100*time.Millisecond
	})
	path := filled("/w/{workspace}/live", ours.wildcards)
	var streams []stream
	const people, most = 3, 12
	for range people {
		br := b.browser(t)
		br.signInAs(t, b.membership(t, ours.workspace, member.Viewer).Email)
		for range most {
			s := br.watch(t, path, "")
			require.Equal(t, "hello", s.next(t).kind)
			streams = append(streams, s)
		}
		require.Equal(t, http.StatusTooManyRequests, br.get(t, path).status)
		streams[len(streams)-1].close()
		require.Eventually(t, func() bool {
			s := br.watch(t, path, "")
			streams = append(streams, s)
			return s.status == http.StatusOK
		}, 10*time.Second, 10*time.Millisecond)
	}
	before, started := feed.reads.Load(), time.Now()
	<-time.After(time.Second)
	reads, most10 := feed.reads.Load()-before, int64(time.Since(started)/(100*time.Millisecond))+1
	require.Positive(t, reads)
	require.LessOrEqual(t, reads, most10)
	for _, s := range streams {
		s.close()
	}
	require.Eventually(t, func() bool { // without viewers, nothing is read
		before := feed.reads.Load()
		<-time.After(300 * time.Millisecond)
		return feed.reads.Load() == before
	}, 10*time.Second, time.Millisecond)
}

// TestStreamsExceedServerTimeouts serves with the time limits of the program, shortened.
func TestStreamsExceedServerTimeouts(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours := b.furnish(t, "Ours")
	server := httptest.NewUnstartedServer(b.server.Config.Handler)
	server.Config.ReadTimeout, server.Config.WriteTimeout = 300*time.Millisecond, 300*time.Millisecond
	server.Start()
	t.Cleanup(server.Close)
	br := b.browser(t)
	br.signInAs(t, b.membership(t, ours.workspace, member.Viewer).Email)
	br.base = server.URL // cookies have no port
	s := br.watch(t, filled("/w/{workspace}/live", ours.wildcards), "")
	require.Equal(t, "hello", s.next(t).kind)
	<-time.After(time.Second)
	b.happens(t, ours.workspace.ID, event.PostDeleted, event.PostData{PostID: ident.New[ident.Post]()})
	require.Equal(t, "change", s.next(t).kind)
}

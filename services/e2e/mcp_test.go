package e2e_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	fencepost "fencepost.internal/sdk/go"
	"fencepost.internal/services/e2e/harness"
	"fencepost.internal/shared/domain/channel"
)

// TestAgentsCallEveryTool calls every tool. Each call goes to another replica than the previous one, so every replica must see
// the other's changes.
func TestAgentsCallEveryTool(t *testing.T) {
	t.Parallel()
	s := running(t)
	s.Start("pages", "").Ready()
	tools := s.StartTools(2)
	a := connected(t, s, s.MCPURL, "")
	x := a.channel(channel.Twitter)
	require.Equal(t, s.Channels[channel.Twitter].ID.String(), x)
	a.publishesAnApprovedPost(s, x)
	a.changesItsMind(s, x)
	a.editsAPage(s)
	a.pinsToASection(s)
	berlin := inBerlin(t, s)
	for _, one := range tasks() {
		one.do(&job{agent: a, s: s, zone: berlin})
	}

	all, err := a.Tools(t.Context())
	require.NoError(t, err)
	require.Len(t, all, 27)
	require.Empty(t, slices.DeleteFunc(all, func(name string) bool { return a.called[name] }), "never called")
	retried, _ := tools.Retried()
	require.Zero(t, retried)
	for i := range tools.Replicas {
		require.Greater(t, tools.Responded(i), 10)
	}
}

// pinsToASection pins to a section of a board, as the agent finds both.
func (a *agent) pinsToASection(s *harness.System) {
	a.t.Helper()
	pinterest := s.Channels[channel.Pinterest].ID.String()
	type found struct {
		Data     []fencepost.PinterestBoard  `json:"data"`
		Sections []struct{ ID, Name string } `json:"sections"`
	}
	boards := does[found](a, "list_boards", args{"channelId": pinterest})
	require.Nil(a.t, boards.Sections)
	board := boards.Data[0]
	inside := does[found](a, "list_boards", args{"channelId": pinterest, "boardId": board.ID})
	require.Equal(a.t, []fencepost.PinterestBoard{board}, inside.Data)
	require.Len(a.t, inside.Sections, 2)
	section := inside.Sections[1]
	require.Equal(a.t, "Done", section.Name)
	picture := s.Upload("pin.jpg", "image/jpeg", harness.Picture(a.t, 9)).ID
	created := does[postsCreated](a, "create_post", args{
		"channelIds": []string{pinterest}, "content": "A pin in a section", "mediaIds": []string{picture},
		"options": args{"boardId": board.ID, "boardSectionId": section.ID}, "schedule": "now",
	})
	a.published(created.Posts[0].ID)
	seen := s.Sandbox.Accepted("A pin in a section")
	require.Len(a.t, seen, 1)
	require.Equal(a.t, section.ID, seen[0].Details["Section"])
	for _, unknown := range []string{"1", "../pins"} {
		_, err := call[any](a.t.Context(), a.Agent, "list_boards", args{"channelId": pinterest, "boardId": unknown})
		require.ErrorContains(a.t, err, "NOT_FOUND")
	}
}

// channel returns the id of a channel of the workspace.
func (a *agent) channel(typ channel.Type) string {
	a.t.Helper()
	does[any](a, "get_analytics", nil)
	found := does[channelsFound](a, "list_channels", nil)
	for _, c := range found.Data {
		if c.Type == string(typ) {
			require.True(a.t, c.Capabilities.Publish)
			return c.ID
		}
	}
	require.Fail(a.t, "no such channel", "%s in %+v", typ, found)
	return ""
}

// publishesAnApprovedPost creates a post with an image, which is approved and published at its time.
func (a *agent) publishesAnApprovedPost(s *harness.System, channelID string) {
	a.t.Helper()
	picture := harness.Picture(a.t, 5)
	started := does[fencepost.MediaUpload](a, "create_media_upload",
		args{"fileName": "harbour.jpg", "contentType": "image/jpeg", "sizeBytes": len(picture)})
	s.Put(started, picture, http.StatusOK)
	asset := does[mediaCreated](a, "complete_media_upload", args{"mediaId": started.MediaID}).Media
	require.Equal(a.t, int64(len(picture)), asset.Size)

	const text = "The harbour this morning \u2693"
	draft := args{
		"channelIds": []string{channelID}, "content": text, "mediaIds": []string{asset.ID}, "idempotencyKey": "the-harbour",
	}
	created := does[postsCreated](a, "create_post", draft)
	require.Len(a.t, created.Posts, 1)
	id := created.Posts[0].ID
	require.Equal(a.t, fencepost.PostStatusDraft, created.Posts[0].Status)
	again := does[postsCreated](a, "create_post", draft) // at the other replica
	require.False(a.t, created.Replayed)
	require.True(a.t, again.Replayed)
	require.Equal(a.t, created.Posts, again.Posts)

	require.Equal(a.t, fencepost.PostStatusPendingApproval,
		does[postChanged](a, "request_approval", args{"postId": id}).Post.Status)
	require.Equal(a.t, fencepost.PostStatusDraft,
		does[postChanged](a, "reject_post", args{"postId": id, "comment": "Not before it is light."}).Post.Status)
	does[postChanged](a, "request_approval", args{"postId": id})
	require.Equal(a.t, fencepost.PostStatusDraft, does[postChanged](a, "approve_post", args{"postId": id}).Post.Status,
		"it had no publish time")
	at := time.Now().Add(time.Second).Truncate(time.Millisecond)
	require.Equal(a.t, fencepost.PostStatusScheduled,
		does[postChanged](a, "schedule_post", args{"postId": id, "scheduledAt": harness.At(at)}).Post.Status)
	out := a.published(id)
	require.False(a.t, out.PublishedAt.Before(at), "early")
	seen := s.Sandbox.Accepted(text)
	require.Len(a.t, seen, 1)
	require.Equal(a.t, picture, s.Sandbox.Bytes(seen[0].Media[0]))
	require.NotEmpty(a.t, *out.PostURL)
	history, err := s.API.Posts.GetTimeline(a.t.Context(), id)
	require.NoError(a.t, err)
	require.Equal(a.t, *history, does[fencepost.Timeline](a, "get_post_timeline", args{"postId": id}))
}

// changesItsMind unschedules a post and then publishes it immediately.
func (a *agent) changesItsMind(s *harness.System, channelID string) {
	a.t.Helper()
	const text = "Tomorrow, or now"
	later := harness.At(time.Now().Add(time.Hour))
	created := does[postsCreated](a, "create_post", args{"channelIds": []string{channelID}, "content": text, "schedule": later})
	id := created.Posts[0].ID
	require.Equal(a.t, fencepost.PostStatusScheduled, created.Posts[0].Status)
	require.Equal(a.t, fencepost.PostStatusDraft, does[postChanged](a, "unschedule_post", args{"postId": id}).Post.Status)
	does[postChanged](a, "publish_post", args{"postId": id})
	a.published(id)
	require.Equal(a.t, 1, s.Sandbox.Count(text))
	refused := new(harness.Refused)
	_, err := call[postChanged](a.t.Context(), a.Agent, "unschedule_post", args{"postId": id})
	require.ErrorAs(a.t, err, &refused)
	require.Equal(a.t, "INVALID_STATE", refused.Code)
	require.NotEmpty(a.t, refused.Next)
}

// editsAPage adds a block to a link page and checks that visitors see it.
func (a *agent) editsAPage(s *harness.System) {
	a.t.Helper()
	created, err := s.API.LinkPages.Create(a.t.Context(), fencepost.CreateLinkPageRequest{Handle: "harbour", Title: "The harbour"})
	require.NoError(a.t, err)
	id := created.ID
	listed := does[fencepost.LinkPageList](a, "list_link_pages", nil)
	require.Len(a.t, listed.Data, 1)
	require.Equal(a.t, id, listed.Data[0].ID)
	block := args{
		"pageId": id, "type": "LINK", "settings": args{"title": "Timetable", "url": "https://ferry.example/"},
		"idempotencyKey": "timetable",
	}
	added := does[blockCreated](a, "add_link_block", block)
	require.True(a.t, does[blockCreated](a, "add_link_block", block).Replayed)
	changed := does[blockCreated](a, "update_link_block", args{
		"pageId": id, "blockId": added.Block.ID, "expectedRevision": added.Revision,
		"settings": args{"title": "Ferries today"},
	})
	page := does[pageFound](a, "get_link_page", args{"pageId": id}).Page
	require.Len(a.t, page.Blocks, 1)
	require.EqualValues(a.t, changed.Revision, page.Revision)
	require.Equal(a.t, s.PagesURL+"/harbour", page.URL)
	require.Equal(a.t, fencepost.LinkPageStatusPublished,
		does[pageFound](a, "publish_link_page", args{"pageId": id, "expectedRevision": changed.Revision}).Page.Status)
	require.EventuallyWithT(a.t, func(c *assert.CollectT) {
		got, err := visit(a.t.Context(), s.PagesURL+"/harbour")
		require.NoError(c, err)
		require.Contains(c, got.body, "Ferries today")
	}, live, 50*time.Millisecond)
}

// TestToolCallsSurviveRestart lets agents of every protocol revision call two replicas in turn while one of them is
// terminated and restarted. No call may fail or be performed twice, and every response must belong to its call.
func TestToolCallsSurviveRestart(t *testing.T) {
	t.Parallel()
	s := harness.New(t, harness.Options{})
	s.Start("api", "").Ready()
	tools := s.StartTools(2)
	const clients, calls = 16, 1000
	var done, drafts atomic.Int64
	var back atomic.Bool // whether the restarted replica responds again
	working, ctx := errgroup.WithContext(t.Context())
	for i := range clients {
		revision := harness.Revisions()[i%len(harness.Revisions())]
		w := &mixed{
			agent: connected(t, s, s.MCPURL, revision).Agent, channels: len(s.Channels), name: fmt.Sprintf("client %d", i),
			channel: s.Channels[channel.Threads].ID.String(), drafts: &drafts,
		}
		working.Go(func() error {
			for n := 0; done.Add(1) <= calls || !back.Load(); n++ {
				if err := w.call(ctx, n); err != nil {
					return fmt.Errorf("%s, revision %s, call %d: %w", w.name, revision, n, err)
				}
			}
			return nil
		})
	}
	restarted := make(chan struct{})
	go func() {
		defer close(restarted)
		restart(ctx, tools, &done, calls/3)
		back.Store(true)
	}()
	require.NoError(t, working.Wait())
	<-restarted
	require.Equal(t, []int{2, 1}, []int{tools.Replicas[0].Starts(), tools.Replicas[1].Starts()})
	require.Contains(t, tools.Replicas[0].WholeLog(), "mcp ended: gracefully")
	retried, broken := tools.Retried()
	t.Logf("%d calls, %d and %d requests answered; %d were sent elsewhere, %d of them after the connection broke",
		done.Load(), tools.Responded(0), tools.Responded(1), retried, broken)
	require.Positive(t, retried, "the replica was not asked while it was away")
	require.LessOrEqual(t, broken, clients, "a replica that ends answers what it has begun")
	var listed int64
	one := connected(t, s, s.MCPURL, "")
	for cursor := ""; ; {
		requested := args{"limit": 100}
		if cursor != "" {
			requested["cursor"] = cursor
		}
		page := does[postsFound](one, "list_posts", requested)
		listed += int64(len(page.Data))
		if page.NextCursor == nil {
			break
		}
		cursor = *page.NextCursor
	}
	require.Equal(t, drafts.Load(), listed, "every draft that was answered was made, once")
}

// restart terminates the first replica gracefully after the given number of calls has started, and waits until it
// responds again.
func restart(ctx context.Context, tools *harness.Tools, done *atomic.Int64, after int64) {
	const some = 30
	ticks := time.NewTicker(5 * time.Millisecond)
	defer ticks.Stop()
	signalled, before := false, 0
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticks.C:
		}
		switch {
		case !signalled && done.Load() > after:
			signalled = true
			tools.Replicas[0].Signal(syscall.SIGTERM)
		case tools.Replicas[0].Starts() == 1:
			before = tools.Responded(0)
		case tools.Responded(0) > before+some:
			return
		}
	}
}

// mixed is one of many agents that call different tools.
type mixed struct {
	agent    *harness.Agent
	name     string
	channel  string
	channels int // of the workspace
	drafts   *atomic.Int64
	last     fencepost.Post
}

// call makes the n-th call and checks its response.
func (m *mixed) call(ctx context.Context, n int) error {
	switch n % 5 {
	case 0:
		return m.draft(ctx, n)
	case 1:
		page, err := call[postsFound](ctx, m.agent, "list_posts", args{"postId": m.last.ID})
		return holds(err, len(page.Data) == 1 && page.Data[0].ID == m.last.ID && page.Data[0].Content == m.last.Content, page)
	case 2:
		changed, err := call[postChanged](ctx, m.agent, "request_approval", args{"postId": m.last.ID})
		return holds(err, changed.Post.ID == m.last.ID && changed.Post.Status == fencepost.PostStatusPendingApproval, changed)
	case 3:
		found, err := call[channelsFound](ctx, m.agent, "list_channels", nil)
		return holds(err, len(found.Data) == m.channels, found)
	default:
		_, err := call[postChanged](ctx, m.agent, "schedule_post",
			args{"postId": m.last.ID, "scheduledAt": harness.At(time.Now().Add(time.Hour))})
		refused := new(harness.Refused)
		if !errors.As(err, &refused) {
			return fmt.Errorf("a pending post was scheduled: %w", err)
		}
		return holds(nil, refused.Code == "INVALID_STATE", refused)
	}
}

func (m *mixed) draft(ctx context.Context, n int) error {
	text := fmt.Sprintf("%s, post %d", m.name, n)
	created, err := call[postsCreated](ctx, m.agent, "create_post", args{"channelIds": []string{m.channel}, "content": text})
	if err := holds(err, len(created.Posts) == 1 && created.Posts[0].Content == text && !created.Replayed, created); err != nil {
		return err
	}
	m.last = created.Posts[0]
	m.drafts.Add(1)
	return nil
}

// holds returns an error unless the call succeeded with the expected response.
func holds(err error, right bool, response any) error {
	if err == nil && !right {
		return fmt.Errorf("a wrong answer: %+v", response)
	}
	return err
}

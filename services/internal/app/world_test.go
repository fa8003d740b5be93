package app_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/channel/slot"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/flow/postflow"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// world is a workspace with its model.
type world struct {
	*bundle
	*model

	t        *rapid.T
	ctx      context.Context //nolint:containedctx // of the test, valid as long as the world
	client   app.Principal
	accounts []channel.Channel
	ids      []ident.Post // by the model's number
	seen     int          // number of compared events
	carried  int64        // id of the last compared outbox row
}

func newWorld(ctx context.Context, t *rapid.T, b *bundle, reached map[string]int) *world {
	b.clock.Set(start)
	w := &world{
		bundle: b, t: t, ctx: ctx, client: b.tenant(ctx, t),
		model: &model{now: start, reached: reached, channels: []*modelChannel{{connected: true}, {connected: true}}},
	}
	var daily []slot.Slot
	for weekday := range 7 {
		daily = append(daily, slot.Slot{Weekday: time.Weekday(weekday), Hour: 9},
			slot.Slot{Weekday: time.Weekday(weekday), Hour: 18})
	}
	w.accounts = []channel.Channel{b.channel(ctx, t, w.client, "UTC", daily...), b.channel(ctx, t, w.client, "UTC")}
	last, err := strconv.ParseInt(b.rows.Column(ctx, t, `SELECT COALESCE(max(id), 0) FROM outbox`)[0], 10, 64)
	require.NoError(t, err)
	w.carried = last
	return w
}

func (w *world) pass(d time.Duration) {
	w.now = w.now.Add(d)
	w.clock.Set(w.now)
}

func (w *world) id(p *modelPost) ident.Post { return w.ids[p.number] }

// agrees compares the error of an action, and then the whole visible state, with the model.
func (w *world) agrees(want refusal, err error) {
	var got refusal
	if err != nil {
		var e *apperr.Error
		require.ErrorAs(w.t, err, &e)
		got = refusal{code: string(e.Code), status: e.CurrentStatus}
	}
	require.Equal(w.t, want, got, "%v", err)
	w.comparePosts()
	w.compareEvents()
	w.compareOutbox()
}

// responded is agrees for actions that return the changed post.
func (w *world) responded(p *modelPost, want refusal, got post.Post, err error) {
	w.agrees(want, err)
	if err == nil {
		require.Equal(w.t, viewOf(p), w.view(got))
	}
}

// view holds the properties that model and service have in common.
type view struct {
	number, channel           int
	status, before, content   string
	at, published, updated    time.Time
	url, approval, comment    string
	failure                   map[string]any
	plan                      int
	claimed, waits, hasWaited bool
}

func viewOf(p *modelPost) view {
	return view{
		number: p.number, channel: p.channel, status: p.status, before: p.before, content: p.content, at: p.at,
		published: p.published,
		updated:   p.updated, url: p.url, approval: p.approval, comment: p.comment, failure: p.failure, plan: p.plan,
		claimed: p.claimed,
		waits:   p.status == "SCHEDULED", hasWaited: p.waits,
	}
}

func (w *world) view(p post.Post) view {
	v := view{
		number: slices.Index(w.ids, p.ID), channel: w.channelOf(p.ChannelID.String()), status: string(p.Status),
		before:  string(p.ArchivedFrom),
		content: p.Content, at: p.ScheduledAt, published: p.PublishedAt, updated: p.UpdatedAt, url: p.PostURL,
		plan:    p.Revision,
		claimed: !p.PublishingSince.IsZero(), waits: p.EffectiveWaiting() != nil, hasWaited: p.Waiting != nil,
	}
	if p.Error != nil {
		v.failure = map[string]any{"code": p.Error.Code, "message": p.Error.Message, "retryable": p.Error.Retryable}
	}
	if p.Approval != nil {
		v.approval, v.comment = string(p.Approval.Status), p.Approval.Comment
	}
	return v
}

func (w *world) channelOf(id string) int {
	return slices.IndexFunc(w.accounts, func(c channel.Channel) bool { return c.ID.String() == id })
}

func (w *world) comparePosts() {
	got, err := w.Posts(w.ctx, w.client, postgres.PostFilter{Limit: 100})
	require.NoError(w.t, err)
	var want []view
	for _, p := range w.posts {
		if !p.gone {
			want = append(want, viewOf(p))
		}
	}
	slices.Reverse(want) // newest first
	require.Len(w.t, got, len(want))
	for i := range got {
		require.Equal(w.t, want[i], w.view(got[i]))
	}
}

func (w *world) compareEvents() {
	bodies := w.rows.Column(w.ctx, w.t,
		`SELECT convert_from(body, 'UTF8') FROM event WHERE workspace_id = $1 ORDER BY id OFFSET $2`,
		w.client.WorkspaceID.String(), w.seen)
	for _, body := range bodies {
		var got map[string]any
		require.NoError(w.t, json.Unmarshal([]byte(body), &got))
		require.Regexp(w.t, `^evt_[0-9a-f-]{36}$`, got["id"])
		require.Equal(w.t, w.client.WorkspaceID.String(), got["workspaceId"])
		delete(got, "id")
		delete(got, "workspaceId")
		data, ok := got["data"].(map[string]any)
		require.True(w.t, ok)
		data["postId"], data["channelId"] = w.numberOf(data["postId"]), w.channelOf(text(data["channelId"]))
		require.Regexp(w.t, `^[0-9a-f-]{36}$`, data["groupId"])
		delete(data, "groupId")
		require.Greater(w.t, len(w.events), w.seen, "nothing should have happened: %s", body)
		require.Equal(w.t, w.events[w.seen], got)
		w.seen++
	}
	require.Len(w.t, w.events, w.seen, "events are missing")
}

func (w *world) numberOf(id any) int {
	return slices.IndexFunc(w.ids, func(p ident.Post) bool { return p.String() == text(id) })
}

func text(v any) string {
	s, _ := v.(string)
	return s
}

// compareOutbox compares the new outbox rows. They remain because no relay is running.
func (w *world) compareOutbox() {
	rows := w.rows.Column(w.ctx, w.t, `SELECT jsonb_build_object('id', id, 'kind', kind, 'post', subject, 'plan', payload)
		FROM outbox WHERE id > $1 ORDER BY id`, w.carried)
	for _, row := range rows {
		var message struct {
			ID   int64
			Kind string
			Post ident.Post
			Plan postflow.Plan
		}
		require.NoError(w.t, json.Unmarshal([]byte(row), &message))
		w.carried = message.ID
		require.Equal(w.t, "post", message.Kind)
		plan := message.Plan
		got := map[string]any{
			"post": slices.Index(w.ids, message.Post), "revision": plan.Revision, "status": string(plan.Status),
		}
		if !plan.ScheduledAt.IsZero() {
			got["scheduledAt"] = plan.ScheduledAt.UTC()
		}
		require.NotEmpty(w.t, w.signals, "no workflow should have been signaled: %s", row)
		require.Equal(w.t, w.signals[0], got)
		w.signals = w.signals[1:]
	}
	require.Empty(w.t, w.signals, "workflows were not signaled")
}

// compareStories compares the timelines, except publish attempts and ends of waits, which have times of the database.
func (w *world) compareStories() {
	attempts := []post.EntryKind{
		post.EntryAttemptStarted, post.EntryAttemptFailed, post.EntryAttemptUnknown, post.EntryReconciled,
		post.EntryResumed,
	}
	for _, p := range w.posts {
		entries, err := w.Timeline(w.ctx, w.client, w.id(p))
		if p.gone {
			require.True(w.t, apperr.Is(err, apperr.NotFound))
			continue
		}
		require.NoError(w.t, err)
		var got []string
		for _, e := range entries {
			if !slices.Contains(attempts, e.Kind) {
				got = append(got, string(e.Kind))
			}
		}
		require.Equal(w.t, p.story, got)
	}
}

// operate changes a post as the application does. Only the application can archive posts.
func (w *world) operate(p *modelPost, decide func(post.Post) (post.Change, error)) error {
	before, err := w.Post(w.ctx, w.client, w.id(p))
	if err != nil {
		return err
	}
	change, err := decide(before)
	if err != nil {
		return err
	}
	return w.postStore.Apply(w.ctx, change)
}

// claim claims the post as a worker with a plan. It returns false when there is nothing to claim.
func (w *world) claim(p *modelPost, plan int) (postgres.Job, bool) {
	job, err := w.attempts.Claim(w.ctx, w.id(p), plan)
	if errors.Is(err, postgres.ErrStale) {
		return job, false
	}
	require.NoError(w.t, err)
	return job, true
}

// record makes one attempt as a worker that has claimed the post, and stores its result.
func (w *world) record(
	job postgres.Job, result postgres.AttemptResult, decide func(post.Post) (post.Change, error),
) error {
	result.N = job.Attempt.N + 1
	err := w.attempts.Intend(w.ctx, job, postgres.Intent{N: result.N, Owner: uuid.New()})
	require.NoError(w.t, err)
	change, err := decide(job.Post)
	require.NoError(w.t, err)
	return w.postStore.Record(w.ctx, change, result)
}

// created stores the ids of new posts, in the model's order.
func (w *world) created(want []*modelPost, got []post.Post) {
	for _, p := range got {
		w.ids = append(w.ids, p.ID)
	}
	require.Len(w.t, got, len(want))
	require.Len(w.t, w.ids, len(w.posts))
}

func externalID(p *modelPost) string { return strconv.Itoa(p.number) + "-" + strconv.Itoa(p.plan) }

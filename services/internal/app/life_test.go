package app_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/member"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// TestRandomActionsMatchModel runs random actions of clients, approvers, workers and an operator on the real database. It compares
// every response, post, event and workflow message with an independent model. In the end every cell of the state table
// must have been tried, both accepted and rejected actions.
func TestRandomActionsMatchModel(t *testing.T) {
	t.Parallel()
	b := setup(t)
	reached := make(map[string]int)
	rapid.Check(t, func(rt *rapid.T) {
		w := newWorld(t.Context(), rt, b, reached)
		w.populate()
		rt.Repeat(w.actions())
		rt.Repeat(w.actions()) // often enough that no cell is missed by chance
		w.compareStories()
	})
	if t.Failed() {
		return
	}
	for _, status := range post.Statuses() {
		for _, action := range post.Actions() {
			if action == post.ActionAwait { // of the approval policy, which the model does not change
				continue
			}
			cell := string(status) + " " + string(action)
			require.Positive(t, reached[cell], "%s was never tried", cell)
		}
	}
}

// actions returns the actions of all roles. Each runs after some time or at the same instant as the previous one.
func (w *world) actions() map[string]func(*rapid.T) {
	actions := make(map[string]func(*rapid.T))
	for name, do := range map[string]func(){
		"create": w.someoneCreates, "channel": w.somethingHappensToAChannel, "schedule": w.onAPost(w.schedules),
		"schedule next": w.onAPost(w.schedulesNext), "publish": w.onAPost(w.publishes),
		"unschedule":       w.onAPost(w.unschedules),
		"request approval": w.onAPost(w.requestsApproval), "approve": w.onAPost(w.approves), "reject": w.onAPost(w.rejects),
		"edit": w.onAPost(w.edits), "edit again": w.onAPost(w.edits), "delete": w.onAPost(w.deletes),
		"archive":   w.onAPost(w.archives),
		"unarchive": w.onAPost(w.unarchives), "claim": w.onAPost(w.claims), "complete": w.onAPost(w.completes),
		"fail": w.onAPost(w.fails), "postpone": w.onAPost(w.postpones), "come late": w.onAPost(w.comesLate),
		"take down": w.onAPost(w.takesDown),
	} {
		actions[name] = func(*rapid.T) {
			w.pass(rapid.SampledFrom([]time.Duration{
				0, 0, time.Millisecond, time.Second, 30 * time.Minute, time.Hour, 9 * time.Hour, 24 * time.Hour,
			}).Draw(w.t, "passes"))
			do()
		}
	}
	return actions
}

// onAPost draws a post for an action: first the state, then a post in it, so that rare states are not missed.
func (w *world) onAPost(do func(*modelPost)) func() {
	return func() {
		byState := make(map[string][]*modelPost)
		for _, p := range w.posts {
			state := p.status
			if p.gone {
				state = "gone"
			}
			byState[state] = append(byState[state], p)
		}
		var states []string
		for _, state := range []string{"DRAFT", "PENDING_APPROVAL", "SCHEDULED", "PUBLISHED", "FAILED", "ARCHIVED", "gone"} {
			if len(byState[state]) > 0 {
				states = append(states, state)
			}
		}
		state := rapid.SampledFrom(states).Draw(w.t, "state")
		do(rapid.SampledFrom(byState[state]).Draw(w.t, "post"))
	}
}

// populate creates a post in every state, in the fewest steps.
func (w *world) populate() {
	for range 3 {
		w.creates([]int{0, 1}, "Hello", app.Schedule{})
	}
	w.creates([]int{1}, "Hello", app.Schedule{Kind: app.ScheduleNow})
	w.creates([]int{1}, "Hello", app.Schedule{Kind: app.ScheduleNow})
	w.creates([]int{0}, "Hello", app.Schedule{Kind: app.ScheduleNextSlot})
	w.archives(w.posts[2])
	for i, at := range []time.Time{{}, w.now.Add(time.Hour), w.now.Add(72 * time.Hour)} {
		p := w.posts[3+i]
		w.edit(p, nil, &at)
		_, err := w.EditPost(w.ctx, w.client, w.id(p),
			func(post.Post) (post.Edit, error) { return post.Edit{ScheduledAt: &at}, nil })
		w.agrees(refusal{}, err)
		w.requestsApproval(p)
	}
	w.comes(w.posts[6], nil)
	w.comes(w.posts[7], map[string]any{"code": "REJECTED", "message": "no", "retryable": true})
}

func (w *world) content() string {
	return rapid.SampledFrom([]string{
		"Hello", "Good morning", "Good night", strings.Repeat("long ", 56), strings.Repeat("x", 281), "", " \n",
	}).Draw(w.t, "content")
}

// time draws a publish time: in the future, a slot of tomorrow, now, or in the past.
func (w *world) time() time.Time {
	tomorrow := w.now.Truncate(24 * time.Hour).Add(24 * time.Hour).Sub(w.now)
	return w.now.Add(rapid.SampledFrom([]time.Duration{
		time.Millisecond, time.Hour, 25 * time.Hour, 72 * time.Hour, tomorrow + 9*time.Hour, tomorrow + 18*time.Hour, 0,
		-time.Millisecond, -time.Hour,
	}).Draw(w.t, "at"))
}

func (w *world) someoneCreates() {
	if len(w.posts) > 80 { // limits the posts to one page
		return
	}
	channels := rapid.SampledFrom([][]int{{0}, {1}, {0, 1}, {1, 0}}).Draw(w.t, "channels")
	schedule := app.Schedule{Kind: rapid.SampledFrom([]app.ScheduleKind{
		app.ScheduleDraft, app.ScheduleNow, app.ScheduleNextSlot, app.ScheduleAt,
	}).Draw(w.t, "schedule")}
	if schedule.Kind == app.ScheduleAt {
		schedule.At = w.time()
	}
	w.creates(channels, w.content(), schedule)
}

func (w *world) creates(channels []int, content string, schedule app.Schedule) {
	kind := []string{"draft", "now", "next_slot", "at"}[schedule.Kind]
	want, stop := w.create(channels, content, kind, schedule.At)
	in := app.CreatePosts{Content: content, ContentType: post.ContentPost, MediaIDs: []ident.Media{}, Schedule: schedule}
	for _, c := range channels {
		in.ChannelIDs = append(in.ChannelIDs, w.accounts[c].ID)
	}
	got, err := w.CreatePosts(w.ctx, w.client, in)
	w.created(want, got)
	w.agrees(stop, err)
}

func (w *world) schedules(p *modelPost) {
	at := w.time()
	want := w.schedule(p, at)
	got, err := w.SchedulePost(w.ctx, w.client, w.id(p), at)
	w.responded(p, want, got, err)
}

func (w *world) schedulesNext(p *modelPost) {
	want := w.scheduleNext(p)
	got, err := w.SchedulePostNext(w.ctx, w.client, w.id(p), true)
	w.responded(p, want, got, err)
}

func (w *world) publishes(p *modelPost) {
	want := w.publish(p)
	got, err := w.PublishPost(w.ctx, w.client, w.id(p))
	w.responded(p, want, got, err)
}

func (w *world) unschedules(p *modelPost) {
	want := w.unschedule(p)
	got, err := w.UnschedulePost(w.ctx, w.client, w.id(p))
	w.responded(p, want, got, err)
}

func (w *world) requestsApproval(p *modelPost) {
	want := w.requestApproval(p)
	got, err := w.RequestApproval(w.ctx, w.client, w.id(p))
	w.responded(p, want, got, err)
}

func (w *world) comments() string {
	return rapid.SampledFrom([]string{"", "Well done.", "No, \"thank\" you."}).Draw(w.t, "comment")
}

func (w *world) approves(p *modelPost) {
	if ahead := p.at.Sub(w.now); p.status == "PENDING_APPROVAL" && ahead > 0 &&
		rapid.Bool().Draw(w.t, "at the last moment") {
		w.pass(ahead)
	}
	comment := w.comments()
	want := w.approve(p, comment)
	got, err := w.ApprovePost(w.ctx, w.client, w.id(p), comment)
	w.responded(p, want, got, err)
}

func (w *world) rejects(p *modelPost) {
	comment := w.comments()
	want := w.reject(p, comment)
	got, err := w.RejectPost(w.ctx, w.client, w.id(p), comment)
	w.responded(p, want, got, err)
}

func (w *world) edits(p *modelPost) {
	var content *string
	var at *time.Time
	members := rapid.IntRange(0, 7).Draw(w.t, "members")
	if members&1 != 0 {
		content = new(w.content())
	}
	switch members & 6 {
	case 2:
		at = new(w.time())
	case 4:
		at = new(time.Time{})
	}
	want := w.edit(p, content, at)
	got, err := w.EditPost(w.ctx, w.client, w.id(p), func(post.Post) (post.Edit, error) {
		return post.Edit{Content: content, ScheduledAt: at}, nil
	})
	w.responded(p, want, got, err)
}

func (w *world) deletes(p *modelPost) {
	want := w.remove(p)
	w.agrees(want, w.DeletePost(w.ctx, w.client, w.id(p)))
}

func (w *world) archives(p *modelPost) {
	want := w.archive(p)
	w.agrees(want, w.operate(p, func(p post.Post) (post.Change, error) { return p.Archive(w.now, "operator") }))
}

func (w *world) unarchives(p *modelPost) {
	want := w.unarchive(p)
	w.agrees(want, w.operate(p, func(p post.Post) (post.Change, error) { return p.Unarchive(w.now, "operator") }))
}

// due reports whether the post's workflow starts a publish attempt, which it does not before the publish time, and not
// while the channel is paused.
func (w *world) due(p *modelPost) bool {
	return p.status != "SCHEDULED" || !p.at.After(w.now) && !w.channels[p.channel].paused
}

// claims is a worker that claims the post and is still busy during the next actions.
func (w *world) claims(p *modelPost) {
	if p.gone || !w.due(p) {
		return
	}
	_, ok := w.claim(p, p.plan)
	require.Equal(w.t, p.status == "SCHEDULED", ok)
	p.claimed = ok
	w.agrees(refusal{}, nil)
	_, ok = w.claim(p, p.plan-1) // a worker with an old plan cannot claim
	require.False(w.t, ok)
}

func (w *world) completes(p *modelPost) { w.comes(p, nil) }

func (w *world) fails(p *modelPost) {
	w.comes(p, map[string]any{
		"code": rapid.SampledFrom([]string{"REJECTED", "OUTCOME_UNKNOWN"}).Draw(w.t, "code"), "message": "no",
		"retryable": rapid.Bool().Draw(w.t, "retryable"),
	})
}

// comes is a worker that publishes the post or fails.
func (w *world) comes(p *modelPost, failure map[string]any) {
	if !w.due(p) {
		return
	}
	action := "complete"
	if failure != nil {
		action = "fail"
	}
	stopped := w.stop(p, action)
	job, ok := w.claim(p, p.plan)
	require.Equal(w.t, stopped == (refusal{}), ok, "a worker finds something to do in SCHEDULED alone")
	if !ok {
		w.agrees(refusal{}, nil)
		return
	}
	url := "https://x.test/" + externalID(p)
	result := postgres.AttemptResult{State: post.AttemptConfirmed, ExternalID: externalID(p), URL: url}
	decide := func(p post.Post) (post.Change, error) { return p.Complete(url, true, w.now) }
	if failure != nil {
		result = postgres.AttemptResult{State: post.AttemptRejected, Code: text(failure["code"]), Message: "no"}
		if text(failure["code"]) == "OUTCOME_UNKNOWN" {
			result.State = post.AttemptUndetermined
		}
		decide = func(p post.Post) (post.Change, error) {
			return p.Fail(post.Error{Code: text(failure["code"]), Message: "no", Retryable: failure["retryable"] == true}, w.now)
		}
	}
	w.conclude(p, failure, url)
	w.agrees(refusal{}, w.record(job, result, decide))
}

// takesDown is the network that removes what it had published. Of any other post, nothing changes.
func (w *world) takesDown(p *modelPost) {
	removal := postgres.Removal{
		Post: w.id(p), Network: "X", ExternalID: strings.TrimPrefix(p.url, "https://x.test/"), Reason: "no", At: w.now,
	}
	w.takeDown(p)
	w.agrees(refusal{}, w.insights.Remove(w.ctx, removal))
}

// postpones is a worker that could not reach the network: it releases the post, which then waits.
func (w *world) postpones(p *modelPost) {
	if p.status != "SCHEDULED" || p.gone || !w.due(p) {
		return
	}
	job, ok := w.claim(p, p.plan)
	require.True(w.t, ok)
	w.postpone(p)
	w.agrees(refusal{}, w.record(job, postgres.AttemptResult{State: post.AttemptRejected, Code: "UNAVAILABLE"},
		func(p post.Post) (post.Change, error) {
			return p.Postpone(post.Waiting{Reason: post.WaitRetrying, Until: w.now.Add(time.Minute)}, true, w.now,
					"It is down."),
				nil
		}))
}

// comesLate is a worker that was paused after it released the post, while another role changed the post. Its late
// writes change nothing.
func (w *world) comesLate(p *modelPost) {
	if p.gone || p.plan < 2 {
		return
	}
	late, err := w.Post(w.ctx, w.client, w.id(p))
	require.NoError(w.t, err)
	late.Status, late.Revision = post.Scheduled, late.Revision-1
	change, err := late.Complete("https://x.test/late", true, w.now)
	require.NoError(w.t, err)
	require.ErrorIs(w.t, w.postStore.Apply(w.ctx, change), postgres.ErrStale)
	w.agrees(refusal{}, nil)
}

func (w *world) somethingHappensToAChannel() {
	n := rapid.IntRange(0, 1).Draw(w.t, "channel")
	c := w.channels[n]
	if rapid.Bool().Draw(w.t, "pause") {
		c.paused = !c.paused
		require.NoError(w.t, w.channelStore.Pause(w.ctx, w.client.WorkspaceID, w.accounts[n].ID, c.paused))
		if !c.paused {
			for _, p := range w.resume(n) {
				got, err := w.Post(w.ctx, w.client, w.id(p))
				require.NoError(w.t, err)
				p.updated = got.UpdatedAt // by the clock of the database
			}
		}
	} else {
		c.connected = !c.connected
		_, err := w.channelStore.SetConnected(w.ctx, w.client.WorkspaceID, w.accounts[n].ID, c.connected)
		require.NoError(w.t, err)
	}
	w.agrees(refusal{}, nil)
}

// clients returns the credential of a workspace, and clients that act by a role: a program without posts:publish, and a
// person.
func clients(of app.Principal, role member.Role) (program, person app.Principal) {
	program = of
	program.Program, program.Grantor = "Planner", role.Permissions()
	program.Key.Scopes = []credential.Scope{credential.PostsWrite}
	person = app.Principal{WorkspaceID: of.WorkspaceID, Plan: of.Plan, Person: app.Person{
		ID: ident.New[ident.User](), Name: "Ada", Permissions: role.Permissions(),
	}}
	return program, person
}

// TestApprovedPostsAreChangedByPublishers checks that neither a person who may not publish nor a program of that person
// changes what will be published.
func TestApprovedPostsAreChangedByPublishers(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours := b.tenant(t.Context(), t)
	account := b.channel(t.Context(), t, ours, "UTC")
	created, err := b.CreatePosts(t.Context(), ours, app.CreatePosts{
		Content: "Approved", ContentType: post.ContentPost, ChannelIDs: []ident.Channel{account.ID},
		Schedule: app.Schedule{Kind: app.ScheduleAt, At: start.Add(time.Hour)},
	})
	require.NoError(t, err)
	edit := func(p app.Principal, content string) error {
		_, err := b.EditPost(t.Context(), p, created[0].ID, func(post.Post) (post.Edit, error) { return post.Edit{Content: &content}, nil })
		return err
	}
	program, person := clients(ours, member.Contributor)
	for _, p := range []app.Principal{program, person} {
		err := edit(p, "Another text")
		require.True(t, apperr.Is(err, apperr.InsufficientScope), "%v", err)
		require.ErrorContains(t, err, "to change a SCHEDULED post")
		require.ErrorContains(t, err, "Ask an editor to return it to DRAFT")
	}
	found, err := b.Post(t.Context(), ours, created[0].ID)
	require.NoError(t, err)
	require.Equal(t, "Approved", found.Content)
	key := ours
	key.Key.Scopes = []credential.Scope{credential.PostsWrite}
	byEditor, editor := clients(ours, member.Editor)
	for _, p := range []app.Principal{key, byEditor, editor} {
		require.NoError(t, edit(p, "Text by "+string(p.Actor())))
	}
	for _, p := range []app.Principal{program, person} {
		err := b.DeletePost(t.Context(), p, created[0].ID)
		require.True(t, apperr.Is(err, apperr.InsufficientScope), "%v", err)
		require.ErrorContains(t, err, "Ask an editor to delete it.")
	}
	_, err = b.UnschedulePost(t.Context(), ours, created[0].ID)
	require.NoError(t, err)
	require.NoError(t, edit(program, "A draft"))
	require.NoError(t, b.DeletePost(t.Context(), program, created[0].ID))
}

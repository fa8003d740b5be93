package app_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/approval"
	"fencepost.internal/shared/domain/audit"
	"fencepost.internal/shared/domain/member"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// team adds a person with a role.
func (q queue) team(t *testing.T, name string, role member.Role) app.Principal {
	t.Helper()
	p := app.Principal{WorkspaceID: q.client.WorkspaceID, Plan: q.client.Plan, Person: app.Person{
		ID: ident.New[ident.User](), Name: name, Email: "x@example.com", Permissions: role.Permissions(),
	}}
	postgrestest.Exec(t, q.address, `INSERT INTO app_user (id, name, email, password_hash, created_at) VALUES ($1, $2, $2 || '@example.com', '', now())`,
		p.Person.ID.String(), name)
	postgrestest.Exec(t, q.address, `INSERT INTO workspace_member (user_id, workspace_id, role, created_at) VALUES ($1, $2, $3, now())`,
		p.Person.ID.String(), q.client.WorkspaceID.String(), string(role))
	return p
}

func (q queue) rule(t *testing.T, owner app.Principal, policy approval.Policy) int {
	t.Helper()
	held, err := q.SetApprovalPolicy(t.Context(), owner, app.SetApproval{Policy: policy})
	require.NoError(t, err)
	return held
}

// TestStricterPolicyHoldsPlannedPosts checks that posts which were planned before a policy wait for approval, and that the
// claim finds those that were planned at that moment.
func TestStricterPolicyHoldsPlannedPosts(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 2)
	owner, editor := q.team(t, "Olga", member.Owner), q.team(t, "Ed", member.Editor)
	planned := q.next(t, 0, 1)
	effect, err := q.ApprovalEffect(t.Context(), owner, app.SetApproval{Policy: approval.Required})
	require.NoError(t, err)
	require.Equal(t, 2, effect)
	_, err = q.SetApprovalPolicy(t.Context(), editor, app.SetApproval{Policy: approval.Required})
	require.True(t, apperr.Is(err, apperr.InsufficientScope), "%v", err)
	held, err := q.SetApprovalPolicy(t.Context(), owner, app.SetApproval{Policy: approval.TwoStep, Channel: q.accounts[1].ID})
	require.NoError(t, err)
	require.Equal(t, 1, held, "one channel is stricter")
	require.Equal(t, post.Scheduled, q.read(t, planned[0].ID).Status)
	require.Equal(t, 1, q.rule(t, owner, approval.Required))
	for _, p := range planned {
		waiting := q.read(t, p.ID)
		require.Equal(t, post.PendingApproval, waiting.Status)
		require.Equal(t, p.ScheduledAt, waiting.ScheduledAt, "its time is kept")
	}
	_, err = q.SetApprovalPolicy(t.Context(), owner, app.SetApproval{Policy: approval.Optional, Channel: q.accounts[1].ID})
	require.True(t, apperr.Is(err, apperr.ValidationFailed), "a channel is never laxer: %v", err)

	_, err = q.ApprovePost(t.Context(), q.client, planned[0].ID, "")
	require.True(t, apperr.Is(err, apperr.InsufficientScope), "a key does not approve: %v", err)
	done, err := q.Decide(t.Context(), editor, planned[0].ID, app.Decision{Seen: q.read(t, planned[0].ID).ContentHash()})
	require.NoError(t, err)
	require.Equal(t, post.Scheduled, done.Status)
	_, err = q.EditPost(t.Context(), q.client, planned[1].ID, func(post.Post) (post.Edit, error) { return post.Edit{Content: new("Y")}, nil })
	require.True(t, apperr.Is(err, apperr.InvalidState), "programs do not change a post that waits: %v", err)
	edited, err := q.EditPost(t.Context(), editor, planned[1].ID, func(post.Post) (post.Edit, error) { return post.Edit{Content: new("Y")}, nil })
	require.NoError(t, err)
	require.Equal(t, post.PendingApproval, edited.Status)
	_, err = q.Decide(t.Context(), owner, planned[1].ID, app.Decision{Seen: planned[1].ContentHash()})
	require.True(t, apperr.Is(err, apperr.PreconditionFailed), "the owner saw other content: %v", err)

	log, err := q.AuditLog(t.Context(), owner, ident.Audit{}, 10)
	require.NoError(t, err)
	require.Equal(t, []audit.Action{audit.PostApproved, audit.ApprovalPolicyChanged, audit.ApprovalPolicyChanged},
		[]audit.Action{log[0].Action, log[1].Action, log[2].Action})
}

func TestPlanningUnderAPolicyIsRefused(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 1)
	owner, editor := q.team(t, "Olga", member.Owner), q.team(t, "Ed", member.Editor)
	q.rule(t, owner, approval.Required)
	for _, kind := range []app.ScheduleKind{app.ScheduleNow, app.ScheduleNextSlot} {
		for _, p := range []app.Principal{q.client, editor} {
			_, err := q.CreatePosts(t.Context(), p, q.request(kind, 0))
			require.True(t, apperr.Is(err, apperr.ApprovalRequired), "%v", err)
		}
	}
	created, err := q.CreatePosts(t.Context(), owner, q.request(app.ScheduleNow, 0))
	require.NoError(t, err, "the only owner approves by it")
	require.True(t, q.read(t, created[0].ID).Cleared())
	draft := q.draft(t, 0)
	for name, plan := range map[string]func() error{
		"schedule": func() error {
			_, err := q.SchedulePost(t.Context(), q.client, draft.ID, start.Add(time.Hour))
			return err
		},
		"publish": func() error { _, err := q.PublishPost(t.Context(), q.client, draft.ID); return err },
		"slot":    func() error { _, err := q.SchedulePostNext(t.Context(), q.client, draft.ID, false); return err },
	} {
		require.True(t, apperr.Is(plan(), apperr.ApprovalRequired), name)
	}
	copies, err := q.DuplicatePosts(t.Context(), editor, []ident.Post{created[0].ID})
	require.NoError(t, err)
	require.Empty(t, copies[0].After.Consents, "a copy was not approved")
	approved, err := q.SchedulePost(t.Context(), editor, draft.ID, start.Add(time.Hour))
	require.NoError(t, err, "who plans the post of a key approves it")
	require.Equal(t, []string{"Ed"}, []string{approved.Consents[0].Name})
	require.NoError(t, q.CommentPost(t.Context(), editor, draft.ID, "Nice, @Olga!"))
	entries, err := q.Timeline(t.Context(), q.client, draft.ID)
	require.NoError(t, err)
	require.Equal(t, post.EntryCommented, entries[len(entries)-1].Kind)
	before, err := q.ApprovedBefore(t.Context(), q.read(t, draft.ID))
	require.NoError(t, err)
	require.Equal(t, []any{"Hello", "Ed"}, []any{before.Content, before.By})
}

// agreement has the content that a person approved or planned.
type agreement struct {
	by      ident.User
	content string
}

// race is one post that people, a key, a program and workers act on at once.
type race struct {
	queue

	id    ident.Post
	owner app.Principal
	who   []app.Principal

	mu     sync.Mutex
	agreed []agreement
	sent   []sending
	lost   bool         // the response of the database to a person's decision was lost: the decision may be stored
	policy sync.RWMutex // keeps the policy while a worker records its intent, so that it is known
}

// sending is an intent that was recorded.
type sending struct {
	post.Post

	policy approval.Policy
}

// TestUnapprovedPostIsNeverSent lets people, a key, a program and workers act at once on posts of the real database, while
// the policy and the roles change. What is sent has been approved as it is by as many people as the policy asks for,
// none of whom wrote it or changed it last. APPROVAL_RUNS sets the number of posts.
func TestUnapprovedPostIsNeverSent(t *testing.T) {
	t.Parallel()
	runs, err := strconv.Atoi(os.Getenv("APPROVAL_RUNS"))
	if err != nil {
		runs = 150
	}
	q := newQueue(t, 1)
	r := &race{queue: q, owner: q.team(t, "Olga", member.Owner)}
	q.team(t, "Otto", member.Owner) // so that there is no only owner
	key, program := q.client, q.client
	r.who = []app.Principal{r.owner, q.team(t, "Ann", member.Editor), q.team(t, "Ben", member.Editor), q.team(t, "Con", member.Contributor)}
	key.Key.CreatedBy = r.who[1].Person.ID
	program.Program, program.Grantor, program.GrantorID = "Agent", r.who[2].Person.Permissions, r.who[2].Person.ID
	r.who = append(r.who, key, program)
	sent := 0
	for run := range runs {
		seed := rand.New(rand.NewPCG(uint64(run), 11)) //nolint:gosec // G115, G404: a test
		r.rule(t, r.owner, approval.Policy(seed.IntN(4)))
		author := r.who[seed.IntN(len(r.who))]
		in := q.request(app.ScheduleDraft, 0)
		in.Content = "0 " + author.Author().String() + " " + authorOf(author).String()
		created, err := q.CreatePosts(t.Context(), author, in)
		require.NoError(t, err)
		r.id, r.agreed, r.sent, r.lost = created[0].ID, nil, nil, false
		var acts []func() error
		for n := range 8 {
			random := rand.New(rand.NewPCG(uint64(run), uint64(n))) //nolint:gosec // G115, G404: a test
			acts = append(acts, func() error {
				for range 6 {
					if err := r.act(t, random); err != nil {
						return err
					}
				}
				return nil
			})
		}
		for _, err := range together(acts) {
			require.NoError(t, err)
		}
		if r.lost { // a busy machine: the run shows nothing
			continue
		}
		for _, s := range r.sent {
			r.verify(t, run, s, authorOf(author))
			sent++
		}
	}
	require.Greater(t, sent, runs/10, "posts were sent")
}

// authorOf returns the person as whom a client counts.
func authorOf(p app.Principal) ident.User {
	if by := p.Author(); !by.IsZero() {
		return by
	}
	return p.Key.CreatedBy
}

// verify checks that enough people agreed to what was sent.
func (r *race) verify(t *testing.T, run int, s sending, author ident.User) {
	t.Helper()
	fields := strings.Fields(s.Content)
	editor, err := ident.Parse[ident.User](fields[len(fields)-1])
	require.NoError(t, err)
	var people []ident.User
	for _, a := range r.agreed {
		if a.content == s.Content && a.by != author && a.by != editor && !slices.Contains(people, a.by) {
			people = append(people, a.by)
		}
	}
	require.GreaterOrEqual(t, len(people), s.policy.People(), "run %d: %q under %s", run, s.Content, s.policy)
}

// act performs a random action. Refusals are part of the race.
func (r *race) act(t *testing.T, random *rand.Rand) (err error) {
	t.Helper()
	ctx, by := t.Context(), r.who[random.IntN(len(r.who))]
	if random.IntN(8) == 0 && !by.Person.ID.IsZero() { // the role changes
		by.Person.Permissions = member.Contributor.Permissions()
	}
	var after post.Post
	switch random.IntN(12) {
	case 0, 1:
		text := fmt.Sprintf("%d %s", random.IntN(1<<30), authorOf(by))
		_, err = r.EditPost(ctx, by, r.id, func(post.Post) (post.Edit, error) { return post.Edit{Content: &text}, nil })
	case 2, 3:
		_, err = r.RequestApproval(ctx, by, r.id)
	case 4, 5, 6:
		after, err = r.Decide(ctx, by, r.id, app.Decision{At: start.Add(time.Hour)})
	case 7:
		after, err = r.PublishPost(ctx, by, r.id)
	case 8:
		after, err = r.SchedulePost(ctx, by, r.id, start.Add(time.Hour))
	case 9:
		r.policy.Lock()
		defer r.policy.Unlock()
		_, err = r.SetApprovalPolicy(ctx, r.owner, app.SetApproval{Policy: approval.Policy(random.IntN(4))})
	default:
		return r.work(t)
	}
	if apperr.Is(err, apperr.Unavailable) {
		r.mu.Lock()
		r.lost = true
		r.mu.Unlock()
	}
	if err == nil && !after.ID.IsZero() && !by.Person.ID.IsZero() {
		r.mu.Lock()
		r.agreed = append(r.agreed, agreement{by.Person.ID, after.Content})
		r.mu.Unlock()
	}
	if _, known := errors.AsType[*apperr.Error](err); known && !apperr.Is(err, apperr.Internal) {
		return nil
	}
	return err
}

// work does as the publish protocol: it claims the post, returns it to those who approve if the policy does not let it out,
// and otherwise records its intent and gives the claim back.
func (r *race) work(t *testing.T) error {
	t.Helper()
	ctx := t.Context()
	found, err := r.postStore.Get(ctx, r.client.WorkspaceID, r.id)
	if err != nil || found.Status != post.Scheduled {
		return err
	}
	postgrestest.Exec(t, r.address, `UPDATE post SET scheduled_at = now() WHERE id = $1 AND status = 'SCHEDULED'`, r.id.String())
	job, err := r.attempts.Claim(ctx, r.id, found.Revision)
	if errors.Is(err, postgres.ErrStale) {
		return nil
	}
	if err != nil {
		return err
	}
	if !job.Post.Cleared() {
		change, err := job.Post.Await(true, start)
		if err == nil {
			err = r.postStore.Record(ctx, change, postgres.AttemptResult{})
		}
		if errors.Is(err, postgres.ErrStale) {
			return nil
		}
		return err
	}
	r.policy.RLock()
	defer r.policy.RUnlock()
	intent := postgres.Intent{N: job.Attempt.N + 1, Owner: uuid.New()}
	switch err := r.attempts.Intend(ctx, job, intent); {
	case errors.Is(err, postgres.ErrStale), errors.Is(err, postgres.ErrFenced):
	case err != nil:
		return err
	default:
		now, err := r.postStore.Get(ctx, r.client.WorkspaceID, r.id)
		if err != nil {
			return err
		}
		r.mu.Lock()
		r.sent = append(r.sent, sending{job.Post, now.Policy})
		r.mu.Unlock()
	}
	// The attempt did not arrive, so that the race goes on.
	change := job.Post.Postpone(post.Waiting{Reason: post.WaitRetrying, Until: start}, true, start, "Again.")
	err = r.postStore.Record(ctx, change, postgres.AttemptResult{
		N: intent.N, State: post.AttemptRejected, Code: "X", Class: "transient", Owner: intent.Owner,
	})
	if errors.Is(err, postgres.ErrStale) {
		return nil
	}
	return err
}

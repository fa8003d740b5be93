package post_test

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/approval"
	"fencepost.internal/shared/domain/event"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

func person(name string) approval.Party {
	return approval.Party{Person: ident.New[ident.User](), Name: name, Approves: true, InPerson: true}
}

// written returns a draft of the party.
func written(t *testing.T, by approval.Party, policy approval.Policy) post.Post {
	t.Helper()
	change, err := post.Create(post.NewPost{
		WorkspaceID: ident.New[ident.Workspace](), ChannelID: ident.New[ident.Channel](), Content: "First", ContentType: post.ContentPost, Policy: policy,
	}, now, post.ActorAPI)
	require.NoError(t, err)
	change, err = change.Sanctioned(by, now)
	require.NoError(t, err)
	return change.Post
}

// pending returns the post of the party, sent for approval, with its intended time.
func pending(t *testing.T, by approval.Party, policy approval.Policy) post.Post {
	t.Helper()
	p := written(t, by, policy)
	p.ScheduledAt = now.Add(time.Hour)
	change, err := p.RequestApproval(now, post.ActorAPI)
	require.NoError(t, err)
	return change.Post
}

func approved(t *testing.T, p post.Post, by approval.Party) post.Post {
	t.Helper()
	change, err := p.Approve(by, "", time.Time{}, now, post.ActorAPI)
	require.NoError(t, err)
	change, err = change.Sanctioned(by, now)
	require.NoError(t, err)
	return change.Post
}

func TestWhoMayApprove(t *testing.T) {
	t.Parallel()
	writer, other := person("Writer"), person("Other")
	key, contributor, owner := other, other, writer
	key.InPerson, contributor.Approves, owner.OnlyOwner = false, false, true
	for name, c := range map[string]struct {
		policy approval.Policy
		by     approval.Party
		code   apperr.Code // empty: approves
	}{
		"optional, the writer":   {approval.Optional, writer, ""},
		"optional, a key":        {approval.Optional, key, ""},
		"required, another":      {approval.Required, other, ""},
		"required, the writer":   {approval.Required, writer, apperr.ApprovalRequired},
		"required, a key":        {approval.Required, key, apperr.InsufficientScope},
		"required, contributor":  {approval.Required, contributor, apperr.InsufficientScope},
		"required, only owner":   {approval.Required, owner, ""},
		"two steps, the writer":  {approval.TwoStep, writer, apperr.ApprovalRequired},
		"two steps, contributor": {approval.TwoStep, contributor, apperr.InsufficientScope},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			change, err := pending(t, writer, c.policy).Approve(c.by, "fine", time.Time{}, now, post.ActorAPI)
			if c.code != "" {
				require.True(t, apperr.Is(err, c.code), "%v", err)
				return
			}
			require.NoError(t, err)
			require.Equal(t, post.Scheduled, change.Post.Status)
			require.True(t, change.Post.Cleared())
		})
	}
}

func TestTwoStepsNeedTwoPeople(t *testing.T) {
	t.Parallel()
	writer, first, second := person("Writer"), person("First"), person("Second")
	p := pending(t, writer, approval.TwoStep)
	change, err := p.Approve(first, "one", time.Time{}, now, post.ActorAPI)
	require.NoError(t, err)
	require.Equal(t, post.PendingApproval, change.Post.Status)
	require.Equal(t, string(event.PostApprovalRequested), emitted(change), "the other person gets a request")
	require.False(t, change.Post.Cleared())
	_, err = change.Post.Approve(first, "", time.Time{}, now, post.ActorAPI)
	require.True(t, apperr.Is(err, apperr.ApprovalRequired), "%v", err)
	done := approved(t, change.Post, second)
	require.Equal(t, post.Scheduled, done.Status)
	require.Len(t, done.Valid(), 2)
}

func TestPlanningNeedsApproval(t *testing.T) {
	t.Parallel()
	writer, other := person("Writer"), person("Other")
	plan := func(p post.Post, by approval.Party) (post.Change, error) {
		change, err := p.Schedule(now.Add(time.Hour), now, post.ActorAPI)
		require.NoError(t, err)
		return change.Sanctioned(by, now)
	}
	p := written(t, writer, approval.Required)
	_, err := plan(p, writer)
	require.True(t, apperr.Is(err, apperr.ApprovalRequired), "%v", err)
	require.ErrorContains(t, err, "approval of another person")
	change, err := plan(p, other)
	require.NoError(t, err, "planning the post of another person approves it")
	require.Equal(t, "Other", change.Post.Consents[0].Name)
	change, err = plan(approved(t, pending(t, writer, approval.Required), other), writer)
	require.NoError(t, err, "approved")
	require.True(t, change.Post.Cleared())
	p.Policy = approval.TwoStep
	_, err = plan(p, other)
	require.ErrorContains(t, err, "approval of another person")
	_, err = plan(p, writer)
	require.ErrorContains(t, err, "approval of two other people")
}

func TestEditsAfterApproval(t *testing.T) {
	t.Parallel()
	writer, other := person("Writer"), person("Other")
	contributor := person("Contributor")
	contributor.Approves = false
	for name, c := range map[string]struct {
		policy approval.Policy
		by     approval.Party
		edit   post.Edit
		want   post.Status
	}{
		"none":                     {approval.None, contributor, post.Edit{Content: new("New")}, post.Scheduled},
		"optional, an approver":    {approval.Optional, writer, post.Edit{Content: new("New")}, post.Scheduled},
		"optional, without right":  {approval.Optional, contributor, post.Edit{Title: new("New")}, post.PendingApproval},
		"required, an approver":    {approval.Required, other, post.Edit{Content: new("New")}, post.PendingApproval},
		"required, options":        {approval.Required, other, post.Edit{Options: &post.Options{Link: "https://x.test"}}, post.PendingApproval},
		"required, labels":         {approval.Required, writer, post.Edit{Labels: &[]string{"A"}}, post.Scheduled},
		"required, the time":       {approval.Required, writer, post.Edit{ScheduledAt: new(now.Add(5 * time.Hour))}, post.Scheduled},
		"required, text and time":  {approval.Required, writer, post.Edit{Content: new("New"), ScheduledAt: new(now.Add(5 * time.Hour))}, post.PendingApproval},
		"required, the same again": {approval.Required, writer, post.Edit{Content: new("First"), Labels: &[]string{"A"}}, post.Scheduled},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := approved(t, pending(t, writer, c.policy), other)
			require.Equal(t, post.Scheduled, p.Status)
			change, ok, err := p.Edit(c.edit, now, post.ActorAPI)
			require.NoError(t, err)
			require.True(t, ok)
			change, err = change.Sanctioned(c.by, now)
			require.NoError(t, err)
			require.Equal(t, c.want, change.Post.Status)
			if c.want != post.PendingApproval {
				return
			}
			require.Equal(t, p.Revision+1, change.Post.Revision, "a worker that holds the old plan does not send it")
			require.True(t, change.Wake)
			require.Equal(t, string(event.PostUpdated+" "+event.PostApprovalRequested), emitted(change))
			require.JSONEq(t, `"PENDING_APPROVAL"`, field(t, change.Events[0], "status"))
			require.Equal(t, post.EntryApprovalRequested, change.Timeline[len(change.Timeline)-1].Kind)
			_, err = change.Post.Approve(c.by, "", time.Time{}, now, post.ActorAPI)
			require.Equal(t, c.policy.People() > 0, err != nil, "who changed it last cannot approve it")
		})
	}
}

func TestContentHashSeesWhatTheNetworkGets(t *testing.T) {
	t.Parallel()
	p := in(post.Draft)
	p.MediaIDs = []ident.Media{ident.New[ident.Media]()}
	for name, edit := range map[string]post.Edit{
		"content": {Content: new("x")}, "title": {Title: new("x")}, "kind": {ContentType: new(post.ContentReel)},
		"media": {MediaIDs: &[]ident.Media{}}, "texts": {MediaAltTexts: &post.AltTexts{p.MediaIDs[0]: "x"}},
		"options": {Options: &post.Options{ShareToFeed: new(false)}},
	} {
		change, _, err := p.Edit(edit, now, post.ActorAPI)
		require.NoError(t, err)
		require.NotEqual(t, p.ContentHash(), change.Post.ContentHash(), name)
	}
	change, _, err := p.Edit(post.Edit{
		Labels: &[]string{"A"}, ExternalID: new("x"), Metadata: &post.Metadata{"a": "b"}, ScheduledAt: new(now.Add(time.Hour)),
	}, now, post.ActorAPI)
	require.NoError(t, err)
	require.Equal(t, p.ContentHash(), change.Post.ContentHash())
}

// story is a random history of one post, with its own account of whose approvals count.
type story struct {
	*rand.Rand

	p       post.Post
	people  []approval.Party
	writers []ident.User        // who wrote it and who changed it last
	agreed  map[ident.User]bool // to the present content
	text    int
}

// TestNothingGoesOutWithoutApproval checks in random histories that a post is published only if as many people as its
// policy asks for, none of whom wrote or last changed it, have agreed to exactly its content.
func TestNothingGoesOutWithoutApproval(t *testing.T) {
	t.Parallel()
	const runs, steps = 10_000, 30
	published := map[approval.Policy]int{}
	for seed := range uint64(runs) {
		s := story{Rand: rand.New(rand.NewPCG(seed, 7)), agreed: map[ident.User]bool{}} //nolint:gosec // G404: a test
		for _, name := range []string{"A", "B", "C", "D"} {
			s.people = append(s.people, person(name))
		}
		s.people = append(s.people, s.people[0], s.people[1])
		s.people[4].InPerson, s.people[5].InPerson = false, false // a key of A and a program of B
		s.people[2].OnlyOwner = s.IntN(2) == 0
		by := s.people[s.IntN(len(s.people))]
		s.p, s.writers = written(t, by, approval.Policy(s.IntN(4))), []ident.User{by.Person, by.Person}
		var history []string
		for range steps {
			did, out := s.step(t)
			history = append(history, did)
			if out {
				require.GreaterOrEqual(t, len(s.agreed), s.p.Policy.People(), "seed %d: %v", seed, history)
				published[s.p.Policy]++
				break
			}
		}
	}
	for _, policy := range approval.Policies() {
		require.Greater(t, published[policy], 50, "posts went out under %s", policy)
	}
}

// step performs a random action. It returns it, and whether it published the post.
func (s *story) step(t *testing.T) (did string, out bool) {
	t.Helper()
	at := s.IntN(len(s.people))
	by, before := s.people[at], s.p
	plans := false
	var change post.Change
	var err error
	switch did = []string{"edit", "ask", "approve", "approve", "reject", "schedule", "publish", "unschedule", "label", "policy", "role", "due"}[s.IntN(12)]; did {
	case "edit":
		s.text++
		change, _, err = before.Edit(post.Edit{Content: new(strconv.Itoa(s.text % 5))}, now, post.ActorAPI)
	case "label":
		s.text++
		change, _, err = before.Edit(post.Edit{Labels: &[]string{strconv.Itoa(s.text)}}, now, post.ActorAPI)
	case "ask":
		change, err = before.RequestApproval(now, post.ActorAPI)
	case "approve":
		change, err = before.Approve(by, "", now.Add(time.Hour), now, post.ActorAPI)
		plans = true
	case "reject":
		change, err = before.Reject("", now, post.ActorAPI)
	case "schedule":
		change, err = before.Schedule(now.Add(time.Hour), now, post.ActorAPI)
		plans = true
	case "publish":
		change, err = before.PublishNow(now, post.ActorAPI)
		plans = true
	case "unschedule":
		change, err = before.Unschedule(now, post.ActorAPI)
	case "policy": // posts that are planned wait, unless the request that planned them was not committed yet
		s.p.Policy = approval.Policy(s.IntN(4))
		if s.p.Status != post.Scheduled || s.p.Cleared() || s.IntN(2) == 0 {
			return did, false
		}
		change, err = s.p.Await(false, now)
		require.NoError(t, err)
		s.p = change.Post
		return did, false
	case "role":
		s.people[at].Approves = !by.Approves
		return did, false
	case "due": // as the publish protocol does
		if before.Status != post.Scheduled || before.Cleared() {
			return did, before.Status == post.Scheduled
		}
		change, err = before.Await(true, now)
		require.NoError(t, err)
		s.p = change.Post
		return did, false
	}
	if err == nil {
		change, err = change.Sanctioned(by, now)
	}
	if err != nil || change.From.ID.IsZero() {
		return did + " refused", false
	}
	s.p = change.Post
	s.account(before, by, plans, did)
	return did + " by " + by.Name, false
}

// account follows whose agreement counts.
func (s *story) account(before post.Post, by approval.Party, plans bool, did string) {
	switch {
	case s.p.Content != before.Content:
		s.writers[1] = by.Person
		clear(s.agreed)
		plans = s.p.Status == post.Scheduled // who changes a planned post wants it out
	case did == "ask" || did == "reject":
		clear(s.agreed)
	}
	if plans && by.InPerson && by.Approves && (by.OnlyOwner || !slices.Contains(s.writers, by.Person)) {
		s.agreed[by.Person] = true
	}
}

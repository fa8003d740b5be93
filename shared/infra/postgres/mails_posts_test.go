package postgres_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/approval"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/mail"
	"fencepost.internal/shared/domain/member"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/ident"
)

// failed creates a post of the author that fails for the reason.
func (b *bundle) failed(t *testing.T, author ident.User, reason string) post.Post {
	t.Helper()
	return b.authored(t, author, func(p post.Post) (post.Change, error) {
		return p.Fail(post.Error{Code: "CONTENT_REFUSED", Message: reason}, b.now)
	})
}

// authored creates a scheduled post of the author, and changes it.
func (b *bundle) authored(t *testing.T, author ident.User, changes ...func(post.Post) (post.Change, error)) post.Post {
	t.Helper()
	change, err := post.Create(post.NewPost{
		Policy:      approval.Optional,
		WorkspaceID: b.ws.ID, ChannelID: b.ch.ID, ChannelType: string(channel.Twitter), AuthorID: author, Content: "Spring sale\nstarts today",
		ContentType: post.ContentPost, MediaIDs: []ident.Media{}, ScheduleAt: b.now, Now: true,
	}, b.now, post.ActorAPI)
	require.NoError(t, err)
	change.Post.Writers = []ident.User{author}
	require.NoError(t, b.posts.Insert(t.Context(), []post.Change{change}))
	p := change.Post
	for _, do := range changes {
		change, err := do(p)
		p = apply(t, b, change, err)
	}
	return p
}

// mailed returns the mails about posts at a time after the present one, by kind and address.
func (b *bundle) mailed(t *testing.T, after time.Duration) map[string]mail.Mail {
	t.Helper()
	sent, err := b.mails(t).MailPosts(t.Context(), b.now.Add(after))
	require.NoError(t, err)
	found := b.recipients(t)
	require.Len(t, found, sent)
	return found
}

// TestFailuresAreMailedTogether fails posts for two reasons: one mail names both, and the next mail follows after a
// pause, although posts go on failing.
func TestFailuresAreMailedTogether(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.people(t, member.Owner, member.Admin, member.Editor, member.Viewer)
	for range 5 {
		b.failed(t, ident.User{}, "X refused the text.")
	}
	b.failed(t, ident.User{}, "X refused the picture.")
	require.Empty(t, b.mailed(t, time.Minute), "the posts of a burst are gathered")
	got := b.mailed(t, 3*time.Minute)
	require.Len(t, got, 2, "the people who manage the workspace: %v", got)
	require.Contains(t, got, "POSTS_FAILED ADMIN@example.com")
	sent := got["POSTS_FAILED OWNER@example.com"]
	require.Equal(t, b.ws.ID, sent.WorkspaceID)
	require.Equal(t, "Acme", sent.Content.Workspace)
	require.Len(t, sent.Content.Causes, 2)
	cause := sent.Content.Causes[0]
	require.Equal(t, mail.Channel{ID: b.ch.ID, Name: "Acme on X", Network: "X"}, cause.Channel)
	require.Equal(t, "X refused the text.", cause.Reason)
	require.Equal(t, 5, cause.Posts)
	require.Equal(t, "Spring sale starts today", cause.Words)
	require.Equal(t, 1, sent.Content.Causes[1].Posts)

	b.failed(t, ident.User{}, "X refused the text.")
	require.Empty(t, b.mailed(t, 10*time.Minute), "the next mail waits")
	require.Len(t, b.mailed(t, 19*time.Minute), 2)
	require.Empty(t, b.mailed(t, time.Hour), "nothing is left")
}

// TestAuthorIsMailedOnFailure also checks authors who are not members, and people who turned the mails off.
func TestAuthorIsMailedOnFailure(t *testing.T) {
	t.Parallel()
	b := setup(t)
	people := b.people(t, member.Owner, member.Editor)
	outsider := b.member(t, "left@example.com")
	b.failed(t, people[member.Editor].ID, "refused")
	require.Contains(t, b.mailed(t, 3*time.Minute), "POSTS_FAILED EDITOR@example.com")
	b.failed(t, outsider.ID, "refused")
	require.Contains(t, b.mailed(t, 30*time.Minute), "POSTS_FAILED OWNER@example.com")
	require.NoError(t, turnOff(t, b.db, people[member.Editor].ID, mail.PostsFailed))
	b.failed(t, people[member.Editor].ID, "refused")
	require.Empty(t, b.mailed(t, time.Hour), "turned off")
}

// TestApproversAreMailedOnRequest has an editor ask: the other people who may approve are mailed, and the author gets the
// rejection.
func TestApproversAreMailedOnRequest(t *testing.T) {
	t.Parallel()
	b := setup(t)
	people := b.people(t, member.Owner, member.Editor, member.Contributor, member.Viewer)
	ask := func(p post.Post) (post.Change, error) { return p.RequestApproval(b.now, post.ActorAPI) }
	draft := func(p post.Post) (post.Change, error) { return p.Unschedule(b.now, post.ActorAPI) }
	p := b.authored(t, people[member.Editor].ID, draft, ask)
	got := b.mailed(t, 3*time.Minute)
	require.Len(t, got, 1, "%v", got)
	require.Contains(t, got, "POSTS_TO_APPROVE OWNER@example.com")
	hash, err := credential.Review.Hash(got["POSTS_TO_APPROVE OWNER@example.com"].Content.Secret)
	require.NoError(t, err)
	link, err := postgres.NewClientLinks(b.db).ByHash(t.Context(), hash)
	require.NoError(t, err)
	require.True(t, link.Personal)
	require.True(t, link.Shares(p.ID))
	require.Equal(t, people[member.Owner].ID, link.CreatedBy)

	change, err := p.Reject("Shorter, please.", b.now, post.ActorAPI)
	p = apply(t, b, change, err)
	got = b.mailed(t, 3*time.Minute)
	require.Len(t, got, 1, "%v", got)
	require.Equal(t, "Shorter, please.", got["POSTS_RETURNED EDITOR@example.com"].Content.Causes[0].Reason)
	require.Equal(t, p.ID, got["POSTS_RETURNED EDITOR@example.com"].Content.Causes[0].PostID)

	b.authored(t, ident.User{}, draft, ask, approved(b))
	require.Empty(t, b.mailed(t, time.Hour), "it was decided before anybody was mailed")
}

func approved(b *bundle) func(post.Post) (post.Change, error) {
	return func(p post.Post) (post.Change, error) {
		return p.Approve(approval.Party{}, "", time.Time{}, b.now, post.ActorAPI)
	}
}

// TestNoticesAreDroppedAfterDay keeps a worker without a mail server from gathering them.
func TestNoticesAreDroppedAfterDay(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.people(t, member.Owner)
	b.failed(t, ident.User{}, "refused")
	dropped, err := b.mails(t).DropNotices(t.Context(), b.now.Add(23*time.Hour))
	require.NoError(t, err)
	require.Zero(t, dropped)
	dropped, err = b.mails(t).DropNotices(t.Context(), b.now.Add(25*time.Hour))
	require.NoError(t, err)
	require.EqualValues(t, 1, dropped)
	require.Empty(t, b.mailed(t, 26*time.Hour))
}

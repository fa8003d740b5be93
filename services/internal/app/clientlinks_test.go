package app_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/approval"
	"fencepost.internal/shared/domain/clientlink"
	"fencepost.internal/shared/domain/member"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// shares makes a link of a person to posts, and opens it as a guest.
func (q queue) shares(t *testing.T, by app.Principal, guest string, posts ...ident.Post) app.Reading {
	t.Helper()
	secret, err := q.MakeClientLink(t.Context(), by, app.NewClientLink{
		Posts: posts, Link: clientlink.Link{Name: "Acme " + uuid.NewString(), Decides: true, ExpiresAt: q.clock.Now().Add(24 * time.Hour)},
	})
	require.NoError(t, err)
	r, err := q.OpenClientLink(t.Context(), secret)
	require.NoError(t, err)
	require.Equal(t, clientlink.Open, r.State)
	return r.As(guest)
}

// agrees approves a post as the guest sees it.
func (q queue) agrees(t *testing.T, r app.Reading, id ident.Post) error {
	t.Helper()
	return q.DecideByLink(t.Context(), r, true, app.GuestWords{Post: id, Seen: q.read(t, id).ContentHash()})
}

// pending writes a post of a person, which waits for approval for tomorrow.
func (q queue) pending(t *testing.T, by app.Principal) ident.Post {
	t.Helper()
	created, err := q.CreatePosts(t.Context(), by, q.request(app.ScheduleDraft, 0))
	require.NoError(t, err)
	at := q.clock.Now().Add(24 * time.Hour)
	_, err = q.EditPost(t.Context(), by, created[0].ID, func(post.Post) (post.Edit, error) { return post.Edit{ScheduledAt: &at}, nil })
	require.NoError(t, err)
	_, err = q.RequestApproval(t.Context(), by, created[0].ID)
	require.NoError(t, err)
	return created[0].ID
}

// TestGuestsCountAsOnePerson checks whose word the approval of a guest is: that of the person who made the link.
func TestGuestsCountAsOnePerson(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 1)
	owner, second := q.team(t, "Olga", member.Owner), q.team(t, "Otto", member.Owner)
	ed, kim, author := q.team(t, "Ed", member.Editor), q.team(t, "Kim", member.Editor), q.team(t, "Cora", member.Contributor)
	_, err := q.MakeClientLink(t.Context(), author, app.NewClientLink{Link: clientlink.Link{Name: "x"}})
	require.True(t, apperr.Is(err, apperr.InsufficientScope), "%v", err)

	optional := q.pending(t, ed)
	require.NoError(t, q.agrees(t, q.shares(t, ed, "Ada", optional), optional), "no policy forbids the author's own client")
	require.Equal(t, post.Scheduled, q.read(t, optional).Status)

	q.rule(t, owner, approval.Required)
	own, other := q.pending(t, ed), q.pending(t, author)
	err = q.agrees(t, q.shares(t, ed, "Ada", own), own)
	require.True(t, apperr.Is(err, apperr.ApprovalRequired), "an author does not approve by a link: %v", err)
	shared, err := q.SharedPosts(t.Context(), q.shares(t, ed, "Ada", own))
	require.NoError(t, err)
	require.False(t, shared[0].Mine)
	require.NoError(t, q.agrees(t, q.shares(t, kim, "Ada", own), own))
	require.NoError(t, q.agrees(t, q.shares(t, ed, "Bob", other), other))
	consent := q.read(t, other).Consents
	require.Equal(t, "Bob (guest)", consent[0].Name)
	require.Equal(t, ed.Person.ID, consent[0].By)

	q.rule(t, owner, approval.TwoStep)
	twice := q.pending(t, author)
	first, more := q.shares(t, ed, "Ada", twice), q.shares(t, ed, "Bob", twice)
	require.NoError(t, q.agrees(t, first, twice))
	require.Equal(t, post.PendingApproval, q.read(t, twice).Status)
	for name, r := range map[string]app.Reading{"again": first, "another guest": first.As("Eve"), "another link": more} {
		err := q.agrees(t, r, twice)
		require.True(t, apperr.Is(err, apperr.ApprovalRequired), "%s: %v", name, err)
	}
	_, err = q.Decide(t.Context(), ed, twice, app.Decision{})
	require.True(t, apperr.Is(err, apperr.ApprovalRequired), "nor does the person who made the link: %v", err)
	_, err = q.Decide(t.Context(), second, twice, app.Decision{})
	require.NoError(t, err)
	require.Equal(t, post.Scheduled, q.read(t, twice).Status)
}

// TestGuestsDoOnlyWhatTheLinkAllows also changes the role of the person who made the link.
func TestGuestsDoOnlyWhatTheLinkAllows(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 1)
	owner, ed := q.team(t, "Olga", member.Owner), q.team(t, "Ed", member.Editor)
	id, foreign := q.pending(t, owner), q.pending(t, owner)
	r := q.shares(t, ed, "Ada", id)
	for _, permission := range member.Owner.Permissions() {
		require.False(t, r.By.Allows(permission), permission)
	}
	err := q.agrees(t, r, foreign)
	require.True(t, apperr.Is(err, apperr.NotFound), "%v", err)
	require.True(t, apperr.Is(q.CommentByLink(t.Context(), r, app.GuestWords{Post: foreign, Comment: "x"}), apperr.NotFound))
	stale := app.GuestWords{Post: id, Seen: q.read(t, id).ContentHash()}
	content := "Other"
	_, err = q.EditPost(t.Context(), owner, id, func(post.Post) (post.Edit, error) { return post.Edit{Content: &content}, nil })
	require.NoError(t, err)
	require.True(t, apperr.Is(q.DecideByLink(t.Context(), r, true, stale), apperr.PreconditionFailed))
	stale.Comment = "Bluer"
	require.True(t, apperr.Is(q.DecideByLink(t.Context(), r, false, stale), apperr.PreconditionFailed))
	stale.Seen = q.read(t, id).ContentHash()
	require.NoError(t, q.DecideByLink(t.Context(), r, false, stale))
	require.Equal(t, "Bluer", q.read(t, id).Approval.Comment)
	require.NoError(t, q.CommentByLink(t.Context(), r, app.GuestWords{Post: id, Comment: "And wider"}))
	entries, err := q.Timeline(t.Context(), owner, id)
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(string(entries[len(entries)-1].Actor), "guest Ada · Acme "))

	secret, err := q.MakeClientLink(t.Context(), ed, app.NewClientLink{
		Posts: []ident.Post{id}, Link: clientlink.Link{Name: "Beta", ExpiresAt: q.clock.Now().Add(time.Hour)}, Password: "a phrase for the client",
	})
	require.NoError(t, err)
	reader, err := q.OpenClientLink(t.Context(), secret)
	require.NoError(t, err)
	right, err := q.UnlockClientLink(t.Context(), reader, "a phrase for the client")
	require.NoError(t, err)
	require.True(t, right)
	require.True(t, apperr.Is(q.CommentByLink(t.Context(), reader, app.GuestWords{Post: id, Comment: "x"}), apperr.InsufficientScope))
	require.NoError(t, q.ChangeRole(t.Context(), owner, ed.Person.ID, member.Contributor))
	reader, err = q.OpenClientLink(t.Context(), secret)
	require.NoError(t, err)
	require.Equal(t, clientlink.Revoked, reader.State)

	require.NoError(t, q.PruneClientLinks(t.Context()))
	q.clock.Advance(clientlink.KeptFor + time.Hour)
	require.NoError(t, q.PruneClientLinks(t.Context()))
	left, err := q.ClientLinks(t.Context(), owner)
	require.NoError(t, err)
	require.Empty(t, left)
}

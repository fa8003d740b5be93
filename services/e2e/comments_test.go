package e2e_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	fencepost "fencepost.internal/sdk/go"
	"fencepost.internal/services/e2e/harness"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/inbox"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/platform/platformtest"
)

// pollsNow lets the polls of a network be due, whose usual pauses are minutes.
func pollsNow(t *testing.T, s *harness.System, typ channel.Type) {
	t.Helper()
	postgrestest.Exec(t, s.Database(), `UPDATE inbox_poll p SET next_at = now() FROM channel c WHERE c.id = p.channel_id AND c.type = $1`,
		string(typ))
}

// hears waits until a conversation has a number of messages, and polls its network meanwhile.
func (d *desk) hears(s *harness.System, typ channel.Type, person string, messages int) (postgres.Shown, []postgres.Said) {
	d.t.Helper()
	require.EventuallyWithT(d.t, func(c *assert.CollectT) {
		pollsNow(d.t, s, typ)
		list, err := d.Conversations(d.t.Context(), d.p, postgres.ConversationFilter{Limit: 50})
		require.NoError(c, err)
		found := 0
		for _, one := range list {
			if one.PersonName == person {
				found++
			}
		}
		require.Equal(c, 1, found)
	}, 2*soon, 500*time.Millisecond)
	return d.talk(person, messages)
}

// TestInstagramComments publishes a post, reads what people write below it, answers once although a response is lost, and hides a
// comment.
func TestInstagramComments(t *testing.T) {
	t.Parallel()
	s := running(t, "PUBLISH_COMMIT_TIMEOUT=3s", "PUBLISH_SEND_WINDOW=3s")
	d, typ := newDesk(t, s), channel.InstagramProfessional
	picture := s.Upload("a.jpg", "image/jpeg", platformtest.Picture(t, 1).Bytes)
	p := settled(t, s, s.CreateWith(typ, fencepost.ContentTypePOST, "A post", "now", picture.ID).ID, 2*soon)
	require.Equal(t, fencepost.PostStatusPublished, p.Status)
	posted := s.Sandbox.Accepted("A post")[0].ID
	first := s.Sandbox.Comment(harness.Comments{Platform: string(typ), Post: posted, From: "anna", Text: "Is it <b>blue</b>?"})
	of, said := d.hears(s, typ, "anna", 1)
	require.Equal(t, []any{inbox.Comments, "Is it <b>blue</b>?", first.ID}, []any{of.Kind, said[0].Text, said[0].ExternalID})
	require.True(t, of.Unanswered())

	reply := d.says(of, "It is.")
	require.Equal(t, inbox.Sent, reply.State, "%+v", reply.Message)
	s.Sandbox.Inject(harness.Fault{Platform: string(typ), Step: "reply", Kind: "timeout_after_accept", DelayMs: 1000})
	lost := d.says(of, "Really blue.")
	require.Equal(t, inbox.Sent, lost.State, "%+v", lost.Message)
	for _, text := range []string{"It is.", "Really blue."} {
		require.Len(t, s.Sandbox.Replies(string(typ), "", "", text), 1, text)
	}
	s.Sandbox.Comment(harness.Comments{Platform: string(typ), Post: posted, From: "bert", Text: "Buy followers", ReplyTo: first.ID})
	_, said = d.hears(s, typ, "anna", 4)
	require.Equal(t, "Buy followers", said[3].Text, "own replies are there once")
	for _, hidden := range []bool{true, false} {
		require.NoError(t, d.Hide(t.Context(), d.p, of.ID, said[3].ID, hidden))
		require.Equal(t, hidden, s.Sandbox.Written(string(typ), "Buy followers").Hidden)
	}
	require.NoError(t, d.Remove(t.Context(), d.p, of.ID, said[3].ID))
	require.NotNil(t, s.Sandbox.Written(string(typ), "Buy followers").DeletedAt)
}

// TestGoogleReviews reads a review of two stars and its edit, answers it, and replaces the answer.
func TestGoogleReviews(t *testing.T) {
	t.Parallel()
	s := running(t)
	d, typ := newDesk(t, s), channel.GoogleBusiness
	account := s.Channels[typ].ExternalID
	review := s.Sandbox.Comment(harness.Comments{
		Platform: string(typ), Kind: "review", Account: account, From: "carla", Text: "Cold soup", Rating: 2,
	})
	of, said := d.hears(s, typ, "carla", 1)
	require.Equal(t, []any{inbox.Reviews, "Cold soup", 2}, []any{of.Kind, said[0].Text, said[0].Rating})
	for _, text := range []string{"We are sorry.", "We are very sorry."} {
		reply := d.says(of, text)
		require.Equal(t, inbox.Sent, reply.State, "%+v", reply.Message)
		require.Len(t, s.Sandbox.Replies(string(typ), account, "", text), 1)
	}
	s.Sandbox.Comment(harness.Comments{Platform: string(typ), Edit: review.ID, Text: "Warm now", Rating: 4})
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		pollsNow(t, s, typ)
		_, said := d.talk("carla", 3)
		require.Equal(c, []any{"Warm now", 4, false}, []any{said[0].Text, said[0].Rating, said[0].EditedAt.IsZero()})
	}, 2*soon, 500*time.Millisecond)
}

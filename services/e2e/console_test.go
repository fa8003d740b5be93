package e2e_test

import (
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	fencepost "fencepost.internal/sdk/go"
	"fencepost.internal/services/e2e/harness"
	"fencepost.internal/shared/domain/channel"
)

// TestPublishedPostsAreChangedInConsole edits and deletes a post on Telegram with the forms of its page.
func TestPublishedPostsAreChangedInConsole(t *testing.T) {
	t.Parallel()
	s := harness.New(t, harness.Options{})
	s.Start("api", "").Ready()
	s.Start("console", "").Ready()
	s.Start("worker", "").Ready()
	person := s.NewPerson("dana@example.com")
	require.NoError(t, person.SignIn(t.Context()))
	p := settled(t, s, s.Create(channel.TelegramChannel, "The first text", "now").ID, soon)
	require.Equal(t, fencepost.PostStatusPublished, p.Status, "%+v", p.Error)
	page := "/posts/" + p.ID

	_, err := person.Submit(t.Context(), page, page+"/edit-live", url.Values{"content": {"The first text"}})
	require.ErrorContains(t, err, "Is the present text of the post.")
	text, err := person.Submit(t.Context(), page, page+"/edit-live", url.Values{"content": {"One line\r\nand another"}})
	require.NoError(t, err)
	require.Contains(t, text, "Edited on Telegram.")
	require.Equal(t, 1, s.Sandbox.Count("One line\nand another"))
	require.Equal(t, "One line\nand another", s.Get(p.ID).Content)

	s.Sandbox.Inject(harness.Fault{Platform: "telegram", Step: "commit", Kind: "timeout_after_accept", DelayMs: 300})
	text, err = person.Submit(t.Context(), page, page+"/delete-live", url.Values{})
	require.NoError(t, err)
	require.Contains(t, text, "Telegram has not confirmed the change yet.")
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		const by = "user Mara"
		require.Equal(c, []string{
			"live_change_requested by " + by, "live_edited by " + by, "live_change_requested by " + by, "live_deleted by " + by,
		}, liveTimeline(t, s, p.ID))
	}, 2*soon, 100*time.Millisecond)
	require.Zero(t, s.Sandbox.Count("One line\nand another"))
	text, err = person.Open(t.Context(), page)
	require.NoError(t, err)
	require.Contains(t, text, "Deleted from Telegram")
	require.NotContains(t, text, "/edit-live")
}

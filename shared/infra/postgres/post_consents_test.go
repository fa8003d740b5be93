package postgres_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/approval"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/ident"
)

// TestConsentIsToContent checks that only the approval of exactly the content lets a post be sent, and that a change which was
// decided before an edit does not bring back the approvals of the former content.
func TestConsentIsToContent(t *testing.T) {
	t.Parallel()
	b := setup(t)
	postgrestest.Exec(t, b.address, `UPDATE workspace SET approval_policy = $1`, int(approval.Required))
	p := b.scheduled(t)
	of := func(hash string) {
		postgrestest.Exec(t, b.address, `UPDATE post SET consents = jsonb_build_array(jsonb_build_object('by', CAST($1 AS text), 'name', 'Ann',
			'at', CAST($2 AS text), 'of', CAST($3 AS text)))`, ident.New[ident.User]().String(), b.now.Format(time.RFC3339), hash)
	}
	of("former content")
	job, err := b.attempts.Claim(t.Context(), p.ID, p.Revision)
	require.NoError(t, err)
	require.False(t, job.Post.Cleared())
	require.ErrorIs(t, b.attempts.Intend(t.Context(), job, intent(1, "")), postgres.ErrStale)

	postgrestest.Exec(t, b.address, `UPDATE post SET consents = '[]'`) // by an edit
	waits := job.Post.Postpone(post.Waiting{Reason: post.WaitRetrying, Until: b.now}, true, b.now, "Again.")
	require.NoError(t, b.posts.Record(t.Context(), waits, postgres.AttemptResult{}))
	require.Empty(t, b.get(t, p.ID).Consents)

	of(p.ContentHash())
	job, err = b.attempts.Claim(t.Context(), p.ID, b.get(t, p.ID).Revision)
	require.NoError(t, err)
	require.NoError(t, b.attempts.Intend(t.Context(), job, intent(1, "")))
}

package app_test

import (
	"context"
	"crypto/sha256"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/member"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/apperr"
)

// TestConcurrentEditsOfDifferentMembersBothApply checks that concurrent edits of different fields both take effect.
func TestConcurrentEditsOfDifferentMembersBothApply(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 1)
	for range 10 {
		p := q.draft(t, 0)
		edit := func(e post.Edit) func() error {
			return func() error {
				_, err := q.EditPost(t.Context(), q.client, p.ID, func(post.Post) (post.Edit, error) { return e, nil })
				return err
			}
		}
		require.Empty(t, together([]func() error{
			edit(post.Edit{Content: new("Bye")}), edit(post.Edit{Title: new("Title")}),
			edit(post.Edit{ContentType: new(post.ContentVideo)}),
		}))
		got, err := q.Post(t.Context(), q.client, p.ID)
		require.NoError(t, err)
		require.Equal(t, []any{"Bye", "Title", post.ContentVideo}, []any{got.Content, got.Title, got.ContentType})
	}
}

// TestConcurrentKeyCreationRespectsQuota checks that of the requests for the last key, one succeeds.
func TestConcurrentKeyCreationRespectsQuota(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 1)
	p := q.person(t)
	p.Person.Permissions = member.Owner.Permissions()
	create := func() error {
		_, _, err := q.CreateKey(t.Context(), p, app.NewKey{Name: "A key", Scopes: q.client.Key.Scopes})
		return err
	}
	for range 99 {
		require.NoError(t, create())
	}
	refused := together(slices.Repeat([]func() error{create}, 8))
	require.Len(t, refused, 7)
	for _, err := range refused {
		require.True(t, apperr.Is(err, apperr.QuotaExceeded), "%v", err)
	}
}

// TestUserAddedDuringSetup checks that the link of the first owner makes no second user with an address, and no
// workspace without an owner.
func TestUserAddedDuringSetup(t *testing.T) {
	t.Parallel()
	b := setup(t)
	secret, err := b.StartSetup(t.Context())
	require.NoError(t, err)
	postgrestest.Exec(t, b.address, `CREATE FUNCTION add() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
		INSERT INTO app_user (id, name, email, password_hash, created_at)
		VALUES ('01a220c0-b7fd-703e-b3a9-4103aa13e31f', 'Ada', 'ada@example.com', '', now()); RETURN NEW; END $$`)
	postgrestest.Exec(t, b.address, `CREATE TRIGGER meanwhile AFTER DELETE ON setup_link FOR EACH ROW EXECUTE FUNCTION add()`)
	_, err = b.SetUp(t.Context(), secret, app.Setup{
		NewPerson: app.NewPerson{Name: "Ada", Email: "ada@example.com", Password: "a wholly different phrase"},
		Workspace: "Acme", Timezone: "UTC",
	})
	require.True(t, apperr.Is(err, apperr.NotFound), "%v", err)
	require.Empty(t, b.rows.Column(t.Context(), t, `SELECT name FROM workspace`))
}

// TestConcurrentDecisionsSucceedOnce checks that one of several conflicting decisions succeeds, and that the others fail with the
// current status.
func TestConcurrentDecisionsSucceedOnce(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 1)
	for range 10 {
		p := q.draft(t, 0)
		_, err := q.RequestApproval(t.Context(), q.client, p.ID)
		require.NoError(t, err)
		var runs []func() error
		for i := range 6 {
			decide := q.ApprovePost
			if i%2 == 0 {
				decide = q.RejectPost
			}
			runs = append(runs, func() error {
				_, err := decide(t.Context(), q.client, p.ID, "")
				return err
			})
		}
		refused := together(runs)
		require.Len(t, refused, 5)
		for _, err := range refused {
			var e *apperr.Error
			require.ErrorAs(t, err, &e)
			require.Equal(t, apperr.InvalidState, e.Code)
			require.Equal(t, "DRAFT", e.CurrentStatus)
		}
		entries, err := q.Timeline(t.Context(), q.client, p.ID)
		require.NoError(t, err)
		require.Len(t, entries, 3, "created, requested, decided once")
	}
}

// TestDeleteRacesPublish checks that a post deleted at its publish time is either published or deleted, never both.
func TestDeleteRacesPublish(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 1)
	for range 10 {
		created, err := q.CreatePosts(t.Context(), q.client, q.request(app.ScheduleNow, 0))
		require.NoError(t, err)
		p := created[0]
		var claimed atomic.Bool
		var deleted atomic.Pointer[error]
		together([]func() error{
			func() error {
				_, err := q.attempts.Claim(t.Context(), p.ID, p.Revision)
				claimed.Store(err == nil)
				return err
			},
			func() error {
				err := q.DeletePost(t.Context(), q.client, p.ID)
				deleted.Store(&err)
				return err
			},
		})
		if err := *deleted.Load(); claimed.Load() {
			require.True(t, apperr.Is(err, apperr.PublishInProgress), "%v", err)
		} else {
			require.NoError(t, err)
		}
	}
}

func TestRequestWithKeyTakesEffectOnce(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 1)
	once := app.Once{Operation: "create-posts", Key: "k", Fingerprint: sha256.Sum256(nil)}
	var ran, replays atomic.Int32
	var runs []func() error
	for range 10 {
		runs = append(runs, func() error {
			response, replayed, err := q.Once(t.Context(), q.client, once, func(ctx context.Context, create app.Creator) (app.Response, error) {
				ran.Add(1)
				created, err := create(ctx, q.client, q.request(app.ScheduleNextSlot, 0))
				if err != nil {
					return app.Response{}, err
				}
				return app.Response{
					Status: 201, Location: created[0].ID.String(), Body: []byte(created[0].ScheduledAt.Format(time.RFC3339)),
				}, nil
			})
			if replayed && response.Status == 201 && string(response.Body) == "2024-03-01T09:00:00Z" {
				replays.Add(1)
			}
			return err
		})
	}
	require.Empty(t, together(runs))
	require.EqualValues(t, 1, ran.Load())
	require.EqualValues(t, 9, replays.Load())
	require.Equal(t, firstDaily(1), q.held(t, 0))
}

// TestFailedRequestWithKeyStoresNothing checks that a failed request leaves no post, no slot and no key.
func TestFailedRequestWithKeyStoresNothing(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 1)
	once := app.Once{Operation: "create-posts", Key: "k", Fingerprint: sha256.Sum256(nil)}
	refusal := apperr.New(apperr.ValidationFailed, "no")
	for range 2 {
		_, replayed, err := q.Once(t.Context(), q.client, once, func(ctx context.Context, create app.Creator) (app.Response, error) {
			_, err := create(ctx, q.client, q.request(app.ScheduleNextSlot, 0))
			require.NoError(t, err)
			return app.Response{}, refusal
		})
		require.ErrorIs(t, err, refusal)
		require.False(t, replayed)
	}
	require.Zero(t, q.poked.Load(), "nothing was left for the relay")
	require.Empty(t, q.held(t, 0))
	page, err := q.Posts(t.Context(), q.client, postgres.PostFilter{Limit: 10})
	require.NoError(t, err)
	require.Empty(t, page)
}

// TestRelayIsPokedAfterCommit checks that the relay is poked after the commit, and only for committed rows.
func TestRelayIsPokedAfterCommit(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 1)
	failing := q.request(app.ScheduleNextSlot, 0)
	failing.Content = ""
	once := app.Once{Operation: "bulk-create", Key: "k"}
	_, _, err := q.Once(t.Context(), q.client, once, func(ctx context.Context, _ app.Creator) (app.Response, error) {
		items := []app.BulkItem{
			{Create: q.request(app.ScheduleNextSlot, 0)}, {Create: failing}, {Create: q.request(app.ScheduleDraft, 0)},
		}
		results, err := q.CreateBulk(ctx, q.client, items)
		require.NoError(t, err)
		require.Error(t, results[1].Err)
		require.Zero(t, q.poked.Load(), "it would look for what is not there yet")
		return app.Response{Status: 200}, nil
	})
	require.NoError(t, err)
	require.EqualValues(t, 2, q.poked.Load())
	_, replayed, err := q.Once(t.Context(), q.client, once, nil)
	require.NoError(t, err)
	require.True(t, replayed)
	require.EqualValues(t, 2, q.poked.Load())
}

func TestRelayIsPokedForCommittedRows(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 1)
	p := q.draft(t, 0)
	reported := 0
	q.atWake = func() {
		rows := q.rows.Column(t.Context(), t, `SELECT count(*) FROM outbox WHERE subject = $1`, p.ID.String())
		require.NotEqual(t, []string{"0"}, rows)
		reported++
	}
	_, err := q.SchedulePostNext(t.Context(), q.client, p.ID, true)
	require.NoError(t, err)
	_, err = q.UnschedulePost(t.Context(), q.client, p.ID)
	require.NoError(t, err)
	require.Equal(t, 2, reported)
}

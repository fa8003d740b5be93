package postgres_test

import (
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// TestShortLinks stores links, and counts clicks of several processes at once: each batch once.
func TestShortLinks(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx, links, visits := t.Context(), postgres.NewShortLinks(b.db), postgres.NewVisits(b.db)
	one := postgres.ShortLink{
		Code: "aaaaaaaa", WorkspaceID: b.ws.ID, Scratch: ident.New[ident.Scratch](), Channel: ident.New[ident.Channel](), Target: "https://example.com/1",
	}
	other := one
	other.Code, other.Target = "bbbbbbbb", "https://example.com/2"
	for _, l := range []postgres.ShortLink{one, other} {
		code, err := links.Code(ctx, l, time.Now())
		require.NoError(t, err)
		require.Equal(t, l.Code, code)
	}
	again := one
	again.Code = "cccccccc"
	code, err := links.Code(ctx, again, time.Now())
	require.NoError(t, err)
	require.Equal(t, "aaaaaaaa", code)
	again.Code, again.Target = "bbbbbbbb", "https://example.com/3"
	code, err = links.Code(ctx, again, time.Now())
	require.NoError(t, err)
	require.Empty(t, code, "the code is another link's")
	_, err = links.Target(ctx, "cccccccc")
	require.True(t, apperr.Is(err, apperr.NotFound))

	var all sync.WaitGroup
	errs := make([]error, 20)
	for i := range errs {
		batch := postgres.VisitBatch{ID: uuid.New(), Short: []postgres.ShortClicks{{Code: "aaaaaaaa", Clicks: 1}, {Code: "bbbbbbbb", Clicks: 2}, {Code: "unknown1", Clicks: 1}}}
		if i%2 == 1 {
			batch.Short[0], batch.Short[1] = batch.Short[1], batch.Short[0]
		}
		all.Go(func() { errs[i] = errors.Join(visits.Add(ctx, batch), visits.Add(ctx, batch)) })
	}
	all.Wait()
	require.NoError(t, errors.Join(errs...))
	clicks, err := links.Clicks(ctx, b.ws.ID, []string{"aaaaaaaa", "bbbbbbbb", "unknown1"})
	require.NoError(t, err)
	require.Equal(t, map[string]postgres.LinkClicks{
		"aaaaaaaa": {Code: "aaaaaaaa", Target: "https://example.com/1", Clicks: 20}, "bbbbbbbb": {Code: "bbbbbbbb", Target: "https://example.com/2", Clicks: 40},
	}, clicks)
	foreign, err := links.Clicks(ctx, b.tenant(t).ID, []string{"aaaaaaaa"})
	require.NoError(t, err)
	require.Empty(t, foreign)
}

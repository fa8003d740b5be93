package app_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/event"
	"fencepost.internal/shared/domain/lead"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

func TestLeads(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours, theirs := b.tenant(t.Context(), t), b.tenant(t.Context(), t)
	created, err := b.CreateLead(t.Context(), ours,
		lead.New{WorkspaceID: theirs.WorkspaceID, Name: "Mara", Source: lead.SourceAgent})
	require.NoError(t, err)
	require.Equal(t, ours.WorkspaceID, created.WorkspaceID, "the client decides, not the request")
	require.EqualValues(t, 1, b.poked.Load(), "the relay need not wait for its tick")

	b.clock.Advance(time.Minute)
	moved, changed, err := b.MoveLead(t.Context(), ours, created.ID, lead.StageWon, "")
	require.NoError(t, err)
	require.True(t, changed)
	require.Equal(t, lead.StageWon, moved.Stage)
	require.Equal(t, start.Add(time.Minute), moved.UpdatedAt)
	again, changed, err := b.MoveLead(t.Context(), ours, created.ID, lead.StageWon, "")
	require.NoError(t, err)
	require.False(t, changed)
	require.Equal(t, moved, again)
	require.EqualValues(t, 2, b.poked.Load())

	read, err := b.Lead(t.Context(), ours, created.ID)
	require.NoError(t, err)
	require.Equal(t, moved, read)
	all, err := b.Leads(t.Context(), ours, postgres.LeadFilter{Limit: 10})
	require.NoError(t, err)
	require.Equal(t, []lead.Lead{moved}, all)

	var got []event.Type
	for _, body := range b.rows.Column(t.Context(), t, `SELECT convert_from(body, 'UTF8') FROM event ORDER BY id`) {
		var e struct {
			Type        event.Type
			WorkspaceID ident.Workspace
		}
		require.NoError(t, json.Unmarshal([]byte(body), &e))
		require.Equal(t, ours.WorkspaceID, e.WorkspaceID)
		got = append(got, e.Type)
	}
	require.Equal(t, []event.Type{event.LeadCreated, event.LeadStageChanged}, got)
}

func TestForeignLeadsAreNotFound(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours, theirs := b.tenant(t.Context(), t), b.tenant(t.Context(), t)
	created, err := b.CreateLead(t.Context(), theirs, lead.New{Name: "Mara"})
	require.NoError(t, err)
	_, err = b.Lead(t.Context(), ours, created.ID)
	require.Equal(t, apperr.NotFound, apperr.CodeOf(err))
	_, _, err = b.MoveLead(t.Context(), ours, created.ID, lead.StageWon, "")
	require.Equal(t, apperr.NotFound, apperr.CodeOf(err))
	_, err = b.CreateLead(t.Context(), ours, lead.New{})
	require.Equal(t, apperr.ValidationFailed, apperr.CodeOf(err))
	_, _, err = b.MoveLead(t.Context(), theirs, created.ID, "MAYBE", "")
	require.Equal(t, apperr.ValidationFailed, apperr.CodeOf(err))
	none, err := b.Leads(t.Context(), ours, postgres.LeadFilter{Limit: 10})
	require.NoError(t, err)
	require.Empty(t, none)
	require.EqualValues(t, 1, b.poked.Load())
}

package postgres_test

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/lead"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// lead stores a lead.
func (b *bundle) lead(t *testing.T, in lead.New) lead.Lead {
	t.Helper()
	if in.WorkspaceID.IsZero() {
		in.WorkspaceID = b.ws.ID
	}
	change, err := lead.Create(in, b.now)
	require.NoError(t, err)
	require.NoError(t, postgres.NewLeads(b.db).Insert(t.Context(), change))
	return change.Lead
}

// knownPerson stores a person of the workspace.
func (b *bundle) knownPerson(t *testing.T) ident.Person {
	t.Helper()
	id := ident.New[ident.Person]()
	postgrestest.Exec(t, b.address, `INSERT INTO person (id, workspace_id, name) VALUES ($1, $2, '')`, id.String(), b.ws.ID.String())
	return id
}

func (b *bundle) leadEvents(t *testing.T) []string {
	t.Helper()
	return postgrestest.Column(t, b.address,
		`SELECT type FROM event WHERE type LIKE 'lead.%' AND webhook_id IS NULL ORDER BY id`)
}

func TestLeadsRoundTrip(t *testing.T) {
	t.Parallel()
	b := setup(t)
	leads := postgres.NewLeads(b.db)
	full := b.lead(t, lead.New{
		PersonID: b.knownPerson(t), Name: strings.Repeat("é", 200), Handle: "mara", ProfileURL: "https://a.test/",
		Platform: "INSTAGRAM",
		Source:   lead.SourceAgent, Temperature: lead.TemperatureHot, Interest: "a\n\"b\" \\ 🎈", Stage: lead.StageLost,
		Value:    "999999999999.9999",
		Currency: "EUR", FollowUpAt: b.now.Add(time.Hour), ContactEmail: "mara@example.com", ContactPhone: "+46 70",
		LostReason: "Too dear.",
	})
	bare := b.lead(t, lead.New{Name: "Mara"})
	for _, want := range []lead.Lead{full, bare} {
		got, err := leads.Get(t.Context(), b.ws.ID, want.ID)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	other := b.tenant(t)
	_, err := leads.Get(t.Context(), other.ID, full.ID)
	require.True(t, apperr.Is(err, apperr.NotFound), "another tenant's")
	require.Equal(t, []string{"lead.created", "lead.created"}, b.leadEvents(t))

	none, err := lead.Create(lead.New{WorkspaceID: ident.New[ident.Workspace](), Name: "No workspace"}, b.now)
	require.NoError(t, err)
	require.True(t, apperr.Is(leads.Insert(t.Context(), none), apperr.NotFound))
	require.Len(t, b.leadEvents(t), 2, "a rolled back change has no event")
}

func TestListOfLeads(t *testing.T) {
	t.Parallel()
	b := setup(t)
	leads, other := postgres.NewLeads(b.db), b.tenant(t)
	first, second := b.lead(t, lead.New{Name: "1"}), b.lead(t, lead.New{Name: "2", Stage: lead.StageWon})
	third := b.lead(t, lead.New{Name: "3"})
	b.lead(t, lead.New{Name: "theirs", WorkspaceID: other.ID})
	for _, c := range []struct {
		filter postgres.LeadFilter
		want   []lead.Lead
	}{
		{postgres.LeadFilter{Limit: 10}, []lead.Lead{third, second, first}},
		{postgres.LeadFilter{Limit: 2}, []lead.Lead{third, second}},
		{postgres.LeadFilter{Limit: 2, Before: second.ID}, []lead.Lead{first}},
		{postgres.LeadFilter{Limit: 10, Stage: lead.StageNew}, []lead.Lead{third, first}},
		{postgres.LeadFilter{Limit: 10, Stage: lead.StageLost}, []lead.Lead{}},
		{postgres.LeadFilter{Limit: 1, Offset: 1, Sort: postgres.LeadsByName}, []lead.Lead{second}},
		{postgres.LeadFilter{Limit: 10, Sort: postgres.LeadsByStage}, []lead.Lead{third, first, second}},
		{postgres.LeadFilter{Limit: 10, Sort: postgres.LeadsByValue}, []lead.Lead{third, second, first}},
		{postgres.LeadFilter{Limit: 10, Sort: postgres.LeadsByFollowUp}, []lead.Lead{third, first, second}},
		{postgres.LeadFilter{Limit: 10, Sort: postgres.LeadsByChange, Search: "2"}, []lead.Lead{second}},
		{postgres.LeadFilter{Limit: 10, Search: "%"}, []lead.Lead{}},
	} {
		got, err := leads.List(t.Context(), b.ws.ID, c.filter)
		require.NoError(t, err)
		require.Equal(t, c.want, got)
	}
}

func TestLeadIsMovedOnlyByItsWorkspace(t *testing.T) {
	t.Parallel()
	b := setup(t)
	leads, other := postgres.NewLeads(b.db), b.tenant(t)
	l := b.lead(t, lead.New{Name: "Mara"})
	_, err := leads.Change(t.Context(), other.ID, l.ID, func(lead.Lead) (lead.Change, error) {
		require.Fail(t, "nothing to decide")
		return lead.Change{}, nil
	})
	require.True(t, apperr.Is(err, apperr.NotFound))
}

func TestLeadChangeIsAtomic(t *testing.T) {
	t.Parallel()
	b := setup(t)
	leads := postgres.NewLeads(b.db)
	l := b.lead(t, lead.New{Name: "Mara"})
	refusal := errors.New("no")
	_, err := leads.Change(t.Context(), b.ws.ID, l.ID,
		func(lead.Lead) (lead.Change, error) { return lead.Change{}, refusal })
	require.ErrorIs(t, err, refusal)

	later := b.now.Add(time.Second)
	var decided lead.Change
	moved, err := leads.Change(t.Context(), b.ws.ID, l.ID, func(found lead.Lead) (lead.Change, error) {
		require.Equal(t, l, found)
		decided, err = found.MoveTo(lead.StageLost, "Too dear.", later)
		return decided, err
	})
	require.NoError(t, err)
	got, err := leads.Get(t.Context(), b.ws.ID, l.ID)
	require.NoError(t, err)
	require.Equal(t, moved.Lead, got)
	require.Equal(t, []string{"lead.created", "lead.stage_changed"}, b.leadEvents(t))

	// An event that cannot be stored rolls back the change: here the same event a second time.
	_, err = leads.Change(t.Context(), b.ws.ID, l.ID, func(found lead.Lead) (lead.Change, error) {
		next := found
		next.Stage, next.LostReason = lead.StageWon, ""
		return lead.Change{From: found, Lead: next, Event: decided.Event}, nil
	})
	require.Error(t, err)
	got, err = leads.Get(t.Context(), b.ws.ID, l.ID)
	require.NoError(t, err)
	require.Equal(t, lead.StageLost, got.Stage)
	require.Len(t, b.leadEvents(t), 2)
}

// TestConcurrentMovesApplyOnce checks that of many concurrent identical moves, one applies and writes one event.
func TestConcurrentMovesApplyOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	leads := postgres.NewLeads(b.db)
	l := b.lead(t, lead.New{Name: "Mara"})
	var wait sync.WaitGroup
	emitted := make(chan bool, 16)
	for range cap(emitted) {
		wait.Go(func() {
			change, err := leads.Change(t.Context(), b.ws.ID, l.ID, func(found lead.Lead) (lead.Change, error) {
				return found.MoveTo(lead.StageContacted, "", b.now)
			})
			emitted <- err == nil && change.Event != nil
		})
	}
	wait.Wait()
	close(emitted)
	moves := 0
	for moved := range emitted {
		if moved {
			moves++
		}
	}
	require.Equal(t, 1, moves)
	require.Equal(t, []string{"lead.created", "lead.stage_changed"}, b.leadEvents(t))
}

// TestConcurrentMovesAreSerialized checks that the previous stages of concurrent moves to different stages form a chain.
func TestConcurrentMovesAreSerialized(t *testing.T) {
	t.Parallel()
	b := setup(t)
	leads := postgres.NewLeads(b.db)
	l := b.lead(t, lead.New{Name: "Mara"})
	var wait sync.WaitGroup
	for i := range 24 {
		wait.Go(func() {
			_, err := leads.Change(t.Context(), b.ws.ID, l.ID, func(found lead.Lead) (lead.Change, error) {
				return found.MoveTo(lead.Stages()[i%len(lead.Stages())], "", time.Now().UTC())
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	pairs := postgrestest.Column(t, b.address,
		`SELECT convert_from(body, 'UTF8')::jsonb #>> '{data,previous_stage}' || ' ' ||
		(convert_from(body, 'UTF8')::jsonb #>> '{data,stage}') FROM event WHERE type = 'lead.stage_changed' ORDER BY xmin::text::bigint`)
	// Each stage is left as often as it is reached, except for the first and the last.
	balance := map[string]int{}
	for _, pair := range pairs {
		from, to, _ := strings.Cut(pair, " ")
		require.NotEqual(t, from, to)
		balance[from]--
		balance[to]++
	}
	got, err := leads.Get(t.Context(), b.ws.ID, l.ID)
	require.NoError(t, err)
	balance[string(lead.StageNew)]++
	balance[string(got.Stage)]--
	for stage, rest := range balance {
		require.Zero(t, rest, stage)
	}
}

func TestSchemaRefusesInvalidLeads(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.lead(t, lead.New{Name: "Mara"})
	for name, set := range map[string]string{
		"no name": `name = ''`, "no such stage": `stage = 'MAYBE'`, "a value without a currency": `value = 1`,
		"a currency without a value": `currency = 'EUR'`, "a reason while open": `lost_reason = 'x'`,
		"a debt":         `value = -1, currency = 'EUR'`,
		"no such source": `source = 'DREAM'`, "no such temperature": `temperature = 'MILD'`,
	} {
		require.ErrorContains(t, postgrestest.Try(t, b.address, `UPDATE lead SET `+set), "SQLSTATE 23514", name)
	}
}

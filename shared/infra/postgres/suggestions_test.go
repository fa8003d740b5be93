package postgres_test

import (
	"context"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/inbox"
	"fencepost.internal/shared/domain/lead"
	"fencepost.internal/shared/domain/lead/score"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// agency is a workspace whose inbox the Sales Lead agent reads.
type agency struct {
	*bundle

	t           *testing.T
	suggestions *postgres.Suggestions
	leads       *postgres.Leads
	n           int
	at          time.Time
}

func openAgency(t *testing.T) *agency {
	t.Helper()
	b := setup(t)
	b.inboxOf(t, b.ws, "41", "7")
	a := &agency{bundle: b, t: t, suggestions: postgres.NewSuggestions(b.db), leads: postgres.NewLeads(b.db), at: time.Now().UTC().Add(-time.Hour)}
	a.arrives(&reports{}, inbox.Change{Connection: &inbox.Connection{ID: "c", ExternalID: "41:7", Enabled: true, MayReply: true, At: a.at}})
	return a
}

// arrives reports an event and processes it.
func (a *agency) arrives(r *reports, c inbox.Change) {
	a.t.Helper()
	a.reports(r, c)
	a.process(r)
}

func (a *agency) reports(r *reports, c inbox.Change) {
	a.t.Helper()
	a.n++
	r.add("41", "u/"+strconv.Itoa(a.n), a.at, c)
	a.reported(a.t, r.events...)
}

func (a *agency) process(r *reports) {
	a.t.Helper()
	for {
		taken, err := postgres.NewInbound(a.db).Rating(score.Of).Process(a.t.Context(), 10, r.read)
		require.NoError(a.t, err)
		if len(taken) == 0 {
			return
		}
	}
}

func (a *agency) message(from, text string, direction inbox.Direction) inbox.Change {
	a.at = a.at.Add(time.Second)
	return inbox.Change{Message: &inbox.Written{
		Connection: "c", Thread: from, ExternalID: from + "/" + a.at.Format(time.RFC3339Nano), Direction: direction, Text: text, SentAt: a.at,
		Person: inbox.Identity{ID: from, Name: "Person " + from, Username: "p" + from},
	}}
}

func (a *agency) writes(from, text string) {
	a.t.Helper()
	a.arrives(&reports{}, a.message(from, text, inbox.In))
}

func (a *agency) open() []postgres.SuggestedPerson {
	a.t.Helper()
	open, err := a.suggestions.Open(a.t.Context(), a.ws.ID, ident.Person{}, 10)
	require.NoError(a.t, err)
	return open
}

func (a *agency) created() []string {
	a.t.Helper()
	return postgrestest.Column(a.t, a.address, `SELECT body::text FROM event WHERE workspace_id = $1 AND type = 'lead.created'`, a.ws.ID)
}

const question = "How much is the blue mug? I'd like to order two."

// TestSuggestions follows a person from the first message to a lead, and from there to the next one.
func TestSuggestions(t *testing.T) {
	t.Parallel()
	a, ctx := openAgency(t), t.Context()
	a.writes("1", "Nice!")
	a.arrives(&reports{}, a.message("1", question, inbox.Out))
	require.Empty(t, a.open(), "neither praise nor what the account writes")
	r, c := &reports{}, a.message("1", question, inbox.In)
	a.arrives(r, c)
	a.arrives(r, c) // reported again, as another event
	open := a.open()
	require.Len(t, open, 1)
	require.Equal(t, 50, open[0].Score)
	require.Equal(t, "Person 1", open[0].Name)
	require.Len(t, open[0].Messages, 1)
	require.Equal(t, []score.Rule{score.Buying, score.Price}, []score.Rule{open[0].Messages[0].Reasons[0].Rule, open[0].Messages[0].Reasons[1].Rule})
	span := open[0].Messages[0].Reasons[1].Words[0]
	require.Equal(t, "How much", question[span.Start:span.End])

	a.writes("1", "Can you deliver by Friday? I am at jo@shop.example")
	open = a.open()
	require.Len(t, open, 1)
	require.Equal(t, 85, open[0].Score)
	require.Len(t, open[0].Messages, 2)
	limited, err := a.suggestions.For([]ident.Channel{a.ch.ID}).Open(ctx, a.ws.ID, ident.Person{}, 10)
	require.NoError(t, err)
	require.Empty(t, limited, "of a channel that the member does not see")
	_, err = a.suggestions.For([]ident.Channel{a.ch.ID}).Accept(ctx, a.ws.ID, open[0].ID, ident.User{})
	require.True(t, apperr.Is(err, apperr.NotFound))
	_, err = a.suggestions.Accept(ctx, a.other(t).ID, open[0].ID, ident.User{})
	require.True(t, apperr.Is(err, apperr.NotFound))

	l, err := a.suggestions.Accept(ctx, a.ws.ID, open[0].ID, ident.User{})
	require.NoError(t, err)
	require.Equal(t, []any{lead.SourceAgent, lead.TemperatureHot, 85, question, lead.Platform("TELEGRAM"), "https://t.me/p1"},
		[]any{l.Source, l.Temperature, l.Score, l.Interest, l.Platform, l.ProfileURL})
	_, err = a.suggestions.Accept(ctx, a.ws.ID, open[0].ID, ident.User{})
	require.True(t, apperr.Is(err, apperr.InvalidState))
	require.Len(t, a.created(), 1)
	a.writes("1", "Any discount for 20 €? The code from the market?") // known rules
	a.writes("1", "My number is +49 171 2345678, and the parcel of last year was broken")
	a.at = a.at.Add(time.Minute)
	require.Empty(t, a.open())
	require.Len(t, a.created(), 1)
	found, err := a.leads.Get(ctx, a.ws.ID, l.ID)
	require.NoError(t, err)
	require.Equal(t, l.Revision, found.Revision)

	_, err = a.leads.Change(ctx, a.ws.ID, l.ID, func(l lead.Lead) (lead.Change, error) {
		return l.MoveTo(lead.StageLost, "", time.Now())
	})
	require.NoError(t, err)
	a.writes("1", question)
	open = a.open()
	require.Len(t, open, 1)
	again, err := a.suggestions.Accept(ctx, a.ws.ID, open[0].ID, ident.User{})
	require.NoError(t, err)
	require.Equal(t, "agent/"+open[0].PersonID.String()+"/2", again.CaptureKey)
	a.writes("1", "How long does delivery take?")
	raised, err := a.leads.Get(ctx, a.ws.ID, again.ID)
	require.NoError(t, err)
	require.Equal(t, []any{65, lead.TemperatureHot, again.Revision}, []any{raised.Score, raised.Temperature, raised.Revision})
	require.Equal(t, []string{"50 to 65"}, postgrestest.Column(t, a.address, `SELECT text FROM lead_entry WHERE lead_id = $1 AND kind = 'SCORED'`, again.ID))
}

// other returns another workspace.
func (a *agency) other(t *testing.T) (ws struct{ ID ident.Workspace }) {
	t.Helper()
	ws.ID = ident.New[ident.Workspace]()
	return ws
}

// TestDecisionsAreKept checks that rejected people rest, and that others are never suggested.
func TestDecisionsAreKept(t *testing.T) {
	t.Parallel()
	a, ctx := openAgency(t), t.Context()
	for _, from := range []string{"1", "2"} {
		a.writes(from, question)
		open := a.open()
		require.Len(t, open, 1)
		require.NoError(t, a.suggestions.Reject(ctx, a.ws.ID, open[0].ID, ident.User{}, from == "2"))
		a.writes(from, question)
		require.Empty(t, a.open())
	}
	postgrestest.Exec(t, a.address, `UPDATE lead_suggestion SET decided_at = now() - interval '31 days'`)
	a.writes("1", question)
	a.writes("2", question)
	open := a.open()
	require.Len(t, open, 1)
	require.Equal(t, "Person 1", open[0].Name)

	// The agent is off, or reads a word of the workspace.
	agents := postgres.NewLeadAgents(a.db)
	require.NoError(t, agents.Put(ctx, a.ws.ID, lead.Agent{Mode: lead.AgentOff}))
	a.writes("3", question)
	require.Len(t, a.open(), 1)
	want := lead.Agent{Mode: lead.AgentSuggests, Words: []string{"glaze*", "raku, black"}}
	require.NoError(t, agents.Put(ctx, a.ws.ID, want))
	a.writes("4", "Your glazes!")
	require.Len(t, a.open(), 2)
	got, err := agents.Get(ctx, a.ws.ID)
	require.NoError(t, err)
	require.Equal(t, want, got)

	// The same text of many, an account of the workspace, and a conversation that is spam.
	const offer = "We want to buy your shop, how much is it today? Our experts wait for your call."
	for _, from := range []string{"11", "12", "13", "7", "41"} {
		a.writes(from, offer)
	}
	names := make(map[string]bool)
	for _, one := range a.open() {
		names[one.Name] = true
	}
	require.Equal(t, map[string]bool{"Person 1": true, "Person 4": true, "Person 11": true, "Person 12": true}, names)
	a.writes("14", "hi")
	postgrestest.Exec(t, a.address, `UPDATE conversation SET state = 'SPAM' WHERE thread = '14'`)
	a.writes("14", question)
	require.Len(t, a.open(), 4)
}

// TestTheAgentCreatesLeadsOnce lets several processes read events of several people at the same time, some of which fail in the
// middle of the transaction.
func TestTheAgentCreatesLeadsOnce(t *testing.T) {
	t.Parallel()
	a := openAgency(t)
	require.NoError(t, postgres.NewLeadAgents(a.db).Put(t.Context(), a.ws.ID, lead.Agent{Mode: lead.AgentCreates}))
	r := &reports{}
	const people, messages = 5, 4
	for n := range people * messages {
		a.reports(r, a.message(strconv.Itoa(n%people), question, inbox.In))
	}
	var running sync.WaitGroup
	for process := range 4 {
		running.Go(func() {
			for round := range 40 {
				ctx, cancel := context.WithCancel(t.Context())
				rates := 0
				crashing := func(m score.Message, own *score.Words) score.Result {
					if rates++; rates == 2 && (process+round)%3 == 0 {
						cancel()
					}
					return score.Of(m, own)
				}
				_, _ = postgres.NewInbound(a.db).Rating(crashing).Process(ctx, 3, r.read)
				cancel()
			}
		})
	}
	running.Wait()
	a.process(r)
	require.Len(t, a.created(), people)
	require.Len(t, postgrestest.Column(t, a.address, `SELECT id::text FROM lead WHERE workspace_id = $1 AND source = 'SALES_LEAD_AGENT'`, a.ws.ID), people)
	require.Empty(t, a.open())
}

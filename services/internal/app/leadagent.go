package app

import (
	"context"
	"errors"

	"fencepost.internal/services/internal/relay"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/lead"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/ident"
)

// LeadAgentDeps holds the dependencies of LeadAgent.
type LeadAgentDeps struct {
	DB *postgres.DB
	// Wake notifies the relay of committed rows. It never blocks.
	Wake func(relay.Wake)
}

// LeadAgent implements the use cases by which people decide about suggestions of the Sales Lead agent: neither the API nor the
// tools reach them. It is safe for concurrent use.
type LeadAgent struct {
	suggestions *postgres.Suggestions
	settings    *postgres.LeadAgents
	wake        func(relay.Wake)
}

// NewLeadAgent returns the use cases.
func NewLeadAgent(d LeadAgentDeps) (*LeadAgent, error) {
	if d.DB == nil || d.Wake == nil {
		return nil, errors.New("app: every dependency of LeadAgent is required")
	}
	return &LeadAgent{postgres.NewSuggestions(d.DB), postgres.NewLeadAgents(d.DB), d.Wake}, nil
}

// maxSuggestions is the number of suggestions of a page.
const maxSuggestions = 50

// sees reports whether a person sees suggestions: they have what people wrote.
func (a *LeadAgent) sees(p Principal) bool {
	return p.Allows(credential.InboxRead) && p.Allows(credential.LeadsRead)
}

// Suggestions returns the open suggestions of the workspace, or of a person of the inbox; none if the person does not see them.
func (a *LeadAgent) Suggestions(ctx context.Context, p Principal, of ident.Person) ([]postgres.SuggestedPerson, error) {
	if !a.sees(p) {
		return nil, nil
	}
	return a.suggestions.For(p.Channels).Open(ctx, p.WorkspaceID, of, maxSuggestions)
}

// Count counts the open suggestions that the person sees.
func (a *LeadAgent) Count(ctx context.Context, p Principal) (int, error) {
	if !a.sees(p) {
		return 0, nil
	}
	return a.suggestions.For(p.Channels).Count(ctx, p.WorkspaceID)
}

// Accept makes a lead of a suggestion, and emits lead.created. Errors: NOT_FOUND, INVALID_STATE if another member decided.
func (a *LeadAgent) Accept(ctx context.Context, p Principal, id ident.Suggestion) (lead.Lead, error) {
	if err := a.decides(p); err != nil {
		return lead.Lead{}, err
	}
	created, err := a.suggestions.For(p.Channels).Accept(ctx, p.WorkspaceID, id, p.Person.ID)
	if err == nil {
		a.wake(relay.Events)
	}
	return created, err
}

// Reject ends a suggestion; never: the person is not suggested again. Errors as those of Accept.
func (a *LeadAgent) Reject(ctx context.Context, p Principal, id ident.Suggestion, never bool) error {
	if err := a.decides(p); err != nil {
		return err
	}
	return a.suggestions.For(p.Channels).Reject(ctx, p.WorkspaceID, id, p.Person.ID, never)
}

func (a *LeadAgent) decides(p Principal) error {
	if err := p.Require(credential.InboxRead); err != nil {
		return err
	}
	return p.Require(credential.LeadsManage)
}

// Settings returns how the agent works in the workspace.
func (a *LeadAgent) Settings(ctx context.Context, p Principal) (lead.Agent, error) {
	if err := p.Require(credential.LeadsManage); err != nil {
		return lead.Agent{}, err
	}
	return a.settings.Get(ctx, p.WorkspaceID)
}

// Set stores how the agent works in the workspace; VALIDATION_FAILED with every fault at once.
func (a *LeadAgent) Set(ctx context.Context, p Principal, in lead.Agent) error {
	if err := p.Require(credential.LeadsManage); err != nil {
		return err
	}
	checked, err := in.Check()
	if err != nil {
		return err
	}
	return a.settings.Put(ctx, p.WorkspaceID, checked)
}

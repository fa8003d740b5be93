package app

import (
	"context"
	"errors"
	"time"

	"fencepost.internal/services/internal/relay"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/lead"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/secretbox"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/kernel/ident"
)

// LeadDeskDeps holds the dependencies of LeadDesk.
type LeadDeskDeps struct {
	DB      *postgres.DB
	Keyring *secretbox.Keyring
	Clock   clock.Clock
	// Wake notifies the relay of committed rows. It never blocks.
	Wake func(relay.Wake)
}

// LeadDesk implements the use cases by which people work on leads: neither the API nor the tools reach them. It is safe for
// concurrent use.
type LeadDesk struct {
	db            *postgres.DB
	leads         *postgres.Leads
	imports       *postgres.LeadImports
	conversations *postgres.Conversations
	users         *postgres.Users
	clock         clock.Clock
	wake          func(relay.Wake)
}

// NewLeadDesk returns the use cases.
func NewLeadDesk(d LeadDeskDeps) (*LeadDesk, error) {
	if d.DB == nil || d.Keyring == nil || d.Clock == nil || d.Wake == nil {
		return nil, errors.New("app: every dependency of LeadDesk is required")
	}
	return &LeadDesk{
		db: d.DB, leads: postgres.NewLeads(d.DB), imports: postgres.NewLeadImports(d.DB),
		conversations: postgres.NewConversations(d.DB), users: postgres.NewUsers(d.DB), clock: d.Clock, wake: d.Wake,
	}, nil
}

func (a *LeadDesk) now() time.Time { return a.clock.Now().UTC().Truncate(time.Millisecond) }

// Capture is a lead that a person captures.
type Capture struct {
	lead.New // its WorkspaceID is that of the person

	Conversation ident.Conversation // with the lead; zero: none
	Anyway       bool               // although the workspace has an open lead of the same person
}

// Create stores a new lead, and emits lead.created. A capture key creates one lead: used again, it returns that lead. If the
// workspace has open leads of the same person, it returns these instead, unless the capture says so. Errors: VALIDATION_FAILED
// with every fault, NOT_FOUND for a conversation that the person does not see.
func (a *LeadDesk) Create(ctx context.Context, p Principal, in Capture) (l lead.Lead, known []lead.Lead, err error) {
	if err := p.Require(credential.LeadsManage); err != nil {
		return l, nil, err
	}
	in.WorkspaceID, in.FollowUpBy = p.WorkspaceID, p.Person.ID
	if !in.Conversation.IsZero() {
		of, err := a.Conversation(ctx, p, in.Conversation)
		if err != nil {
			return l, nil, err
		}
		in.PersonID = of.PersonID
	}
	now := a.now()
	change, err := lead.Create(in.New, now)
	if err = joinFaults(err, lead.CheckPlan(in.FollowUpAt, now), a.may(ctx, p, in.OwnerID)); err != nil {
		return l, nil, err
	}
	change.By = p.Person.ID
	err = a.db.WithinTx(ctx, func(ctx context.Context) error {
		if l, known, err = a.earlier(ctx, change.Lead, in.Anyway); err != nil || !l.ID.IsZero() || len(known) > 0 {
			return err
		}
		if l, err = change.Lead, a.leads.Insert(ctx, change); err != nil || in.Conversation.IsZero() {
			return err
		}
		return a.leads.Link(ctx, l, in.Conversation)
	})
	if errors.Is(err, postgres.ErrCaptured) { // by another tab, in the same moment
		l, err = a.leads.ByCapture(ctx, p.WorkspaceID, in.CaptureKey)
		return l, nil, err
	}
	if err == nil && len(known) == 0 {
		a.wake(relay.Events)
		a.wake(relay.Messages)
	}
	return l, known, err
}

// earlier returns the lead that the capture has created already, or else the leads of the same person.
func (a *LeadDesk) earlier(ctx context.Context, of lead.Lead, anyway bool) (l lead.Lead, known []lead.Lead, err error) {
	if of.CaptureKey != "" {
		if l, err = a.leads.ByCapture(ctx, of.WorkspaceID, of.CaptureKey); !apperr.Is(err, apperr.NotFound) {
			return l, nil, err
		}
	}
	if anyway {
		return lead.Lead{}, nil, nil
	}
	known, err = a.leads.Same(ctx, of)
	for _, one := range known {
		if of.CaptureKey != "" && one.CaptureKey == of.CaptureKey { // created by another tab since
			return one, nil, err
		}
	}
	return lead.Lead{}, known, err
}

// Conversation returns a conversation from which the person creates a lead; NOT_FOUND if the person does not see it.
func (a *LeadDesk) Conversation(ctx context.Context, p Principal, id ident.Conversation) (postgres.Shown, error) {
	if err := p.Require(credential.InboxRead); err != nil {
		return postgres.Shown{}, err
	}
	return a.conversations.For(p.Channels).Get(ctx, p.WorkspaceID, p.Person.ID, id)
}

// Draft returns what a conversation says of a person, for the form of a new lead.
func (a *LeadDesk) Draft(ctx context.Context, p Principal, id ident.Conversation) (lead.New, error) {
	of, err := a.Conversation(ctx, p, id)
	if err != nil {
		return lead.New{}, err
	}
	names, err := a.leads.Names(ctx, of.PersonID)
	if err != nil {
		return lead.New{}, err
	}
	in := lead.New{Name: of.PersonName, Handle: of.Username, Platform: lead.PlatformOf(string(of.ChannelType)), PersonID: of.PersonID}
	in.ProfileURL, in.ContactPhone = in.Platform.Reach(of.Username, names)
	last, err := a.conversations.LastText(ctx, of.ID)
	if text := []rune(last); len(text) > lead.MaxInterest {
		last = string(text[:lead.MaxInterest-1]) + "…"
	}
	in.Interest = last
	return in, err
}

// Talks returns the conversations of a lead that the person sees.
func (a *LeadDesk) Talks(ctx context.Context, p Principal, l lead.Lead) ([]postgres.Shown, error) {
	if !p.Allows(credential.InboxRead) {
		return nil, nil
	}
	ids, err := a.leads.Conversations(ctx, l.ID)
	if err != nil {
		return nil, err
	}
	var list []postgres.Shown
	for _, id := range ids {
		of, err := a.Conversation(ctx, p, id)
		if apperr.Is(err, apperr.NotFound) {
			continue // of another channel
		}
		if err != nil {
			return nil, err
		}
		list = append(list, of)
	}
	return list, nil
}

// Of returns the leads of a conversation, the newest first.
func (a *LeadDesk) Of(ctx context.Context, p Principal, of ident.Conversation) ([]lead.Lead, error) {
	if !p.Allows(credential.LeadsRead) {
		return nil, nil
	}
	return a.leads.Of(ctx, p.WorkspaceID, of, ident.Person{})
}

// Owners returns the members who may work on leads, by their names.
func (a *LeadDesk) Owners(ctx context.Context, p Principal) ([]Assignee, error) {
	members, err := a.users.Members(ctx, p.WorkspaceID)
	var able []Assignee
	for _, m := range members {
		if m.Active() && m.Role.Allows(credential.LeadsRead) {
			able = append(able, Assignee{m.UserID, m.Name})
		}
	}
	return able, err
}

// may returns VALIDATION_FAILED unless a member, if there is one, may work on leads.
func (a *LeadDesk) may(ctx context.Context, p Principal, owner ident.User) error {
	if owner.IsZero() || owner == p.Person.ID {
		return nil
	}
	able, err := a.Owners(ctx, p)
	if err != nil {
		return err
	}
	for _, one := range able {
		if one.ID == owner {
			return nil
		}
	}
	return apperr.Invalid([]apperr.Field{{Pointer: "/owner", Message: "Choose a member who works on leads."}})
}

// LeadEdit has the entries of a person on the page of a lead. The page shows a revision of the lead; ErrChanged if there is another
// one by now.
type LeadEdit struct {
	lead.New // its name and the other fields that describe the lead, the owner and the follow-up

	Revision int64
}

// Edit stores the fields of the lead's form. No event is emitted. Errors: VALIDATION_FAILED with every fault, lead.ErrChanged.
func (a *LeadDesk) Edit(ctx context.Context, p Principal, id ident.Lead, in LeadEdit) (lead.Lead, error) {
	return a.change(ctx, p, id, func(ctx context.Context, l lead.Lead) (lead.Change, error) {
		if err := l.Since(in.Revision); err != nil {
			return lead.Change{}, err
		}
		now := a.now()
		_, unplanned := l.Plan(in.FollowUpAt, p.Person.ID, now)
		change, err := l.Edit(in.New, now)
		if in.OwnerID != l.OwnerID {
			unplanned = joinFaults(unplanned, a.may(ctx, p, in.OwnerID))
		}
		if err = joinFaults(err, unplanned); err != nil {
			return lead.Change{}, err
		}
		change, err = change.Then(func(l lead.Lead) (lead.Change, error) { return l.Plan(in.FollowUpAt, p.Person.ID, now) })
		if err != nil {
			return lead.Change{}, err
		}
		return change.Then(func(l lead.Lead) (lead.Change, error) { return l.Assign(in.OwnerID, now) })
	})
}

// joinFaults returns the faults of several checks as one error; any other error first.
func joinFaults(errs ...error) error {
	var fields []apperr.Field
	for _, err := range errs {
		if err != nil && !apperr.Is(err, apperr.ValidationFailed) {
			return err
		}
		fields = append(fields, apperr.FieldsOf(err)...)
	}
	return apperr.Invalid(fields)
}

// LeadMove is the move of a lead to another stage.
type LeadMove struct {
	To       lead.Stage
	From     lead.Stage // that the page showed; empty: any
	Reason   string     // of a lost lead
	Value    string     // of a won lead; empty: it stays
	Currency string
}

// Move moves a lead to a stage, and emits lead.stage_changed unless it was there. Errors: VALIDATION_FAILED, lead.ErrChanged if
// another member moved it from where the page showed it.
func (a *LeadDesk) Move(ctx context.Context, p Principal, id ident.Lead, in LeadMove) (lead.Lead, error) {
	return a.change(ctx, p, id, func(_ context.Context, l lead.Lead) (lead.Change, error) {
		if in.From != "" && in.From != l.Stage && in.To != l.Stage {
			return lead.Change{}, lead.ErrChanged
		}
		now, change := a.now(), lead.Change{From: l, Lead: l}
		if in.Value != "" || in.Currency != "" {
			described := l.Described()
			described.Value, described.Currency = in.Value, in.Currency
			var err error
			if change, err = l.Edit(described, now); err != nil {
				return lead.Change{}, err
			}
		}
		return change.Then(func(l lead.Lead) (lead.Change, error) { return l.MoveTo(in.To, in.Reason, now) })
	})
}

// change changes a lead as decided, and wakes the relay.
func (a *LeadDesk) change(
	ctx context.Context, p Principal, id ident.Lead, decide func(context.Context, lead.Lead) (lead.Change, error),
) (lead.Lead, error) {
	if err := p.Require(credential.LeadsManage); err != nil {
		return lead.Lead{}, err
	}
	change, err := a.leads.Change(ctx, p.WorkspaceID, id, func(l lead.Lead) (lead.Change, error) {
		change, err := decide(ctx, l)
		change.By = p.Person.ID
		return change, err
	})
	if err != nil {
		return lead.Lead{}, err
	}
	a.wake(relay.Events)
	a.wake(relay.Messages)
	return change.Lead, nil
}

// Note adds a note to the timeline of a lead.
func (a *LeadDesk) Note(ctx context.Context, p Principal, id ident.Lead, text string) error {
	if err := p.Require(credential.LeadsManage); err != nil {
		return err
	}
	if _, err := a.leads.Get(ctx, p.WorkspaceID, id); err != nil {
		return err
	}
	entry, err := lead.Note(text, p.Person.ID, a.now())
	if err != nil {
		return err
	}
	return a.leads.Note(ctx, id, entry)
}

// Delete deletes a lead. No event is emitted.
func (a *LeadDesk) Delete(ctx context.Context, p Principal, id ident.Lead) error {
	if err := p.Require(credential.LeadsManage); err != nil {
		return err
	}
	return a.leads.Delete(ctx, p.WorkspaceID, id)
}

// Lead returns a lead; NOT_FOUND when the workspace has no such lead.
func (a *LeadDesk) Lead(ctx context.Context, p Principal, id ident.Lead) (lead.Lead, error) {
	if err := p.Require(credential.LeadsRead); err != nil {
		return lead.Lead{}, err
	}
	return a.leads.Get(ctx, p.WorkspaceID, id)
}

// timelineLimit is the number of entries of a timeline that are shown.
const timelineLimit = 200

// Timeline returns the newest entries of the timeline of a lead.
func (a *LeadDesk) Timeline(ctx context.Context, p Principal, l lead.Lead) ([]postgres.NamedEntry, error) {
	if err := p.Require(credential.LeadsRead); err != nil {
		return nil, err
	}
	return a.leads.Entries(ctx, l.ID, timelineLimit)
}

// Leads returns leads of the workspace.
func (a *LeadDesk) Leads(ctx context.Context, p Principal, f postgres.LeadFilter) ([]lead.Lead, error) {
	if err := p.Require(credential.LeadsRead); err != nil {
		return nil, err
	}
	return a.leads.List(ctx, p.WorkspaceID, f)
}

// Overview returns the sums of the stages, and the numbers of leads.
func (a *LeadDesk) Overview(
	ctx context.Context, p Principal, f postgres.LeadFilter,
) (sums []postgres.StageSum, counts postgres.LeadCounts, err error) {
	if err = p.Require(credential.LeadsRead); err != nil {
		return nil, counts, err
	}
	if sums, err = a.leads.Sums(ctx, p.WorkspaceID, f); err == nil {
		counts, err = a.leads.Counts(ctx, p.WorkspaceID, p.Person.ID, a.now())
	}
	return sums, counts, err
}

// Sums returns the sums of the stages.
func (a *LeadDesk) Sums(ctx context.Context, p Principal, f postgres.LeadFilter) ([]postgres.StageSum, error) {
	if err := p.Require(credential.LeadsRead); err != nil {
		return nil, err
	}
	return a.leads.Sums(ctx, p.WorkspaceID, f)
}

// Reasons returns the reasons for which leads of the workspace were lost, the most frequent first.
func (a *LeadDesk) Reasons(ctx context.Context, p Principal) ([]string, error) {
	const most = 10
	if err := p.Require(credential.LeadsRead); err != nil {
		return nil, err
	}
	return a.leads.Reasons(ctx, p.WorkspaceID, most)
}

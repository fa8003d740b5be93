package app

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"fencepost.internal/shared/domain/audit"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/person"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/kernel/ident"
)

// PeopleDeps holds the dependencies of People.
type PeopleDeps struct {
	DB    *postgres.DB
	Clock clock.Clock
}

// People implements the use cases of the people whom a workspace knows. Neither the API nor the tools reach them. It is safe for
// concurrent use.
type People struct {
	db     *postgres.DB
	people *postgres.People
	inbox  *postgres.Inboxes
	audit  *postgres.Audit
	clock  clock.Clock
}

// NewPeople returns the use cases.
func NewPeople(d PeopleDeps) (*People, error) {
	if d.DB == nil || d.Clock == nil {
		return nil, errors.New("app: every dependency of People is required")
	}
	return &People{
		db: d.DB, people: postgres.NewPeople(d.DB), inbox: postgres.NewInboxes(d.DB), audit: postgres.NewAudit(d.DB), clock: d.Clock,
	}, nil
}

func (a *People) now() time.Time { return a.clock.Now().UTC().Truncate(time.Millisecond) }

// People returns people of the workspace, the newest first.
func (a *People) People(ctx context.Context, p Principal, f postgres.PeopleFilter) ([]postgres.Listed, error) {
	if err := p.Require(credential.InboxRead); err != nil {
		return nil, err
	}
	return a.people.For(p.Channels).List(ctx, p.WorkspaceID, f)
}

// Person returns a person; NOT_FOUND if the member sees no such person. One who was merged leads to another one.
func (a *People) Person(ctx context.Context, p Principal, id ident.Person) (person.Person, error) {
	if err := p.Require(credential.InboxRead); err != nil {
		return person.Person{}, err
	}
	return a.people.For(p.Channels).Get(ctx, p.WorkspaceID, id)
}

// Relations are the other people whom the page of a person names, and the leads.
type Relations struct {
	Alike  []postgres.Listed // with an equal number or address
	Merges []person.Merge    // that can be undone
	Leads  []postgres.LeadOfPerson
}

// Relations returns whom a person may be too.
func (a *People) Relations(ctx context.Context, p Principal, of person.Person) (r Relations, err error) {
	if err := p.Require(credential.InboxRead); err != nil {
		return r, err
	}
	const most = 5
	if r.Alike, err = a.people.For(p.Channels).Alike(ctx, of, most); err != nil {
		return r, err
	}
	if r.Leads, err = a.people.Leads(ctx, of); err != nil {
		return r, err
	}
	merges, err := a.people.Merges(ctx, p.WorkspaceID, of.ID)
	for _, m := range merges {
		if m.Undoable(a.now()) {
			r.Merges = append(r.Merges, m)
		}
	}
	return r, err
}

// Describe stores what the member writes about a person. VALIDATION_FAILED with every fault.
func (a *People) Describe(ctx context.Context, p Principal, id ident.Person, f person.Facts) error {
	return a.change(ctx, p, id, func(of person.Person) (person.Person, error) { return of.Describe(f) })
}

// OptOut records that a person wants no messages, or that the person wants them again.
func (a *People) OptOut(ctx context.Context, p Principal, id ident.Person, out bool) error {
	return a.change(ctx, p, id, func(of person.Person) (person.Person, error) {
		if !out {
			of.OptedOutAt = time.Time{}
		} else if of.OptedOutAt.IsZero() {
			of.OptedOutAt = a.now()
		}
		return of, nil
	})
}

func (a *People) change(
	ctx context.Context, p Principal, id ident.Person, by func(person.Person) (person.Person, error),
) error {
	if err := p.Require(credential.InboxReply); err != nil {
		return err
	}
	of, err := a.Person(ctx, p, id)
	if err != nil {
		return err
	}
	changed, err := by(of)
	if err != nil {
		return err
	}
	return a.people.Describe(ctx, changed)
}

// Merge makes one person of two, who keeps the address of the first. The errors are those of postgres.People.Merge.
func (a *People) Merge(ctx context.Context, p Principal, into, from ident.Person) error {
	if err := p.Require(credential.InboxReply); err != nil {
		return err
	}
	for _, id := range []ident.Person{into, from} {
		if _, err := a.Person(ctx, p, id); err != nil {
			return err
		}
	}
	m := person.Merge{ID: ident.New[ident.PersonMerge](), IntoID: into, FromID: from, At: a.now()}
	return a.recorded(ctx, p, audit.PersonMerged, "", func(ctx context.Context) error {
		return a.people.Merge(ctx, p.WorkspaceID, m, p.Person.ID)
	})
}

// Undo makes two people again of a merge. NOT_FOUND if the person has no such merge; INVALID_STATE once it cannot be undone.
func (a *People) Undo(ctx context.Context, p Principal, of ident.Person, id ident.PersonMerge) error {
	if err := p.Require(credential.InboxReply); err != nil {
		return err
	}
	if _, err := a.Person(ctx, p, of); err != nil {
		return err
	}
	return a.recorded(ctx, p, audit.PersonSeparated, "", func(ctx context.Context) error {
		return a.people.Undo(ctx, p.WorkspaceID, of, id, a.now(), func(m person.Merge) error { return m.Undo(a.now()) })
	})
}

// Erase erases what is stored of a person, whose name confirms it. VALIDATION_FAILED for another name.
func (a *People) Erase(ctx context.Context, p Principal, id ident.Person, name string) error {
	if err := p.Require(credential.InboxManage); err != nil {
		return err
	}
	of, err := a.Person(ctx, p, id)
	if err != nil {
		return err
	}
	if strings.TrimSpace(name) != strings.TrimSpace(of.Called()) {
		return apperr.Invalid([]apperr.Field{{Pointer: "/confirm", Message: "Enter the name as it is shown above."}})
	}
	return a.db.WithinTx(ctx, func(ctx context.Context) error {
		erased, err := a.people.Erase(ctx, of)
		if err != nil {
			return err
		}
		detail := fmt.Sprintf("%d messages in %d conversations", erased.Messages, erased.Conversations)
		return a.audit.Insert(ctx, entryOf(p, a.now(), audit.PersonErased, "", detail)) // no name, which would stay
	})
}

// recorded runs an action and adds its entry to the audit log, both or neither.
func (a *People) recorded(ctx context.Context, p Principal, action audit.Action, detail string, do func(context.Context) error) error {
	return a.db.WithinTx(ctx, func(ctx context.Context) error {
		if err := do(ctx); err != nil {
			return err
		}
		return a.audit.Insert(ctx, entryOf(p, a.now(), action, "", detail))
	})
}

// InboxSettings returns the settings of the workspace's inbox.
func (a *People) InboxSettings(ctx context.Context, p Principal) (postgres.InboxSettings, error) {
	if err := p.Require(credential.InboxRead); err != nil {
		return postgres.InboxSettings{}, err
	}
	return a.inbox.Settings(ctx, p.WorkspaceID)
}

// Bounds of the settings of an inbox.
const (
	longestWait = 24 * 60 // minutes
	longestKeep = 3650    // days
)

// SetInbox stores the settings of the workspace's inbox. VALIDATION_FAILED with every fault.
func (a *People) SetInbox(ctx context.Context, p Principal, s postgres.InboxSettings) error {
	if err := p.Require(credential.InboxManage); err != nil {
		return err
	}
	var faults []apperr.Field
	if s.WaitMinutes < 1 || s.WaitMinutes > longestWait {
		faults = append(faults, apperr.Field{Pointer: "/wait", Message: "Enter a number of minutes between 1 and 1,440."})
	}
	if s.KeepDays < 0 || s.KeepDays > longestKeep {
		faults = append(faults, apperr.Field{Pointer: "/keep", Message: "Enter a number of days between 1 and 3,650, or nothing."})
	}
	if err := apperr.Invalid(faults); err != nil {
		return err
	}
	detail := fmt.Sprintf("%d minutes", s.WaitMinutes)
	if s.KeepDays > 0 {
		detail += fmt.Sprintf(", %d days", s.KeepDays)
	}
	return a.recorded(ctx, p, audit.InboxChanged, detail, func(ctx context.Context) error {
		return a.inbox.SetSettings(ctx, p.WorkspaceID, s)
	})
}

// QuietChannels returns the channels of which the member gets no notices about conversations that wait.
func (a *People) QuietChannels(ctx context.Context, p Principal) ([]ident.Channel, error) {
	if err := p.Require(credential.InboxRead); err != nil {
		return nil, err
	}
	return a.inbox.QuietChannels(ctx, p.WorkspaceID, p.Person.ID)
}

// SetQuietChannels stores the channels of which the member gets no notices about conversations that wait. Those of another workspace
// are left out.
func (a *People) SetQuietChannels(ctx context.Context, p Principal, channels []ident.Channel) error {
	if err := p.Require(credential.InboxRead); err != nil {
		return err
	}
	return a.inbox.SetQuietChannels(ctx, p.WorkspaceID, p.Person.ID, channels)
}

package post

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"time"

	"fencepost.internal/shared/domain/approval"
	"fencepost.internal/shared/domain/event"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// Consent is the approval of a post by a person whose word counted when it was given. It stays valid if the person's role
// changes.
type Consent struct {
	By   ident.User `json:"by"`
	Name string     `json:"name"`
	At   time.Time  `json:"at"`
	Of   string     `json:"of"` // ContentHash of what the person saw
}

// ContentHash returns a fingerprint of what an approval is about: what the network gets. Labels, metadata, the external ID
// and the time are not part of it.
func (p Post) ContentHash() string {
	of := []any{p.ContentType, p.Title, p.Content, p.MediaIDs, p.MediaAltTexts, p.Options}
	if p.HasParts() {
		of = append(of, p.Thread, p.Comment.Content)
	}
	raw, _ := json.Marshal(of) //nolint:errchkjson // texts and flags only
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])
}

// Valid returns the approvals of the post's present content.
func (p Post) Valid() []Consent {
	if len(p.Consents) == 0 {
		return nil
	}
	of := p.ContentHash()
	return slices.DeleteFunc(slices.Clone(p.Consents), func(c Consent) bool { return c.Of != of })
}

// Cleared reports whether the policy lets the post be published: enough people have approved exactly its content. A part was
// approved with its post.
func (p Post) Cleared() bool {
	return p.Policy.People() == 0 || !p.PartOf.IsZero() || len(p.Valid()) >= p.Policy.People()
}

// AgreedBy reports whether the person has approved the present content.
func (p Post) AgreedBy(person ident.User) bool {
	return slices.ContainsFunc(p.Valid(), func(c Consent) bool { return c.By == person })
}

// agreed adds the consent of a party whose word counts.
func (p Post) agreed(by approval.Party, now time.Time) []Consent {
	if !by.Counts(p.Writers) || p.AgreedBy(by.Person) {
		return p.Consents
	}
	return append(p.Valid(), Consent{By: by.Person, Name: by.Name, At: now, Of: p.ContentHash()})
}

// Sanctioned applies the approval policy to a decided change of any client. It returns APPROVAL_REQUIRED if the change would
// plan a post that the policy does not let out. Planning the post of another person is an approval, if it counts. A change of the content ends the approvals of the old content; what was
// planned or approved then waits for approval again.
func (c Change) Sanctioned(by approval.Party, now time.Time) (Change, error) {
	if c.From.ID.IsZero() && len(c.Timeline) == 0 { // nothing changes
		return c, nil
	}
	if wrote := c.From.ID.IsZero() || c.Post.ContentHash() != c.From.ContentHash(); wrote {
		c.Post.Writers = writersAfter(c.From.Writers, by.Person)
		c.Post.Consents = nil
	}
	switch {
	case c.Action == ActionEdit:
		return c.editedUnder(by, now)
	case c.Post.Status != Scheduled || c.Post.Cleared():
		return c, nil
	}
	c.Post.Consents = c.Post.agreed(by, now)
	if !c.Post.Cleared() {
		return Change{}, c.unapproved(by)
	}
	return c.approvedByPlanning(now), nil
}

// writersAfter returns who wrote the content and who changed it last.
func writersAfter(before []ident.User, person ident.User) []ident.User {
	if len(before) == 0 {
		return []ident.User{person}
	}
	return []ident.User{before[0], person}
}

// editedUnder applies the policy to an edit.
func (c Change) editedUnder(by approval.Party, now time.Time) (Change, error) {
	was, is := c.From.Approval, c.Post.ContentHash()
	if is == c.From.ContentHash() {
		return c, nil
	}
	approved := was != nil && was.Status == ApprovalApproved
	switch c.Post.Status {
	case PendingApproval:
		if len(c.From.Consents) == 0 {
			return c, nil
		}
	case Draft, Scheduled:
		switch c.Post.Policy {
		case approval.None:
			return c, nil
		case approval.Optional:
			if !approved || by.Approves {
				return c, nil
			}
		case approval.Required, approval.TwoStep:
			if c.Post.Status == Draft && !approved {
				return c, nil
			}
			if owned := c.Post; c.Post.Status == Scheduled { // the only owner approves by the edit
				if owned.Consents = owned.agreed(by, now); owned.Cleared() {
					c.Post.Consents = owned.Consents
					return c, nil
				}
			}
		}
	case Failed, Published, Archived:
		return c, nil
	}
	return c.awaiting(now, c.Timeline[0].Actor, "Changed after the approval; sent for approval again.")
}

// awaiting turns a change into one after which the post waits for approval, with its intended time.
func (c Change) awaiting(now time.Time, actor Actor, why string) (Change, error) {
	next := c
	if c.Post.Status != PendingApproval && c.Post.Revision == c.From.Revision {
		next.Post.Revision++
	}
	next.Wake = c.Wake || c.Post.Status != PendingApproval
	next.Post.Status, next.Post.Approval = PendingApproval, &Approval{Status: ApprovalPending}
	next.Post.Waiting, next.Post.OverridesPause = nil, false
	next.Events = nil
	for _, e := range c.Events {
		if e.Type == event.PostScheduled {
			continue
		}
		if e.Type == event.PostUpdated { // it shows the post as it becomes
			var err error
			if e, err = event.New(c.Post.WorkspaceID, event.PostUpdated, c.Post.UpdatedAt, next.Post.EventData()); err != nil {
				return Change{}, err
			}
		}
		next.Events = append(next.Events, e)
	}
	next.Timeline = slices.DeleteFunc(slices.Clone(c.Timeline), func(e Entry) bool { return e.Kind == EntryScheduled })
	return next.with(EntryApprovalRequested, now, actor, "%s", why).emits(event.PostApprovalRequested, next.Post.approvalData(""))
}

// approvedByPlanning records that the plan of a post was its approval too.
func (c Change) approvedByPlanning(now time.Time) Change {
	next := c
	next.Post.Approval = &Approval{Status: ApprovalApproved, DecidedAt: now}
	next.Approves = true
	return next.with(EntryApproved, now, c.Timeline[0].Actor, "Approved by planning it.")
}

// Await returns a SCHEDULED post that its policy does not let out to those who approve it, with its time as the intended
// one. Claimed reports that the caller holds the claim.
func (p Post) Await(claimed bool, now time.Time) (Change, error) {
	if !p.Status.Allows(ActionAwait) {
		return Change{}, p.guard(ActionAwait)
	}
	change := p.to(ActionAwait, PendingApproval, now)
	change.Post.UpdatedAt, change.Post.PublishingSince = p.editedAt(now), time.Time{}
	change.Claimed, change.Wake = claimed, true
	return change.awaiting(now, ActorService, "The approval policy asks for an approval that the post does not have.")
}

// unapproved returns the refusal to plan a post, with what to do about it.
func (c Change) unapproved(by approval.Party) error {
	remedy := "Create it as a draft with its time as scheduledAt, then request approval; a person decides in the application."
	if by.InPerson {
		remedy = "Ask for approval instead."
	}
	who := "another person"
	if missing := c.Post.Policy.People() - len(c.Post.Valid()); missing > 1 {
		who = "two other people"
	}
	return &apperr.Error{
		Code: apperr.ApprovalRequired, CurrentStatus: string(c.From.Status),
		Message: "This post needs the approval of " + who + " before it can be scheduled or published. " + remedy,
	}
}

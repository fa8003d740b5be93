package app

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"fencepost.internal/services/internal/relay"
	"fencepost.internal/shared/domain/approval"
	"fencepost.internal/shared/domain/audit"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/event"
	"fencepost.internal/shared/domain/mail"
	"fencepost.internal/shared/domain/member"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/kernel/plaintext"
	"fencepost.internal/shared/platform"
)

// party returns who acts, as approvals see it. An API key counts as the person who made it, or as the workspace, and has
// the workspace's rights as long as no approval is required. Rights per channel would be checked here.
func (a *postUseCases) party(ctx context.Context, p Principal, policy approval.Policy) (approval.Party, error) {
	by := approval.Party{Person: p.Author(), Name: p.Person.Name, InPerson: !p.Person.ID.IsZero()}
	switch {
	case p.Guest != nil:
		by = p.Guest.party()
	case by.InPerson:
		by.Approves = p.Allows(credential.PostsApprove)
	case p.Grantor != nil:
		by.Approves = slices.Contains(p.Grantor, credential.PostsApprove)
	default:
		by.Person, by.Approves = p.Key.CreatedBy, true
	}
	var err error
	if policy.People() > 0 && by.InPerson && by.Approves {
		by.OnlyOwner, err = a.users.IsOnlyOwner(ctx, by.Person, p.WorkspaceID)
	}
	return by, err
}

// Missing returns how many other people must approve what the person writes under a policy before it is published.
func (a *postUseCases) Missing(ctx context.Context, p Principal, policy approval.Policy) (int, error) {
	by, err := a.party(ctx, p, policy)
	return missing(by, post.Post{Policy: policy, Writers: []ident.User{by.Person}}), err
}

// missing returns how many people must approve a post beside the party, who plans it.
func missing(by approval.Party, of post.Post) int {
	n := of.Policy.People() - len(of.Valid())
	if n > 0 && by.Counts(of.Writers) && !of.AgreedBy(by.Person) {
		n--
	}
	return max(0, n)
}

// awaits warns about a post that others must approve before it is published.
func (a *postUseCases) awaits(ctx context.Context, p Principal, of post.Post, target string, d *draft) error {
	by, err := a.party(ctx, p, of.Policy)
	if err != nil {
		return err
	}
	who := "another person"
	switch missing(by, of) {
	case 0:
		return nil
	case 1:
	default:
		who = "two other people"
	}
	d.findings = append(d.findings, Finding{Code: apperr.ApprovalRequired, Finding: platform.Finding{
		Member: target, Warning: true, Message: "The post needs the approval of " + who + " before it can be scheduled or published. " +
			"Create it as a draft, then request approval.",
	}})
	return nil
}

// sanctioned applies the approval policy to a change of a post.
func (a *postUseCases) sanctioned(ctx context.Context, p Principal, change post.Change) (post.Change, error) {
	by, err := a.party(ctx, p, change.Post.Policy)
	if err != nil {
		return post.Change{}, err
	}
	return change.Sanctioned(by, a.now())
}

// Decision is the approval of a post.
type Decision struct {
	Comment string
	At      time.Time // another time of the post; zero: the intended one
	// Seen is the ContentHash of what the person saw; empty: any content.
	Seen string
	// AsksTime refuses to approve a post whose time has passed without another time.
	AsksTime bool
}

// sees returns PRECONDITION_FAILED if the post is not what the person saw.
func (d Decision) sees(of post.Post) error {
	if d.Seen != "" && d.Seen != of.ContentHash() {
		return apperr.New(apperr.PreconditionFailed, "Someone changed the post since you opened it. Look at it again.")
	}
	return nil
}

// Return returns a pending post to its author, with the comment of the decision. The errors are those of Decide.
func (a *postUseCases) Return(ctx context.Context, p Principal, id ident.Post, d Decision) (post.Post, error) {
	return a.audited(ctx, p, audit.PostRejected, id, func(before post.Post, now time.Time) (post.Change, error) {
		if err := d.sees(before); err != nil {
			return post.Change{}, err
		}
		return before.Reject(d.Comment, now, p.Actor())
	})
}

// Decide approves a pending post. Errors: APPROVAL_REQUIRED if another person must approve it, PRECONDITION_FAILED if it
// changed since the person saw it, and those of the time.
func (a *postUseCases) Decide(ctx context.Context, p Principal, id ident.Post, d Decision) (post.Post, error) {
	return a.audited(ctx, p, audit.PostApproved, id, func(before post.Post, now time.Time) (post.Change, error) {
		if err := d.sees(before); err != nil {
			return post.Change{}, err
		}
		if late := !before.ScheduledAt.IsZero() && !before.ScheduledAt.After(now); late && d.AsksTime && d.At.IsZero() {
			return post.Change{}, apperr.New(apperr.ScheduledInPast, "The time of the post has passed.")
		}
		by, err := a.party(ctx, p, before.Policy)
		if err != nil {
			return post.Change{}, err
		}
		return before.Approve(by, d.Comment, d.At, now, p.Actor())
	})
}

// DecidedPosts returns the posts whose approval was decided last.
func (a *postUseCases) DecidedPosts(ctx context.Context, p Principal, n int) ([]post.Post, error) {
	return a.posts.For(p.Channels).Decided(ctx, p.WorkspaceID, n)
}

// audited applies a decision about an approval, and adds it to the audit log.
func (a *postUseCases) audited(
	ctx context.Context, p Principal, action audit.Action, id ident.Post, decide func(post.Post, time.Time) (post.Change, error),
) (after post.Post, err error) {
	err = a.db.WithinTx(ctx, func(ctx context.Context) error {
		if after, err = a.transition(ctx, p, id, decide); err != nil {
			return err
		}
		const most = 80
		return a.record(ctx, p, action, beginning(cmp.Or(after.Title, after.Content), most), id.String())
	})
	return after, err
}

// beginning returns the first characters of a text, at most n.
func beginning(text string, n int) string {
	runes := []rune(text)
	return string(runes[:min(len(runes), n)])
}

// SetApproval is the approval policy of a workspace, or of a channel of it.
type SetApproval struct {
	Policy  approval.Policy
	Channel ident.Channel // zero: the workspace
}

// ApprovalEffect returns how many SCHEDULED posts would wait for approval under a policy.
func (a *postUseCases) ApprovalEffect(ctx context.Context, p Principal, in SetApproval) (int, error) {
	found, err := a.posts.Uncleared(ctx, p.WorkspaceID, in.Channel, in.Policy)
	return len(found), err
}

// SetApprovalPolicy sets an approval policy, and returns how many SCHEDULED posts wait for approval because of it. A post
// whose call to the network has begun is finished. VALIDATION_FAILED for a channel's policy that is laxer than the
// workspace's; None lets the workspace's apply.
func (a *postUseCases) SetApprovalPolicy(ctx context.Context, p Principal, in SetApproval) (held int, err error) {
	if err := p.Require(credential.WorkspaceManage); err != nil {
		return 0, err
	}
	subject, set := "", func(ctx context.Context) error {
		return a.scheduling.workspaces.SetApprovalPolicy(ctx, p.WorkspaceID, in.Policy)
	}
	if !in.Channel.IsZero() {
		of, err := a.channels.For(p.Channels).Get(ctx, p.WorkspaceID, in.Channel)
		if err != nil {
			return 0, err
		}
		if in.Policy != approval.None && in.Policy < of.WorkspaceApproval {
			return 0, apperr.Invalid([]apperr.Field{{Pointer: "/policy", Message: "A channel can only be stricter than the workspace."}})
		}
		subject = of.Name
		set = func(ctx context.Context) error {
			return a.channels.SetApprovalPolicy(ctx, p.WorkspaceID, in.Channel, in.Policy)
		}
	}
	err = a.recorded(ctx, p, audit.ApprovalPolicyChanged, subject, in.Policy.String(), func(ctx context.Context) error {
		if err := set(ctx); err != nil {
			return err
		}
		held, err = a.holdUncleared(ctx, p, in)
		return err
	})
	return held, err
}

// holdUncleared returns SCHEDULED posts without the approvals that their policy asks for to those who approve them. A post
// that changes meanwhile is left to the publish protocol, which checks it at its time.
func (a *postUseCases) holdUncleared(ctx context.Context, p Principal, in SetApproval) (held int, err error) {
	planned, err := a.posts.Uncleared(ctx, p.WorkspaceID, in.Channel, in.Policy)
	if err != nil {
		return 0, err
	}
	for _, one := range planned {
		if one.Cleared() {
			continue
		}
		change, err := one.Await(false, a.now())
		if err == nil {
			err = a.posts.Apply(ctx, change)
		}
		if errors.Is(err, postgres.ErrStale) {
			continue
		}
		if err != nil {
			return 0, err
		}
		held++
	}
	a.db.AfterCommit(ctx, func() { a.wake(relay.Events | relay.Messages) })
	return held, nil
}

// CommentPost adds a comment to the timeline of a post, and notifies the members whom it names.
func (a *postUseCases) CommentPost(ctx context.Context, p Principal, id ident.Post, text string) error {
	if err := p.Require(credential.PostsWrite); err != nil {
		return err
	}
	return a.comment(ctx, p, id, text)
}

func (a *postUseCases) comment(ctx context.Context, p Principal, id ident.Post, text string) error {
	of, err := a.posts.For(p.Channels).Get(ctx, p.WorkspaceID, id)
	if err != nil {
		return err
	}
	text, fault := plaintext.Lines(text, post.MaxComment)
	if text == "" || fault != "" {
		return apperr.Invalid([]apperr.Field{{Pointer: "/comment", Message: "Write a comment of at most 2,000 characters."}})
	}
	now := a.now()
	commented, err := event.New(p.WorkspaceID, event.PostCommented, now, of.EventData())
	if err != nil {
		return err
	}
	err = a.db.WithinTx(ctx, func(ctx context.Context) error {
		if err := a.posts.Note(ctx, id, post.Entry{At: now, Kind: post.EntryCommented, Actor: p.Actor(), Detail: text}); err != nil {
			return err
		}
		if err := a.events.Insert(ctx, commented, ident.Webhook{}); err != nil {
			return err
		}
		return a.mention(ctx, p, of, text, now)
	})
	if err == nil {
		a.wake(relay.Events | relay.Messages)
	}
	return err
}

// mention notifies the members whom a comment names, except its author, and of a guest the person who made the link.
func (a *postUseCases) mention(ctx context.Context, p Principal, of post.Post, text string, now time.Time) error {
	members, err := a.users.Members(ctx, p.WorkspaceID)
	if err != nil {
		return err
	}
	members = slices.DeleteFunc(members, func(m member.Member) bool {
		return m.UserID == p.Person.ID || m.Channels != nil && !slices.Contains(m.Channels, of.ChannelID)
	})
	named := member.Mentioned(text, members)
	if p.Guest != nil && !slices.Contains(named, p.Guest.Link.CreatedBy) {
		named = append(named, p.Guest.Link.CreatedBy)
	}
	if len(named) == 0 {
		return nil
	}
	const most = 300
	return a.notices.Mention(ctx, p.WorkspaceID, named, mail.Content{
		Actor: p.name(), Causes: []mail.Cause{{Posts: 1, PostID: of.ID, Reason: beginning(text, most)}},
	}, now)
}

// Review is a post that waits for approval, as people who decide see it.
type Review struct {
	post.Post

	RequestedBy post.Actor
	RequestedAt time.Time
	// Mine reports that the person's approval would count.
	Mine bool
}

// Reviews returns posts with their last requests for approval, in the given order.
func (a *postUseCases) Reviews(ctx context.Context, p Principal, posts []post.Post) ([]Review, error) {
	requests, err := a.posts.Requests(ctx, posts)
	if err != nil {
		return nil, err
	}
	by, err := a.party(ctx, p, approval.TwoStep)
	if err != nil {
		return nil, err
	}
	reviews := make([]Review, len(posts))
	for i, one := range posts {
		counts := one.Policy.People() == 0 || by.Counts(one.Writers) && !one.AgreedBy(by.Person)
		reviews[i] = Review{
			Post: one, RequestedBy: requests[one.ID].Actor, RequestedAt: requests[one.ID].At,
			Mine: one.Status == post.PendingApproval && by.Approves && counts,
		}
	}
	return reviews, nil
}

// ApprovedBefore returns the content of a post that was approved last; zero if none was.
func (a *postUseCases) ApprovedBefore(ctx context.Context, of post.Post) (postgres.Approved, error) {
	return a.posts.Approved(ctx, of.ID)
}

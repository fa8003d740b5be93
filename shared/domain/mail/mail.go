// Package mail defines the mails that the application sends to people.
package mail

import (
	"slices"
	"time"

	"fencepost.internal/shared/kernel/email"
	"fencepost.internal/shared/kernel/ident"
)

// Kind is the occasion of a mail.
type Kind string

// Kinds of mails.
const (
	Invitation        Kind = "INVITATION"
	PasswordReset     Kind = "PASSWORD_RESET" // requested for an address that may belong to no user
	PasswordChanged   Kind = "PASSWORD_CHANGED"
	AddressLeaving    Kind = "ADDRESS_LEAVING"  // to the present address, to confirm its change
	AddressArriving   Kind = "ADDRESS_ARRIVING" // to the new address, to confirm it
	ChannelsExpiring  Kind = "CHANNELS_EXPIRING"
	ChannelLost       Kind = "CHANNEL_LOST" // posts are due while their channel needs a reconnect
	PostsFailed       Kind = "POSTS_FAILED"
	PostsToApprove    Kind = "POSTS_TO_APPROVE"
	PostsReturned     Kind = "POSTS_RETURNED" // an approver asked for changes
	PostsApproved     Kind = "POSTS_APPROVED"
	PostsUnknown      Kind = "POSTS_UNKNOWN" // they may be public
	Mentioned         Kind = "MENTIONED"     // in a comment or a note
	FollowUp          Kind = "FOLLOW_UP"     // of a lead
	InboxWaiting      Kind = "INBOX_WAITING" // people wait for an answer
	DigestDaily       Kind = "DIGEST_DAILY"
	DigestWeekly      Kind = "DIGEST_WEEKLY"
	Test              Kind = "TEST"               // a person tries a way
	WorkspaceDeletion Kind = "WORKSPACE_DELETION" // to owners, while one can keep it
	MonthlyReport     Kind = "MONTHLY_REPORT"     // to the addresses that a workspace chose
)

// Kinds returns every kind.
func Kinds() []Kind {
	return append([]Kind{Invitation, PasswordReset, PasswordChanged, AddressLeaving, AddressArriving, DigestDaily, DigestWeekly, Test, WorkspaceDeletion, MonthlyReport}, Optional()...)
}

// Optional returns the kinds that a person may turn off. The others concern the person's access.
func Optional() []Kind {
	return []Kind{
		PostsFailed, PostsUnknown, PostsToApprove, PostsApproved, PostsReturned, Mentioned, InboxWaiting, FollowUp, ChannelsExpiring, ChannelLost,
	}
}

// IsOptional reports whether a person may turn the kind off.
func (k Kind) IsOptional() bool { return slices.Contains(Optional(), k) }

// Timeout is the time for which a mail is tried. A mail server may be down over a weekend.
const Timeout = 3 * 24 * time.Hour

// Mail is a mail that has not been sent yet.
type Mail struct {
	ID          ident.Mail
	Kind        Kind
	WorkspaceID ident.Workspace // zero: it concerns only the person
	CreatedAt   time.Time
	ExpiresAt   time.Time // not tried afterwards
	Way         Way
	HeldUntil   time.Time // not sent before; zero: at once
	Content     Content
}

// Content holds the values of the mail's text. It contains secrets and is stored encrypted.
type Content struct {
	To        email.Address `json:"to,omitempty"`
	Hook      string        `json:"hook,omitempty"`      // the address of another way
	Place     ident.Place   `json:"place,omitzero"`      // that has this address
	Secret    string        `json:"secret,omitempty"`    // of the link
	Workspace string        `json:"workspace,omitempty"` // name
	Actor     string        `json:"actor,omitempty"`     // name of the person who caused the mail
	Role      string        `json:"role,omitempty"`
	Address   string        `json:"address,omitempty"` // the new email address
	Channels  []Channel     `json:"channels,omitempty"`
	Causes    []Cause       `json:"causes,omitempty"`
	Digest    *Digest       `json:"digest,omitempty"`
	Lead      *Lead         `json:"lead,omitempty"`
	Month     string        `json:"month,omitempty"` // of a report, such as 2026-03
	// Conversation is the one whose note names the person; Waiting is the number of those that wait for an answer.
	Conversation ident.Conversation `json:"conversation,omitzero"`
	Waiting      int                `json:"waiting,omitempty"`
}

// Lead is a lead whose follow-up is due.
type Lead struct {
	ID   ident.Lead `json:"id"`
	Name string     `json:"name"`
	At   time.Time  `json:"at"`
}

// Channel is a channel that a mail names.
type Channel struct {
	ID      ident.Channel `json:"id,omitzero"`
	Name    string        `json:"name"`
	Network string        `json:"network"`
	EndsAt  time.Time     `json:"endsAt,omitzero"`
}

// Cause is one reason of a mail about posts, with the posts that it concerns.
type Cause struct {
	Channel Channel    `json:"channel"`
	Reason  string     `json:"reason,omitempty"` // why the posts failed, or the comment of the approver
	Posts   int        `json:"posts"`
	PostID  ident.Post `json:"postId"`          // the first of them
	Words   string     `json:"words,omitempty"` // the beginning of its text
}

// New returns a mail that is tried for Patience, or until its link ends.
func New(kind Kind, workspace ident.Workspace, content Content, now, linkEnds time.Time) Mail {
	m := Mail{
		ID: ident.New[ident.Mail](), Kind: kind, WorkspaceID: workspace, CreatedAt: now, ExpiresAt: now.Add(Timeout),
		Content: content, Way: ByMail,
	}
	if !linkEnds.IsZero() && linkEnds.Before(m.ExpiresAt) {
		m.ExpiresAt = linkEnds
	}
	return m
}

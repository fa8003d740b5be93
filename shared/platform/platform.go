// Package platform is the contract between the publish protocol and the networks: what a connector must be
// able to do, and how it says what went wrong.
//
// The protocol owns durability and decides what happens next; a connector owns the facts about one network.
// Everything a connector does before Commit is repeatable and invisible to the account's followers; Commit is
// the one irrevocable call and is made at most once per attempt; Check and Reconcile only read.
package platform

import (
	"context"
	"time"

	"socialpub.internal/shared/domain/channel"
	"socialpub.internal/shared/domain/media"
	"socialpub.internal/shared/domain/post"
	"socialpub.internal/shared/kernel/ident"
)

// Account is the publishing side of a channel: whom to publish as, and with what proof.
type Account struct {
	ChannelID   ident.Channel
	Type        channel.Type
	ExternalID  string // the account's id on its network
	Username    string
	Credentials channel.Credentials
}

// Content is what is published, already validated.
type Content struct {
	PostID      ident.Post
	ContentType post.ContentType
	Text        string
	Title       string
	Media       []media.Asset // attachments, in their order
	Files       Files         // their bytes; nil where there are none, and where content is only checked
	Options     post.Options  // the platform's own settings; zero where the post has none
}

// Handle is what a network gave us before the irrevocable call (a container id, an upload session), as opaque
// text of the connector. It is stored as soon as it exists, so that a crash never prepares twice.
type Handle string

// Preparation is the result of Prepare.
type Preparation struct {
	Handle Handle
	Ready  bool          // false: the network still works on it, ask Check after Wait
	Wait   time.Duration // when to look again
}

// Publication is a post that is live.
type Publication struct {
	ExternalID string // the post's id on its network
	URL        string // https permalink; empty when the network tells none
}

// ReconcileStrength says how well a network lets us find out what became of an irrevocable call whose answer
// was lost.
type ReconcileStrength int

// From strongest to weakest (decisions, section 5).
const (
	ReconcileNone  ReconcileStrength = iota // the network cannot be asked
	ReconcileMatch                          // list recent posts and match
	ReconcileExact                          // the handle tells
)

// Evidence is the answer of Reconcile.
type Evidence int

// What reading the network showed.
const (
	EvidenceUnclear Evidence = iota // the network answered, but neither presence nor absence is certain
	EvidenceAbsent                  // certainly not published
	EvidenceFound                   // published; the Publication says where
)

// Link is a connection to one network: which accounts it serves and how their access is kept. What else it can do, it
// shows by the interfaces it has besides: Connector, BoardLister, CreatorInformer, Insighter. Implementations are safe
// for concurrent use. Every method returns a *Failure, possibly wrapped, for anything the network or the wire did; any other error is a
// programming fault.
type Link interface {
	// Types lists the channel types this link serves.
	Types() []channel.Type
	// Refresh exchanges the account's credentials for fresh ones. A Failure of class Reconnect says that only a
	// person can restore the connection.
	Refresh(ctx context.Context, account Account) (channel.Credentials, error)
	// Identify asks the network which account the access token works for. It only reads. A Failure's Cause holds the
	// network's response.
	Identify(ctx context.Context, account Account) (Identity, error)
}

// Identity is the account that an access token works for, as its network reports it.
type Identity struct {
	// ID is the account's id on its network. It has the form of the given Account's ExternalID, so that the two are equal
	// when they name the same account.
	ID       string
	Username string // empty when the network reports none
}

// CodeIdentityRefused is the code of a network's refusal to report the account of an access token.
const CodeIdentityRefused = "IDENTITY_REFUSED"

// Connector is a link that publishes. It keeps no state about posts. What a network takes is no affair of the connector:
// package rules has it in one table.
type Connector interface {
	Link
	// Prepare does everything that must precede the irrevocable call and is invisible and repeatable. A non-empty
	// handle is what an earlier Prepare returned; Prepare then only looks whether it is ready. Networks that need no
	// preparation return Ready at once, without a call.
	Prepare(ctx context.Context, account Account, content Content, handle Handle) (Preparation, error)
	// Commit makes the irrevocable call, once, without any retry inside. A Failure whose class is not Unknown is a
	// promise that nothing was published.
	Commit(ctx context.Context, account Account, content Content, handle Handle) (Publication, error)
	// Reconcile finds out by reading alone what became of a Commit whose answer was lost. Never called for
	// ReconcileNone.
	Reconcile(ctx context.Context, account Account, content Content, sent Sent) (Evidence, Publication, error)
	// Strength declares what Reconcile can know.
	Strength() ReconcileStrength
}

// ContentOf is the content of a post with its assets, which stand in the post's order.
func ContentOf(p post.Post, assets []media.Asset) Content {
	return Content{PostID: p.ID, ContentType: p.ContentType, Text: p.Content, Title: p.Title, Media: assets, Options: p.Options}
}

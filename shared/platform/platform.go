// Package platform defines the contract between the publish protocol and the networks: the operations of a connector
// and the classification of its failures.
//
// The protocol owns durability and decides on the next step. A connector owns the facts about one network. Everything a
// connector does before Commit is repeatable and invisible to the account's followers. Commit is the one irrevocable
// call and is made at most once per attempt. Reconcile only reads.
package platform

import (
	"context"
	"slices"
	"time"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/ident"
)

// Account is the publishing side of a channel: the account to publish as, and its credentials.
type Account struct {
	ChannelID   ident.Channel
	Type        channel.Type
	ExternalID  string // the account's id on its network
	Username    string
	Credentials channel.Credentials
}

// Content is the content to publish, already validated.
type Content struct {
	PostID      ident.Post
	ContentType post.ContentType
	Text        string
	Title       string
	Media       []media.Asset // attachments, in order
	Files       Files         // opens the attachments; nil if there are none, and if the content is only validated
	Options     post.Options  // platform-specific settings; zero if the post has none
	Facts       channel.Facts // of the account; zero if nothing is known, and while the content is published
	Script      string        // of the post for the test network; empty: the usual one
	ReplyTo     *ReplyTo      // nil: a post of its own
	Parts       []Content     // published after it, in order; the rules check them with it, and connectors do not see them
}

// ReplyTo places content under an earlier post of the same account (docs/contract.md, Threads).
type ReplyTo struct {
	Kind post.PartKind // PartReply or PartComment
	// RootID and ParentID are the external ids of the first part and of the part before, as a Publication has them. They are
	// empty while the content is only validated. Those of a comment are both that of the root.
	RootID, ParentID string
}

// ScriptKey is the key of a post's metadata that names its script for the test network. Only test channels obey it
// (docs/contract.md, Test mode).
const ScriptKey = "test"

// Handle identifies what a network created before the irrevocable call (a container, an upload session), as opaque text
// of the connector. It is stored as soon as it exists, so that the preparation is not repeated after a crash.
type Handle string

// Preparation is the result of Prepare.
type Preparation struct {
	Handle Handle
	Ready  bool          // false: the network is still processing; call Prepare again with the handle after Wait
	Wait   time.Duration // delay before the next check
}

// Publication is a published post.
type Publication struct {
	ExternalID string // the post's id on its network
	URL        string // https permalink; empty if the network reports none
	// Parts are the ids of all parts of a post that the network stores as several, such as the messages of an album.
	// Empty for others.
	Parts []string
	// InReview reports that the network accepted the post, but still reviews it before it shows it. Only a Reviewer sets
	// it.
	InReview bool
	// Unconfirmed reports that the network accepted the post, and will not report whether it shows it.
	Unconfirmed bool
}

// ReconcileStrength says how reliably a connector can determine the outcome of an irrevocable call whose response was
// lost.
type ReconcileStrength int

// The strengths (docs/contract.md, Unknown outcomes), from weakest to strongest.
const (
	ReconcileNone  ReconcileStrength = iota // the network cannot be queried
	ReconcileMatch                          // list recent posts and match
	ReconcileExact                          // the handle identifies the outcome
)

// Evidence is the result of Reconcile.
type Evidence int

// The possible findings of Reconcile.
const (
	EvidenceUnclear Evidence = iota // the network responded, but neither presence nor absence is certain
	EvidenceAbsent                  // certainly not published
	EvidenceFound                   // published; the Publication says where
)

// Link is a connection to one network: it lists the channel types it serves and refreshes their credentials. A link
// declares further capabilities through additional interfaces: Connector, BoardLister, CreatorInformer, Insighter,
// Renewer. Implementations are safe for concurrent use. Every method returns a *Failure, possibly wrapped, for any failure of
// the network or the transport. Any other error is a programming error.
type Link interface {
	// Types returns the channel types that this link serves.
	Types() []channel.Type
	// Refresh exchanges the account's credentials for fresh ones. A Failure of ClassReconnect means that only a user
	// can restore the connection.
	Refresh(ctx context.Context, account Account) (channel.Credentials, error)
	// Term returns how long the account's credentials work without a person, without a call.
	Term(account Account) Term
	// Identify asks the network for the account of the access token. It only reads. The Cause of a Failure holds the
	// network's response.
	Identify(ctx context.Context, account Account) (Identity, error)
}

// Identity is the account of an access token, as its network reports it.
type Identity struct {
	// ID is the account's id on its network. It has the same form as Account.ExternalID, so that the two are equal if
	// they identify the same account.
	ID       string
	Username string // empty if the network reports none
}

// CodeIdentityRefused is the code of a network's refusal to report the account of an access token.
const CodeIdentityRefused = "IDENTITY_REFUSED"

// Connector is a link that publishes. It keeps no state about posts. The limits of a network's content are not part of
// the connector: package rules has them in one table.
type Connector interface {
	Link
	// Prepare does everything that must precede the irrevocable call and that is invisible and repeatable. A non-empty
	// handle was returned by an earlier Prepare; Prepare then only checks whether it is ready. For networks that need
	// no preparation, Prepare returns Ready at once, without a call.
	Prepare(ctx context.Context, account Account, content Content, handle Handle) (Preparation, error)
	// Commit makes the irrevocable call once, without any retry. A Failure whose class is not ClassUnknown guarantees
	// that nothing was published.
	Commit(ctx context.Context, account Account, content Content, handle Handle) (Publication, error)
	// Reconcile determines the outcome of a Commit whose response was lost. It only reads. It is never called for
	// ReconcileNone.
	Reconcile(ctx context.Context, account Account, content Content, sent Sent) (Evidence, Publication, error)
	// Strength returns how reliably Reconcile determines the outcome.
	Strength() ReconcileStrength
}

// Reviewer is a connector whose network reviews posts after it has accepted them, and may then refuse them.
type Reviewer interface {
	Connector
	// Review reads the state of an accepted post. It only reads. A Failure of ClassRejected reports that the network
	// refused the post; any other failure says nothing about the review.
	Review(ctx context.Context, account Account, externalID string) (Publication, error)
}

// Namer is a link whose network returns the id and the address of a post only after its review, which may take longer than
// the post waits for it.
type Namer interface {
	// Unnamed reports whether the external id is that of the call, because the post had none yet.
	Unnamed(externalID string) bool
	// Review reads the state of an accepted post, as that of a Reviewer does.
	Review(ctx context.Context, account Account, externalID string) (Publication, error)
}

// Discarder is a connector that can delete what Prepare left on the network.
type Discarder interface {
	Connector
	// Discard deletes what the handle refers to, if it was never published. It may be repeated.
	Discard(ctx context.Context, account Account, handle Handle) error
}

// Noter is a connector that may publish a post without a part of it that does not matter as much as the post.
type Noter interface {
	Connector
	// Note returns what a published post with this handle lacks, in a sentence for the post's timeline; empty if nothing.
	Note(content Content, handle Handle) string
}

// ContentOf returns the content of a post with its assets, whose alternative texts are those of the post, if it has its
// own. The assets must be in the post's order.
func ContentOf(p post.Post, assets []media.Asset) Content {
	return Content{
		PostID: p.ID, ContentType: p.ContentType, Text: p.With("").Content, Title: p.Title, Media: described(assets, p.MediaAltTexts),
		Options: p.Options, Script: p.Metadata[ScriptKey],
	}
}

func described(assets []media.Asset, texts post.AltTexts) []media.Asset {
	if len(texts) == 0 {
		return assets
	}
	assets = slices.Clone(assets)
	for i, asset := range assets {
		if text, own := texts[asset.ID]; own {
			assets[i].AltText = text
		}
	}
	return assets
}

// WithParts returns the content with the parts that are published after the post. The assets are those of all parts, in any order.
func (c Content) WithParts(p post.Post, assets []media.Asset) Content {
	p = p.With("")
	for _, of := range p.Thread {
		part := Content{
			ContentType: post.ContentPost, Text: of.Content, ReplyTo: &ReplyTo{Kind: post.PartReply},
			Options: p.Options.OfPart(len(of.MediaIDs) > 0),
		}
		for _, id := range of.MediaIDs {
			if at := slices.IndexFunc(assets, func(a media.Asset) bool { return a.ID == id }); at >= 0 {
				part.Media = append(part.Media, assets[at])
			}
		}
		part.Media = described(part.Media, of.MediaAltTexts)
		c.Parts = append(c.Parts, part)
	}
	if !p.Comment.IsZero() {
		c.Parts = append(c.Parts, Content{
			ContentType: c.ContentType, Text: p.Comment.Content, ReplyTo: &ReplyTo{Kind: post.PartComment},
			Options: p.Options.OfPart(false),
		})
	}
	return c
}

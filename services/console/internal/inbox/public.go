package inbox

import (
	"strings"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/inbox"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// choice is a kind of conversations to which the list can be limited.
type choice struct {
	Kind inbox.Kind
	Text string
}

// kinds returns the choices.
func kinds() []choice {
	return []choice{
		{inbox.Messages, "Messages"}, {inbox.Comments, "Comments"}, {inbox.Mentions, "Mentions"}, {inbox.Reviews, "Reviews"},
	}
}

// kindOf returns the kind of an address; empty: all.
func kindOf(given string) inbox.Kind {
	for _, c := range kinds() {
		if string(c.Kind) == given {
			return c.Kind
		}
	}
	return ""
}

// Kinds returns the choices, if a channel has more than private messages.
func (p page) Kinds() []choice {
	for _, c := range p.Channels {
		if inbox.Public(c.Type) {
			return kinds()
		}
	}
	return nil
}

// Kind is that of the address.
func (p page) Kind() inbox.Kind { return p.Query.kind }

// label names the kind of a conversation in a list; empty for messages.
func label(k inbox.Kind) string {
	return map[inbox.Kind]string{inbox.Comments: "Comment", inbox.Mentions: "Mention", inbox.Reviews: "Review"}[k]
}

// Label names the kind of the conversation; empty for messages.
func (r row) Label() string { return label(r.Kind) }

// stars shows a rating; empty: there is none.
func stars(rating int) string {
	const most = 5
	if rating < 1 || rating > most {
		return ""
	}
	return strings.Repeat("★", rating) + strings.Repeat("☆", most-rating)
}

// Stars shows the rating of a review.
func (r row) Stars() string { return stars(r.Rating) }

// Stars shows the rating of a review.
func (l line) Stars() string { return stars(l.Rating) }

// ofPost is the post below which a conversation is.
type ofPost struct {
	Label, Href, Text, Picture string
}

// postOf returns the post below which a conversation is; nil: it is below none that this service published.
func (p *pages) postOf(v *frame.Visit, of postgres.Shown) (*ofPost, error) {
	if of.Of.ID.IsZero() {
		return nil, nil //nolint:nilnil // documented
	}
	shown := &ofPost{Label: label(of.Kind), Href: v.Path("/posts/" + of.Of.ID.String()), Text: of.Of.Text}
	if of.Of.Media.IsZero() {
		return shown, nil
	}
	pictures, err := p.app.Thumbnails(v.Request.Context(), v.Principal, []ident.Media{of.Of.Media})
	shown.Picture = pictures[of.Of.Media]
	return shown, err
}

// Hides reports whether the visitor can hide a message at its network.
func (c conversation) Hides(l line) bool { return c.Moderation.Hide && c.moderates(l) }

// Removes reports whether the visitor can remove a message from its network.
func (c conversation) Removes(l line) bool { return c.Moderation.Remove && c.moderates(l) }

func (c conversation) moderates(l line) bool {
	return c.Replies && l.Direction == inbox.In && l.DeletedAt.IsZero() && l.ExternalID != ""
}

// moderate hides, shows or removes a message.
func (p *pages) moderate(v *frame.Visit) error {
	id, err := frame.PathID(v, "conversation", ident.Parse[ident.Conversation])
	if err != nil {
		return err
	}
	message, err := ident.Parse[ident.Message](v.Form("message"))
	if err != nil {
		return p.exists(v, id, "This message is not here any more. Go back and look at the conversation.")
	}
	ctx, notice := v.Request.Context(), ""
	switch v.Form("do") {
	case "hide":
		notice, err = "Hidden.", p.inbox.Hide(ctx, v.Principal, id, message, true)
	case "show":
		notice, err = "Shown again.", p.inbox.Hide(ctx, v.Principal, id, message, false)
	case "remove":
		notice, err = "Removed.", p.inbox.Remove(ctx, v.Principal, id, message)
	default:
		err = p.exists(v, id, "Choose Hide or Remove.")
	}
	if err != nil {
		return err
	}
	return v.Done(here(v, id), notice)
}

// Below is a conversation below a post, on the page of the post.
type Below struct {
	postgres.Shown

	Href   string
	Person string
}

// mostBelow is the number of conversations that the page of a post shows.
const mostBelow = 10

// BelowPost returns the last conversations below a post, for its page. People who may not read the inbox see none.
func BelowPost(v *frame.Visit, use *app.Inbox, id ident.Post) ([]Below, error) {
	found, err := use.Conversations(v.Request.Context(), v.Principal, postgres.ConversationFilter{Post: id, Limit: mostBelow})
	if apperr.Is(err, apperr.InsufficientScope) {
		return nil, nil
	}
	list := make([]Below, len(found))
	for i, c := range found {
		list[i] = Below{Shown: c, Href: v.Path(path + "/" + c.ID.String()), Person: called(c)}
	}
	return list, err
}

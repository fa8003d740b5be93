package mailing

import (
	"fmt"
	"strings"

	"fencepost.internal/shared/domain/clientlink"
	"fencepost.internal/shared/domain/mail"
)

// causesShown bounds the items of a mail about posts.
const causesShown = 10

// postsLetter writes a mail about posts: one item for each cause, and a link to the only post or to all of them.
func (m *Mailing) postsLetter(due mail.Mail) letter {
	in, workspace := due.Content, m.AppURL+"/w/"+due.WorkspaceID.String()
	total := 0
	for _, c := range in.Causes {
		total += c.Posts
	}
	out := letter{Link: workspace + "/posts/", Why: "You get this mail because you wrote the post or manage the workspace."}
	if total == 1 {
		out.Link += in.Causes[0].PostID.String()
	}
	number, them := "A post", "it"
	if total != 1 {
		number, them = fmt.Sprintf("%d posts", total), "them"
	}
	status := "failed"
	switch due.Kind { //nolint:exhaustive // the mails about posts
	case mail.PostsToApprove:
		status, out.Button, out.Why = "pending_approval", "Review "+them, "You get this mail because you may approve posts."
		out.Subject = number + verb(total, " waits", " wait") + " for your approval: " + in.Workspace
		out.Lines = []string{number + verb(total, " waits", " wait") + " for approval in “" + in.Workspace + "”:"}
	case mail.PostsApproved:
		status, out.Button = "scheduled", "Open "+them
		out.Subject = number + verb(total, " was", " were") + " approved: " + in.Workspace
		out.Lines = []string{number + verb(total, " was", " were") + " approved in “" + in.Workspace + "”:"}
	case mail.PostsUnknown:
		out.Button = "See what to do"
		out.Subject = "Is it public? " + in.Workspace
		out.Lines = []string{number + " of “" + in.Workspace + "” may be public. Look at the channel first:"}
	case mail.PostsReturned:
		status, out.Button = "draft", "Open "+them
		out.Subject = "Changes requested: " + in.Workspace
		out.Lines = []string{number + " in “" + in.Workspace + "” came back as a draft. Change " + them + ", then ask again:"}
	default:
		out.Button = "See what to do"
		out.Subject = number + " failed: " + in.Workspace
		out.Lines = []string{number + " in “" + in.Workspace + "” could not be published:"}
	}
	if total != 1 {
		out.Link = workspace + "/posts?status=" + status
	}
	if in.Secret != "" {
		out.Link = m.AppURL + "/review/" + in.Secret
		out.Why += " For " + hours(clientlink.MailLife) + ", the link decides in your name without a sign-in: don’t forward this mail."
	}
	out.Items = causeItems(in.Causes)
	m.mayTurnOff(&out, due)
	return out
}

// mentionLetter writes a mail about a comment that names the person. The comment is the reason of the only cause.
func (m *Mailing) mentionLetter(due mail.Mail) letter {
	in := due.Content
	if !in.Conversation.IsZero() {
		return m.noteLetter(due)
	}
	out := letter{
		Subject: in.Actor + " wrote to you: " + in.Workspace,
		Lines:   []string{in.Actor + " wrote to you in a comment on a post of “" + in.Workspace + "”:"},
		Button:  "Open it", Link: m.AppURL + "/w/" + due.WorkspaceID.String() + "/posts",
		Why: "You get this mail because a comment names you, or comes by a link of yours.",
	}
	for _, c := range in.Causes {
		out.Link = m.AppURL + "/w/" + due.WorkspaceID.String() + "/posts/" + c.PostID.String()
		out.Items = append(out.Items, c.Reason)
	}
	m.mayTurnOff(&out, due)
	return out
}

func causeItems(causes []mail.Cause) []string {
	var items []string
	for i, c := range causes {
		if i == causesShown {
			return append(items, fmt.Sprintf("… and %d more reasons", len(causes)-causesShown))
		}
		item := c.Channel.Name + " (" + c.Channel.Network + "): "
		if c.Posts > 1 {
			item += fmt.Sprintf("%d posts", c.Posts)
		} else if item += "“" + c.Words + "”"; c.Words == "" {
			item = strings.TrimSuffix(item, "“”") + "a post without a text"
		}
		if c.Reason != "" {
			item += ". " + c.Reason
		}
		items = append(items, item)
	}
	return items
}

func verb(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// mayTurnOff adds the link to the choice of mails.
func (m *Mailing) mayTurnOff(l *letter, due mail.Mail) {
	l.Off = m.AppURL + "/w/" + due.WorkspaceID.String() + "/settings/notifications"
}

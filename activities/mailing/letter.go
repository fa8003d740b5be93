package mailing

import (
	"bytes"
	"embed"
	"fmt"
	html "html/template"
	"strings"
	text "text/template"
	"time"

	"fencepost.internal/shared/domain/mail"
	"fencepost.internal/shared/domain/user"
	"fencepost.internal/shared/infra/mailer"
)

//go:embed templates
var files embed.FS

var (
	textLetter = text.Must(text.ParseFS(files, "templates/letter.txt"))
	htmlLetter = html.Must(html.ParseFS(files, "templates/letter.html"))
)

// letter is the content of a mail, for both templates.
type letter struct {
	Subject string
	Lines   []string
	Items   []string
	Button  string
	Link    string // empty: there is no button
	Ends    string // how long the link can be used
	Why     string // why the person gets the mail
	Off     string // address at which the person turns such mails off; empty if that is not possible
}

// write makes the text of a mail. Every link begins with the configured address of the application.
func (m *Mailing) write(due mail.Mail) (mailer.Message, error) {
	created, err := m.letter(due)
	if err != nil {
		return mailer.Message{}, err
	}
	var plain, rich bytes.Buffer
	if err := textLetter.Execute(&plain, created); err != nil {
		return mailer.Message{}, fmt.Errorf("mailing: %w", err)
	}
	if err := htmlLetter.Execute(&rich, created); err != nil {
		return mailer.Message{}, fmt.Errorf("mailing: %w", err)
	}
	return mailer.Message{
		ID: due.ID, Date: due.CreatedAt, To: string(due.Content.To), Subject: created.Subject, Text: plain.String(), HTML: rich.String(),
	}, nil
}

func (m *Mailing) letter(due mail.Mail) (letter, error) {
	in := due.Content
	switch due.Kind {
	case mail.Invitation:
		return letter{
			Subject: in.Actor + " invites you to " + in.Workspace,
			Lines: []string{
				fmt.Sprintf("%s invites you to join “%s” as %s.", in.Actor, in.Workspace, aRole(in.Role)),
			},
			Button: "Accept invitation", Link: m.AppURL + "/invitations/" + in.Secret, Ends: "7 days",
			Why: "If you don’t know the sender, ignore this email.",
		}, nil
	case mail.PasswordReset:
		return letter{
			Subject: "Set a new password",
			Lines:   []string{"We got a request for a new password for this email address."},
			Button:  "Set new password", Link: m.AppURL + "/reset-password/" + in.Secret, Ends: hours(user.ResetLife),
			Why: "If it wasn’t you, ignore this email. Your password stays the same.",
		}, nil
	case mail.PasswordChanged:
		return letter{
			Subject: "Your password was changed",
			Lines: []string{
				"You were signed out everywhere else.",
				"If it wasn’t you, set a new password now.",
			},
			Button: "Set new password", Link: m.AppURL + "/forgot-password", Why: "We send this email whenever your password changes.",
		}, nil
	case mail.AddressLeaving, mail.AddressArriving:
		return m.addressLetter(due), nil
	case mail.ChannelsExpiring, mail.ChannelLost:
		return m.channelLetter(due), nil
	case mail.WorkspaceDeletion:
		return m.deletionLetter(due), nil
	case mail.Test:
		return letter{
			Subject: "A test by Fencepost", Lines: []string{"You get notifications here."}, Button: "See your choices",
			Link: m.AppURL + "/w/" + due.WorkspaceID.String() + "/settings/notifications", Why: in.Actor + " asked for this test.",
		}, nil
	case mail.Mentioned:
		return m.mentionLetter(due), nil
	case mail.FollowUp:
		return m.followUpLetter(due), nil
	case mail.InboxWaiting:
		return m.waitingLetter(due), nil
	case mail.DigestDaily, mail.DigestWeekly:
		return m.digestLetter(due)
	case mail.MonthlyReport:
		return m.reportLetter(due)
	case mail.PostsFailed, mail.PostsToApprove, mail.PostsReturned, mail.PostsApproved, mail.PostsUnknown:
		return m.postsLetter(due), nil
	default:
		return letter{}, fmt.Errorf("mailing: this version does not know mails of the kind %q", due.Kind)
	}
}

func (m *Mailing) addressLetter(due mail.Mail) letter {
	in := due.Content
	out := letter{
		Subject: "Confirm your new email address",
		Lines:   []string{fmt.Sprintf("%s wants to sign in with %s from now on.", in.Actor, in.Address)},
		Button:  "Confirm address", Link: m.AppURL + "/confirm-address/" + in.Secret, Ends: hours(user.AddressLife),
		Why: "If it wasn’t you, ignore this email. The account keeps its address.",
	}
	if due.Kind == mail.AddressLeaving {
		out.Subject = "Confirm your change of email"
		out.Lines = []string{
			fmt.Sprintf("You will sign in with %s. Confirm the change from both addresses.", in.Address),
		}
		out.Button = "Confirm change"
		out.Why = "If it wasn’t you, another person knows your password: change it now, and don’t confirm."
	}
	return out
}

func (m *Mailing) deletionLetter(due mail.Mail) letter {
	in := due.Content
	return letter{
		Subject: "“" + in.Workspace + "” will be deleted",
		Lines: []string{
			fmt.Sprintf("%s asked to delete the workspace “%s”. Its publishing is stopped.", in.Actor, in.Workspace),
			"In 14 days its posts, files, channels and link pages are deleted. You can’t undo that.",
		},
		Button: "Keep the workspace", Link: m.AppURL + "/w/" + due.WorkspaceID.String() + "/settings/delete",
		Why: "You get this mail because you own the workspace.",
	}
}

func (m *Mailing) channelLetter(due mail.Mail) letter {
	in := due.Content
	out := letter{
		Subject: "Reconnect soon: " + in.Workspace,
		Lines:   []string{"Access to these channels of “" + in.Workspace + "” ends soon. Reconnect them in time:"},
		Button:  "Reconnect", Link: m.AppURL + "/w/" + due.WorkspaceID.String() + "/channels",
		Why: "You get this mail because you may connect channels.",
	}
	if due.Kind == mail.ChannelLost {
		out.Subject = "Posts are waiting: " + in.Workspace
		out.Lines = []string{
			"A post of “" + in.Workspace + "” is due, but its channel has lost access. Posts wait until it is reconnected:",
		}
	}
	if len(in.Channels) == 1 && !in.Channels[0].ID.IsZero() {
		out.Link += "/" + in.Channels[0].ID.String() + "/reconnect"
	}
	for _, c := range in.Channels {
		item := c.Name + " (" + c.Network + ")"
		if !c.EndsAt.IsZero() {
			item += ", until " + c.EndsAt.UTC().Format("2 January 2006, 15:04") + " UTC"
		}
		out.Items = append(out.Items, item)
	}
	m.mayTurnOff(&out, due)
	return out
}

// followUpLetter writes a mail about the follow-up of a lead.
func (m *Mailing) followUpLetter(due mail.Mail) letter {
	out := letter{
		Subject: "Follow up: " + due.Content.Workspace,
		Lines:   []string{"You planned to follow up a lead of “" + due.Content.Workspace + "” now:"},
		Button:  "Open the lead", Link: m.AppURL + "/w/" + due.WorkspaceID.String() + "/leads", Why: "You get this mail because the lead is yours.",
	}
	if of := due.Content.Lead; of != nil {
		out.Subject = "Follow up " + of.Name
		out.Items, out.Link = []string{of.Name}, out.Link+"/"+of.ID.String()
	}
	m.mayTurnOff(&out, due)
	return out
}

// aRole returns a role with its article.
func aRole(role string) string {
	role = strings.ToLower(role)
	if role != "" && strings.ContainsRune("aeiou", rune(role[0])) {
		return "an " + role
	}
	return "a " + role
}

func hours(d time.Duration) string {
	if d == time.Hour {
		return "one hour"
	}
	return fmt.Sprintf("%d hours", int(d.Hours()))
}

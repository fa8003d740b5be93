package mailing

import (
	"bytes"
	"embed"
	"fmt"
	html "html/template"
	"strings"
	text "text/template"
	"time"

	"socialpub.internal/shared/domain/mail"
	"socialpub.internal/shared/domain/user"
	"socialpub.internal/shared/infra/mailer"
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
	Link    string
	Ends    string // how long the link can be used
	Why     string // why the person gets the mail
}

// write makes the text of a mail. Every link begins with the configured address of the application.
func (m *Mailing) write(due mail.Mail) (mailer.Message, error) {
	made, err := m.letter(due)
	if err != nil {
		return mailer.Message{}, err
	}
	var plain, rich bytes.Buffer
	if err := textLetter.Execute(&plain, made); err != nil {
		return mailer.Message{}, fmt.Errorf("mailing: %w", err)
	}
	if err := htmlLetter.Execute(&rich, made); err != nil {
		return mailer.Message{}, fmt.Errorf("mailing: %w", err)
	}
	return mailer.Message{
		ID: due.ID, Date: due.CreatedAt, To: due.Content.To, Subject: made.Subject, Text: plain.String(), HTML: rich.String(),
	}, nil
}

func (m *Mailing) letter(due mail.Mail) (letter, error) {
	in := due.Content
	switch due.Kind {
	case mail.Invitation:
		return letter{
			Subject: "Invitation to " + in.Workspace,
			Lines: []string{
				fmt.Sprintf("%s invites you to the workspace “%s”, as %s.", in.Actor, in.Workspace, strings.ToLower(in.Role)),
			},
			Button: "Accept the invitation", Link: m.AppURL + "/invitations/" + in.Secret, Ends: "7 days",
			Why: "If you do not know the sender, ignore this mail: nothing happens without you.",
		}, nil
	case mail.PasswordReset:
		return letter{
			Subject: "Set a new password",
			Lines:   []string{"A new password was requested for this email address."},
			Button:  "Set a new password", Link: m.AppURL + "/reset-password/" + in.Secret, Ends: hours(user.ResetLife),
			Why: "If you did not request it, ignore this mail. Your password stays as it is.",
		}, nil
	case mail.PasswordChanged:
		return letter{
			Subject: "Your password was changed",
			Lines: []string{
				"The password of your account was changed, and its other sessions have ended.",
				"If it was not you, set a new password at once.",
			},
			Button: "Set a new password", Link: m.AppURL + "/forgot-password", Why: "This mail is sent after every change of the password.",
		}, nil
	case mail.AddressLeaving, mail.AddressArriving:
		return m.addressLetter(due), nil
	case mail.ChannelsExpiring, mail.ChannelLost:
		return m.channelLetter(due), nil
	default:
		return letter{}, fmt.Errorf("mailing: this version does not know mails of the kind %q", due.Kind)
	}
}

func (m *Mailing) addressLetter(due mail.Mail) letter {
	in := due.Content
	out := letter{
		Subject: "Confirm your new email address",
		Lines:   []string{fmt.Sprintf("%s wants to use %s as the email address of an account.", in.Actor, in.Address)},
		Button:  "Confirm this address", Link: m.AppURL + "/confirm-address/" + in.Secret, Ends: hours(user.AddressLife),
		Why: "If you did not request it, ignore this mail. The account keeps its present address.",
	}
	if due.Kind == mail.AddressLeaving {
		out.Subject = "Confirm the change of your email address"
		out.Lines = []string{
			fmt.Sprintf("The email address of your account is to become %s. Both addresses must confirm it.", in.Address),
		}
		out.Button = "Confirm the change"
		out.Why = "If you did not request it, another person knows your password: change it now, and ignore this mail."
	}
	return out
}

func (m *Mailing) channelLetter(due mail.Mail) letter {
	in := due.Content
	out := letter{
		Subject: "Connections end soon: " + in.Workspace,
		Lines: []string{
			fmt.Sprintf("These connections of the workspace “%s” end soon. Only a person can extend them:", in.Workspace),
		},
		Button: "Connect again", Link: m.AppURL + "/w/" + due.WorkspaceID.String() + "/channels",
		Why: "You get this mail because you may connect channels. Turn it off in your profile.",
	}
	if due.Kind == mail.ChannelLost {
		out.Subject = "Posts are waiting: " + in.Workspace
		out.Lines = []string{
			fmt.Sprintf("A post of the workspace “%s” is due, but its channel no longer has access to the network.", in.Workspace),
			"Posts wait until a person connects the channel again:",
		}
	}
	for _, c := range in.Channels {
		item := c.Name + " (" + c.Network + ")"
		if !c.EndsAt.IsZero() {
			item += ", until " + c.EndsAt.UTC().Format("2 January 2006, 15:04") + " UTC"
		}
		out.Items = append(out.Items, item)
	}
	return out
}

func hours(d time.Duration) string {
	if d == time.Hour {
		return "one hour"
	}
	return fmt.Sprintf("%d hours", int(d.Hours()))
}

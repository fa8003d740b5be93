package mailing

import (
	"fmt"

	"fencepost.internal/shared/domain/mail"
)

// Mails about the inbox say nothing of what people write.

// noteLetter writes a mail about a note that names the person.
func (m *Mailing) noteLetter(due mail.Mail) letter {
	in := due.Content
	out := letter{
		Subject: in.Actor + " wrote to you: " + in.Workspace,
		Lines:   []string{in.Actor + " named you in a note on a conversation of “" + in.Workspace + "”."},
		Button:  "Open the conversation", Link: m.AppURL + "/w/" + due.WorkspaceID.String() + "/inbox/" + in.Conversation.String(),
		Why: "You get this mail because a note names you.",
	}
	m.mayTurnOff(&out, due)
	return out
}

// waitingLetter writes a mail about conversations that wait for an answer.
func (m *Mailing) waitingLetter(due mail.Mail) letter {
	in := due.Content
	number := "A person"
	if in.Waiting != 1 {
		number = fmt.Sprintf("%d people", in.Waiting)
	}
	out := letter{
		Subject: number + verb(in.Waiting, " waits", " wait") + " for an answer: " + in.Workspace,
		Lines:   []string{number + verb(in.Waiting, " waits", " wait") + " for an answer in the inbox of “" + in.Workspace + "”."},
		Button:  "Open the inbox", Link: m.AppURL + "/w/" + due.WorkspaceID.String() + "/inbox",
		Why: "You get this mail because the conversations are assigned to you or to no member.",
	}
	m.mayTurnOff(&out, due)
	return out
}

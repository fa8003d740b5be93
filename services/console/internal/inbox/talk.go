package inbox

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/inbox"
	"fencepost.internal/shared/domain/member"
	"fencepost.internal/shared/infra/postgres"
)

// day is a day of a conversation.
type day struct {
	Title string
	Lines []line
}

// line is a message, or what a member did.
type line struct {
	postgres.Said

	At      time.Time
	Did     string // what a member did; empty: it is a message
	Who     string // wrote an answer or a note
	State   string // of an answer, in words
	Tone    string // of the state
	Note    string // instead of a text
	Resend  bool   // it can be sent again
	Price   string // what the network counts it as; empty: it has not said so
	Network string
	Parts   []member.Part // of a note, with the members whom it names
	Files   []sight
}

// Kind returns the class of the line.
func (l line) Kind() string {
	if l.Did != "" {
		return "did"
	}
	return map[inbox.Direction]string{inbox.In: "in", inbox.Out: "out", inbox.Note: "note"}[l.Direction]
}

// Edited reports whether the message was edited at its network.
func (l line) Edited() bool { return !l.EditedAt.IsZero() && l.DeletedAt.IsZero() }

// days returns the messages and what members did between two times, by day in the workspace's zone. The zero times are the
// beginning and the end. The path is that of the conversation.
func days(v *frame.Visit, of postgres.Shown, path string, members []string, talk app.Talk, from, until time.Time) (list []day) {
	var lines []line
	for _, m := range talk.Messages {
		l := messageLine(of, path, m)
		if m.Direction == inbox.Note {
			l.Parts = member.Parts(m.Text, members)
		}
		lines = append(lines, l)
	}
	for _, e := range talk.Entries {
		if e.At.Before(from) || !until.IsZero() && !e.At.Before(until) {
			continue
		}
		lines = append(lines, line{At: e.At, Did: did(v, e)})
	}
	slices.SortStableFunc(lines, func(a, b line) int { return a.At.Compare(b.At) })
	for _, l := range lines {
		title := dayOf(l.At, v.Now())
		if len(list) == 0 || list[len(list)-1].Title != title {
			list = append(list, day{Title: title})
		}
		last := &list[len(list)-1]
		last.Lines = append(last.Lines, l)
	}
	return list
}

// dayOf returns the name of the day of a time.
func dayOf(at, now time.Time) string {
	local := at.In(now.Location())
	switch {
	case frame.Today(at, now):
		return "Today"
	case frame.Today(at, now.AddDate(0, 0, -1)):
		return "Yesterday"
	case local.Year() == now.Year():
		return local.Format("Mon 2 January")
	default:
		return local.Format("2 January 2006")
	}
}

func messageLine(of postgres.Shown, path string, m postgres.Said) line {
	network := of.ChannelType.Network().Name()
	l := line{Said: m, At: m.SentAt, Who: m.By, Network: network, Files: sights(path, m.Message)}
	switch {
	case of.Erased:
		l.Note = "Erased"
	case !m.DeletedAt.IsZero() && m.Direction == inbox.In:
		l.Note = "Deleted by the person"
	case !m.DeletedAt.IsZero():
		l.Note = "Deleted in " + network
	case m.Unsupported != "":
		l.Note = frame.Words(m.Unsupported) + ": look in " + network
	}
	if m.Direction == inbox.In {
		if l.Who = cmp.Or(m.By, called(of)); !m.HiddenAt.IsZero() {
			l.State = "hidden"
		}
		return l
	}
	if m.Direction == inbox.Out && m.State == "" { // written in the network's own program
		l.Who = cmp.Or(l.Who, "Sent in "+network)
	}
	l.Who = cmp.Or(l.Who, "Former member")
	if m.Price != "" {
		l.Price = "billed as " + strings.ToUpper(m.Price)
		if m.Free {
			l.Price = "free, counted as " + strings.ToUpper(m.Price)
		}
	}
	switch m.State {
	case inbox.Queued:
		l.State = "sending"
	case inbox.Sent:
		l.State = "sent"
	case inbox.Delivered:
		l.State = "delivered"
	case inbox.Read:
		l.State = "read"
	case inbox.Failed:
		l.State, l.Tone, l.Resend = "not sent: "+cmp.Or(m.FailureMessage, m.FailureCode, "the reason is not known"), "bad", true
	case inbox.Unknown:
		l.State, l.Tone, l.Resend = "may have arrived. Look in "+network+" before you send it again", "warn", true
	}
	return l
}

// did returns what a member did, as a sentence.
func did(v *frame.Visit, e inbox.Entry) string {
	by := cmp.Or(e.By, "A former member")
	switch e.Kind {
	case inbox.Assigned:
		if e.Detail == e.By {
			return by + " took the conversation"
		}
		return by + " assigned it to " + e.Detail
	case inbox.Unassigned:
		return by + " removed the assignment"
	case inbox.WasSnoozed:
		if at, err := time.Parse(time.RFC3339, e.Detail); err == nil {
			return by + " snoozed it until " + at.In(v.Zone()).Format("Mon 2 Jan, 15:04")
		}
		return by + " snoozed it"
	case inbox.WasClosed:
		return by + " closed it"
	case inbox.Reopened:
		return by + " reopened it"
	case inbox.MarkedSpam:
		return by + " marked it as spam"
	default:
		return by + ": " + frame.Words(e.Kind)
	}
}

// since returns the answers after a time.
func since(of postgres.Shown, path string, messages []postgres.Said, at time.Time) (list []line) {
	for _, m := range messages {
		if m.Direction == inbox.Out && m.SentAt.After(at) && m.State != inbox.Failed {
			list = append(list, messageLine(of, path, m))
		}
	}
	return list
}

package mailing

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"fencepost.internal/shared/domain/mail"
)

// digestLetter writes a digest: one item for each channel that published, each reason of failures, and each post that comes.
func (m *Mailing) digestLetter(due mail.Mail) (letter, error) {
	d := due.Content.Digest
	if d == nil {
		return letter{}, errors.New("mailing: a digest has no content")
	}
	zone, err := time.LoadLocation(d.Zone)
	if err != nil {
		zone = time.UTC
	}
	form, period, title := "15:04", "In the last day", "Your day: "
	if due.Kind == mail.DigestWeekly {
		form, period, title = "Mon 2 Jan, 15:04", "In the last week", "Your week: "
	}
	var facts []string
	for _, fact := range []struct {
		n    int
		text string
	}{{total(d.Published), "published"}, {total(d.Failed), "failed"}, {d.NextPosts, "to come"}} {
		if fact.n > 0 {
			facts = append(facts, fmt.Sprintf("%d %s", fact.n, fact.text))
		}
	}
	out := letter{
		Subject: title + due.Content.Workspace, Button: "Open the calendar",
		Link:  m.AppURL + "/w/" + due.WorkspaceID.String() + "/calendar",
		Lines: []string{period + ": " + strings.Join(facts, ", ") + "."},
		Why:   "You asked for this summary.",
	}
	labelled := func(label string, items []string) {
		for _, item := range items {
			out.Items = append(out.Items, label+item)
		}
	}
	labelled("Published. ", causeItems(d.Published))
	labelled("Failed. ", causeItems(d.Failed))
	for _, next := range d.Next {
		labelled(next.At.In(zone).Format(form)+". ", causeItems([]mail.Cause{next.Cause}))
	}
	if more := d.NextPosts - len(d.Next); more > 0 {
		out.Items = append(out.Items, fmt.Sprintf("… and %d more to come", more))
	}
	if d.Best != nil {
		labelled(fmt.Sprintf("Best of seven days, %d %s. ", d.Best.Reactions, verb(d.Best.Reactions, "reaction", "reactions")),
			causeItems([]mail.Cause{d.Best.Cause}))
	}
	m.mayTurnOff(&out, due)
	return out, nil
}

func total(causes []mail.Cause) int {
	n := 0
	for _, c := range causes {
		n += c.Posts
	}
	return n
}

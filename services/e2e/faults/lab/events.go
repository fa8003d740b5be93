package lab

import (
	"net/http"
	"slices"
	"strings"

	"fencepost.internal/shared/domain/event"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/domain/webhook"
)

// eventOf returns the event type for each timeline entry that has an event (docs/contract.md, Post states).
func eventOf() map[string]string {
	return map[string]string{
		string(post.EntryCreated): string(event.PostCreated), string(post.EntryEdited): string(event.PostUpdated),
		string(post.EntryLiveEdited): string(event.PostUpdated), string(post.EntryLiveDeleted): string(event.PostUpdated),
		string(post.EntryPublished): string(event.PostPublished), string(post.EntryFailed): string(event.PostFailed),
		string(post.EntryApprovalRequested): string(event.PostApprovalRequested),
		string(post.EntryApproved):          string(event.PostApproved),
		string(post.EntryRejected):          string(event.PostRejected),
		string(post.EntryCommented):         string(event.PostCommented),
	}
}

// eventPerTransition checks I5: every transition has exactly one event, and every event has a transition.
func eventPerTransition(e Evidence, _ terms) []Violation {
	type fact struct{ post, typ string }
	balance := make(map[fact]int) // entries of the timeline minus events
	posts := e.postsByID()
	for _, entry := range e.Timeline {
		if typ := eventOf()[entry.Kind]; typ != "" {
			balance[fact{entry.PostID, typ}]++
		}
	}
	counts := make(map[fact]int)
	var wrong []Violation
	for _, ev := range e.Events {
		_, there := posts[ev.PostID]
		switch {
		case ev.PostID == "" || ev.Type == string(event.PostDeleted):
		case there && timed(ev.Type): // an entry about the action says it, with the time
		case there:
			balance[fact{ev.PostID, ev.Type}]--
			counts[fact{ev.PostID, ev.Type}]++
		case !deleted(e, ev.PostID):
			wrong = append(wrong, violation("I5", "event %s (%s) is of post %s, which does not exist", ev.ID, ev.Type,
				ev.PostID))
		}
	}
	for f, n := range balance {
		if n != 0 {
			wrong = append(wrong, violation("I5", "post %s: %d events %s for %d transitions", f.post, counts[f], f.typ,
				counts[f]+n))
		}
	}
	for _, p := range e.Posts {
		if typ := endEvent(p.Status); typ != "" && counts[fact{p.ID, typ}] == 0 {
			wrong = append(wrong, violation("I5", "post %s is %s without an event %s", p.ID, p.Status, typ))
		}
	}
	return append(wrong, onePublishedEach(e)...)
}

// timed reports whether the event is about the time of a post. It follows the event of the action.
func timed(typ string) bool {
	return typ == string(event.PostScheduled) || typ == string(event.PostUnscheduled)
}

// deleted reports whether the post has an event of its deletion. Its timeline is deleted with it.
func deleted(e Evidence, postID string) bool {
	return slices.ContainsFunc(e.Events, func(ev EventRow) bool {
		return ev.PostID == postID &&
			ev.Type == string(event.PostDeleted)
	})
}

// onePublishedEach checks the part of I5 that a post has at most one event of its publication.
func onePublishedEach(e Evidence) []Violation {
	var wrong []Violation
	counts := make(map[string]int)
	for _, ev := range e.Events {
		if ev.Type == string(event.PostPublished) {
			if counts[ev.PostID]++; counts[ev.PostID] == 2 {
				wrong = append(wrong, violation("I5", "post %s has more than one publication event", ev.PostID))
			}
		}
	}
	return wrong
}

func endEvent(status string) string {
	switch status {
	case string(post.Published):
		return string(event.PostPublished)
	case string(post.Failed):
		return string(event.PostFailed)
	default:
		return ""
	}
}

// everyEventDelivered checks the first part of I3: each event reached each subscribed endpoint, or its failed delivery
// is recorded.
func everyEventDelivered(e Evidence, _ terms) []Violation {
	deliveries := make(map[[2]string]DeliveryRow)
	for _, d := range e.Deliveries {
		deliveries[[2]string{d.EventID, d.WebhookID}] = d
	}
	arrived := e.arrived()
	var wrong []Violation
	for _, ev := range e.Events {
		for _, w := range e.Webhooks {
			if !wanted(ev, w) {
				continue
			}
			d, recorded := deliveries[[2]string{ev.ID, w.ID}]
			ours := strings.HasPrefix(w.URL, e.ReceiverAt)
			switch {
			case !recorded:
				wrong = append(wrong, violation("I3", "event %s (%s of %s) does not match endpoint %s", ev.ID, ev.Type, ev.PostID,
					w.ID))
			case d.State == "PENDING":
				wrong = append(wrong, violation("I3", "delivery %s of event %s has no end", d.ID, ev.ID))
			case d.State == "SUCCEEDED" && ours && !arrived[ev.PublicID]:
				wrong = append(wrong, violation("I3", "delivery %s SUCCEEDED, but event %s never arrived", d.ID, ev.PublicID))
			}
		}
	}
	for _, r := range e.Received {
		if !r.Verified {
			wrong = append(wrong, violation("I3", "a delivery of %s arrived with a signature that does not verify", r.ID))
		}
	}
	return wrong
}

// wanted reports whether an endpoint existed and was subscribed when the event happened. It uses the current
// subscription, so after a change of the subscription the expected events change too.
func wanted(ev EventRow, w WebhookRow) bool {
	if ev.WebhookID != "" {
		return ev.WebhookID == w.ID
	}
	subscribed := slices.Contains(w.Events, webhook.AllEvents) || slices.Contains(w.Events, ev.Type)
	there := ev.CreatedAt.After(w.CreatedAt) && (w.DeletedAt == nil || ev.CreatedAt.Before(*w.DeletedAt))
	return subscribed && there && ev.WorkspaceID == w.WorkspaceID
}

// triesRecorded checks the second part of I3: every attempt of a delivery has its row.
func triesRecorded(e Evidence, _ terms) []Violation {
	tries := make(map[string][]TryRow)
	for _, t := range e.Tries {
		tries[t.DeliveryID] = append(tries[t.DeliveryID], t)
	}
	var wrong []Violation
	for _, d := range e.Deliveries {
		created := tries[d.ID]
		accepted := slices.ContainsFunc(created, func(t TryRow) bool { return value(t.Status)/100 == http.StatusOK/100 })
		inOrder := !slices.ContainsFunc(created, func(t TryRow) bool { return t.N > len(created) })
		switch {
		case len(created) != d.Attempts || !inOrder:
			wrong = append(wrong, violation("I3", "delivery %s counts %d attempts and has %d rows of them", d.ID, d.Attempts,
				len(created)))
		case d.State == "SUCCEEDED" && !accepted:
			wrong = append(wrong, violation("I3", "delivery %s SUCCEEDED without an attempt that did", d.ID))
		case d.State == "FAILED" && len(created) == 0:
			wrong = append(wrong, violation("I3", "delivery %s FAILED without an attempt", d.ID))
		}
	}
	return wrong
}

// tenantsApart checks the part of I8 that rows can show: no row of one workspace refers to a row of another.
func tenantsApart(e Evidence, _ terms) []Violation {
	events, endpoints := make(map[string]string), make(map[string]string)
	posts := e.postsByID()
	var wrong []Violation
	for _, ev := range e.Events {
		events[ev.ID] = ev.WorkspaceID
		if p, there := posts[ev.PostID]; there && p.WorkspaceID != ev.WorkspaceID {
			wrong = append(wrong, violation("I8", "event %s of workspace %s is of post %s of another", ev.ID, ev.WorkspaceID,
				p.ID))
		}
	}
	for _, w := range e.Webhooks {
		endpoints[w.ID] = w.WorkspaceID
	}
	for _, d := range e.Deliveries {
		if events[d.EventID] != d.WorkspaceID || endpoints[d.WebhookID] != d.WorkspaceID {
			wrong = append(wrong, violation("I8", "delivery %s crosses workspaces", d.ID))
		}
	}
	return wrong
}

// arrived returns the events that the receiver got, by the id that it sees.
func (e Evidence) arrived() map[string]bool {
	ids := make(map[string]bool)
	for _, r := range e.Received {
		if r.Verified {
			ids[r.ID] = true
		}
	}
	return ids
}

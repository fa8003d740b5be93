package trial

import (
	"crypto/sha256"
	"time"

	"fencepost.internal/services/bench/internal/lab"
)

// sent is an event that receivers must get.
type sent struct {
	at   time.Time
	hash [sha256.Size]byte // of its body
}

// eventsSince returns the events since begin by workspace and by the id that receivers see. It returns events of all
// types unless some are named.
func eventsSince(r *lab.Run, begin time.Time, types ...string) map[string]map[string]sent {
	type row struct {
		ID, Workspace string
		At            time.Time
		Hash          []byte
	}
	rows := lab.Rows[row](r, `SELECT convert_from(body, 'UTF8')::jsonb ->> 'id', workspace_id::text, created_at, sha256(body)
		FROM event WHERE created_at >= date_trunc('milliseconds', $1::timestamptz) AND ($2::text[] IS NULL OR type = ANY ($2))`,
		begin, types)
	events := make(map[string]map[string]sent)
	for _, e := range rows {
		if events[e.Workspace] == nil {
			events[e.Workspace] = make(map[string]sent)
		}
		events[e.Workspace][e.ID] = sent{e.At, [sha256.Size]byte(e.Hash)}
	}
	return events
}

// match counts the events that did not arrive, and the arrivals without an event or with another body.
func match(events map[string]sent, arrivals map[string]lab.Arrival) (missing, wrong int) {
	for id := range events {
		if _, arrived := arrivals[id]; !arrived {
			missing++
		}
	}
	for id, a := range arrivals {
		if e, known := events[id]; !known || e.hash != a.Hash {
			wrong++
		}
	}
	return missing, wrong
}

// checkArrivals fails unless exactly the events arrived.
func checkArrivals(r *lab.Run, endpoint string, events map[string]sent, arrivals map[string]lab.Arrival) {
	if missing, wrong := match(events, arrivals); missing > 0 || wrong > 0 {
		r.Failf("%s: %d events are missing, %d differ from the sent ones", endpoint, missing, wrong)
	}
}

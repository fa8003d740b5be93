package trial

import (
	"context"
	"crypto/sha256"
	"time"

	"fencepost.internal/services/bench/internal/lab"
	"fencepost.internal/services/bench/internal/receiver"
	"fencepost.internal/shared/domain/event"
	"fencepost.internal/shared/kernel/ident"
)

// stored is an event in the database.
type stored struct {
	At   time.Time
	Hash [sha256.Size]byte // of its body
}

// eventsSince returns the events since begin by workspace and by the id that receivers see. It returns events of all
// types unless some are named.
func eventsSince(
	ctx context.Context, l *lab.Lab, begin time.Time, types ...event.Type,
) (map[string]map[string]stored, error) {
	names := make([]string, len(types))
	for i, typ := range types {
		names[i] = string(typ)
	}
	rows, err := l.SQL.Query(ctx, `SELECT id::text, workspace_id::text, created_at, sha256(body) FROM event
		WHERE created_at >= date_trunc('milliseconds', $1::timestamptz) AND (cardinality($2::text[]) = 0 OR type = ANY ($2))`,
		begin, names)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	events := make(map[string]map[string]stored)
	for rows.Next() {
		var (
			text, workspace string
			hash            []byte
			e               stored
		)
		if err := rows.Scan(&text, &workspace, &e.At, &hash); err != nil {
			return nil, err
		}
		id, err := ident.Parse[ident.Event](text)
		if err != nil {
			return nil, err
		}
		copy(e.Hash[:], hash)
		if events[workspace] == nil {
			events[workspace] = make(map[string]stored)
		}
		events[workspace][event.ExternalID(id)] = e
	}
	return events, rows.Err()
}

// compare counts the events that did not arrive, and the arrivals without an event or with another body.
func compare(events map[string]stored, arrivals map[string]receiver.Arrival) (missing, wrong int) {
	for id := range events {
		if _, arrived := arrivals[id]; !arrived {
			missing++
		}
	}
	for id, a := range arrivals {
		if e, known := events[id]; !known || e.Hash != a.Hash {
			wrong++
		}
	}
	return missing, wrong
}

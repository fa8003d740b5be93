package trial

import (
	"context"
	"fmt"
	"time"

	"fencepost.internal/services/bench/internal/result"
)

const (
	median = 50
	tail   = 99
)

// hops holds the times of one event's stages. A time recorded by the database is the start of the transaction that
// recorded it.
type hops struct {
	happened time.Time // the event's own time, taken before its transaction committed
	inLine   time.Time // the relay has fanned out the event
	sending  time.Time // the attempt starts
}

// evaluate computes the latencies of the samples and reports how they divide into stages.
func (s *latencySampling) evaluate(ctx context.Context, begin time.Time) error {
	byEvent, err := s.hops(ctx, begin)
	if err != nil {
		return err
	}
	var whole, answered, line, admitted, sent []time.Duration
	for _, one := range s.ours {
		h, known := byEvent[one.id]
		if !known {
			return fmt.Errorf("event %s is not in the database", one.id)
		}
		whole = append(whole, one.at.Sub(h.happened))
		answered = append(answered, one.at.Sub(one.answered))
		line = append(line, h.inLine.Sub(h.happened))
		admitted = append(admitted, h.sending.Sub(h.inLine))
		sent = append(sent, one.at.Sub(h.sending))
	}
	s.latency = whole
	s.Say("webhook_latency: %s: from its time %s; from the API's response %s; bare workflow %s", s.typ, spread(whole),
		spread(answered), spread(s.bare))
	s.Say("webhook_latency: %s: of it commit and fan-out %s; line, outbox, Temporal, activity %s; request %s", s.typ,
		spread(line), spread(admitted), spread(sent))
	return nil
}

func (s *latencySampling) hops(ctx context.Context, begin time.Time) (map[string]hops, error) {
	rows, err := s.SQL.Query(ctx,
		`SELECT convert_from(e.body, 'UTF8')::jsonb ->> 'id', e.created_at, d.created_at, a.started_at
		FROM event e JOIN delivery d ON d.event_id = e.id JOIN delivery_attempt a ON a.delivery_id = d.id AND a.n = 1
		WHERE e.workspace_id = $1 AND e.created_at >= date_trunc('milliseconds', $2::timestamptz)`, s.tenant.ID.String(),
		begin)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	found := make(map[string]hops)
	for rows.Next() {
		var (
			id string
			h  hops
		)
		if err := rows.Scan(&id, &h.happened, &h.inLine, &h.sending); err != nil {
			return nil, err
		}
		found[id] = h
	}
	return found, rows.Err()
}

func (s *latencySampling) row(name string, p int) result.Row {
	return result.Against(name, milliseconds(percentile(s.latency, p)), "ms", milliseconds(percentile(s.bare, p)))
}

func milliseconds(d time.Duration) float64 { return d.Seconds() * 1e3 }

// spread formats the median and the 99th percentile.
func spread(values []time.Duration) string {
	return fmt.Sprintf("p50 %.1f ms, p99 %.1f ms", milliseconds(percentile(values, median)),
		milliseconds(percentile(values, tail)))
}

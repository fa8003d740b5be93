package postgres

import (
	"context"
	"strconv"
	"sync/atomic"
	"time"

	"fencepost.internal/shared/kernel/ident"
)

// Lane selects a part of the outbox.
type Lane int

// The lanes of the outbox.
const (
	LaneUrgent  Lane = 0 // due within nearLimit, or without a time
	LanePatient Lane = 1 // work of later, in the order of its due time
	// LaneFirst selects the deliveries of the urgent lane that Temporal has not been called for. A call for another
	// message must not keep them from the express lane.
	LaneFirst Lane = -1
	// LaneDeliveries selects the other deliveries of the urgent lane, those whose lease by an express lane has ended, and
	// those that are reserved for one (2) while none works.
	LaneDeliveries Lane = -2
)

// turn remembers the workspace after which the next urgent batch starts. It is zero if the last batch had a share for
// every workspace.
type turn struct {
	last atomic.Pointer[ident.Workspace]
}

func (t *turn) after() ident.Workspace {
	if last := t.last.Load(); last != nil {
		return *last
	}
	return ident.Workspace{}
}

// take locks a batch of a lane.
func (s *Outbox) take(ctx context.Context, lane Lane, limit int) ([]outboxRow, error) {
	statement, params := takePatient, map[string]any{
		"limit": limit, "kinds": kindNames(), "idle": strconv.FormatInt(s.idle.Milliseconds(), 10),
	}
	var turns *turn
	switch lane {
	case LaneUrgent:
		statement, turns = takeUrgent, &s.urgent
	case LaneFirst:
		statement, turns = takeFirst, &s.first
	case LaneDeliveries:
		statement, turns = takeDeliveries, &s.deliveries
	case LanePatient:
	}
	if turns != nil {
		params["turns"], params["after"] = limit, turns.after().String()
		params["rest"], params["silence"] = lane == LaneDeliveries, expressSilence.Seconds()
		params["lease"] = expressLease.Seconds()
	}
	var rows []outboxRow
	err := s.db.conn(ctx).Raw(statement+readSubjects, params).Scan(&rows).Error
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	if turns != nil {
		turns.last.Store(rows[0].EndedWith) // also of an empty batch: its workspaces must not keep others from their turn
	}
	if rows[0].ID == 0 {
		return nil, nil
	}
	return rows, nil
}

// Depth describes the outbox.
type Depth struct {
	Due     int           // messages that Temporal should have by now
	Oldest  time.Duration // how long the oldest of them has been waiting
	Patient int           // messages for later
}

// Depth returns the lengths of the lanes. A patient message counts as due once its time has come.
func (s *Outbox) Depth(ctx context.Context) (Depth, error) {
	var row struct {
		Due, Patient int
		Oldest       float64
	}
	err := s.db.conn(ctx).Table("outbox").Select(
		`count(*) FILTER (WHERE wanted <= now()) AS due, count(*) FILTER (WHERE wanted > now()) AS patient,
		COALESCE(EXTRACT(EPOCH FROM now() - min(wanted)), 0) AS oldest`).
		Joins(
			"CROSS JOIN LATERAL (SELECT CASE WHEN lane = 0 THEN created_at ELSE greatest(created_at, due_at) END AS " +
				"wanted) w").Scan(&row).Error
	return Depth{
		Due: row.Due, Oldest: time.Duration(max(0, row.Oldest) * float64(time.Second)), Patient: row.Patient,
	}, classify(err)
}

// EnqueueNear enqueues up to limit posts, and as many follow-ups of leads, that came within the horizon, and returns their number.
func (s *Outbox) EnqueueNear(ctx context.Context, limit int) (found int, err error) {
	for _, statement := range []string{enqueueNear, nearFollowups} {
		result := s.db.conn(ctx).Exec(statement, map[string]any{"horizon": s.db.horizon.Seconds(), "limit": limit})
		if result.Error != nil {
			return found, classify(result.Error)
		}
		found += int(result.RowsAffected)
	}
	return found, nil
}

package postgres

import (
	"context"
	"time"

	"fencepost.internal/shared/domain/channel/slot"
	"fencepost.internal/shared/kernel/ident"
)

type slotRow struct {
	Weekday int
	Minute  int
}

func (r slotRow) slot() slot.Slot {
	return slot.Slot{Weekday: time.Weekday(r.Weekday), Hour: r.Minute / 60, Minute: r.Minute % 60}
}

// Slots returns a channel's posting schedule, starting on Monday. The caller must have checked that the channel belongs
// to the workspace.
func (s *Channels) Slots(ctx context.Context, id ident.Channel) ([]slot.Slot, error) {
	var rows []slotRow
	err := s.db.conn(ctx).Table("channel_slot").Select("weekday, minute").Where("channel_id = ?", id).
		Order("(weekday + 6) % 7, minute").Find(&rows).Error
	if err != nil {
		return nil, classify(err)
	}
	slots := make([]slot.Slot, len(rows))
	for i, r := range rows {
		slots[i] = r.slot()
	}
	return slots, nil
}

// Schedules returns the posting schedules of the workspace's channels. A channel without slots is missing.
func (s *Channels) Schedules(ctx context.Context, workspace ident.Workspace) (map[ident.Channel][]slot.Slot, error) {
	var rows []struct {
		ChannelID ident.Channel
		Slot      slotRow `gorm:"embedded"` // a field without a name would not be read
	}
	err := s.db.conn(ctx).Table("channel_slot").Select("channel_id, weekday, minute").
		Where("channel_id IN (SELECT id FROM channel WHERE workspace_id = ?)", workspace).
		Order("channel_id, (weekday + 6) % 7, minute").Find(&rows).Error
	if err != nil {
		return nil, classify(err)
	}
	schedules := make(map[ident.Channel][]slot.Slot)
	for _, r := range rows {
		schedules[r.ChannelID] = append(schedules[r.ChannelID], r.Slot.slot())
	}
	return schedules, nil
}

// SetTimezone changes the time zone of a channel's weekly times; NOT_FOUND when the workspace has no such channel.
func (s *Channels) SetTimezone(ctx context.Context, workspace ident.Workspace, id ident.Channel, zone string) error {
	result := s.db.conn(ctx).Table("channel").Where("id = ? AND workspace_id = ?", id, workspace).Update("timezone", zone)
	return affected(result, "channel")
}

// SetSlots replaces a channel's posting schedule. Posts in slots of the old schedule keep their times.
func (s *Channels) SetSlots(ctx context.Context, id ident.Channel, slots []slot.Slot) error {
	rows := make([]map[string]any, len(slots))
	for i, at := range slots {
		rows[i] = map[string]any{"channel_id": id, "weekday": int(at.Weekday), "minute": at.Hour*60 + at.Minute}
	}
	return s.db.WithinRetriedTx(ctx, func(ctx context.Context) error {
		if err := s.LockQueue(ctx, id); err != nil {
			return err
		}
		err := s.db.conn(ctx).Table("channel_slot").Where("channel_id = ?", id).Delete(nil).Error
		if err != nil || len(rows) == 0 {
			return classify(err)
		}
		return classify(s.db.conn(ctx).Table("channel_slot").Clauses(onConflict("ON CONFLICT DO NOTHING")).
			Create(rows).Error)
	})
}

// LockQueue locks the channel's queue exclusively until the transaction ends. It waits for transactions in EnterQueue.
func (s *Channels) LockQueue(ctx context.Context, id ident.Channel) error {
	return inQueue(s.db.conn(ctx).Exec(`SELECT pg_advisory_xact_lock(hashtextextended(?, 2))`, id.String()).Error)
}

// EnterQueue lets the transaction take slots of the channel, concurrently with others that do so. It waits for a holder
// of LockQueue.
func (s *Channels) EnterQueue(ctx context.Context, id ident.Channel) error {
	return inQueue(s.db.conn(ctx).Exec(`SELECT pg_advisory_xact_lock_shared(hashtextextended(?, 2))`, id.String()).Error)
}

// TakeSlot locks the slot until the transaction ends; false if another transaction holds it. It does not wait, so that
// requests for one channel do not wait for each other's commits.
func (s *Channels) TakeSlot(ctx context.Context, id ident.Channel, at time.Time) (taken bool, err error) {
	err = s.db.conn(ctx).Raw(`SELECT pg_try_advisory_xact_lock(hashtextextended(?, 3))`,
		slotLock(id, at)).Scan(&taken).Error
	return taken, classify(err)
}

// AwaitSlot waits until no other transaction holds the slot, and locks it.
func (s *Channels) AwaitSlot(ctx context.Context, id ident.Channel, at time.Time) error {
	return inQueue(s.db.conn(ctx).Exec(`SELECT pg_advisory_xact_lock(hashtextextended(?, 3))`, slotLock(id, at)).Error)
}

func slotLock(id ident.Channel, at time.Time) string {
	return id.String() + at.UTC().Format(time.RFC3339)
}

// inQueue names the queue in the error of a transaction that timed out waiting for it.
func inQueue(err error) error {
	err = classify(err)
	if IsContention(err) {
		return unavailable(err,
			"Other requests hold the channel's queue and this one timed out. Nothing was changed. Send the request again.")
	}
	return err
}

// TimesHeld returns the publish times of the channel's SCHEDULED posts after from and up to until.
func (s *Posts) TimesHeld(ctx context.Context, id ident.Channel, from, until time.Time) ([]time.Time, error) {
	var times []time.Time
	err := s.db.conn(ctx).Table("post").Where(ownPosts).Where("channel_id = ? AND status = 'SCHEDULED'", id).
		Where("scheduled_at > ? AND scheduled_at <= ?", from, until).Pluck("scheduled_at", &times).Error
	return times, classify(err)
}

// TimesHeldByChannel returns the publish times, in milliseconds since 1970, of the workspace's SCHEDULED posts after from and
// up to until.
func (s *Posts) TimesHeldByChannel(
	ctx context.Context, workspace ident.Workspace, from, until time.Time,
) (map[ident.Channel]map[int64]bool, error) {
	var rows []struct {
		ChannelID   ident.Channel
		ScheduledAt time.Time
	}
	err := s.db.conn(ctx).Table("post").Select("channel_id, scheduled_at").Where(ownPosts).Where("workspace_id = ? AND status = 'SCHEDULED'", workspace).
		Where("scheduled_at > ? AND scheduled_at <= ?", from, until).Find(&rows).Error
	held := make(map[ident.Channel]map[int64]bool)
	for _, r := range rows {
		if held[r.ChannelID] == nil {
			held[r.ChannelID] = make(map[int64]bool)
		}
		held[r.ChannelID][r.ScheduledAt.UnixMilli()] = true
	}
	return held, classify(err)
}

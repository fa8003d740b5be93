package postgres

import (
	"context"
	"time"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/flow"
	"fencepost.internal/shared/infra/secretbox"
	"fencepost.internal/shared/kernel/ident"
)

// Renewals stores when the credentials of channels must be renewed. The times passed to it are those of the caller's
// clock, because the ends of tokens are known by that clock.
type Renewals struct {
	db       *DB
	channels *Channels
}

// NewRenewals returns the store.
func NewRenewals(db *DB, box *secretbox.Keyring) *Renewals {
	return &Renewals{db: db, channels: NewChannels(db, box)}
}

// Assessment holds the facts that the credentials of a channel contain about its connection.
type Assessment struct {
	RenewAt time.Time // zero: never
	EndsAt  time.Time // the end that only a person or a renewal can extend; zero: none is known
	Status  channel.TokenStatus
	Note    channel.Note // recorded if the status changes
}

// live matches the channels whose credentials are renewed.
const live = `is_connected AND token_status <> 'NEEDS_RECONNECT' AND credentials IS NOT NULL`

// Assess calls judge for up to limit connected channels whose credentials changed since their last assessment, or whose
// last assessment is not after the given time, and stores the results. It returns the number of channels that it
// looked at. A channel that changes meanwhile is assessed by the next call. A channel whose credentials cannot be
// opened is passed to broken and keeps its times.
func (s *Renewals) Assess(
	ctx context.Context, now, since time.Time, limit int, judge func(channel.Channel, channel.Credentials) Assessment,
	broken func(channel.Channel, error),
) (int, error) {
	var rows []channelRow
	err := s.db.conn(ctx).Table("channel").Select(channelColumns).Where(live).
		Where("assessed_rev IS DISTINCT FROM credentials_rev OR assessed_at IS NULL OR assessed_at <= ?", since).
		Order("id").Limit(limit).Find(&rows).Error
	if err != nil {
		return 0, classify(err)
	}
	for _, row := range rows {
		c := fromChannelRow(row)
		credentials, err := openCredentials(s.channels.box, row)
		if err != nil {
			broken(c, err)
			err = s.assessed(ctx, row, now)
		} else {
			err = s.store(ctx, row, judge(c, credentials), now)
		}
		if err != nil {
			return 0, err
		}
	}
	return len(rows), nil
}

// assessed records an assessment without a result: the times of the one before still hold.
func (s *Renewals) assessed(ctx context.Context, row channelRow, now time.Time) error {
	return classify(s.db.conn(ctx).Table("channel").Where("id = ? AND credentials_rev = ?", row.ID, row.CredentialsRev).
		Updates(map[string]any{"assessed_at": now, "assessed_rev": row.CredentialsRev}).Error)
}

// store writes an assessment, with an entry in the timeline if the status changes.
func (s *Renewals) store(ctx context.Context, row channelRow, judged Assessment, now time.Time) error {
	return s.db.WithinTx(ctx, func(ctx context.Context) error {
		changed := judged.Status != channel.TokenStatus(row.TokenStatus)
		columns := map[string]any{
			"renew_at": optional(judged.RenewAt), "token_end_at": optional(judged.EndsAt), "assessed_at": now,
			"assessed_rev": row.CredentialsRev,
		}
		if changed {
			columns["token_status"], columns["updated_at"] = string(judged.Status), dbNow
		}
		result := s.db.conn(ctx).Table("channel").
			Where("id = ? AND credentials_rev = ? AND token_status = ?", row.ID, row.CredentialsRev, row.TokenStatus).
			Updates(columns)
		if result.Error != nil || result.RowsAffected == 0 || !changed {
			return classify(result.Error)
		}
		if err := s.channels.Note(ctx, row.ID, judged.Note); err != nil {
			return err
		}
		return s.channels.Announce(ctx, row.ID, channel.TokenStatus(row.TokenStatus))
	})
}

// AccessEnds returns the ends of the access of the workspace's channels that no renewal extends, as the present
// credentials were assessed.
func (s *Channels) AccessEnds(ctx context.Context, workspace ident.Workspace) (map[ident.Channel]time.Time, error) {
	var rows []struct {
		ID         ident.Channel
		TokenEndAt time.Time
	}
	err := s.db.conn(ctx).Table("channel").Select("id, token_end_at").Where("workspace_id = ?", workspace).Where(live).
		Where("token_end_at IS NOT NULL AND assessed_rev = credentials_rev AND (renew_at IS NULL OR renew_at >= token_end_at)").
		Find(&rows).Error
	ends := make(map[ident.Channel]time.Time, len(rows))
	for _, row := range rows {
		ends[row.ID] = row.TokenEndAt
	}
	return ends, classify(err)
}

// due matches the assessed channels whose renewal is due.
const due = live + ` AND assessed_rev = credentials_rev AND renew_at <= ?`

// Due returns up to limit channels whose renewal is due, ordered by ID and starting after the given channel.
func (s *Renewals) Due(
	ctx context.Context, now time.Time, after ident.Channel, limit int,
) ([]flow.RenewalInput, error) {
	var rows []channelRow
	query := s.db.conn(ctx).Table("channel").Select("id, workspace_id, type").Where(due, now).Order("id").Limit(limit)
	if after != (ident.Channel{}) { // a zero id is NULL in SQL
		query = query.Where("id > ?", after)
	}
	if err := query.Find(&rows).Error; err != nil {
		return nil, classify(err)
	}
	found := make([]flow.RenewalInput, len(rows))
	for i, r := range rows {
		found[i] = flow.RenewalInput{WorkspaceID: r.WorkspaceID, ChannelID: r.ID, Network: channel.Type(r.Type).Network()}
	}
	return found, nil
}

// Overdue returns the number of channels whose renewal is due, and the time at which the oldest became due.
func (s *Renewals) Overdue(ctx context.Context, now time.Time) (count int, oldest time.Time, err error) {
	var row struct {
		Count  int
		Oldest *time.Time
	}
	err = s.db.conn(ctx).Table("channel").Select("count(*) AS count, min(renew_at) AS oldest").Where(due, now).
		Take(&row).Error
	return row.Count, value(row.Oldest), classify(err)
}

// Load returns a channel with its credentials and their revision; NOT_FOUND if it was deleted.
func (s *Renewals) Load(
	ctx context.Context, id ident.Channel,
) (c channel.Channel, credentials channel.Credentials, revision int, err error) {
	var row channelRow
	err = s.db.conn(ctx).Table("channel").Select(channelColumns).Where("id = ?", id).Take(&row).Error
	if err != nil {
		return channel.Channel{}, channel.Credentials{}, 0, rowError(err, "channel")
	}
	credentials, err = openCredentials(s.channels.box, row)
	return fromChannelRow(row), credentials, row.CredentialsRev, err
}

// Note adds an entry to the timeline of a channel.
func (s *Renewals) Note(ctx context.Context, id ident.Channel, n channel.Note) error {
	return s.channels.Note(ctx, id, n)
}

// Prune deletes up to limit entries of timelines that are older than age, and returns the number deleted.
func (s *Renewals) Prune(ctx context.Context, age time.Duration, limit int) (int, error) {
	old := s.db.conn(ctx).Table("channel_timeline").Select("id").Where("at < (?)", dbAgo(age)).Limit(limit)
	result := s.db.conn(ctx).Table("channel_timeline").Where("id IN (?)", old).Delete(nil)
	return int(result.RowsAffected), classify(result.Error)
}

// longestDetail is the limit of the column.
const longestDetail = 1000

// Note adds an entry to the timeline of a channel. A zero time is the present, by the database's clock.
func (s *Channels) Note(ctx context.Context, id ident.Channel, n channel.Note) error {
	at := any(n.At)
	if n.At.IsZero() {
		at = dbNow
	}
	runes := []rune(n.Detail)
	return classify(s.db.conn(ctx).Table("channel_timeline").Create(map[string]any{
		"channel_id": id, "at": at, "kind": string(n.Kind), "detail": string(runes[:min(len(runes), longestDetail)]),
	}).Error)
}

// Timeline returns the latest entries of a channel's timeline, oldest first.
func (s *Channels) Timeline(ctx context.Context, id ident.Channel, limit int) ([]channel.Note, error) {
	var notes []channel.Note
	latest := s.db.conn(ctx).Table("channel_timeline").Where("channel_id = ?", id).Order("id DESC").Limit(limit)
	err := s.db.conn(ctx).Table("(?) AS latest", latest).Select("at, kind, detail").Order("id").Find(&notes).Error
	return notes, classify(err)
}

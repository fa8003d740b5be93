package postgres

import (
	"context"
	"time"

	"fencepost.internal/shared/domain/channel"
)

// Server describes the PostgreSQL server of the pool.
type Server struct {
	Version     string // as the server writes it
	Number      int    // such as 170004
	Now         time.Time
	IsReadOnly  bool // a standby, or a server that is set to read only
	Connections int  // of all clients
	Limit       int  // of connections, without those reserved for administrators
}

// Server returns the properties of the server.
func (db *DB) Server(ctx context.Context) (Server, error) {
	var s Server
	err := db.conn(ctx).Raw(`SELECT current_setting('server_version') AS version,
		CAST(current_setting('server_version_num') AS integer) AS number, clock_timestamp() AS now,
		pg_is_in_recovery() OR CAST(current_setting('transaction_read_only') AS boolean) AS is_read_only,
		(SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend') AS connections,
		CAST(current_setting('max_connections') AS integer)
			- CAST(current_setting('superuser_reserved_connections') AS integer) AS "limit"`).Scan(&s).Error
	return s, classify(err)
}

// TypeCount is the number of connected channels of a type.
type TypeCount struct {
	Type      channel.Type
	Count     int
	Reconnect int // need a person: NEEDS_RECONNECT
}

// ConnectedByType counts the connected channels by type. It opens no credentials.
func (s *Channels) ConnectedByType(ctx context.Context) ([]TypeCount, error) {
	var rows []TypeCount
	err := s.db.conn(ctx).Table("channel").Where("is_connected AND NOT is_test").
		Select("type, count(*) AS count, count(*) FILTER (WHERE token_status = ?) AS reconnect",
			string(channel.TokenNeedsReconnect)).
		Group("type").Order("type").Scan(&rows).Error
	return rows, classify(err)
}

// Samples returns one connected and working channel of each type, the newest.
func (s *Channels) Samples(ctx context.Context) ([]channel.Channel, error) {
	var rows []channelRow
	err := s.db.conn(ctx).Table("channel").Select("DISTINCT ON (type) "+channelColumns).
		Where("is_connected AND token_status <> ? AND credentials IS NOT NULL AND NOT is_test", string(channel.TokenNeedsReconnect)).
		Order("type, created_at DESC").Scan(&rows).Error
	return each(rows, fromChannelRow), classify(err)
}

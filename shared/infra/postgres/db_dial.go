package postgres

import "github.com/jackc/pgx/v5"

// detectLostClients lets PostgreSQL notice within 30 seconds that the host of a connection is gone, and release the
// locks of its transaction. The defaults of Linux take two hours. Settings in the URL are kept. On a Unix socket,
// PostgreSQL ignores the settings.
func detectLostClients(conn *pgx.ConnConfig) {
	for name, value := range map[string]string{
		"tcp_keepalives_idle": "15", "tcp_keepalives_interval": "5", "tcp_keepalives_count": "3",
		"tcp_user_timeout": "30000", // for a response that the host does not acknowledge
	} {
		if _, set := conn.RuntimeParams[name]; !set {
			conn.RuntimeParams[name] = value
		}
	}
}

package postgres

import (
	"net"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
)

// lostAfter is the time without an acknowledgement after which a connection counts as lost, on both sides.
const lostAfter = 30 * time.Second

// dialer returns the dialer of the pool. A statement whose server went away without a reset of its connections, as in a
// failover, ends after lostAfter. The default of Linux is about 15 minutes, for which the loops that have no time limit of
// their own would wait.
func dialer() *net.Dialer {
	return &net.Dialer{Timeout: connectTimeout, Control: limitSilence}
}

// detectLostClients lets PostgreSQL notice within 30 seconds that the host of a connection is gone, and release the
// locks of its transaction. The defaults of Linux take two hours. Settings in the URL are kept. On a Unix socket,
// PostgreSQL ignores the settings.
func detectLostClients(conn *pgx.ConnConfig) {
	for name, value := range map[string]string{
		"tcp_keepalives_idle": "15", "tcp_keepalives_interval": "5", "tcp_keepalives_count": "3",
		"tcp_user_timeout": strconv.FormatInt(lostAfter.Milliseconds(), 10), // for a response that the host does not acknowledge
	} {
		if _, set := conn.RuntimeParams[name]; !set {
			conn.RuntimeParams[name] = value
		}
	}
}

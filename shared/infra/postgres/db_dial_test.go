package postgres_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestServerDetectsLostClients reads the settings of a session, and those that an operator has chosen.
func TestServerDetectsLostClients(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for query, idle := range map[string]string{"": "15", "&tcp_keepalives_idle=70": "70"} {
		db := b.program(t, b.address+query, "worker")
		for setting, want := range map[string]string{
			"tcp_keepalives_idle": idle, "tcp_keepalives_interval": "5", "tcp_keepalives_count": "3", "tcp_user_timeout": "30000",
		} {
			got, err := db.Setting(t.Context(), setting)
			require.NoError(t, err)
			require.Equal(t, want, got, setting)
		}
	}
}

package postgrestest

import (
	"context"
	"database/sql"
	"testing"

	"github.com/stretchr/testify/require"
)

// Exhaust opens up to n connections to the server at the address, as many as the server allows, and holds them until
// release is called.
func Exhaust(t testing.TB, address string, n int) (taken int, release func()) {
	t.Helper()
	db := open(t, address)
	ctx := context.WithoutCancel(t.Context()) // the end of the test would close them
	var held []*sql.Conn
	for len(held) < n {
		conn, err := db.Conn(ctx)
		if err != nil {
			break
		}
		held = append(held, conn)
	}
	return len(held), func() {
		for _, conn := range held {
			_ = conn.Close()
		}
		require.NoError(t, db.Close())
	}
}

package postgres_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/infra/postgres/postgrestest"
)

// TestArrays reads arrays as PostgreSQL writes them, and writes them so that PostgreSQL reads the same.
func TestArrays(t *testing.T) {
	t.Parallel()
	db := postgrestest.Open(t)
	for literal, want := range map[string][]string{
		`{}`:                          {},
		`{""}`:                        {""},
		`{a,b-c}`:                     {"a", "b-c"},
		`{"a b",c,"d"}`:               {"a b", "c", "d"},
		`{"NULL","null","{a,b}",","}`: {"NULL", "null", "{a,b}", ","},
		`{"\\\\","\\\"","ö\"",x\"y}`:  {`\\`, `\"`, `ö"`, `x"y`},
		"{\"\n\",\" \"}":              {"\n", " "},
	} {
		got, again, err := db.Array(t.Context(), literal)
		require.NoError(t, err, literal)
		require.Equal(t, want, got, literal)
		got, _, err = db.Array(t.Context(), again)
		require.NoError(t, err, again)
		require.Equal(t, want, got, again)
	}
	for _, literal := range []string{`{{a,b},{c,d}}`, `{a,NULL}`, `[0:1]={a,b}`} {
		_, _, err := db.Array(t.Context(), literal)
		require.ErrorContains(t, err, "scan text array", literal)
	}
}

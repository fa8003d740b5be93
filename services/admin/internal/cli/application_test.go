package cli_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/infra/postgres/postgrestest"
)

func TestApplicationCredentials(t *testing.T) {
	t.Parallel()
	b := setup(t)
	stored := func() map[string]any {
		found := make(map[string]any)
		for _, one := range b.many(t, "application", "list") {
			found[text(t, one, "variable")] = one["isStored"]
		}
		return found
	}
	require.Equal(t, false, stored()["X_CLIENT_SECRET"])
	require.Equal(t, "X_CLIENT_SECRET is stored.\n",
		b.runWith(t, "very-secret\n", "application", "set", "X_CLIENT_SECRET", "--value-file", "-").out)
	require.Equal(t, true, stored()["X_CLIENT_SECRET"])
	require.Equal(t, false, stored()["X_CLIENT_ID"])
	require.Equal(t, []string{"0"}, postgrestest.Column(t, b.url,
		`SELECT count(*) FROM app_credential WHERE position('very-secret' IN encode(value, 'escape')) > 0`))
	require.Equal(t, "X_CLIENT_SECRET is no longer stored.\n", b.ok(t, "application", "set", "X_CLIENT_SECRET"))
	require.Equal(t, false, stored()["X_CLIENT_SECRET"])
	refused(t, b.run(t, "application", "set", "DATABASE_URL"), `"DATABASE_URL" is not a variable of an application`)
}

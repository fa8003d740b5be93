package postgres_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/infra/postgres"
)

func TestOperatorIsGrantedOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	operators, u := postgres.NewOperators(b.db), b.member(t, "a@example.com", b.ws)
	for _, step := range []struct {
		name    string
		change  func() (bool, error)
		changed bool
		is      bool
	}{
		{"remove too early", func() (bool, error) { return operators.Remove(t.Context(), u.ID) }, false, false},
		{"add", func() (bool, error) { return operators.Add(t.Context(), u.ID) }, true, true},
		{"add again", func() (bool, error) { return operators.Add(t.Context(), u.ID) }, false, true},
		{"remove", func() (bool, error) { return operators.Remove(t.Context(), u.ID) }, true, false},
	} {
		changed, err := step.change()
		require.NoError(t, err, step.name)
		require.Equal(t, step.changed, changed, step.name)
		is, err := operators.Is(t.Context(), u.ID)
		require.NoError(t, err)
		require.Equal(t, step.is, is, step.name)
	}
}

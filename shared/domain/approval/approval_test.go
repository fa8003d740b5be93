package approval

import (
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/kernel/ident"
)

func TestPolicies(t *testing.T) {
	t.Parallel()
	for policy, want := range map[Policy]struct {
		name   string
		people int
	}{
		None: {"NONE", 0}, Optional: {"OPTIONAL", 0}, Required: {"REQUIRED", 1}, TwoStep: {"TWO_STEP", 2},
	} {
		require.Equal(t, want.name, policy.String())
		require.Equal(t, want.people, policy.People(), want.name)
		read, ok := Read(want.name)
		require.True(t, ok)
		require.Equal(t, policy, read)
	}
	require.IsIncreasing(t, Policies(), "the stricter of two is the larger one")
	read, ok := Read("required")
	require.False(t, ok, "names are exact")
	require.Equal(t, None, read)
	require.Equal(t, "UNKNOWN", Policy(9).String())
}

func TestWhoseWordCounts(t *testing.T) {
	t.Parallel()
	author, other := ident.New[ident.User](), ident.New[ident.User]()
	for name, c := range map[string]struct {
		party Party
		want  bool
	}{
		"another person":                 {Party{Person: other, Approves: true, InPerson: true}, true},
		"without the permission":         {Party{Person: other, InPerson: true}, false},
		"a program of another person":    {Party{Person: other, Approves: true}, false},
		"the author":                     {Party{Person: author, Approves: true, InPerson: true}, false},
		"the author, who is alone":       {Party{Person: author, Approves: true, InPerson: true, OnlyOwner: true}, true},
		"a program of the only owner":    {Party{Person: author, Approves: true, OnlyOwner: true}, false},
		"an only owner who cannot do so": {Party{Person: author, InPerson: true, OnlyOwner: true}, false},
	} {
		require.Equal(t, c.want, c.party.Counts([]ident.User{author}), name)
	}
}

package approval_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/approval"
	"fencepost.internal/shared/kernel/ident"
)

func TestPolicies(t *testing.T) {
	t.Parallel()
	for policy, want := range map[approval.Policy]struct {
		name   string
		people int
	}{
		approval.None: {"NONE", 0}, approval.Optional: {"OPTIONAL", 0}, approval.Required: {"REQUIRED", 1}, approval.TwoStep: {"TWO_STEP", 2},
	} {
		require.Equal(t, want.name, policy.String())
		require.Equal(t, want.people, policy.People(), want.name)
		read, ok := approval.Read(want.name)
		require.True(t, ok)
		require.Equal(t, policy, read)
	}
	require.IsIncreasing(t, approval.Policies(), "the stricter of two is the larger one")
	read, ok := approval.Read("required")
	require.False(t, ok, "names are exact")
	require.Equal(t, approval.None, read)
	require.Equal(t, "UNKNOWN", approval.Policy(9).String())
}

func TestWhoseWordCounts(t *testing.T) {
	t.Parallel()
	author, other := ident.New[ident.User](), ident.New[ident.User]()
	for name, c := range map[string]struct {
		party approval.Party
		want  bool
	}{
		"another person":                 {approval.Party{Person: other, Approves: true, InPerson: true}, true},
		"without the permission":         {approval.Party{Person: other, InPerson: true}, false},
		"a program of another person":    {approval.Party{Person: other, Approves: true}, false},
		"the author":                     {approval.Party{Person: author, Approves: true, InPerson: true}, false},
		"the author, who is alone":       {approval.Party{Person: author, Approves: true, InPerson: true, OnlyOwner: true}, true},
		"a program of the only owner":    {approval.Party{Person: author, Approves: true, OnlyOwner: true}, false},
		"an only owner who cannot do so": {approval.Party{Person: author, InPerson: true, OnlyOwner: true}, false},
	} {
		require.Equal(t, c.want, c.party.Counts([]ident.User{author}), name)
	}
}

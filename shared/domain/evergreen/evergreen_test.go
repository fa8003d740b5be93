package evergreen_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/evergreen"
	"fencepost.internal/shared/kernel/ident"
)

var noon = time.Date(2026, time.March, 10, 12, 0, 0, 0, time.UTC)

// TestChoose checks that posts take turns, and that none is used within its cooldown, before or after a use.
func TestChoose(t *testing.T) {
	t.Parallel()
	fresh := evergreen.Post{ID: ident.New[ident.Evergreen](), Cooldown: 5}
	used := evergreen.Post{ID: ident.New[ident.Evergreen](), Cooldown: 5, LastAt: noon.AddDate(0, 0, -5)}
	long := evergreen.Post{ID: ident.New[ident.Evergreen](), Cooldown: 5, LastAt: noon.AddDate(0, 0, -9)}
	resting := evergreen.Post{ID: ident.New[ident.Evergreen](), Cooldown: 5, LastAt: noon.AddDate(0, 0, -5).Add(time.Second)}
	planned := evergreen.Post{ID: ident.New[ident.Evergreen](), Cooldown: 5, LastAt: noon.AddDate(0, 0, 4)}
	for _, c := range []struct {
		list []evergreen.Post
		want ident.Evergreen
	}{
		{[]evergreen.Post{used, long, fresh, resting}, fresh.ID},
		{[]evergreen.Post{used, long, resting}, long.ID},
		{[]evergreen.Post{resting, planned, used}, used.ID},
		{[]evergreen.Post{resting, planned}, ident.Evergreen{}},
	} {
		chosen, ok := evergreen.Choose(c.list, noon)
		require.Equal(t, c.want, chosen.ID)
		require.Equal(t, !c.want.IsZero(), ok)
	}
}

func TestFaults(t *testing.T) {
	t.Parallel()
	rule := evergreen.NewRule(ident.Workspace{}, ident.Channel{})
	require.Empty(t, rule.Faults())
	rule.PerDay, rule.Ahead = 11, 0
	require.Len(t, rule.Faults(), 2)
	require.Empty(t, evergreen.CooldownFault(365))
	require.NotEmpty(t, evergreen.CooldownFault(0))
}

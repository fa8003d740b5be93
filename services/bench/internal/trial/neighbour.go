package trial

import (
	"slices"
	"time"

	"fencepost.internal/services/bench/internal/lab"
	"fencepost.internal/shared/domain/channel"
)

const (
	neighbourMany   = 200 // posts of one workspace
	neighbourFew    = 5   // posts of the other one
	neighbourRounds = 3
)

// measureNeighbour measures how late a few posts are beside many of another workspace that are due at the same instant
// on the same network. It compares them with as many posts alone, in turn.
func measureNeighbour(r *lab.Run) []Row {
	r.Start("sandbox")
	r.Start("worker")
	calm, crowded := newLead(r), newLead(r)
	many := min(neighbourMany, r.Backlog)
	neighbours(r, calm, 0) // warms up
	neighbours(r, crowded, many)
	var alone, beside, others []time.Duration
	for range neighbourRounds {
		few, _ := neighbours(r, calm, 0)
		alone = append(alone, few...)
		few, busy := neighbours(r, crowded, many)
		beside, others = append(beside, few...), append(others, busy...)
	}
	return []Row{
		Against("neighbour", percentile(beside, tail).Seconds(), "s", percentile(alone, tail).Seconds()).MaxValue(1),
		Plain("neighbour_many", percentile(others, tail).Seconds(), "s"),
	}
}

// neighbours publishes the posts of both workspaces at one instant and returns their lateness.
func neighbours(r *lab.Run, lead *lead, many int) (few, others []time.Duration) {
	total := neighbourFew + many
	due := lead.start(total)
	busy := onOneNetwork(r, "Many posts", many, due) // first: its posts precede those of the other one
	calm := onOneNetwork(r, "Few posts", neighbourFew, due)
	r.OutboxEmpty(limit)
	lead.wait(total)
	allPublished(r, calm, limit)
	allPublished(r, busy, limit)
	few, others = lateness(r, calm, neighbourFew), lateness(r, busy, many)
	r.Logf("neighbour: %d posts beside %d: lateness %s, %s", neighbourFew, many, spread(few), r.PerItem(lead.cpu, total))
	return few, others
}

// onOneNetwork creates a workspace with posts on one network.
func onOneNetwork(r *lab.Run, name string, posts int, due time.Time) lab.Tenant {
	t := r.Tenant(name)
	t = onNetwork(t, t.Channels[0].Type.Network())
	r.Posts(t, posts, func(int) time.Time { return due })
	return t
}

// onNetwork returns the tenant with its channels of one network only.
func onNetwork(t lab.Tenant, network channel.Network) lab.Tenant {
	other := func(c channel.Channel) bool { return c.Type.Network() != network }
	t.Channels = slices.DeleteFunc(slices.Clone(t.Channels), other)
	return t
}

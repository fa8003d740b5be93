package trial

import (
	"context"
	"errors"
	"slices"
	"time"

	"fencepost.internal/services/bench/internal/lab"
	"fencepost.internal/services/bench/internal/result"
	"fencepost.internal/shared/domain/channel"
)

const (
	neighbourMany   = 200 // posts of one workspace
	neighbourFew    = 5   // posts of the other one
	neighbourRounds = 3
)

// Neighbour measures how late a few posts are beside many of another workspace that are due at the same instant on the
// same network. It compares them with as many posts alone, in turn.
func Neighbour(ctx context.Context, l *lab.Lab) ([]result.Row, error) {
	started, stop, err := startAll(ctx, l, "sandbox", "worker")
	defer stop()
	if err != nil {
		return nil, err
	}
	n := &neighbours{Lab: l, worker: started[1]}
	calm, crowded := newLead(l), newLead(l)
	many := min(neighbourMany, l.Backlog)
	if _, _, err := n.round(ctx, crowded, many); err != nil && !errors.Is(err, errBusy) { // warms up and measures the lead
		return nil, err
	}
	var alone, beside, others []time.Duration
	for range neighbourRounds {
		few, _, err := n.round(ctx, calm, 0)
		if err != nil {
			return nil, err
		}
		alone = append(alone, few...)
		few, busy, err := n.round(ctx, crowded, many)
		if err != nil {
			return nil, err
		}
		beside, others = append(beside, few...), append(others, busy...)
	}
	return []result.Row{
		result.Against(result.Neighbour, percentile(beside, tail).Seconds(), "s", percentile(alone, tail).Seconds()),
		result.Plain(result.NeighbourMany, percentile(others, tail).Seconds(), "s"),
	}, nil
}

type neighbours struct {
	*lab.Lab

	worker *lab.Process
}

// round publishes the posts of both workspaces at one instant and returns their lateness.
func (n *neighbours) round(ctx context.Context, lead *lead, many int) (few, others []time.Duration, err error) {
	total := neighbourFew + many
	due := lead.Due(total)
	busy, err := n.scheduled(ctx, "Many posts", many, due) // first: its posts precede those of the other one
	if err != nil {
		return nil, nil, err
	}
	calm, err := n.scheduled(ctx, "Few posts", neighbourFew, due)
	if err != nil {
		return nil, nil, err
	}
	if err := n.OutboxEmpty(ctx, limit); err != nil {
		return nil, nil, err
	}
	late := lead.Started(ctx, total)
	if many > 0 {
		defer n.Profile(ctx, "neighbour", profileFor, n.worker)()
	}
	for _, t := range []lab.Tenant{calm, busy} {
		if err := allPublished(ctx, n.Lab, t.ID.String(), limit); err != nil {
			return nil, nil, err
		}
	}
	if late != nil { // after the publications, which must not overlap with the next round
		return nil, nil, late
	}
	n.Say("neighbour: %d posts beside %d: %s", neighbourFew, many, n.PerItem(lead.cpu, total))
	if few, err = lateness(ctx, n.Lab, calm, neighbourFew); err != nil {
		return nil, nil, err
	}
	n.Say("neighbour: %d posts beside %d: lateness %s", neighbourFew, many, spread(few))
	others, err = lateness(ctx, n.Lab, busy, many)
	return few, others, err
}

// scheduled creates a workspace with posts on one network.
func (n *neighbours) scheduled(ctx context.Context, name string, posts int, due time.Time) (lab.Tenant, error) {
	t, err := n.Tenant(ctx, name)
	if err != nil {
		return lab.Tenant{}, err
	}
	t = onNetwork(t, t.Channels[0].Type.Network())
	const batch = 100
	return t, n.Posts(ctx, t, posts, batch, func(int) time.Time { return due })
}

// onNetwork returns the tenant with its channels of one network only.
func onNetwork(t lab.Tenant, network channel.Network) lab.Tenant {
	other := func(c channel.Channel) bool { return c.Type.Network() != network }
	t.Channels = slices.DeleteFunc(slices.Clone(t.Channels), other)
	return t
}

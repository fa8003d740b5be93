package platform

import (
	"fmt"
	"sync/atomic"

	"fencepost.internal/shared/domain/channel"
)

// Registry maps channels to links: by their type, and those of test workspaces to links that reach no network. It is safe
// for concurrent use.
type Registry struct {
	byType atomic.Pointer[map[channel.Type]Link]
	// onTest returns the link of test channels in place of a type's link; nil: test channels have none.
	onTest func(live Link) Link
}

// NewRegistry returns a registry of the links. It returns an error if two links serve the same type.
func NewRegistry(links ...Link) (*Registry, error) {
	byType := make(map[channel.Type]Link)
	for _, l := range links {
		for _, t := range l.Types() {
			if _, taken := byType[t]; taken {
				return nil, fmt.Errorf("two links for channel type %s", t)
			}
			byType[t] = l
		}
	}
	r := &Registry{}
	r.byType.Store(&byType)
	return r, nil
}

// WithTest lets test channels use the links that onTest returns for those of their types. Without it, test channels have
// no link. It returns the registry.
func (r *Registry) WithTest(onTest func(live Link) Link) *Registry {
	r.onTest = onTest
	return r
}

// Use replaces the links by those of another registry, after the credentials of an application have changed. Calls in
// progress end with the links that they began with.
func (r *Registry) Use(other *Registry) { r.byType.Store(other.byType.Load()) }

func (r *Registry) links() map[channel.Type]Link { return *r.byType.Load() }

// Link returns the link of the channel. It returns false if this build has none. It is the only place that decides
// whether a channel's calls reach its network (docs/contract.md, Test mode).
func (r *Registry) Link(c channel.Channel) (Link, bool) {
	l, ok := r.links()[c.Type]
	switch {
	case !ok || !c.IsTest:
		return l, ok
	case r.onTest == nil:
		return nil, false
	default:
		return r.onTest(l), true
	}
}

// For returns the connector of the channel. It returns false if this build cannot publish to it.
func (r *Registry) For(c channel.Channel) (Connector, bool) {
	link, _ := r.Link(c)
	connector, ok := link.(Connector)
	return connector, ok
}

// Insighter returns the link of the channel as an Insighter. It returns false if its network reports no figures of such
// channels.
func (r *Registry) Insighter(c channel.Channel) (Insighter, bool) {
	if !c.Type.Capabilities().Analytics {
		return nil, false
	}
	link, _ := r.Link(c)
	i, ok := link.(Insighter)
	return i, ok
}

// Insightful returns the channel types whose links report figures, in the published order.
func (r *Registry) Insightful() []channel.Type {
	var types []channel.Type
	for _, t := range channel.Types() {
		if _, ok := r.Insighter(channel.Channel{Type: t}); ok {
			types = append(types, t)
		}
	}
	return types
}

// Networks returns the networks that this build can publish to, each once, in no particular order, without NetworkTest.
func (r *Registry) Networks() []channel.Network {
	seen := make(map[channel.Network]bool)
	var networks []channel.Network
	for t := range r.links() {
		if _, publishes := r.For(channel.Channel{Type: t}); !publishes {
			continue
		}
		if n := t.Network(); !seen[n] {
			seen[n] = true
			networks = append(networks, n)
		}
	}
	return networks
}

// Askable returns the channel types whose connectors can reconcile, in no particular order.
func (r *Registry) Askable() []channel.Type {
	var types []channel.Type
	for t := range r.links() {
		if c, publishes := r.For(channel.Channel{Type: t}); publishes && c.Strength() != ReconcileNone {
			types = append(types, t)
		}
	}
	return types
}

// Gaps returns the parts of the content that this build cannot publish to the channel although its network supports them.
func (r *Registry) Gaps(c channel.Channel, content Content) []Finding {
	connector, publishes := r.For(c)
	if !publishes {
		return []Finding{{
			Member:  "channelIds",
			Message: fmt.Sprintf("This version of the service cannot publish to %s channels yet; keep the post as a draft.", c.Type),
		}}
	}
	if _, carries := connector.(Carrier); !carries && len(content.Media) > 0 {
		return []Finding{{
			Member: "mediaIds",
			Message: fmt.Sprintf("This version of the service publishes only text to %s channels; remove the attachments, or "+
				"keep the post as a draft.", c.Type),
		}}
	}
	if restricter, ok := connector.(Restricter); ok {
		return restricter.Gaps(content)
	}
	return nil
}

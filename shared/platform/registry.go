package platform

import (
	"fmt"
	"sync/atomic"

	"fencepost.internal/shared/domain/channel"
)

// Registry maps channel types to links. It is safe for concurrent use.
type Registry struct {
	byType atomic.Pointer[map[channel.Type]Link]
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

// Use replaces the links by those of another registry, after the credentials of an application have changed. Calls in
// progress end with the links that they began with.
func (r *Registry) Use(other *Registry) { r.byType.Store(other.byType.Load()) }

func (r *Registry) links() map[channel.Type]Link { return *r.byType.Load() }

// Link returns the link of the type. It returns false if this build has none.
func (r *Registry) Link(t channel.Type) (Link, bool) {
	l, ok := r.links()[t]
	return l, ok
}

// For returns the connector of the type. It returns false if this build cannot publish to it.
func (r *Registry) For(t channel.Type) (Connector, bool) {
	c, ok := r.links()[t].(Connector)
	return c, ok
}

// Insighter returns the link of the type as an Insighter. It returns false if its network reports no figures of such
// channels.
func (r *Registry) Insighter(t channel.Type) (Insighter, bool) {
	if !t.Capabilities().Analytics {
		return nil, false
	}
	i, ok := r.links()[t].(Insighter)
	return i, ok
}

// Insightful returns the channel types whose links report figures, in the published order.
func (r *Registry) Insightful() []channel.Type {
	var types []channel.Type
	for _, t := range channel.Types() {
		if _, ok := r.Insighter(t); ok {
			types = append(types, t)
		}
	}
	return types
}

// Networks returns the networks that this build can publish to, each once, in no particular order.
func (r *Registry) Networks() []channel.Network {
	seen := make(map[channel.Network]bool)
	var networks []channel.Network
	for t := range r.links() {
		if _, publishes := r.For(t); !publishes {
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
		if c, publishes := r.For(t); publishes && c.Strength() != ReconcileNone {
			types = append(types, t)
		}
	}
	return types
}

// Gaps returns the parts of the content that this build cannot publish although the network supports them.
func (r *Registry) Gaps(t channel.Type, content Content) []Finding {
	connector, publishes := r.For(t)
	if !publishes {
		return []Finding{{
			Member:  "channelIds",
			Message: fmt.Sprintf("This version of the service cannot publish to %s channels yet; keep the post as a draft.", t),
		}}
	}
	if _, carries := connector.(Carrier); !carries && len(content.Media) > 0 {
		return []Finding{{
			Member: "mediaIds",
			Message: fmt.Sprintf("This version of the service publishes only text to %s channels; remove the attachments, or "+
				"keep the post as a draft.", t),
		}}
	}
	if restricter, ok := connector.(Restricter); ok {
		return restricter.Gaps(content)
	}
	return nil
}

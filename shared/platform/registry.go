package platform

import (
	"fmt"

	"socialpub.internal/shared/channel"
)

// Registry finds the connector of a channel type.
type Registry struct {
	byType map[channel.Type]Connector
}

// NewRegistry makes a registry; two connectors for one type are refused.
func NewRegistry(connectors ...Connector) (*Registry, error) {
	byType := make(map[channel.Type]Connector)
	for _, c := range connectors {
		for _, t := range c.Types() {
			if _, taken := byType[t]; taken {
				return nil, fmt.Errorf("two connectors for channel type %s", t)
			}
			byType[t] = c
		}
	}
	return &Registry{byType: byType}, nil
}

// For is the connector of the type; false when this build has none.
func (r *Registry) For(t channel.Type) (Connector, bool) {
	c, ok := r.byType[t]
	return c, ok
}

// Networks lists the networks that have a connector, in no particular order, each once.
func (r *Registry) Networks() []channel.Network {
	seen := make(map[channel.Network]bool)
	var networks []channel.Network
	for t := range r.byType {
		if n := t.Network(); !seen[n] {
			seen[n] = true
			networks = append(networks, n)
		}
	}
	return networks
}

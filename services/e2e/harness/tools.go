package harness

import (
	"net/url"

	"github.com/stretchr/testify/require"
)

// Tools is the tool server as seen by agents: replicas behind the one address for which their tokens are valid.
type Tools struct {
	*Front

	Replicas  []*Process
	Endpoints []string // of each replica
}

// StartTools starts replicas of the tool server and waits until they are ready.
func (s *System) StartTools(replicas int, env ...string) *Tools {
	s.t.Helper()
	front, err := url.Parse(s.MCPURL)
	require.NoError(s.t, err)
	created, addresses := &Tools{}, make([]string, replicas)
	for i := range addresses {
		addresses[i] = freeAddress(s.t)
		created.Replicas = append(created.Replicas, s.Start("mcp", "",
			append(env[:len(env):len(env)], "MCP_ADDR="+addresses[i])...))
		created.Endpoints = append(created.Endpoints, "http://"+addresses[i]+front.Path)
	}
	for _, p := range created.Replicas {
		p.Ready()
	}
	created.Front = newFront(s.t, front.Host, addresses...)
	return created
}

package app

import (
	"sync"

	"socialpub.internal/shared/domain/channel"
	"socialpub.internal/shared/kernel/ident"
)

// maxKnownChannels bounds the memory of channelTypes; when it is full it starts anew.
const maxKnownChannels = 10_000

// channelTypes remembers what never changes about a channel, its workspace and its type, so that creating a draft asks the
// database nothing before it writes. Whether a channel is connected changes, and is read whenever it matters; whether it
// still exists is checked by the post's foreign key.
type channelTypes struct {
	mu    sync.RWMutex
	known map[ident.Channel]channel.Channel
}

func newChannelTypes() *channelTypes {
	return &channelTypes{known: make(map[ident.Channel]channel.Channel)}
}

// all gives the channels by id, with id, workspace and type alone; false when one is not known to be the workspace's.
func (c *channelTypes) all(workspace ident.Workspace, ids []ident.Channel) (map[ident.Channel]channel.Channel, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	found := make(map[ident.Channel]channel.Channel, len(ids))
	for _, id := range ids {
		known, ok := c.known[id]
		if !ok || known.WorkspaceID != workspace {
			return nil, false
		}
		found[id] = known
	}
	return found, true
}

func (c *channelTypes) remember(channels []channel.Channel) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.known)+len(channels) > maxKnownChannels {
		clear(c.known)
	}
	for _, ch := range channels {
		c.known[ch.ID] = channel.Channel{ID: ch.ID, WorkspaceID: ch.WorkspaceID, Type: ch.Type}
	}
}

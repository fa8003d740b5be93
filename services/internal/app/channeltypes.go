package app

import (
	"sync"

	"socialpub.internal/shared/domain/channel"
	"socialpub.internal/shared/kernel/ident"
)

// maxKnownChannels limits the size of channelTypes, which is cleared when it is full.
const maxKnownChannels = 10_000

// channelTypes caches the immutable properties of channels, workspace and type, so that creating a draft needs no query
// before the insert. The connection state changes, and is read whenever it matters. The post's foreign key checks that
// the channel still exists.
type channelTypes struct {
	mu    sync.RWMutex
	known map[ident.Channel]channel.Channel
}

func newChannelTypes() *channelTypes {
	return &channelTypes{known: make(map[ident.Channel]channel.Channel)}
}

// all returns the channels by id, with only id, workspace and type. It returns false when a channel is not cached or
// belongs to another workspace.
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

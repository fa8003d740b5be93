package app

import (
	"github.com/hashicorp/golang-lru/v2/expirable"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/kernel/ident"
)

// maxKnownChannels limits the size of channelTypes. The channels used last stay.
const maxKnownChannels = 10_000

// channelTypes caches the immutable properties of channels, workspace and type, so that creating a draft needs no query
// before the insert. The connection state changes, and is read whenever it matters. The post's foreign key checks that
// the channel still exists.
type channelTypes struct {
	known *expirable.LRU[ident.Channel, channel.Channel]
}

func newChannelTypes() *channelTypes {
	return &channelTypes{known: expirable.NewLRU[ident.Channel, channel.Channel](maxKnownChannels, nil, 0)}
}

// all returns the channels by id, with only id, workspace and type. It returns false when a channel is not cached or
// belongs to another workspace.
func (c *channelTypes) all(workspace ident.Workspace, ids []ident.Channel) (map[ident.Channel]channel.Channel, bool) {
	found := make(map[ident.Channel]channel.Channel, len(ids))
	for _, id := range ids {
		known, ok := c.known.Get(id)
		if !ok || known.WorkspaceID != workspace {
			return nil, false
		}
		found[id] = known
	}
	return found, true
}

func (c *channelTypes) remember(channels []channel.Channel) {
	for _, ch := range channels {
		c.known.Add(ch.ID, channel.Channel{ID: ch.ID, WorkspaceID: ch.WorkspaceID, Type: ch.Type})
	}
}

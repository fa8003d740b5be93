package channel

import (
	"time"

	"fencepost.internal/shared/domain/event"
)

// Event returns an event about the channel.
func (c Channel) Event(typ event.Type, at time.Time) (event.Event, error) {
	return event.New(c.WorkspaceID, typ, at, event.ChannelData{ChannelID: c.ID, Type: string(c.Type), Name: c.Name})
}

// StatusEvents returns the events about the token status of a channel that had another one before; empty before for a new
// channel. A disconnected channel has none: what became of its access is reported when it is connected again.
func (c Channel) StatusEvents(before TokenStatus) []event.Type {
	if !c.IsConnected || c.TokenStatus == before {
		return nil
	}
	var types []event.Type
	if before == TokenNeedsReconnect {
		types = append(types, event.ChannelAccessRestored)
	}
	switch c.TokenStatus {
	case TokenNeedsReconnect:
		types = append(types, event.ChannelAccessLost)
	case TokenExpiring:
		types = append(types, event.ChannelExpiring)
	case TokenHealthy:
	}
	return types
}

package channel_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/event"
)

func TestEventsOfTokenStatus(t *testing.T) {
	t.Parallel()
	const healthy, expiring, lost = channel.TokenHealthy, channel.TokenExpiring, channel.TokenNeedsReconnect
	for change, want := range map[[2]channel.TokenStatus][]event.Type{
		{"", healthy}:        nil,
		{"", expiring}:       {event.ChannelExpiring},
		{healthy, healthy}:   nil,
		{healthy, expiring}:  {event.ChannelExpiring},
		{healthy, lost}:      {event.ChannelAccessLost},
		{expiring, healthy}:  nil,
		{expiring, expiring}: nil,
		{expiring, lost}:     {event.ChannelAccessLost},
		{lost, healthy}:      {event.ChannelAccessRestored},
		{lost, expiring}:     {event.ChannelAccessRestored, event.ChannelExpiring},
		{lost, lost}:         nil,
	} {
		c := channel.Channel{IsConnected: true, TokenStatus: change[1]}
		require.Equal(t, want, c.StatusEvents(change[0]), "%v", change)
		c.IsConnected = false
		require.Empty(t, c.StatusEvents(change[0]), "%v", change)
	}
}

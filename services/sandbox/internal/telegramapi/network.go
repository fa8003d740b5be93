package telegramapi

import (
	"time"

	"fencepost.internal/services/sandbox/internal/fault"
	"fencepost.internal/services/sandbox/internal/ledger"
	"fencepost.internal/services/sandbox/internal/stage"
	"fencepost.internal/shared/domain/channel"
)

// idTick is the time between two ids, which are small numbers.
const idTick = 100 * time.Millisecond

func firstMessage() time.Time { return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC) }

// Network declares Telegram.
func Network() stage.Network {
	return stage.Network{
		ID:  channel.NetworkTelegram,
		IDs: ledger.IDs{Floor: func(now time.Time) int64 { return int64(now.Sub(firstMessage()) / idTick) }},
		// A group takes twenty messages a minute. Channels are said to have the same limit.
		Limits: []stage.Limit{
			{Step: fault.StepCommit, Calls: 30, Window: time.Second, Shared: true},
			{Step: fault.StepCommit, Calls: 20, Window: time.Minute},
		},
		Mount: stage.Stateless(register),
	}
}

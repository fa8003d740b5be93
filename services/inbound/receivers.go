package main

import (
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/platform"
)

// receivers returns the networks that may report.
func receivers() map[channel.Network]platform.Receiver { return nil }

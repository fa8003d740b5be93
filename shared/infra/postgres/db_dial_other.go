//go:build !linux

package postgres

import "syscall"

// limitSilence leaves the time limit to the system, because only Linux has the option.
func limitSilence(string, string, syscall.RawConn) error { return nil }

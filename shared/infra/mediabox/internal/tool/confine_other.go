//go:build !linux

package tool

// Process does nothing here: the guards exist only on Linux.
func Process(Limits) (Report, error) { return Report{}, nil }

// Network returns an empty string here: the network is unknown.
func Network() (string, error) { return "", nil }

// Files does nothing here.
func Files(Access) error { return nil }

package ports

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
)

// Picked ports are below the range that Linux uses for outgoing connections (from 32768 on). Otherwise such a
// connection could occupy the port of a server that a test has stopped, or a client that retries could by chance
// connect to itself.
const (
	lowestPicked  = 15000
	highestPicked = 32000
	attempts      = 1000
)

// ErrNoFreePort means that no free port was found.
var ErrNoFreePort = errors.New("no free port found")

// picked holds a locked file per picked port until the process ends: an unreferenced file would be closed, and its lock
// lost.
var picked struct {
	sync.Mutex

	files []*os.File
}

// Pick returns n different free ports. It locks a file for each until the process ends, because the server of a stack
// that starts at the same time may not listen yet.
func Pick(ctx context.Context, n int) ([]int, error) {
	chosen := make([]int, 0, n)
	for range attempts {
		if len(chosen) == n {
			return chosen, nil
		}
		port := lowestPicked + rand.IntN(highestPicked-lowestPicked) //nolint:gosec // spreads parallel runs; not a secret
		file, err := lock(port)
		if err != nil {
			return nil, err
		}
		if file == nil {
			continue
		}
		if !free(ctx, port) {
			_ = file.Close()
			continue
		}
		picked.Lock()
		picked.files = append(picked.files, file)
		picked.Unlock()
		chosen = append(chosen, port)
	}
	return nil, ErrNoFreePort
}

// lock locks the file of a port. It returns nil if it is locked: the port was picked.
func lock(port int) (*os.File, error) {
	folder := filepath.Join(os.TempDir(), "devstack-ports-"+strconv.Itoa(os.Getuid()))
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, fmt.Errorf("pick a port: %w", err)
	}
	file, err := os.OpenFile(filepath.Join(folder, strconv.Itoa(port)), os.O_CREATE|os.O_RDWR, 0o600) //nolint:gosec // G304: our own folder, and a number
	if err != nil {
		return nil, fmt.Errorf("pick a port: %w", err)
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = file.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, nil //nolint:nilnil // no lock and no fault: the next port
		}
		return nil, fmt.Errorf("pick a port: %w", err)
	}
	return file, nil
}

package stack

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// LockName is the name of a folder's lock. Its presence marks a folder as a stack's folder.
const LockName = "devstack.pid"

var (
	// ErrRunning means that a stack uses the folder already.
	ErrRunning = errors.New("the stack is already running")
	// ErrNotRunning means that no stack uses the folder.
	ErrNotRunning = errors.New("the stack is not running")
)

// Acquire takes the folder's lock, with which one stack at a time uses a folder. It returns ErrRunning, with the process
// id, if another process holds it. The kernel releases the lock when the file is closed or the process ends, for any
// reason, and child processes do not inherit it (fcntl(2)).
func Acquire(folder string) (*os.File, error) {
	file, err := os.OpenFile(filepath.Join(folder, LockName), os.O_CREATE|os.O_RDWR, 0o600) //nolint:gosec // the stack's own folder
	if err != nil {
		return nil, fmt.Errorf("open lock: %w", err)
	}
	request := syscall.Flock_t{Type: syscall.F_WRLCK, Whence: io.SeekStart}
	if err := syscall.FcntlFlock(file.Fd(), syscall.F_SETLK, &request); err != nil {
		_ = file.Close()
		if owner, ownerErr := owner(folder); ownerErr == nil {
			return nil, fmt.Errorf("%w (pid %d, folder %s)", ErrRunning, owner, folder)
		}
		return nil, fmt.Errorf("lock %s: %w", folder, err)
	}
	return file, nil
}

// Stop signals the stack that holds the folder's lock to stop and waits until it has stopped. It returns ErrNotRunning
// if no stack holds the lock.
func Stop(ctx context.Context, folder string) error {
	pid, err := owner(folder)
	if err != nil {
		return err
	}
	if err := syscall.Kill(pid, syscall.SIGTERM); err != nil {
		return fmt.Errorf("stop pid %d: %w", pid, err)
	}
	for {
		if _, err := owner(folder); errors.Is(err, ErrNotRunning) {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("pid %d did not stop: %w", pid, ctx.Err())
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// owner returns the process that holds the lock, or ErrNotRunning.
func owner(folder string) (int, error) {
	file, err := os.Open(filepath.Join(folder, LockName)) //nolint:gosec // the stack's own folder
	if errors.Is(err, os.ErrNotExist) {
		return 0, ErrNotRunning
	}
	if err != nil {
		return 0, fmt.Errorf("open lock: %w", err)
	}
	defer file.Close()
	lock := syscall.Flock_t{Type: syscall.F_WRLCK, Whence: io.SeekStart}
	if err := syscall.FcntlFlock(file.Fd(), syscall.F_GETLK, &lock); err != nil {
		return 0, fmt.Errorf("read lock: %w", err)
	}
	if lock.Type == syscall.F_UNLCK {
		return 0, ErrNotRunning
	}
	return int(lock.Pid), nil
}

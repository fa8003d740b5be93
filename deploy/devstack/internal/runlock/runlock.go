// Package runlock ensures that one stack at a time uses a folder, and finds and stops the stack that does.
package runlock

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// FileName is the lock's name in the folder. The file contains the process id of its owner. Its presence marks a folder
// as a stack's folder.
const FileName = "devstack.pid"

var (
	// ErrRunning means that a stack uses the folder already.
	ErrRunning = errors.New("the stack is already running")
	// ErrNotRunning means that no stack uses the folder.
	ErrNotRunning = errors.New("the stack is not running")
)

// Lock is a held lock. The kernel releases it when the process ends, for any reason.
type Lock struct{ file *os.File }

// Acquire takes the folder's lock. It returns ErrRunning, with the process id, if another process holds it.
func Acquire(folder string) (*Lock, error) {
	const ownerOnly = 0o600
	file, err := os.OpenFile(filepath.Join(folder, FileName), os.O_CREATE|os.O_RDWR, ownerOnly) //nolint:gosec // the stack's own folder
	if err != nil {
		return nil, fmt.Errorf("open lock: %w", err)
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		owner, _ := readPID(file)
		_ = file.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, fmt.Errorf("%w (pid %d, folder %s)", ErrRunning, owner, folder)
		}
		return nil, fmt.Errorf("lock %s: %w", folder, err)
	}
	if err := writePID(file); err != nil {
		_ = file.Close()
		return nil, err
	}
	return &Lock{file: file}, nil
}

func writePID(file *os.File) error {
	if err := file.Truncate(0); err != nil {
		return fmt.Errorf("write lock: %w", err)
	}
	if _, err := file.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0); err != nil {
		return fmt.Errorf("write lock: %w", err)
	}
	return nil
}

func readPID(file *os.File) (int, error) {
	raw := make([]byte, 32) //nolint:mnd // longer than any process id
	n, err := file.ReadAt(raw, 0)
	if n == 0 {
		return 0, fmt.Errorf("read lock: %w", err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(raw[:n])))
	if err != nil {
		return 0, fmt.Errorf("read lock: %w", err)
	}
	return pid, nil
}

// Release releases the lock.
func (l *Lock) Release() error {
	if err := unlock(l.file); err != nil {
		return fmt.Errorf("release lock: %w", err)
	}
	return nil
}

// unlock releases the lock and closes the file. Closing alone is not enough: a child process that is being started has
// the file open until its program starts, and the kernel would keep the lock for it (flock(2)).
func unlock(file *os.File) error {
	return errors.Join(syscall.Flock(int(file.Fd()), syscall.LOCK_UN), file.Close())
}

// Stop signals the stack that holds the folder's lock to stop and waits until it has stopped. It returns ErrNotRunning
// if no stack holds the lock.
func Stop(ctx context.Context, folder string) error {
	const pause = 50 * time.Millisecond
	if _, err := os.Stat(filepath.Join(folder, FileName)); errors.Is(err, os.ErrNotExist) {
		return ErrNotRunning
	}
	pid, err := owner(folder)
	if err != nil {
		return err
	}
	if err := syscall.Kill(pid, syscall.SIGTERM); err != nil {
		return fmt.Errorf("stop pid %d: %w", pid, err)
	}
	ticker := time.NewTicker(pause)
	defer ticker.Stop()
	for {
		if _, err := owner(folder); errors.Is(err, ErrNotRunning) {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("pid %d did not stop: %w", pid, ctx.Err())
		case <-ticker.C:
		}
	}
}

// owner returns the process that holds the lock, or ErrNotRunning.
func owner(folder string) (int, error) {
	file, err := os.Open(filepath.Join(folder, FileName)) //nolint:gosec // the stack's own folder
	if err != nil {
		return 0, fmt.Errorf("open lock: %w", err)
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err == nil {
		if err := unlock(file); err != nil {
			return 0, fmt.Errorf("try lock: %w", err)
		}
		return 0, ErrNotRunning
	}
	defer file.Close()
	return readPID(file)
}

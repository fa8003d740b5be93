package failpoint

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"syscall"
	"time"
)

// journal is the file that records executed actions beyond the death of the process.
type journal struct {
	path string

	mu   sync.Mutex
	done map[string]bool // one-shot entries of this process, used without a file
}

// record records that the entry acts now and returns true, or returns false if it may act only once and already has.
// The line is on disk when record returns. The file is locked meanwhile, so that of several processes with one log
// exactly one executes a one-shot entry.
func (j *journal) record(due *entry) (fresh bool, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()

	if j.path == "" {
		return j.recordInMemory(due), nil
	}

	log, err := os.OpenFile(j.path, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return false, fmt.Errorf("failpoint: %w", err)
	}

	defer func() { err = errors.Join(err, log.Close()) }()

	if err := syscall.Flock(int(log.Fd()), syscall.LOCK_EX); err != nil {
		return false, fmt.Errorf("failpoint: lock %s: %w", j.path, err)
	}

	if due.once() {
		known, err := contains(log, due)
		if err != nil || known {
			return false, err
		}
	}

	line := fmt.Sprintf("%s %d %d %s\n", due.name, os.Getpid(), time.Now().UnixNano(), due.text)
	if _, err := log.WriteString(line); err != nil {
		return false, fmt.Errorf("failpoint: %w", err)
	}

	if err := log.Sync(); err != nil {
		return false, fmt.Errorf("failpoint: %w", err)
	}

	return true, nil
}

func (j *journal) recordInMemory(due *entry) bool {
	if !due.once() {
		return true
	}

	if j.done == nil {
		j.done = map[string]bool{}
	}

	key := due.name + "=" + due.text
	fresh := !j.done[key]
	j.done[key] = true

	return fresh
}

// contains reports whether the log has a line with the same name and action.
func contains(log io.Reader, due *entry) (bool, error) {
	text, err := io.ReadAll(log)
	if err != nil {
		return false, fmt.Errorf("failpoint: %w", err)
	}

	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if len(fields) == 4 && fields[0] == due.name && fields[3] == due.text {
			return true, nil
		}
	}

	return false, nil
}

package ledger

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"
)

// ErrClosed is returned for calls after Close.
var ErrClosed = errors.New("journal: closed")

// JournalConfig holds the settings of a journal.
type JournalConfig struct {
	Path   string
	Logger *slog.Logger
	// Replay is called with every record in the file, oldest first, before Open returns.
	Replay func(line []byte) error
}

// Journal is an open journal file. It is safe for concurrent use. Only one process can have it open.
type Journal struct {
	file  *os.File
	queue chan request
	done  chan struct{}
	close sync.Once
	stop  chan struct{}
}

// request is a line to append. A nil line empties the file.
type request struct {
	line   []byte
	result chan error
}

// OpenJournal creates the file if it is missing, replays its records and starts the writer. It cuts off a torn last line,
// which a crash leaves in the middle of a write that was never acknowledged.
func OpenJournal(config JournalConfig) (*Journal, error) {
	if config.Logger == nil || config.Replay == nil {
		return nil, errors.New("journal: logger and replay are needed")
	}
	if err := os.MkdirAll(filepath.Dir(config.Path), 0o750); err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	file, err := os.OpenFile(config.Path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	if err := prepare(file, config); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	j := &Journal{file: file, queue: make(chan request), done: make(chan struct{}), stop: make(chan struct{})}
	go j.write()
	return j, nil
}

func prepare(file *os.File, config JournalConfig) error {
	if err := lock(file); err != nil {
		return fmt.Errorf("journal: %s is held by another process", config.Path)
	}
	if err := replay(file, config); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(config.Path))
}

// lock waits a few seconds for the lock: a process that is starting another one holds the files of its parent for an instant.
func lock(file *os.File) error {
	const tries, pause = 100, 50 * time.Millisecond
	for try := 1; ; try++ {
		err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil || try == tries {
			return err
		}
		<-time.After(pause)
	}
}

// Append returns when the record is on disk.
func (j *Journal) Append(record any) error {
	line, err := json.Marshal(record)
	if err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	return j.do(append(line, '\n'))
}

// Truncate empties the file and returns when that is on disk.
func (j *Journal) Truncate() error { return j.do(nil) }

// Close waits for the write in progress and closes the file.
func (j *Journal) Close() error {
	j.close.Do(func() { close(j.stop) })
	<-j.done
	return j.file.Close()
}

func (j *Journal) do(line []byte) error {
	wanted := request{line: line, result: make(chan error, 1)}
	select {
	case j.queue <- wanted:
		return <-wanted.result
	case <-j.stop:
		return ErrClosed
	}
}

// write is the only writer. After a failure the end of the file is undefined, so write fails all later requests.
func (j *Journal) write() {
	defer close(j.done)
	var broken error
	for {
		var batch []request
		select {
		case first := <-j.queue:
			batch = j.gather(first)
		case <-j.stop:
			return
		}
		if broken == nil {
			broken = j.commit(batch)
		}
		for _, wanted := range batch {
			wanted.result <- broken
		}
	}
}

// gather collects the requests that are waiting now.
func (j *Journal) gather(first request) []request {
	const largest = 1024
	batch := []request{first}
	for len(batch) < largest {
		select {
		case next := <-j.queue:
			batch = append(batch, next)
		default:
			return batch
		}
	}
	return batch
}

func (j *Journal) commit(batch []request) error {
	var lines []byte
	for _, wanted := range batch {
		if wanted.line == nil {
			lines = lines[:0]
			if err := j.file.Truncate(0); err != nil {
				return fmt.Errorf("journal: %w", err)
			}
			if _, err := j.file.Seek(0, 0); err != nil {
				return fmt.Errorf("journal: %w", err)
			}
			continue
		}
		lines = append(lines, wanted.line...)
	}
	if _, err := j.file.Write(lines); err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	if err := j.file.Sync(); err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	return nil
}

// replay passes every record to config.Replay and leaves the file's offset behind the last one.
func replay(file *os.File, config JournalConfig) error {
	reader := bufio.NewReader(file)
	end := int64(0)
	for number := 1; ; number++ {
		line, err := reader.ReadBytes('\n')
		switch {
		case errors.Is(err, io.EOF):
			return finish(file, config, end, len(line))
		case err != nil:
			return fmt.Errorf("journal: %w", err)
		case !json.Valid(line):
			if _, err := reader.Peek(1); errors.Is(err, io.EOF) {
				return finish(file, config, end, len(line))
			}
			return fmt.Errorf("journal: %s: line %d is damaged", config.Path, number)
		}
		if err := config.Replay(bytes.TrimSuffix(line, []byte("\n"))); err != nil {
			return fmt.Errorf("journal: %s: line %d: %w", config.Path, number, err)
		}
		end += int64(len(line))
	}
}

// finish truncates the file behind the last complete record.
func finish(file *os.File, config JournalConfig, end int64, torn int) error {
	if torn > 0 {
		config.Logger.Warn("truncated an incomplete last line", slog.String("file", config.Path), slog.Int("bytes", torn))
		if err := errors.Join(file.Truncate(end), file.Sync()); err != nil {
			return fmt.Errorf("journal: %w", err)
		}
	}
	if _, err := file.Seek(end, io.SeekStart); err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	return nil
}

// syncFolder makes the file's directory entry durable.
func syncFolder(path string) error {
	folder, err := os.Open(path) //nolint:gosec // G304: the operator's own folder
	if err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	if err := errors.Join(folder.Sync(), folder.Close()); err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	return nil
}

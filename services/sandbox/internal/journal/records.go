package journal

import (
	"encoding/json"
	"iter"
	"log/slog"
	"maps"
	"slices"
	"sync"
)

// Records keeps the latest state of each record across restarts, by its id. It is safe for concurrent use.
type Records[T any] struct {
	journal *Journal
	id      func(T) string

	mu   sync.Mutex
	byID map[string]T
}

// OpenRecords reads the records of a file, which has a line for every state. Function id returns the id of a record.
func OpenRecords[T any](path string, logger *slog.Logger, id func(T) string) (*Records[T], error) {
	r := &Records[T]{id: id, byID: make(map[string]T)}
	file, err := Open(Config{Path: path, Logger: logger, Replay: r.replay})
	if err != nil {
		return nil, err
	}
	r.journal = file
	return r, nil
}

func (r *Records[T]) replay(line []byte) error {
	var record T
	if err := json.Unmarshal(line, &record); err != nil {
		return err
	}
	r.byID[r.id(record)] = record
	return nil
}

// Close closes the file.
func (r *Records[T]) Close() error { return r.journal.Close() }

// Of returns the record with that id. It returns false if there is none.
func (r *Records[T]) Of(id string) (T, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	record, ok := r.byID[id]
	return record, ok
}

// All returns the records in any order.
func (r *Records[T]) All() iter.Seq[T] {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Values(slices.Collect(maps.Values(r.byID)))
}

// Keep stores the new state of a record and returns when it is on disk.
func (r *Records[T]) Keep(record T) error {
	if err := r.journal.Append(record); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.byID[r.id(record)] = record
	return nil
}

// Change stores the state that the function makes of the record with that id, or of a zero one, and returns when it is on
// disk. No other Change runs meanwhile.
func (r *Records[T]) Change(id string, change func(T) T) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	changed := change(r.byID[id])
	if err := r.journal.Append(changed); err != nil {
		return err
	}
	r.byID[r.id(changed)] = changed
	return nil
}

// Clear deletes all records, on disk too.
func (r *Records[T]) Clear() error {
	if err := r.journal.Truncate(); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	clear(r.byID)
	return nil
}

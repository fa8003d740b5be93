package threadsapi

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"strconv"
	"sync"
	"time"

	"socialpub.internal/services/sandbox/internal/journal"
	"socialpub.internal/services/sandbox/internal/ledger"
	"socialpub.internal/shared/clock"
)

// containerLife is how long a container can be published.
const containerLife = 24 * time.Hour

// Container is a post that nobody sees yet.
type Container struct {
	ID        string    `json:"id"`
	Account   string    `json:"account"`
	Text      string    `json:"text"`
	CreatedAt time.Time `json:"createdAt"`
}

// Containers remembers containers over a restart. It is safe for concurrent use.
type Containers struct {
	clock   clock.Clock
	journal *journal.Journal

	mu   sync.Mutex
	last int64
	byID map[string]Container
}

// OpenContainers reads the containers' file.
func OpenContainers(path string, clk clock.Clock, logger *slog.Logger) (*Containers, error) {
	c := &Containers{clock: clk, byID: make(map[string]Container)}
	file, err := journal.Open(journal.Config{Path: path, Logger: logger, Replay: c.replay})
	if err != nil {
		return nil, err
	}
	c.journal = file
	return c, nil
}

// Close ends writing.
func (c *Containers) Close() error { return c.journal.Close() }

func (c *Containers) replay(line []byte) error {
	var container Container
	if err := json.Unmarshal(line, &container); err != nil {
		return err
	}
	c.byID[container.ID] = container
	if number, err := strconv.ParseInt(container.ID, 10, 64); err == nil {
		c.last = max(c.last, number)
	}
	return nil
}

// Add keeps a container and returns when it is on disk.
func (c *Containers) Add(account, text string) (Container, error) {
	c.mu.Lock()
	now := c.clock.Now()
	c.last = max(c.last+1, ledger.IDAt("179", now))
	made := Container{ID: strconv.FormatInt(c.last, 10), Account: account, Text: text, CreatedAt: now}
	c.mu.Unlock()

	if err := c.journal.Append(made); err != nil {
		return Container{}, fmt.Errorf("threads: %w", err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.byID[made.ID] = made
	return made, nil
}

// Of returns the account's container; false when it has none of that id.
func (c *Containers) Of(account, id string) (Container, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	found, ok := c.byID[id]
	return found, ok && found.Account == account
}

// Expired reports whether the container can no longer be published.
func (c *Containers) Expired(container Container) bool {
	return c.clock.Now().Sub(container.CreatedAt) >= containerLife
}

// Clear forgets all containers, on disk too.
func (c *Containers) Clear() error {
	if err := c.journal.Truncate(); err != nil {
		return fmt.Errorf("threads: %w", err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	clear(c.byID)
	return nil
}

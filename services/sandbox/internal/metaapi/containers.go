package metaapi

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"sync"
	"time"

	"socialpub.internal/services/sandbox/internal/journal"
	"socialpub.internal/services/sandbox/internal/ledger"
	"socialpub.internal/shared/domain/media"
	"socialpub.internal/shared/kernel/clock"
)

const (
	// containerLife is how long a container can be published.
	containerLife = 24 * time.Hour
	// filmTime is how long a film is worked on, unless somebody looks twice before that.
	filmTime = time.Second
)

// The states of a container.
const (
	InProgress = "IN_PROGRESS"
	Finished   = "FINISHED"
	Failed     = "ERROR"
	Expired    = "EXPIRED"
	Published  = "PUBLISHED"
)

// Container is a post that nobody sees yet, or an item of one.
type Container struct {
	ID        string         `json:"id"`
	Account   string         `json:"account"`
	Kind      string         `json:"kind,omitempty"` // the network's word; empty for text
	Text      string         `json:"text"`
	Item      bool           `json:"item,omitempty"`
	Media     []ledger.Media `json:"media,omitempty"`
	Problem   string         `json:"problem,omitempty"` // the network's word for why it will never be finished
	CreatedAt time.Time      `json:"createdAt"`
}

// slow reports a container that is not finished at once.
func (c Container) slow() bool {
	return c.Problem != "" || slices.ContainsFunc(c.Media, func(m ledger.Media) bool { return m.Type == string(media.Video) })
}

// ContainersConfig describes the memory of one network's containers.
type ContainersConfig struct {
	Path   string
	Prefix string // of the ids
	Clock  clock.Clock
	Logger *slog.Logger
}

// Containers remembers containers over a restart. It is safe for concurrent use.
type Containers struct {
	prefix  string
	clock   clock.Clock
	journal *journal.Journal

	mu     sync.Mutex
	last   int64
	byID   map[string]Container
	looked map[string]bool
}

// OpenContainers reads the containers' file.
func OpenContainers(config ContainersConfig) (*Containers, error) {
	if config.Prefix == "" || config.Clock == nil {
		return nil, errors.New("containers: prefix and clock are needed")
	}
	c := &Containers{
		prefix: config.Prefix, clock: config.Clock, byID: make(map[string]Container), looked: make(map[string]bool),
	}
	file, err := journal.Open(journal.Config{Path: config.Path, Logger: config.Logger, Replay: c.replay})
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

// Add keeps a container, gives it an id and the time, and returns when it is on disk. A file is named like the container that
// it came with.
func (c *Containers) Add(made Container) (Container, error) {
	c.mu.Lock()
	made.CreatedAt = c.clock.Now()
	c.last = max(c.last+1, ledger.IDAt(c.prefix, made.CreatedAt))
	made.ID = strconv.FormatInt(c.last, 10)
	c.mu.Unlock()
	for i := range made.Media {
		made.Media[i].ID = cmp.Or(made.Media[i].ID, made.ID)
	}

	if err := c.journal.Append(made); err != nil {
		return Container{}, fmt.Errorf("containers: %w", err)
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

// Kind is the kind of the container that a post came from; empty when it is not known any more.
func (c *Containers) Kind(post ledger.Post) string {
	made, _ := c.Of(post.Account, post.Origin)
	return made.Kind
}

// State is how far the container is. Who looks at a film a second time finds it finished.
func (c *Containers) State(made Container) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	age := c.clock.Now().Sub(made.CreatedAt)
	looked := c.looked[made.ID]
	c.looked[made.ID] = true
	switch {
	case age >= containerLife:
		return Expired
	case made.slow() && !looked && age < filmTime:
		return InProgress
	case made.Problem != "":
		return Failed
	default:
		return Finished
	}
}

// Clear forgets all containers, on disk too.
func (c *Containers) Clear() error {
	if err := c.journal.Truncate(); err != nil {
		return fmt.Errorf("containers: %w", err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	clear(c.byID)
	clear(c.looked)
	return nil
}

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

	"fencepost.internal/services/sandbox/internal/journal"
	"fencepost.internal/services/sandbox/internal/ledger"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/kernel/clock"
)

const (
	// containerLife is the time in which a container can be published.
	containerLife = 24 * time.Hour
	// videoTime is the time that a video is in progress, unless its state is read twice before.
	videoTime = time.Second
)

// The states of a container.
const (
	InProgress = "IN_PROGRESS"
	Finished   = "FINISHED"
	Failed     = "ERROR"
	Expired    = "EXPIRED"
	Published  = "PUBLISHED"
)

// Container is an unpublished post or an item of one.
type Container struct {
	ID      string         `json:"id"`
	Account string         `json:"account"`
	Kind    string         `json:"kind,omitempty"` // the network's media_type; empty for an image on Instagram
	Text    string         `json:"text"`
	Item    bool           `json:"item,omitempty"`
	Media   []ledger.Media `json:"media,omitempty"`
	// Details are further properties of the post.
	Details   map[string]string `json:"details,omitempty"`
	Problem   string            `json:"problem,omitempty"` // the network's reason why the container failed
	CreatedAt time.Time         `json:"createdAt"`
}

// slow reports whether the container needs processing time.
func (c Container) slow() bool {
	return c.Problem != "" || slices.ContainsFunc(c.Media,
		func(m ledger.Media) bool { return m.Type == string(media.Video) })
}

// ContainersConfig holds the settings of one network's containers.
type ContainersConfig struct {
	Path   string
	Prefix string // of the ids
	Clock  clock.Clock
	Logger *slog.Logger
}

// Containers stores containers across restarts. It is safe for concurrent use.
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

// Close closes the journal.
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

// Add stores a container, sets its id and creation time, and returns when it is on disk. A media file without an id
// gets the container's id.
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

// Of returns the account's container with that id. It returns false if there is none.
func (c *Containers) Of(account, id string) (Container, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	found, ok := c.byID[id]
	return found, ok && found.Account == account
}

// Kind returns the kind of the container that the post was made from. It is empty if the container is no longer stored.
func (c *Containers) Kind(post ledger.Post) string {
	made, _ := c.Of(post.Account, post.Origin)
	return made.Kind
}

// State returns the container's state. A video is finished at the second call at the latest.
func (c *Containers) State(made Container) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	age := c.clock.Now().Sub(made.CreatedAt)
	looked := c.looked[made.ID]
	c.looked[made.ID] = true
	switch {
	case age >= containerLife:
		return Expired
	case made.slow() && !looked && age < videoTime:
		return InProgress
	case made.Problem != "":
		return Failed
	default:
		return Finished
	}
}

// Clear deletes all containers, on disk too.
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

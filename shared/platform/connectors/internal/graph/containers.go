package graph

import (
	"context"
	"errors"
	"net/url"
	"regexp"

	"fencepost.internal/shared/platform"
)

// State is the state of a container.
type State int

// The states.
const (
	Unknown          State = iota // the network's value is unknown
	InProgress                    // the network is still fetching or converting
	Finished                      // can be published
	Published                     // was published
	Failed                        // will never be finished
	ContainerExpired              // too old
	Gone                          // the network does not know it
)

// ParseState parses the network's value.
func ParseState(word string) State {
	switch word {
	case "IN_PROGRESS":
		return InProgress
	case "FINISHED":
		return Finished
	case "PUBLISHED":
		return Published
	case "ERROR":
		return Failed
	case "EXPIRED":
		return ContainerExpired
	default:
		return Unknown
	}
}

// Look is the network's report on a container.
type Look struct {
	State   State
	Failure *platform.Failure // the reason if State is Failed
	Passing bool              // State is Failed, but a new container may succeed
}

// Codes of failures of containers.
const (
	CodeNotReady = "CONTAINER_NOT_READY"
	CodeStale    = "CONTAINER_EXPIRED" // the container, or one of its items, can no longer be used
)

// Form returns the parameters of a container. It is called when they are needed, because the URLs in them expire.
type Form func(ctx context.Context) (url.Values, error)

// Plan describes the containers to create.
type Plan struct {
	// Items are the containers of the post's items, in order. It is empty if the post has a single container.
	Items []Form
	// Whole returns the parameters of the published container, given the ids of its items.
	Whole func(ctx context.Context, items []string) (url.Values, error)
	// Instant marks a post without media, whose container is finished at once and is published without a wait.
	Instant bool
}

// idPattern matches Meta's ids.
var idPattern = regexp.MustCompile(`^[0-9]{1,32}$`)

// ID reports whether the text has the format of Meta's ids. Other values are refused because ids become part of URLs.
func ID(text string) bool { return idPattern.MatchString(text) }

// of returns the container of the handle. It returns false if there is none to publish.
func of(handle platform.Handle) (string, bool) {
	existing := parse(handle)
	return existing.Container, existing.Container != ""
}

// Causes, for the log.
var (
	errUnknownState = errors.New("the container has a status that is not known")
	errFailed       = errors.New("the container failed")
	errStuck        = errors.New("the container was not finished in time")
	errGone         = errors.New("the network does not show the container")
)

// Package containers is the way in which Instagram and Threads take a post: a container is made, which nobody sees and which
// lives for a day; the network fetches its media; then it is published. A post of several media has a container for each of
// them besides, which must be finished before the one of the whole is made.
//
// What exists already stands in the handle of the post, so that making goes on where it ended, whatever it was that ended it.
package containers

import (
	"context"
	"errors"
	"net/url"
	"regexp"

	"socialpub.internal/shared/platform"
)

// State is how far a container is.
type State int

// The states.
const (
	Unknown    State = iota // a word of the network's that is not known
	InProgress              // the network still fetches or converts
	Finished                // can be published
	Published               // was published
	Failed                  // will never be finished
	Expired                 // too old
	Gone                    // the network does not know it
)

// ParseState reads the network's word.
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
		return Expired
	default:
		return Unknown
	}
}

// Look is what the network says of a container.
type Look struct {
	State   State
	Failure *platform.Failure // why it Failed
	Passing bool              // it Failed in a way that a new container may cure
}

// Codes of failures that are about containers.
const (
	CodeNotReady = "CONTAINER_NOT_READY"
	CodeStale    = "CONTAINER_EXPIRED" // a container, or one that it shall be made of, is of no use any more
)

// Form is the description of a container. It is made when it is needed: the addresses in it are good for a time.
type Form func(ctx context.Context) (url.Values, error)

// Plan is what shall be made.
type Plan struct {
	// Items are the containers that the whole is made of, in their order; none when it stands alone.
	Items []Form
	// Whole describes the container that is published, given the ids of its items.
	Whole func(ctx context.Context, items []string) (url.Values, error)
	// Bare asks for a handle that is nothing but the container's id. It is for posts without media.
	Bare bool
}

// idPattern is the shape of Meta's ids.
var idPattern = regexp.MustCompile(`^[0-9]{1,32}$`)

// ID reports whether the text has the shape of Meta's ids. Anything else in their place is refused: it would end up in
// addresses.
func ID(text string) bool { return idPattern.MatchString(text) }

// of is the container that the handle leads to; false while there is none to publish.
func of(handle platform.Handle) (string, bool) {
	existing := parse(handle)
	return existing.Container, existing.Container != ""
}

// Reasons, for the log.
var (
	errUnknownState = errors.New("the container has a status that is not known")
	errFailed       = errors.New("the container failed")
	errStuck        = errors.New("the container was not finished in time")
)

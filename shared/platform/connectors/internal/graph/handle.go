package graph

import (
	"cmp"
	"encoding/json"
	"slices"
	"time"

	"fencepost.internal/shared/platform"
)

// held lists the existing containers, as stored in the handle. Times are Unix seconds.
type held struct {
	Container string `json:"container,omitempty"` // of the post
	Items     []item `json:"items,omitempty"`
	Since     int64  `json:"since,omitempty"` // when the first of these containers was created
	Created   int64  `json:"made,omitempty"`  // when the last one was created
	Again     int    `json:"again,omitempty"` // number of containers created to replace failed ones
	Ready     int64  `json:"ready,omitempty"` // when a container that has to settle was first found to be finished
}

// item is the container of one of several media. An empty id means that it must be created.
type item struct {
	ID   string `json:"id,omitempty"`
	Done bool   `json:"done,omitempty"`
}

// parse parses a handle: a JSON document, or the bare id of earlier versions. An invalid handle yields the zero value,
// so that every container is created again.
func parse(handle platform.Handle) held {
	if ID(string(handle)) {
		return held{Container: string(handle)}
	}
	var h held
	if json.Unmarshal([]byte(handle), &h) != nil {
		return held{}
	}
	strange := func(i item) bool { return i.ID != "" && !ID(i.ID) }
	if h.Container != "" && !ID(h.Container) || slices.ContainsFunc(h.Items, strange) {
		return held{}
	}
	return h
}

// created records the creation of a container.
func (h *held) created(now time.Time) {
	h.Created = now.Unix()
	h.Since = cmp.Or(h.Since, h.Created)
}

// reset drops every container, but keeps the count of replacements.
func (h *held) reset() { *h = held{Again: h.Again} }

// ids returns the ids of the items' containers.
func (h *held) ids() []string {
	ids := make([]string, len(h.Items))
	for i, one := range h.Items {
		ids[i] = one.ID
	}
	return ids
}

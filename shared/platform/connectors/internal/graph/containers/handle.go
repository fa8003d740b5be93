package containers

import (
	"encoding/json"
	"slices"
	"time"

	"socialpub.internal/shared/platform"
)

// held is what exists on the network, as it stands in the handle. Times are Unix seconds.
type held struct {
	Container string `json:"container,omitempty"` // of the whole
	Items     []item `json:"items,omitempty"`
	Since     int64  `json:"since,omitempty"` // when the first of these containers was made
	Made      int64  `json:"made,omitempty"`  // when the last one was
	Again     int    `json:"again,omitempty"` // how many were made in place of others that failed
}

// item is the container of one of several media. Without an id it has to be made.
type item struct {
	ID   string `json:"id,omitempty"`
	Done bool   `json:"done,omitempty"`
}

// parse reads a handle: one of ours, or nothing but an id. Of one that is damaged nothing is left, and all is made anew.
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

// handle writes what is held.
func (h *held) handle(bare bool) platform.Handle {
	if bare {
		return platform.Handle(h.Container)
	}
	text, _ := json.Marshal(h) // strings and numbers alone: cannot fail
	return platform.Handle(text)
}

// made takes note of a new container.
func (h *held) made(now time.Time) {
	h.Made = now.Unix()
	if h.Since == 0 {
		h.Since = h.Made
	}
}

// forget drops every container, but not how often that happened.
func (h *held) forget() { *h = held{Again: h.Again} }

// ids are the containers of the items.
func (h *held) ids() []string {
	ids := make([]string, len(h.Items))
	for i, one := range h.Items {
		ids[i] = one.ID
	}
	return ids
}

// Package source defines feeds of other sites whose items become drafts.
package source

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/kernel/plaintext"
)

const (
	// MaxPerWorkspace is the maximum number of sources of a workspace.
	MaxPerWorkspace = 50
	// LongestTemplate is the maximum number of characters of a template.
	LongestTemplate = 2000
	// Every is the least time from one reading of a feed to the next: less than the hour between two sweeps.
	Every = 50 * time.Minute
	// MaxFailures is the number of failures in a row after which a feed is paused: those of a day.
	MaxFailures = 24
	// MostDrafts is the number of items of which one reading makes drafts. The others follow at the next one.
	MostDrafts = 10
	// DefaultTemplate is the template of a new source.
	DefaultTemplate = "{title}\n\n{link}"
	longestURL      = 2048
)

// Source is a feed of another site.
type Source struct {
	ID          ident.Source
	WorkspaceID ident.Workspace
	AuthorID    ident.User // who changed it last, and in whose name drafts are made
	URL         string
	Title       string // of the feed
	Template    string
	Channels    []ident.Channel
	Paused      bool
	Failures    int    // in a row
	Fault       string // of the last reading; empty: it succeeded
	ETag        string
	Modified    string // the time of the last change, as the site sent it
	ReadAt      time.Time
	NextAt      time.Time
	CreatedAt   time.Time
}

// Read returns a source as it is stored, and what is wrong with it.
func (s Source) Read() (Source, []apperr.Field) {
	var faults []apperr.Field
	add := func(name, text string) { faults = append(faults, apperr.Field{Pointer: "/" + name, Message: text}) }
	s.URL, s.Template = strings.TrimSpace(s.URL), plaintext.Normalize(s.Template)
	if parsed, err := plaintext.ParseURL(s.URL); err != nil || len(s.URL) > longestURL {
		add("url", "is not an address of the web; enter one such as https://example.com/feed.xml")
	} else {
		s.URL = parsed.String()
	}
	switch {
	case len([]rune(s.Template)) > LongestTemplate:
		add("template", fmt.Sprintf("has more than %d characters; shorten it", LongestTemplate))
	case !strings.Contains(s.Template, "{title}") && !strings.Contains(s.Template, "{link}"):
		add("template", "has neither {title} nor {link}, so all drafts would be the same; add one of them")
	}
	if len(s.Channels) == 0 {
		add("channels", "are missing; choose at least one")
	}
	return s, faults
}

// Name returns the title of the feed, or its address.
func (s Source) Name() string { return cmp.Or(s.Title, s.URL) }

// Text returns the text of the draft of an item. What the item says is text: placeholders in it stay.
func (s Source) Text(title, link string) string {
	return strings.TrimSpace(strings.NewReplacer("{title}", title, "{link}", link).Replace(s.Template))
}

// Failed returns the source after a failure at a time.
func (s Source) Failed(why string, now time.Time) Source {
	s.Failures, s.Fault, s.ReadAt = s.Failures+1, why, now
	s.Paused = s.Paused || s.Failures >= MaxFailures
	return s
}

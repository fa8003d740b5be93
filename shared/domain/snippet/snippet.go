// Package snippet defines the texts that a workspace keeps for its posts: snippets, signatures, groups of hashtags, and
// mentions with the handle of each network; and the rule by which links get parameters for analytics.
package snippet

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/kernel/plaintext"
)

// Kind is the use of a text.
type Kind string

// Kinds of texts.
const (
	Text      Kind = "SNIPPET"
	Signature Kind = "SIGNATURE" // at the end of the posts of channels
	Hashtags  Kind = "HASHTAGS"
	Mention   Kind = "MENTION" // of a person or an organization
)

// Kinds lists the kinds, in the order of pages.
func Kinds() []Kind { return []Kind{Text, Signature, Hashtags, Mention} }

// Known reports whether the kind exists.
func (k Kind) Known() bool { return slices.Contains(Kinds(), k) }

// Limits of a workspace and of one text, in characters.
const (
	MaxPerWorkspace = 300
	MaxName         = 60
	MaxText         = 3000
	MaxHandle       = 100
)

// Snippet is a text of a workspace.
type Snippet struct {
	ID          ident.Snippet
	WorkspaceID ident.Workspace
	Kind        Kind
	Name        string
	Text        string // empty for a mention
	Settings    Settings
	CreatedAt   time.Time
	UpdatedAt   time.Time
}

// Settings holds what only some kinds have.
type Settings struct {
	// Handles are those of a mention, by the network, without @.
	Handles map[string]string `json:"handles,omitempty"`
	// Channels are those of a signature.
	Channels []ident.Channel `json:"channels,omitempty"`
	// Automatic makes the composer add a signature when a person picks one of its channels.
	Automatic bool `json:"automatic,omitempty"`
}

// Key returns a name as names of one kind are compared: without case.
func Key(name string) string { return strings.ToLower(name) }

// Read returns a text as it is stored, and what is wrong with it.
func (s Snippet) Read() (Snippet, []apperr.Field) {
	var faults []apperr.Field
	add := func(pointer, message string) {
		if message != "" {
			faults = append(faults, apperr.Field{Pointer: pointer, Message: message})
		}
	}
	if !s.Kind.Known() {
		add("/kind", "is not known; choose one of the kinds")
	}
	name, fault := plaintext.Line(s.Name, MaxName)
	if fault == "" && name == "" {
		fault = "is empty"
	}
	add("/name", fault)
	s.Name = name
	if s.Kind == Mention {
		s.Text = ""
		s.Settings = Settings{Handles: readHandles(s.Settings.Handles, add)}
		return s, faults
	}
	text, fault := plaintext.Lines(s.Text, MaxText)
	if s.Kind == Hashtags && fault == "" {
		text, fault = readHashtags(text)
	}
	if fault == "" && text == "" {
		fault = "is empty"
	}
	add("/text", fault)
	s.Text, s.Settings.Handles = text, nil
	if s.Kind != Signature {
		s.Settings = Settings{}
	} else if s.Settings.Automatic && len(s.Settings.Channels) == 0 {
		add("/channels", "are missing; choose the channels that get the signature")
	}
	return s, faults
}

// readHashtags returns words as hashtags, each once.
func readHashtags(text string) (tags, fault string) {
	var list []string
	seen := make(map[string]bool)
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || r == ',' || r == '#' }) {
		if strings.ContainsFunc(word, func(r rune) bool {
			return !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsNumber(r) && r != '_'
		}) {
			return "", fmt.Sprintf("has #%s, but a hashtag has only letters, digits and _; change it", word)
		}
		if key := Key(word); !seen[key] {
			seen[key] = true
			list = append(list, "#"+word)
		}
	}
	return strings.Join(list, " "), ""
}

// readHandles returns the handles that are not empty, without @.
func readHandles(given map[string]string, add func(pointer, message string)) map[string]string {
	handles := make(map[string]string)
	for network, text := range given {
		handle, fault := plaintext.Line(text, MaxHandle)
		handle = strings.TrimPrefix(handle, "@")
		if fault == "" && strings.ContainsFunc(handle, unicode.IsSpace) {
			fault = "contains a space; enter the handle alone, or nothing to write the name"
		}
		add("/handle."+network, fault)
		if handle != "" {
			handles[network] = handle
		}
	}
	if len(handles) == 0 {
		add("/handles", "are missing; enter the handle of at least one network")
	}
	return handles
}

// In returns a mention as the posts of a network have it: the handle, or the name where there is none.
func (s Snippet) In(network string) string {
	if handle := s.Settings.Handles[network]; handle != "" {
		return "@" + handle
	}
	return s.Name
}

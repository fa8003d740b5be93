package post

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"time"

	"fencepost.internal/shared/domain/event"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/plaintext"
)

// Limits of labels (docs/contract.md, Labels).
const (
	MaxLabels    = 10 // of a post
	LongestLabel = 50 // in characters
)

// Label is a name that people and programs give to posts, with a color by which people recognize it.
type Label struct {
	Name  string
	Color string // #rrggbb
}

// NewLabel returns a label with one of the usual colors, always the same one for a name.
func NewLabel(name string) Label {
	sum := fnv.New32a()
	_, _ = sum.Write([]byte(LabelKey(name))) // never fails
	colors := LabelColors()
	return Label{Name: name, Color: colors[int(sum.Sum32()>>1)%len(colors)]}
}

// LabelColors returns the usual colors of labels.
func LabelColors() []string {
	return []string{"#b3261e", "#9a5b00", "#6b6a00", "#1f7a3a", "#00757a", "#1f5fbf", "#6b4fc8", "#a5347f"}
}

// LabelKey returns what is compared of a label: labels that differ in case only are the same.
func LabelKey(name string) string { return strings.ToLower(name) }

// LabelKeys returns the keys of labels, in their order.
func LabelKeys(names []string) []string {
	keys := make([]string, len(names))
	for i, name := range names {
		keys[i] = LabelKey(name)
	}
	return keys
}

// ReadLabel returns a label as it is stored, or what is wrong with it.
func ReadLabel(given string) (name, fault string) {
	name, fault = plaintext.Line(given, LongestLabel)
	if fault == "" && name == "" {
		fault = "is empty"
	}
	return name, fault
}

// ReadLabels returns labels as they are stored, and what is wrong with them, at pointers below the given one.
func ReadLabels(given []string, pointer string) (names []string, faults []apperr.Field) {
	for i, text := range given {
		name, fault := ReadLabel(text)
		if first := slices.Index(LabelKeys(names), LabelKey(name)); fault == "" && first >= 0 {
			fault = fmt.Sprintf("is the same label as %s/%d, because labels are compared without case; remove it", pointer, first)
		}
		if fault != "" {
			faults = append(faults, apperr.Field{Pointer: fmt.Sprintf("%s/%d", pointer, i), Message: fault})
		}
		names = append(names, name)
	}
	return names, faults
}

// Relabel replaces a label of a post with another one, or removes it if the name is empty. It is not a change of the
// content, so that posts in every state follow a change of the workspace's label.
func (p Post) Relabel(key, name string, now time.Time, actor Actor) (Change, error) {
	next := p
	next.Labels, next.UpdatedAt = nil, p.editedAt(now)
	for _, label := range p.Labels {
		switch {
		case LabelKey(label) != key:
		case name == "":
			continue
		default:
			label = name
		}
		if !slices.Contains(LabelKeys(next.Labels), LabelKey(label)) {
			next.Labels = append(next.Labels, label)
		}
	}
	return Change{From: p, Post: next}.with(EntryEdited, now, actor, "Edited: labels.").emits(event.PostUpdated, next.EventData())
}

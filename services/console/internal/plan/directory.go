package plan

import (
	"slices"
	"strings"

	"fencepost.internal/shared/domain/channel"
	domain "fencepost.internal/shared/domain/plan"
)

// directory finds the channels of a workspace by what people call them.
type directory struct {
	channels []channel.Channel
	chosen   map[string]string // the channels that a person chose for names
	known    map[string]result // of earlier calls, by the names; nil: none are kept
}

// result is the outcome of find.
type result struct {
	channel channel.Channel
	match   match
}

// match holds the channels that a directory has for a name.
type match int

const (
	unknown match = iota
	ambiguous
	leftOut
	found
)

// folded returns what is compared of a name.
func folded(name string) string { return strings.ToLower(strings.Join(strings.Fields(name), " ")) }

// label returns the name of a channel beside others with that name.
func label(c channel.Channel) string { return c.Name + " · " + c.Type.Name() }

// keys are the names of a channel, the most exact ones first.
func keys(c channel.Channel) [][]string {
	return [][]string{
		{c.ID.String()},
		{label(c)},
		{c.Name},
		{strings.TrimPrefix(c.Username, "@")},
		{c.Type.Name(), string(c.Type), string(c.Type.Network()), c.Type.Network().Name()},
	}
}

// find returns the channel that a cell names: by its id, name and type, name, handle, or type.
func (d directory) find(name string) (channel.Channel, match) {
	name = folded(name)
	if r, ok := d.known[name]; ok {
		return r.channel, r.match
	}
	var r result
	r.channel, r.match = d.search(name)
	if d.known != nil {
		d.known[name] = r
	}
	return r.channel, r.match
}

func (d directory) search(name string) (channel.Channel, match) {
	if chosen, ok := d.chosen[name]; ok {
		if chosen == domain.LeftOut {
			return channel.Channel{}, leftOut
		}
		name = chosen
	}
	name = strings.TrimPrefix(name, "@")
	if name == "" {
		return channel.Channel{}, unknown
	}
	for level := range keys(channel.Channel{}) {
		var fitting []channel.Channel
		for _, c := range d.channels {
			if slices.ContainsFunc(keys(c)[level], func(key string) bool { return folded(key) == name }) {
				fitting = append(fitting, c)
			}
		}
		switch len(fitting) {
		case 0:
		case 1:
			return fitting[0], found
		default:
			return channel.Channel{}, ambiguous
		}
	}
	return channel.Channel{}, unknown
}

// nameOf returns the shortest name by which a directory without choices finds a channel, and that is one name in a cell.
func (d directory) nameOf(c channel.Channel) string {
	plain := directory{channels: d.channels}
	for _, name := range []string{c.Name, label(c)} {
		if got, m := plain.find(name); m == found && got.ID == c.ID && len(namesIn(name, plain)) == 1 {
			return name
		}
	}
	return c.ID.String()
}

// namesIn returns the names of a cell: the whole cell if it is one, or its parts between semicolons, lines or commas.
func namesIn(cell string, d directory) []string {
	if _, m := d.find(cell); m == found || m == leftOut {
		return []string{cell}
	}
	separators := ";\n"
	if !strings.ContainsAny(cell, separators) {
		separators = ","
	}
	return parts(cell, separators)
}

// parts returns the texts of a cell between separators, without empty ones.
func parts(cell, separators string) []string {
	var out []string
	for part := range strings.FieldsFuncSeq(cell, func(r rune) bool { return strings.ContainsRune(separators, r) }) {
		if part = strings.TrimSpace(part); part != "" {
			out = append(out, part)
		}
	}
	return out
}

package rules

import (
	"slices"
	"strings"
)

// Described is an option with what all networks that have it say of it.
type Described struct {
	Option        // Values, Max and Range are those of all networks together
	Text   string // "YouTube: visibility of the video: public, unlisted or private. LinkedIn: …"
}

// use holds the text of an option for some networks.
type use struct {
	networks []string
	meaning  string
	values   []string
}

// Describe returns the options of all networks by name.
func (t Table) Describe() map[string]Described {
	found, uses := make(map[string]Described), make(map[string][]use)
	for _, row := range t.All() {
		for _, option := range row.Options {
			d, known := found[option.Name]
			if !known {
				d.Option = option
			}
			d.Values, d.Max, d.Range = union(d.Values, option.Values), max(d.Max, option.Max), d.Range.with(option.Range)
			found[option.Name] = d
			uses[option.Name] = addUse(uses[option.Name], row.Name, option)
		}
	}
	for name, d := range found {
		texts := make([]string, len(uses[name]))
		for i, one := range uses[name] {
			texts[i] = one.String()
		}
		d.Text = strings.Join(texts, " ")
		found[name] = d
	}
	return found
}

// addUse adds what a network says of an option. The types of channels of a network are described together.
func addUse(uses []use, network string, option Option) []use {
	for i, one := range uses {
		if slices.Contains(one.networks, network) {
			uses[i].values = union(one.values, option.Values)
			return uses
		}
	}
	for i, one := range uses {
		if one.meaning == option.Meaning && slices.Equal(one.values, option.Values) {
			uses[i].networks = append(uses[i].networks, network)
			return uses
		}
	}
	return append(uses, use{[]string{network}, option.Meaning, slices.Clone(option.Values)})
}

// String formats the sentence: X and Threads: who may reply: everyone or following.
func (u use) String() string {
	text := list(u.networks, "and") + ": " + u.meaning
	if len(u.values) > 0 {
		text += ": " + list(u.values, "or")
	}
	return text + "."
}

// longestValues is the length up to which OptionNames lists the values of an option. The refusal of another value lists
// them too.
const longestValues = 60

// OptionNames returns the names and the values of the options of each network, in a sentence for each.
func (t Table) OptionNames() string {
	var networks []string
	names := make(map[string][]string)
	values := make(map[string][]string) // by the network and the name
	for _, row := range t.All() {
		if len(row.Options) > 0 && !slices.Contains(networks, row.Name) {
			networks = append(networks, row.Name)
		}
		for _, option := range row.Options {
			names[row.Name] = union(names[row.Name], []string{option.Name})
			key := row.Name + " " + option.Name
			values[key] = union(values[key], option.Values)
			if option.Required {
				values[key] = []string{"required"}
			}
		}
	}
	sentences := make([]string, len(networks))
	for i, network := range networks {
		for j, name := range names[network] {
			if of := strings.Join(values[network+" "+name], ", "); of != "" && len(of) < longestValues {
				names[network][j] = name + " (" + of + ")"
			}
		}
		sentences[i] = network + ": " + strings.Join(names[network], ", ") + "."
	}
	return strings.Join(sentences, " ")
}

// union returns the texts of both, each once.
func union(a, b []string) []string {
	all := slices.Clone(a)
	for _, text := range b {
		if !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	return all
}

// with returns the smallest range that contains both.
func (s Span) with(other Span) Span {
	if s == (Span{}) {
		return other
	}
	if other != (Span{}) {
		s.Min, s.Max = min(s.Min, other.Min), max(s.Max, other.Max)
	}
	return s
}

package options

import (
	"cmp"
	"encoding/json"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/rules"
)

// second is a second of the option thumbOffset, which counts milliseconds.
const second = 1000

// valuesOf returns the options of a post as the form has them.
func (s Source) valuesOf(current post.Options) map[string]string {
	raw, _ := json.Marshal(current) // texts, numbers and flags: cannot fail
	var members map[string]any
	_ = json.Unmarshal(raw, &members)
	values := make(map[string]string)
	for name, member := range members {
		switch value := member.(type) {
		case string:
			values[name] = value
		case bool:
			values[name] = no
			if value {
				values[name] = yes
			}
		case float64:
			if s.is(name, rules.Moment) {
				value /= second
			}
			values[name] = strconv.FormatFloat(value, 'f', -1, 64)
		case []any:
			lines := make([]string, len(value))
			for i, line := range value {
				lines[i], _ = line.(string)
			}
			values[name] = strings.Join(lines, "\n")
		}
	}
	return values
}

// is reports whether the network has the option, of that kind.
func (s Source) is(name string, kind rules.Kind) bool {
	return slices.ContainsFunc(s.Options, func(o rules.Option) bool { return o.Name == name && o.Is == kind })
}

// Parse returns the options in a form whose inputs begin with the prefix, and the faults by field. Values that are none
// are not in the options: Again shows what was typed.
func (s Source) Parse(typed url.Values, prefix string) (post.Options, map[string]string) {
	faults, members := make(map[string]string), make(map[string]any)
	get := func(name string) string { return strings.TrimSpace(typed.Get(prefix + name)) }
	topic := get("topicType")
	var names []string
	for _, option := range s.Options {
		names = append(names, option.Name)
	}
	for _, option := range s.shown() {
		w := wordingOf(s.Channel.Type.Network(), option.Name)
		if len(w.For) > 0 && !slices.Contains(w.For, cmp.Or(topic, "STANDARD")) {
			continue // the form does not show it
		}
		value := get(option.Name)
		if option.Is == rules.LocalTime && get(option.Name+".time") != "" {
			value += "T" + get(option.Name+".time")
		}
		member, fault := s.member(option, w, value)
		if fault != "" {
			faults[option.Name] = fault
		}
		if member != nil {
			members[option.Name] = member
		}
	}
	s.together(get, members, faults)
	raw, _ := json.Marshal(members) // as above
	var parsed post.Options
	_ = json.Unmarshal(raw, &parsed)
	for name, message := range s.Faults(parsed) {
		if faults[name] == "" {
			faults[name] = withText(s.Channel.Type.Network(), names, message)
		}
	}
	return parsed, faults
}

// member returns the JSON value of an option; nil if it is not set.
func (s Source) member(option rules.Option, w wording, value string) (member any, fault string) {
	const choose = "Choose one of the list."
	switch option.Is {
	case rules.Flag:
		switch {
		case value == yes && s.field(option, yes).Locked != "":
			return w.off(), ""
		case value == yes:
			return true, ""
		case value == no && !w.Off && !w.Plain:
			return false, ""
		case value == "" || value == no:
			return w.off(), ""
		}
		return nil, choose
	case rules.Word:
		if value == "" || value == w.Default {
			return nil, ""
		}
		if !slices.Contains(option.Values, value) {
			return nil, choose
		}
	case rules.Moment:
		return offset(value)
	case rules.Integer:
		return integer(option, w, value)
	case rules.List:
		return lines(value), ""
	case rules.Number, rules.ID:
		if value != "" && !digits(value) && option.Name != "locationId" {
			return nil, choose
		}
	case rules.LocalTime:
		if _, _, ok := rules.ParseLocalTime(value); value != "" && !ok {
			return nil, "Enter a date, and a time if you like."
		}
	case rules.Address, rules.Prose, rules.Language:
	}
	if value == "" {
		return nil, ""
	}
	if option.Is == rules.Word || option.Is == rules.ID {
		if fault := s.offered(option.Name, value); fault != "" {
			return nil, fault
		}
	}
	return value, ""
}

// integer returns a chosen number; nil for the one that the network takes without it.
func integer(option rules.Option, w wording, value string) (any, string) {
	if value == "" || value == w.Default {
		return nil, ""
	}
	if !option.Allows(value) {
		return nil, "Choose one of the list."
	}
	number, _ := strconv.ParseInt(value, 10, 64)
	return number, ""
}

// lines returns the lines that are not empty; nil if there is none.
func lines(value string) any {
	var list []string
	for line := range strings.Lines(value) {
		if line = strings.TrimSpace(line); line != "" {
			list = append(list, line)
		}
	}
	if list == nil {
		return nil
	}
	return list
}

// off returns the value of a switch that is off.
func (w wording) off() any {
	if w.Off {
		return false
	}
	return nil
}

// offset returns the milliseconds of a position in seconds.
func offset(value string) (any, string) {
	const longest = 1_000_000 // seconds; the rules allow nine digits of milliseconds
	if value == "" {
		return nil, ""
	}
	seconds, err := strconv.ParseFloat(strings.Replace(value, ",", ".", 1), 64)
	if err != nil || math.IsNaN(seconds) || seconds < 0 || seconds >= longest {
		return nil, "Enter seconds, such as 4.5."
	}
	return int64(math.Round(seconds * second)), ""
}

func digits(value string) bool {
	return !strings.ContainsFunc(value, func(r rune) bool { return r < '0' || r > '9' })
}

// offered returns the fault of a value that the network does not offer now.
func (s Source) offered(name, value string) string {
	said := s.Said
	switch name {
	case "privacy":
		if said.Creator != nil && !slices.Contains(said.Creator.PrivacyLevelOptions, value) {
			return "This account does not offer it. Choose another one."
		}
	case "boardId":
		if said.Boards != nil && !slices.ContainsFunc(said.Boards, func(b platform.Board) bool { return b.ID == value }) {
			return "This account has no such board. Choose another one."
		}
	case "boardSectionId":
		if said.Sections != nil && !slices.ContainsFunc(said.Sections, func(b platform.BoardSection) bool {
			return b.ID == value
		}) {
			return "The board has no such section. Choose another one."
		}
	}
	return ""
}

// together checks and completes what several fields say.
func (s Source) together(get func(string) string, members map[string]any, faults map[string]string) {
	knows := func(name string) bool {
		return slices.ContainsFunc(s.shown(), func(o rules.Option) bool { return o.Name == name })
	}
	if knows("uploadToDraft") {
		draft := members["uploadToDraft"] == true
		discloses := get(disclose) == yes
		if !discloses {
			delete(members, "brandContent")
			delete(members, "brandOrganic")
		}
		switch {
		case draft: // everything else is chosen in the app
			for name := range members {
				if name != "uploadToDraft" {
					delete(members, name)
				}
			}
			clear(faults)
		case discloses && members["brandContent"] == nil && members["brandOrganic"] == nil:
			faults[disclose] = "Choose what the post promotes: your brand, another one, or both."
		}
		if !draft && knows("privacy") && members["privacy"] == nil && faults["privacy"] == "" {
			faults["privacy"] = "Choose who may watch."
		}
	}
	if knows("boardId") && members["boardId"] == nil && faults["boardId"] == "" {
		faults["boardId"] = "A pin belongs to a board. Choose one."
	}
}

package tools

import (
	"bytes"
	"fmt"
	"maps"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"fencepost.internal/shared/kernel/apperr"
)

// memberClear is the argument that names the members of a resource to remove. Null cannot remove them, because it means
// an absent argument.
const memberClear = "clear"

// Clearing is embedded in the arguments of tools that can remove members of a resource.
type Clearing struct {
	Clear []string `json:"clear,omitempty" uniqueItems:"true" doc:"Members to remove."`
}

// arguments returns the arguments of a call in the form of the API: without those that are null or an empty text, which
// mean an absent argument (docs/contract.md, Tools), and with null for those that clear names. It leaves arguments
// that are no object, or have duplicate names, to the reader, which reports them. The faults are those of clear.
func arguments(raw []byte, clears []string) ([]byte, []apperr.Field, error) {
	members := map[string]jsontext.Value{}
	if err := json.Unmarshal(raw, &members); err != nil {
		return raw, nil, nil //nolint:nilerr // see above
	}
	changed := prune(members)
	removed, faults := remove(members, clears)
	if !changed && !removed {
		return raw, faults, nil
	}
	out, err := json.Marshal(members, json.Deterministic(true))
	return out, faults, err
}

// prune removes absent members from an object and from the objects of its lists, and reports whether there were any.
// Other objects, such as the settings of a block, have a meaning of null of their own.
func prune(members map[string]jsontext.Value) (changed bool) {
	for name, value := range members {
		switch {
		case isAbsent(value):
			delete(members, name)
			changed = true
		case value.Kind() == '[':
			var items []jsontext.Value
			if json.Unmarshal(value, &items) != nil || !pruneItems(items) {
				continue
			}
			if rest, err := json.Marshal(items); err == nil {
				members[name], changed = rest, true
			}
		}
	}
	return changed
}

func pruneItems(items []jsontext.Value) (changed bool) {
	for i, item := range items {
		members := map[string]jsontext.Value{}
		if item.Kind() != '{' || json.Unmarshal(item, &members) != nil || !prune(members) {
			continue
		}
		if rest, err := json.Marshal(members, json.Deterministic(true)); err == nil {
			items[i], changed = rest, true
		}
	}
	return changed
}

func isAbsent(value jsontext.Value) bool {
	text := bytes.TrimSpace(value)
	return string(text) == keyNull || string(text) == `""`
}

// remove sets the members that clear names to null, or to an empty text where null has no meaning.
func remove(members map[string]jsontext.Value, clears []string) (changed bool, faults []apperr.Field) {
	var names []string
	if json.Unmarshal(members[memberClear], &names) != nil {
		return false, nil // the reader reports it
	}
	removed := map[string]jsontext.Value{}
	for i, name := range names {
		_, sent := members[name]
		switch {
		case !slices.Contains(clears, name): // the reader reports it
		case sent:
			faults = append(faults, apperr.Field{
				Pointer: fmt.Sprintf("/%s/%d", memberClear, i), Message: "is sent as well; remove it, or send its value",
			})
		case name == "content":
			removed[name] = jsontext.Value(`""`)
		default:
			removed[name] = jsontext.Value(keyNull)
		}
	}
	maps.Copy(members, removed)
	return len(removed) > 0, faults
}

// values returns texts as values of an enumeration.
func values(texts []string) []any {
	out := make([]any, len(texts))
	for i, text := range texts {
		out[i] = text
	}
	return out
}

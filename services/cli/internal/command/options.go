package command

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"fencepost.internal/services/cli/internal/failure"
)

// settings splits the options of all channels from those of single ones, by the name of the channel.
func settings(list []string) (common map[string]string, single map[string]map[string]string, err error) {
	common, single = make(map[string]string), make(map[string]map[string]string)
	for _, option := range list {
		name, value, found := strings.Cut(option, "=")
		if !found || name == "" {
			return nil, nil, failure.Misused("--option %q is not NAME=VALUE or CHANNEL:NAME=VALUE", option)
		}
		at := strings.LastIndexByte(name, ':')
		if at < 0 {
			common[name] = value
			continue
		}
		channel := name[:at]
		if single[channel] == nil {
			single[channel] = make(map[string]string)
		}
		single[channel][name[at+1:]] = value
	}
	return common, single, nil
}

func merged(common, own map[string]string) map[string]string {
	all := maps.Clone(common)
	maps.Copy(all, own)
	return all
}

// set sets the members of a structure of options by their names. A value gets the type of its member.
func set(options any, values map[string]string) error {
	kinds := kindsOf(reflect.TypeOf(options).Elem())
	typed := make(map[string]any, len(values))
	for name, value := range values {
		kind, known := kinds[name]
		if !known {
			return failure.Misused("there is no option %q; there are: %s", name, strings.Join(slices.Sorted(maps.Keys(kinds)), ", "))
		}
		var err error
		switch kind {
		case reflect.Bool:
			typed[name], err = strconv.ParseBool(value)
		case reflect.Int64:
			typed[name], err = strconv.ParseInt(value, 10, 64)
		case reflect.Slice:
			typed[name] = strings.Split(value, "|")
		default:
			typed[name] = value
		}
		if err != nil {
			return failure.Misused("the option %s is %s, not %q", name, describe(kind), value)
		}
	}
	raw, err := json.Marshal(typed)
	if err != nil {
		return err
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	return decoder.Decode(options)
}

func describe(kind reflect.Kind) string {
	if kind == reflect.Bool {
		return "true or false"
	}
	return "a whole number"
}

// kindsOf returns the kinds of the members by their names in JSON. Members of a change are in a structure with a value.
func kindsOf(of reflect.Type) map[string]reflect.Kind {
	kinds := make(map[string]reflect.Kind)
	for i := range of.NumField() {
		field := of.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		typ := field.Type
		if typ.Kind() == reflect.Struct { // an Optional
			if value, found := typ.FieldByName("value"); found {
				typ = value.Type
			}
		}
		if typ.Kind() == reflect.Pointer {
			typ = typ.Elem()
		}
		kinds[name] = typ.Kind()
	}
	return kinds
}

package telemetry

import (
	"bytes"
	"encoding"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
)

// replaceAttr processes every value on its way to a log line. Package slog resolves values and walks groups before
// calling it.
func replaceAttr(groups []string, attr slog.Attr) slog.Attr {
	if len(groups) == 0 {
		switch attr.Key {
		case slog.TimeKey:
			if attr.Value.Kind() == slog.KindTime {
				return slog.Time(attr.Key, attr.Value.Time().UTC())
			}
		case slog.LevelKey:
			if _, isLevel := attr.Value.Any().(slog.Level); isLevel {
				return attr
			}
		}
	}

	if IsSecretKey(attr.Key) || slices.ContainsFunc(groups, IsSecretKey) {
		return slog.String(attr.Key, Redacted)
	}

	attr.Value = maskValue(attr.Value)

	return attr
}

// maskValue masks values that are not plain numbers, times or booleans.
func maskValue(value slog.Value) slog.Value {
	switch value.Kind() {
	case slog.KindString:
		return slog.StringValue(Redact(value.String()))
	case slog.KindAny, slog.KindLogValuer:
		return maskAny(value.Any())
	default: // the other kinds contain no text
		return value
	}
}

// maskAny converts a value of any type to one that is safe to write. A logged value must not be able to crash the
// program, so panics in its methods are recovered, as in package slog.
func maskAny(value any) (masked slog.Value) {
	defer func() {
		if failure := recover(); failure != nil {
			masked = slog.StringValue(fmt.Sprintf("!PANIC in a value of type %T", value))
		}
	}()

	switch typed := value.(type) {
	case nil:
		return slog.AnyValue(nil)
	case error:
		return slog.StringValue(Redact(typed.Error()))
	case []byte:
		return slog.StringValue(Redact(string(typed)))
	case json.Marshaler, encoding.TextMarshaler:
		return maskJSON(value)
	case fmt.Stringer:
		return slog.StringValue(Redact(typed.String()))
	default:
		return maskJSON(value)
	}
}

// maskJSON masks a value in its encoding/json form, member by member.
func maskJSON(value any) slog.Value {
	encoded, err := json.Marshal(value)
	if err != nil {
		return slog.StringValue(Redact(fmt.Sprintf("%+v", value)))
	}

	decoder := json.NewDecoder(bytes.NewReader(encoded))
	decoder.UseNumber()

	var generic any
	if err := decoder.Decode(&generic); err != nil {
		return slog.StringValue(Redact(string(encoded)))
	}

	return slog.AnyValue(maskTree(generic))
}

// maskTree masks a value decoded by encoding/json.
func maskTree(node any) any {
	switch typed := node.(type) {
	case string:
		return Redact(typed)
	case []any:
		for i, element := range typed {
			typed[i] = maskTree(element)
		}

		return typed
	case map[string]any:
		for key, member := range typed {
			if IsSecretKey(key) {
				typed[key] = Redacted
			} else {
				typed[key] = maskTree(member)
			}
		}

		return typed
	default:
		return node
	}
}

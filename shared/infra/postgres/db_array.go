package postgres

import (
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"strings"

	"fencepost.internal/shared/kernel/ident"
)

// textArray is a text[] or uuid[] parameter or column. database/sql does not support arrays, and GORM would expand a
// slice into several parameters.
type textArray []string

// Value returns the array in PostgreSQL's text form. The driver's own encoding needs a map of types, whose creation costs
// more than a row.
func (a textArray) Value() (driver.Value, error) {
	var text strings.Builder
	_ = text.WriteByte('{')
	for i, element := range a {
		if i > 0 {
			_ = text.WriteByte(',')
		}
		if !needsQuotes(element) {
			_, _ = text.WriteString(element)
			continue
		}
		_ = text.WriteByte('"')
		_, _ = escapes.WriteString(&text, element)
		_ = text.WriteByte('"')
	}
	_ = text.WriteByte('}')
	return text.String(), nil
}

// escapes escapes the characters that end or escape a quoted element.
var escapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`)

// needsQuotes reports whether an element needs quoting in an array literal. Identifiers, scopes and event types do not.
func needsQuotes(element string) bool {
	return element == "" || strings.EqualFold(element, "null") || strings.ContainsFunc(element, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("-_.:*", r)
	})
}

// Scan reads an array in PostgreSQL's text form, of one dimension and without NULL, for the reason of Value. A column that is
// NULL is nil.
func (a *textArray) Scan(src any) error {
	if *a = nil; src == nil {
		return nil
	}
	text, _ := src.(string)
	text, begins := strings.CutPrefix(text, "{")
	text, ends := strings.CutSuffix(text, "}")
	if !begins || !ends {
		return fmt.Errorf("scan text array: %.80v is none", src)
	}
	*a = textArray{}
	for text != "" {
		element, rest, ok := cutElement(text)
		if !ok {
			return fmt.Errorf("scan text array: %.80v has other elements than texts", src)
		}
		*a, text = append(*a, element), rest
	}
	return nil
}

// cutElement returns the first of the elements in an array literal, and the others.
func cutElement(list string) (element, others string, ok bool) {
	if list[0] != '"' {
		element, others, _ = strings.Cut(list, ",")
		return element, others, element != "NULL" && !strings.HasPrefix(element, "{")
	}
	var text []byte
	for i := 1; i < len(list); i++ {
		if list[i] == '"' {
			return string(text), strings.TrimPrefix(list[i+1:], ","), true
		}
		if list[i] == '\\' && i+1 < len(list) {
			i++
		}
		text = append(text, list[i])
	}
	return "", "", false
}

func toArray[S ~string](values []S) textArray {
	out := make(textArray, len(values))
	for i, v := range values {
		out[i] = string(v)
	}
	return out
}

func fromArray[S ~string](values textArray) []S {
	out := make([]S, len(values))
	for i, v := range values {
		out[i] = S(v)
	}
	return out
}

func idArray[I fmt.Stringer](ids []I) textArray {
	out := make(textArray, len(ids))
	for i, id := range ids {
		out[i] = id.String()
	}
	return out
}

// idColumn is idArray for a column that is null without identifiers.
func idColumn[I fmt.Stringer](ids []I) *textArray {
	if len(ids) == 0 {
		return nil
	}
	return ptr(idArray(ids))
}

// fromIDArray converts a uuid[] column to identifiers. Elements that do not parse are skipped.
func fromIDArray[I ~[16]byte](values textArray) []I {
	out := make([]I, 0, len(values))
	for _, v := range values {
		if id, err := ident.Parse[I](v); err == nil {
			out = append(out, id)
		}
	}
	return out
}

// jsonParam encodes rows as a single JSON parameter.
func jsonParam(rows any) (string, error) {
	raw, err := json.Marshal(rows)
	if err != nil {
		return "", fmt.Errorf("encode rows: %w", err)
	}
	return string(raw), nil
}

// each converts rows. The result is never nil.
func each[R, T any](rows []R, convert func(R) T) []T {
	converted := make([]T, len(rows))
	for i, row := range rows {
		converted[i] = convert(row)
	}
	return converted
}

package postgres

import (
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgtype"

	"socialpub.internal/shared/kernel/ident"
)

// textArray carries a text[] or uuid[] through database/sql, which knows no arrays, and past GORM, which would spread a
// slice over several parameters.
type textArray []string

// emptyArray is the text form of an array without elements.
const emptyArray = "{}"

// Value writes the array's text form.
func (a textArray) Value() (driver.Value, error) {
	if !slices.ContainsFunc(a, needsQuotes) { // the usual case; making a type map costs more than everything else about a row
		return "{" + strings.Join(a, ",") + "}", nil
	}
	buf, err := pgtype.NewMap().Encode(pgtype.TextArrayOID, pgtype.TextFormatCode, []string(a), nil)
	if err != nil {
		return nil, fmt.Errorf("encode text array: %w", err)
	}
	return string(buf), nil
}

// needsQuotes reports whether an element cannot stand in an array as it is; identifiers, scopes and event types can.
func needsQuotes(element string) bool {
	return element == "" || strings.EqualFold(element, "null") || strings.ContainsFunc(element, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("-_.:*", r)
	})
}

// Scan reads the array's text form.
func (a *textArray) Scan(src any) error {
	if src == emptyArray {
		*a = textArray{}
		return nil
	}
	var out []string
	if err := pgtype.NewMap().SQLScanner(&out).Scan(src); err != nil {
		return fmt.Errorf("scan text array: %w", err)
	}
	*a = out
	return nil
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

// fromIDArray reads a column of type uuid[], whose elements are always identifiers.
func fromIDArray[I ~[16]byte](values textArray) []I {
	out := make([]I, 0, len(values))
	for _, v := range values {
		if id, err := ident.Parse[I](v); err == nil {
			out = append(out, id)
		}
	}
	return out
}

// jsonParam passes rows to a statement as one JSON parameter.
func jsonParam(rows any) (string, error) {
	raw, err := json.Marshal(rows)
	if err != nil {
		return "", fmt.Errorf("encode rows: %w", err)
	}
	return string(raw), nil
}

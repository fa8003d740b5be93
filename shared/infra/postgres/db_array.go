package postgres

import (
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgtype"

	"fencepost.internal/shared/kernel/ident"
)

// textArray is a text[] or uuid[] parameter or column. database/sql does not support arrays, and GORM would expand a
// slice into several parameters.
type textArray []string

// emptyArray is the text form of an array without elements.
const emptyArray = "{}"

// Value returns the array in PostgreSQL's text form.
func (a textArray) Value() (driver.Value, error) {
	// The common case. Creating a type map costs more than the rest of the row.
	if !slices.ContainsFunc(a, needsQuotes) {
		return "{" + strings.Join(a, ",") + "}", nil
	}
	buf, err := pgtype.NewMap().Encode(pgtype.TextArrayOID, pgtype.TextFormatCode, []string(a), nil)
	if err != nil {
		return nil, fmt.Errorf("encode text array: %w", err)
	}
	return string(buf), nil
}

// needsQuotes reports whether an element needs quoting in an array literal. Identifiers, scopes and event types do not.
func needsQuotes(element string) bool {
	return element == "" || strings.EqualFold(element, "null") || strings.ContainsFunc(element, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("-_.:*", r)
	})
}

// Scan reads an array in PostgreSQL's text form.
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

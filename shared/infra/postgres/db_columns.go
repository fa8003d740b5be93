package postgres

import "strings"

// prefixed turns "a, b" into "t.a AS p_a, t.b AS p_b", so that one row can hold the columns of several tables.
func prefixed(table, prefix, columns string) string {
	names := strings.Split(columns, ",")
	for i, name := range names {
		name = strings.TrimSpace(name)
		names[i] = table + "." + name + " AS " + prefix + name
	}
	return strings.Join(names, ", ")
}

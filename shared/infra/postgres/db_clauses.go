package postgres

import (
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// dbNow is the database's clock, for columns that several processes compare.
var dbNow = gorm.Expr("now()") //nolint:gochecknoglobals // a constant expression

// locking is a row lock at the end of a query, for example FOR UPDATE SKIP LOCKED. The empty lock locks nothing.
type locking string

// Name implements clause.Interface.
func (l locking) Name() string { return "FOR" }

// Build implements clause.Interface.
func (l locking) Build(b clause.Builder) { _, _ = b.WriteString(string(l)) }

// MergeClause implements clause.Interface. The text of the lock includes the name of the clause.
func (l locking) MergeClause(c *clause.Clause) { c.Name, c.Expression = "", l }

// onConflict is the ON CONFLICT clause of an INSERT as text, for targets and conditions that clause.OnConflict cannot
// express: expressions, predicates of partial indexes and comparisons with the existing row.
type onConflict string

// Name implements clause.Interface.
func (o onConflict) Name() string { return "ON CONFLICT" }

// Build implements clause.Interface.
func (o onConflict) Build(b clause.Builder) { _, _ = b.WriteString(string(o)) }

// MergeClause implements clause.Interface. The text includes the name of the clause.
func (o onConflict) MergeClause(c *clause.Clause) { c.Name, c.Expression = "", o }

// dbAgo returns the time before now on the database's clock.
func dbAgo(age time.Duration) clause.Expr {
	return gorm.Expr("now() - CAST(? AS float8) * interval '1 second'", age.Seconds())
}

// dbIn returns the time after now on the database's clock.
func dbIn(wait time.Duration) clause.Expr {
	return gorm.Expr("now() + CAST(? AS float8) * interval '1 second'", wait.Seconds())
}

// returning makes an UPDATE or DELETE return columns, given as text, into its model.
func returning(columns string) clause.Returning {
	return clause.Returning{Columns: []clause.Column{{Name: columns, Raw: true}}}
}

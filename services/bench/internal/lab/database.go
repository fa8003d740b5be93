package lab

import (
	"context"
	"strconv"

	"github.com/jackc/pgx/v5"
)

// databases returns the addresses of the databases of the service, Temporal and visibility.
func (r *Run) databases() []string {
	return []string{r.DatabaseURL, r.database("temporal"), r.database("temporal_visibility")}
}

// Settle lets PostgreSQL clean up after earlier measurements. Otherwise, the next one competes with autovacuum and the
// checkpointer, and is slower the more rows the previous one wrote.
func (r *Run) Settle() {
	for _, address := range r.databases() {
		r.execute(address, `VACUUM (ANALYZE)`, `CHECKPOINT`)
	}
}

// execute runs statements outside of transactions, and returns the result of the last one as text.
func (r *Run) execute(address string, statements ...string) (result string) {
	conn, err := pgx.Connect(r.ctx, address)
	r.Check(err)
	defer func() { _ = conn.Close(context.WithoutCancel(r.ctx)) }()
	for _, statement := range statements {
		results, err := conn.PgConn().Exec(r.ctx, statement).ReadAll()
		if err != nil {
			r.Failf("%s: %w", statement, err)
		}
		for _, row := range results[0].Rows {
			result = string(row[0])
		}
	}
	return result
}

// DropVisibilityIndexes drops the indexes that the service does not need, as a deployment does.
func (r *Run) DropVisibilityIndexes() {
	r.migrate("TEMPORAL_VISIBILITY_DATABASE_URL=" + r.databases()[2])
}

// DiskUse prepares the databases of the service, Temporal and visibility and returns the bytes of their tables, with
// indexes and large values.
func (r *Run) DiskUse(prepare string) []float64 {
	const query = `SELECT sum(pg_total_relation_size(oid)) FROM pg_class
		WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`
	var sizes []float64
	for _, address := range r.databases() {
		size, err := strconv.ParseFloat(r.execute(address, prepare, query), 64)
		r.Check(err)
		sizes = append(sizes, size)
	}
	return sizes
}

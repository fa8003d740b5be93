package delivering_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"fencepost.internal/activities/delivering"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/infra/retry"
	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/kernel/proctest"
)

// logs is the log of a lane.
type logs struct{ proctest.Log }

// steps returns how often the lane reported that a step failed.
func (l *logs) steps(step string) int { return strings.Count(l.String(), "step="+step+" ") }

// logged directs the log of the bundle's deliverer to the returned one.
func (b *bundle) logged() *logs {
	l := &logs{}
	b.Logger = slog.New(slog.NewTextHandler(l, nil))
	return l
}

// refuses makes changes of a table fail, for example those of "UPDATE ON outbox FOR EACH ROW WHEN (NEW.tries > 0)".
func (b *bundle) refuses(t *testing.T, change string) {
	t.Helper()
	b.interferes(t, change, `RAISE EXCEPTION 'refused';`)
}

// interferes runs a statement of PL/pgSQL before changes of a table.
func (b *bundle) interferes(t *testing.T, change, statement string) {
	t.Helper()
	postgrestest.Exec(t, b.dsn, `CREATE FUNCTION interfere() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN `+statement+
		` END $$`)
	postgrestest.Exec(t, b.dsn, `CREATE TRIGGER interfere BEFORE `+change+` EXECUTE FUNCTION interfere()`)
}

// idle returns a lane without a database.
func idle(t *testing.T, log *logs, after time.Duration, inFlight int) *delivering.Express {
	t.Helper()
	lane, err := delivering.NewExpress(&delivering.Deliverer{Config: delivering.Config{
		Clock: clock.System(), Logger: slog.New(slog.NewTextHandler(log, nil)),
	}}, after, inFlight, claims())
	require.NoError(t, err)
	return lane
}

// claims returns metrics of the loops of a process.
func claims() *retry.Metrics { return retry.NewMetrics(prometheus.NewRegistry()) }

func TestLaneRequiresDelivererAndPlace(t *testing.T) {
	t.Parallel()
	d := &delivering.Deliverer{Config: delivering.Config{Clock: clock.System(), Logger: slog.New(slog.DiscardHandler)}}
	for name, create := range map[string]func() (*delivering.Express, error){
		"no deliverer":    func() (*delivering.Express, error) { return delivering.NewExpress(nil, 0, 1, claims()) },
		"a negative wait": func() (*delivering.Express, error) { return delivering.NewExpress(d, -1, 1, claims()) },
		"no place":        func() (*delivering.Express, error) { return delivering.NewExpress(d, 0, 0, claims()) },
	} {
		_, err := create()
		require.Error(t, err, name)
	}
	_, err := delivering.NewExpress(d, 0, 1, claims())
	require.NoError(t, err)
	var none *delivering.Express
	none.Wake() // a worker without a lane has none to wake
}

// TestBatchIsBounded checks that attempts which ended meanwhile are recorded together, up to the limit.
func TestBatchIsBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		lane := idle(t, &logs{}, 0, 1000)
		require.Equal(t, 3, lane.Gather(3))
		require.Equal(t, 200, lane.Gather(250))
	})
}

// TestLaneIgnoresErrorsOfShutdown checks that calls which its end interrupts are not reported.
func TestLaneIgnoresErrorsOfShutdown(t *testing.T) {
	t.Parallel()
	log := &logs{}
	lane := idle(t, log, 0, 1)
	lane.Report(t.Context(), "claim", nil)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	lane.Report(ctx, "claim", ctx.Err())
	require.Zero(t, log.steps("claim"))
	lane.Report(t.Context(), "claim", errors.New("down"))
	require.Equal(t, 1, log.steps("claim"))
}

// TestLaneReportsMissingTables covers a database that responds, but not as the lane expects.
func TestLaneReportsMissingTables(t *testing.T) {
	t.Parallel()
	b, _ := express(t, 0)
	log := b.logged()
	lane, err := delivering.NewExpress(b.Deliverer, 0, 16, claims())
	require.NoError(t, err)
	postgrestest.Exec(t, b.dsn, `ALTER TABLE outbox RENAME TO gone`)
	b.runs(t, lane, func() bool { return log.steps("claim") > 0 && log.steps("reserve") > 0 })
}

// TestReservedDeliveriesWakeLane runs a lane whose pause between two claims is a second.
func TestReservedDeliveriesWakeLane(t *testing.T) {
	t.Parallel()
	b, lane := express(t, time.Hour)
	b.happens(t, ident.Webhook{})
	_, err := b.reserving.Admit(t.Context())
	require.NoError(t, err)
	require.NoError(t, lane.Reserve(t.Context()))
	require.Equal(t, "0", b.count(t, `SELECT count(*) FROM outbox WHERE lane = 2`), "Temporal can still take it in time")
	postgrestest.Exec(t, b.dsn, `UPDATE outbox SET created_at = now() - interval '1 hour'`)
	require.NoError(t, lane.Reserve(t.Context()))
	require.Equal(t, "1", b.count(t, `SELECT count(*) FROM outbox WHERE lane = 2`))
}

// TestFailedTakePlaceLeavesDeliveryToTemporal makes the statement fail that takes a place. The lane leaves the delivery to
// Temporal, whose activity fails too and is retried.
func TestFailedTakePlaceLeavesDeliveryToTemporal(t *testing.T) {
	t.Parallel()
	b, lane := express(t, 0)
	log := b.logged()
	b.reserved(t, 1)
	postgrestest.Exec(t, b.dsn, `UPDATE webhook_place SET held_by = NULL, held_until = '-infinity'`)
	b.refuses(t, `UPDATE ON webhook_place FOR EACH ROW`)
	b.runs(t, lane, func() bool { return b.count(t, `SELECT count(*) FROM outbox WHERE lane = 0 AND tries = 3`) == "1" })
	require.Equal(t, 3, log.steps("attempt"), "the lane tries as often as it may")
	b.requireCounts(t, 3, map[string]float64{"handed_over": 3})
	started := b.take(t)
	require.Len(t, started, 1)
	_, err := b.Attempt(t.Context(), started[0])
	require.Error(t, err)
	require.Empty(t, b.requests)
}

// TestUnreleasedLeaseExpires makes the statements fail that end a lease. Temporal gets the delivery when it ends by
// itself.
func TestUnreleasedLeaseExpires(t *testing.T) {
	t.Parallel()
	t.Run("handed over", func(t *testing.T) {
		t.Parallel()
		b, lane := express(t, 0)
		log := b.logged()
		b.reserved(t, 1)
		postgrestest.Exec(t, b.dsn, `UPDATE webhook SET secret = 'x'`)
		b.refuses(t, `UPDATE ON outbox FOR EACH ROW WHEN (NEW.tries > OLD.tries)`)
		b.runs(t, lane, func() bool { return log.steps(`"hand over"`) == 1 })
		require.Equal(t, "1", b.count(t, leased))
		b.requireCounts(t, 1, map[string]float64{"handed_over": 1})
	})
	t.Run("settled", func(t *testing.T) {
		t.Parallel()
		b, lane := express(t, 0)
		log := b.logged()
		b.reserved(t, 1)
		postgrestest.Exec(t, b.dsn, `UPDATE webhook SET is_active = false`)
		b.refuses(t, `DELETE ON outbox FOR EACH ROW`)
		b.runs(t, lane, func() bool { return log.steps("settle") == 1 })
		require.Equal(t, "1", b.count(t, leased))
		b.requireCounts(t, 1, map[string]float64{"settled": 1})
	})
}

const leased = `SELECT count(*) FROM outbox WHERE lane = 3 AND not_before > now()`

// TestFailedRecordDoesNotAffectRestOfBatch refuses the record of one attempt. Those of its batch are recorded by themselves, and
// Temporal repeats the one when its lease ends.
func TestFailedRecordDoesNotAffectRestOfBatch(t *testing.T) {
	t.Parallel()
	b, lane := express(t, 0)
	log := b.logged()
	b.reserved(t, 3)
	id := b.count(t, `SELECT min(id::text) FROM delivery`)
	b.refuses(t, `INSERT ON delivery_attempt FOR EACH ROW WHEN (NEW.delivery_id = '`+id+`')`)
	b.runs(t, lane, func() bool { return log.steps("record") == 2 && b.count(t, succeeded) == "2" })
	require.Equal(t, "1", b.count(t, leased))
	b.requireCounts(t, 3, map[string]float64{"settled": 2})
}

// TestLaneContinuesTraceOfEvent checks that a delivery with a trace has a span in it, and that others have none.
func TestLaneContinuesTraceOfEvent(t *testing.T) { //nolint:paralleltest // the provider is global
	spans := tracetest.NewInMemoryExporter()
	otel.SetTracerProvider(sdktrace.NewTracerProvider(sdktrace.WithSyncer(spans)))
	t.Cleanup(func() { otel.SetTracerProvider(trace.NewNoopTracerProvider()) }) //nolint:staticcheck // the provider of programs without traces
	b, lane := express(t, 0)
	b.reserved(t, 2)
	const id = "4bf92f3577b34da6a3ce929d0e0e4736"
	postgrestest.Exec(t, b.dsn, `UPDATE event SET trace = '00-`+id+`-00f067aa0ba902b7-01'
		WHERE id = (SELECT min(id::text)::uuid FROM event)`)
	b.runs(t, lane, func() bool { return b.count(t, succeeded) == "2" })
	names := make(map[string]string)
	for _, span := range spans.GetSpans() {
		names[span.Name] = span.SpanContext.TraceID().String()
	}
	require.Equal(t, map[string]string{"express delivery": id, "POST 127.0.0.1": id}, names)
}

// TestOutcomeCountersStartAtZero checks that the outcomes are exported before the first one occurs, so that a rate of them
// begins at zero.
func TestOutcomeCountersStartAtZero(t *testing.T) {
	t.Parallel()
	registry := prometheus.NewRegistry()
	delivering.NewMetrics(registry)
	for name, outcomes := range map[string]int{"webhook_attempts_total": 14, "webhook_express_total": 2, "webhook_outage": 1} {
		n, err := testutil.GatherAndCount(registry, name)
		require.NoError(t, err)
		require.Equal(t, outcomes, n, name)
	}
}

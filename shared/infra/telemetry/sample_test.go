package telemetry_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/infra/telemetry"
)

// TestRequestsAreSampledAboveRate logs requests within one second, and again in the next one.
func TestRequestsAreSampledAboveRate(t *testing.T) {
	t.Parallel()

	output := &bytes.Buffer{}
	logger, err := telemetry.NewLogger(telemetry.LogConfig{
		Output: output, Level: slog.LevelInfo, Format: "json", Service: "api", RequestsPerSecond: 10,
	})
	require.NoError(t, err)

	begin := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	request := func(at time.Time, status int) {
		record := slog.NewRecord(at, slog.LevelInfo, "request handled", 0)
		record.AddAttrs(slog.Int("status", status))
		require.NoError(t, logger.With("component", "test").Handler().Handle(t.Context(), record))
	}
	lines := func() (written []map[string]any) {
		for line := range strings.Lines(output.String()) {
			record := make(map[string]any)
			require.NoError(t, json.Unmarshal([]byte(line), &record))
			written = append(written, record)
		}
		output.Reset()

		return written
	}

	for i := range 250 {
		request(begin.Add(time.Duration(i)*time.Millisecond), http.StatusOK)
	}
	written := lines()
	require.Len(t, written, 12, "the first ten, and one of each hundred")
	require.NotContains(t, written[9], "skipped")
	require.InDelta(t, 89, written[10]["skipped"], 0)
	require.InDelta(t, 99, written[11]["skipped"], 0)

	request(begin.Add(300*time.Millisecond), http.StatusServiceUnavailable)
	logger.InfoContext(t.Context(), "started")
	require.Len(t, lines(), 2, "failures and other records are always written")

	request(begin.Add(time.Second), http.StatusOK)
	written = lines()
	require.Len(t, written, 1, "the next second begins anew")
	require.InDelta(t, 50, written[0]["skipped"], 0)
}

func TestRequestsAreNotSampledWithoutRate(t *testing.T) {
	t.Parallel()

	b := setup(t, "json")
	for range 1000 {
		b.logger.InfoContext(t.Context(), "request handled", "status", http.StatusOK)
	}
	require.Equal(t, 1000, strings.Count(b.output.String(), "\n"))
}

package telemetry_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/infra/telemetry"
)

type bundle struct {
	logger *slog.Logger
	output *bytes.Buffer
}

func setup(t *testing.T, format string) *bundle {
	t.Helper()

	output := &bytes.Buffer{}
	logger, err := telemetry.NewLogger(telemetry.LogConfig{
		Output: output, Level: slog.LevelInfo, Format: format, Service: "api", Version: "1.2.3",
	})
	require.NoError(t, err)

	return &bundle{logger: logger, output: output}
}

// record returns the single line that was logged.
func (b *bundle) record(t *testing.T) map[string]any {
	t.Helper()

	require.Equal(t, 1, strings.Count(b.output.String(), "\n"), b.output.String())

	record := map[string]any{}
	require.NoError(t, json.Unmarshal(b.output.Bytes(), &record))

	return record
}

func TestNewLoggerRefuses(t *testing.T) {
	t.Parallel()

	good := telemetry.LogConfig{Output: &bytes.Buffer{}, Level: slog.LevelInfo, Format: "json", Service: "api"}
	for name, breakIt := range map[string]func(*telemetry.LogConfig){
		"Output":  func(c *telemetry.LogConfig) { c.Output = nil },
		"Level":   func(c *telemetry.LogConfig) { c.Level = nil },
		"Service": func(c *telemetry.LogConfig) { c.Service = "" },
		"format":  func(c *telemetry.LogConfig) { c.Format = "xml" },
	} {
		config := good
		breakIt(&config)
		_, err := telemetry.NewLogger(config)
		require.ErrorContains(t, err, name)
	}
}

func TestRecord(t *testing.T) {
	t.Parallel()

	b := setup(t, "json")
	b.logger.DebugContext(t.Context(), "too quiet")
	b.logger.InfoContext(t.Context(), "published", "count", 3, "took", time.Second, "ok", true, "addr",
		netip.MustParseAddr("192.0.2.1"))

	record := b.record(t)
	text, ok := record["time"].(string)
	require.True(t, ok)
	require.True(t, strings.HasSuffix(text, "Z"), "UTC")
	at, err := time.Parse(time.RFC3339Nano, text)
	require.NoError(t, err)
	require.WithinDuration(t, time.Now(), at, time.Minute)
	delete(record, "time")

	require.Equal(t, map[string]any{
		"level": "INFO", "msg": "published", "service": "api", "version": "1.2.3",
		"count": 3.0, "took": 1e9, "ok": true, "addr": "192.0.2.1",
	}, record)
}

func TestTextFormat(t *testing.T) {
	t.Parallel()

	b := setup(t, "text")
	b.logger.InfoContext(t.Context(), "called", "token", "hunter2", "error", errors.New("Bearer abcdefgh12"))
	require.Contains(t, b.output.String(),
		`level=INFO msg=called service=api version=1.2.3 token=[redacted] error="Bearer [redacted]"`)
}

type valuer struct{}

func (valuer) LogValue() slog.Value {
	return slog.GroupValue(slog.String("token", "canary-1"), slog.String("url", "https://x.test/?code=canary-2"))
}

type stringer struct{}

func (stringer) String() string { return "svc_live_canary3" }

type nested struct {
	Name   string            `json:"name"`
	Token  string            `json:"accessToken"`
	Header http.Header       `json:"header"`
	More   map[string]any    `json:"more"`
	List   []any             `json:"list"`
	Plain  map[string]string `json:"plain"`
}

// TestSecretsNeverReachLog logs canaries in every way that package slog offers, in both formats.
func TestSecretsNeverReachLog(t *testing.T) {
	t.Parallel()

	link, err := url.Parse("https://x.test/?access_token=canary-4&page=2")
	require.NoError(t, err)

	deep := nested{
		Name: "kept", Token: "canary-5",
		Header: http.Header{"Authorization": {"canary-6"}, "X-Other": {"Bearer canary-7"}},
		More:   map[string]any{"secret": map[string]any{"x": "canary-8"}, "y": "whsec_canary9"},
		List:   []any{"svc_ort_canary10", 7, nil, map[string]string{"password": "canary-11"}},
		Plain:  map[string]string{"plain": "kept"},
	}

	for _, format := range []string{"json", "text"} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()

			b := setup(t, format)
			ctx := telemetry.With(t.Context(), slog.String("token", "canary-12"), slog.String("note", "svc_oat_canary13"))

			b.logger.InfoContext(ctx, "message with Bearer canary-14-long")
			b.logger.InfoContext(ctx, "attributes", "authorization", "canary-15", "cookie", "canary-16", "n", slog.IntValue(1))
			b.logger.InfoContext(ctx, "types", "valuer", valuer{}, "stringer", stringer{}, "url", link, "deep", deep, "pointer",
				&deep,
				"bytes", []byte("whsec_canary17"), "list", []string{"svc_live_canary18"}, "raw",
				json.RawMessage(`{"token":"canary-19"}`))
			b.logger.InfoContext(ctx, "errors", "error",
				fmt.Errorf("call: %w", &url.Error{
					Op: "Get", URL: "https://t.test/bot1234567:" + strings.Repeat("canary-20", 4), Err: errors.New("EOF"),
				}),
				"joined", errors.Join(errors.New("refresh_token=canary-21"), errors.New("fine")))
			b.logger.InfoContext(ctx, "groups", slog.Group("request", slog.Group("headers", "set_cookie", "canary-22"), "q",
				"a?code=canary-23"),
				slog.Group("secret", "inside", "canary-24"))
			b.logger.With("api_key", "canary-25").WithGroup("g").With("password", "canary-26", "x",
				"svc_live_canary27").InfoContext(ctx, "bound", "y", "svc_live_canary28")
			b.logger.WithGroup("token").InfoContext(ctx, "under a secret name", "z", "canary-29", slog.Group("h", "i", 4711))
			b.logger.InfoContext(ctx, "numbers", "token", 4711)

			output := b.output.String()
			require.NotContains(t, output, "canary")
			require.NotContains(t, output, "4711")
			require.Contains(t, output, "kept")
			require.Contains(t, output, "page=2")
			require.Contains(t, output, "call: Get")
			require.Contains(t, output, "fine")
			require.Equal(t, 8, strings.Count(output, "\n"), output)
		})
	}
}

func TestTenantTextStaysInItsLine(t *testing.T) {
	t.Parallel()

	for _, format := range []string{"json", "text"} {
		b := setup(t, format)
		b.logger.InfoContext(t.Context(), "content", "content", "x\n{\"level\":\"error\"}\r\n\x1b[31mred\u2028", "list",
			[]string{"a\nb"})
		require.Equal(t, 1, strings.Count(b.output.String(), "\n"), b.output.String())
		require.NotContains(t, b.output.String(), "\x1b")
		require.NotContains(t, b.output.String(), "\r")
	}
}

func TestAttributesWithReservedNames(t *testing.T) {
	t.Parallel()

	for _, key := range []string{slog.TimeKey, slog.LevelKey, slog.MessageKey, slog.SourceKey} {
		b := setup(t, "json")
		b.logger.InfoContext(t.Context(), "odd", slog.String(key, "svc_live_canary1"))
		require.NotContains(t, b.output.String(), "canary", key)
	}
}

type panicking struct{ value *string }

func (p panicking) Error() string { return *p.value }

func TestUnencodableValues(t *testing.T) {
	t.Parallel()

	b := setup(t, "json")
	b.logger.InfoContext(t.Context(), "odd", "panic", panicking{}, "channel", make(chan int), "nil", nil,
		"nothing", error(nil))

	record := b.record(t)
	require.Equal(t, "!PANIC in a value of type telemetry_test.panicking", record["panic"])
	require.Contains(t, record["channel"], "0x")
	require.Nil(t, record["nil"])
}

func TestContextAttributes(t *testing.T) {
	t.Parallel()

	ctx := telemetry.With(t.Context(), slog.String("request_id", "r1"), slog.String("post_id", "p1"))
	inner := telemetry.With(ctx, slog.String("post_id", "p2"), slog.String("workflow_id", "w1"))

	log := func(t *testing.T, use func(*slog.Logger)) map[string]any {
		t.Helper()

		b := setup(t, "json")
		use(b.logger)
		record := b.record(t)
		for _, key := range []string{"time", "level", "msg", "service", "version"} {
			require.Contains(t, record, key)
			delete(record, key)
		}

		return record
	}

	tests := map[string]struct {
		use  func(*slog.Logger)
		want map[string]any
	}{
		"none": {func(l *slog.Logger) { l.InfoContext(t.Context(), "m") }, map[string]any{}},
		"on every record": {
			func(l *slog.Logger) { l.InfoContext(ctx, "m") }, map[string]any{"request_id": "r1", "post_id": "p1"},
		},
		"nested, replaced": {
			func(l *slog.Logger) { l.InfoContext(inner, "m") },
			map[string]any{"request_id": "r1", "post_id": "p2", "workflow_id": "w1"},
		},
		"record wins": {
			func(l *slog.Logger) { l.InfoContext(ctx, "m", "post_id", "mine") },
			map[string]any{"request_id": "r1", "post_id": "mine"},
		},
		"at the root in spite of groups": {
			func(l *slog.Logger) {
				l.With("a", 1).WithGroup("g").With("b", 2).WithGroup("").WithGroup("h").InfoContext(ctx, "m", "c", 3)
			},
			map[string]any{
				"request_id": "r1", "post_id": "p1", "a": 1.0,
				"g": map[string]any{"b": 2.0, "h": map[string]any{"c": 3.0}},
			},
		},
	}

	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			require.Equal(t, test.want, log(t, test.use))
		})
	}

	require.Len(t, telemetry.Attrs(ctx), 2, "With changes no context")
	require.Empty(t, telemetry.Attrs(t.Context()))
}

func TestLoggersOfSameGroupDoNotShareState(t *testing.T) {
	t.Parallel()

	b := setup(t, "json")
	group := b.logger.WithGroup("g").With("x", 1).With("y", 2)
	first, second := group.With("first", 1), group.With("second", 2)
	first.InfoContext(telemetry.With(t.Context(), slog.String("request_id", "r1")), "m")
	require.NotContains(t, b.output.String(), "second")
	b.output.Reset()
	second.InfoContext(telemetry.With(t.Context(), slog.String("request_id", "r1")), "m")
	require.NotContains(t, b.output.String(), "first")
}

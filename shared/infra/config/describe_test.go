package config_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/infra/config"
	"fencepost.internal/shared/platform/connectors"
)

func TestDescribe(t *testing.T) {
	t.Parallel()

	byName := map[string]config.Variable{}
	for _, variable := range config.Describe[config.Worker[connectors.Environment]]() {
		byName[variable.Name] = variable
	}

	require.Equal(t, config.Variable{
		Name:        "OPS_ADDR",
		Default:     ":8184",
		Description: "Address on which /livez, /readyz and /metrics are served.",
		Example:     ":8180",
	}, byName["OPS_ADDR"])

	for _, name := range []string{"DATABASE_URL", "ENCRYPTION_KEYS"} {
		require.True(t, byName[name].Required, name)
		require.True(t, byName[name].Secret, name)
	}

	require.True(t, byName["X_CLIENT_SECRET"].Secret)
	require.False(t, byName["X_CLIENT_SECRET"].Required)
	require.False(t, byName["X_CLIENT_ID"].Secret)

	names := []string{}
	for _, variable := range config.Describe[config.Sandbox]() {
		names = append(names, variable.Name)
	}
	require.Equal(t, []string{
		"LOG_LEVEL", "LOG_FORMAT", "OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_PROTOCOL", "LOG_REQUESTS_PER_SECOND", "OPS_ADDR", "DRAIN_DELAY", "PPROF", "SANDBOX_ADDR", "SANDBOX_SMTP_ADDR", "SANDBOX_DATA", "SANDBOX_PUBLIC_URL", "SANDBOX_RETRY_SCALE",
	}, names)
}

func TestSettings(t *testing.T) {
	t.Parallel()

	worker, err := config.Load[config.Worker[connectors.Environment]](minimal(map[string]string{
		"EGRESS_ALLOW": "127.0.0.1/32,::1/128",
	}))
	require.NoError(t, err)

	for want, value := range map[string]any{
		"[redacted]":             worker.Database.URL,
		"[k1:[redacted]]":        worker.Encryption.Keys,
		"[127.0.0.1/32 ::1/128]": worker.EgressAllow,
		"INFO":                   worker.LogLevel,
		"15s":                    worker.PublishSendWindow,
		"1":                      worker.RetryScale,
		"[]":                     worker.WorkerNetworks,
	} {
		require.Equal(t, want, fmt.Sprint(value))
	}
	require.False(t, worker.Networks.XApplication.ClientSecret.IsSet(), "not set is no secret")
}

func TestSecretsAreNeverPrinted(t *testing.T) {
	t.Parallel()

	worker, err := config.Load[config.Worker[connectors.Environment]](minimal(map[string]string{
		"X_CLIENT_SECRET": "hunter2",
	}))
	require.NoError(t, err)

	secret := config.NewSecret("hunter2")
	require.True(t, secret.IsSet())
	require.False(t, config.Secret{}.IsSet())
	require.Empty(t, config.Secret{}.Reveal())

	marshalled, err := json.Marshal(map[string]any{
		"worker": worker, "secret": secret, "pointer": &secret, "keys": map[config.Secret]int{secret: 1},
	})
	require.NoError(t, err)

	var log bytes.Buffer
	for _, handler := range []slog.Handler{slog.NewJSONHandler(&log, nil), slog.NewTextHandler(&log, nil)} {
		slog.New(handler).Info("loaded", "worker", worker, "secret", secret, "list", []config.Secret{secret})
	}

	hidden := struct {
		secret config.Secret
		worker config.Worker[connectors.Environment]
	}{secret, worker}

	outputs := []string{string(marshalled), log.String(), secret.String()}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		require.Equal(t, "[redacted]", fmt.Sprintf(verb, secret))
		outputs = append(outputs, fmt.Sprintf(verb, worker), fmt.Sprintf(verb, &worker), fmt.Sprintf(verb, hidden))
	}

	for _, output := range outputs {
		require.NotContains(t, output, "hunter2")
		require.NotContains(t, output, fmt.Sprintf("%x", "hunter2"))
		require.NotContains(t, output, material)
		require.NotContains(t, output, fmt.Sprintf("%x", material))
	}
}

func TestOS(t *testing.T) {
	t.Setenv("LOG_FORMAT", "text")

	sandbox, err := config.Load[config.Sandbox](config.OS())
	require.NoError(t, err)
	require.Equal(t, "text", sandbox.LogFormat)
}

package cli_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/admin/internal/doctor"
	"fencepost.internal/shared/infra/config"
	"fencepost.internal/shared/platform/connectors"
)

// findings runs the doctor, which must report a problem, and returns its findings by code.
func (b *bundle) findings(t *testing.T) map[string]doctor.Finding {
	t.Helper()
	got := b.run(t, "doctor", "--json")
	require.Equal(t, 1, got.code, got.err)
	var result struct {
		Level    doctor.Level
		Findings []doctor.Finding
	}
	require.NoError(t, json.Unmarshal([]byte(got.out), &result), got.out)
	require.Equal(t, doctor.Problem, result.Level)
	found := make(map[string]doctor.Finding)
	for _, f := range result.Findings {
		found[f.Code] = f
	}
	return found
}

// TestDoctorComparesClocks runs the doctor on a machine whose clock is months behind the database's.
func TestDoctorComparesClocks(t *testing.T) {
	t.Parallel()
	b := setup(t)
	got := b.findings(t)["CLOCK"]
	require.Contains(t, got.Text, "The clock of this machine is ")
	require.Contains(t, got.Text, " behind the clock of database.")
	b.clock.Set(time.Now().Add(10 * time.Minute))
	require.Contains(t, b.findings(t)["CLOCK"].Text, "ahead of")
}

// TestDoctorChecksNetworks checks that a refused channel is named, and one that needs to be reconnected is counted.
func TestDoctorChecksNetworks(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.environ["TEMPORAL_ADDRESS"] = "127.0.0.1:9"
	id := b.telegram(t, b.workspace(t))
	found := b.findings(t)
	require.NotContains(t, found, "CHANNEL_REFUSED")
	require.Contains(t, found["CONFIGURATION"].Cause, "S3_", "the variables of a worker are missing")
	b.network.refuse(botToken)
	got := b.findings(t)["CHANNEL_REFUSED"]
	require.Contains(t, got.Text, id)
	require.Contains(t, got.Cause, "Unauthorized")
	require.NotContains(t, got.Cause, botToken)
}

// TestEveryVariableOfDoctorIsDeclared makes every variable of the other programs invalid, so that the doctor reports
// each that it reads. The programs that set up deployments take the declarations from print-config.
func TestEveryVariableOfDoctorIsDeclared(t *testing.T) {
	t.Parallel()
	b := &bundle{environ: make(map[string]string), clock: setup(t).clock}
	declared := make(map[string]bool)
	for _, v := range decode[[]config.Variable](t, b.ok(t, "print-config")) {
		declared[v.Name] = true
	}
	for _, v := range append(config.Describe[config.API[connectors.Environment]](),
		config.Describe[config.Worker[connectors.Environment]]()...) {
		b.environ[v.Name] = "not a value:"
	}
	b.environ["LOG_LEVEL"], b.environ["LOG_FORMAT"] = "", ""
	b.environ["S3_ACCESS_KEY"], b.environ["S3_SECRET_KEY"] = "", ""
	got := decode[struct{ Findings []doctor.Finding }](t, b.run(t, "doctor", "--json").out)
	read := make(map[string]bool)
	for _, f := range got.Findings {
		if f.Code == "CONFIGURATION" {
			name, _, _ := strings.Cut(f.Cause, " ")
			require.True(t, declared[name], "%s is read, and not declared", name)
			read[name] = true
		}
	}
	for _, name := range []string{
		"BASE_URL", "S3_ENDPOINT", "S3_ACCESS_KEY", "S3_SECRET_KEY", "S3_PUBLIC_ENDPOINT", "X_API_URL", "TEMPORAL_ADDRESS",
	} {
		require.True(t, read[name], name)
	}
}

func TestDoctorPrintsCauseAndRemedy(t *testing.T) {
	t.Parallel()
	b := &bundle{environ: environ("postgres://no-user:secret-canary@127.0.0.1:9/none"), clock: setup(t).clock}
	b.environ["TEMPORAL_ADDRESS"] = "127.0.0.1:9"
	got := b.run(t, "doctor")
	require.Equal(t, 1, got.code)
	require.Contains(t, got.out, "PROBLEM  database: The database does not respond.\n         Cause:  ")
	require.Contains(t, got.out, "\n         Remedy: Check host and port in DATABASE_URL")
	require.Contains(t, got.err, "the deployment has problems")
	require.NotContains(t, got.out+got.err, "secret-canary")
}

func TestWorkersRefuse(t *testing.T) {
	t.Parallel()
	b := setup(t)
	failed(t, b.run(t, "workers", "list"), "set TEMPORAL_DEPLOYMENT_NAME")
	failed(t, b.run(t, "workers", "ramp", "--deployment", "posts", "1", "101"), `"101" is not a number from 0 to 100`)
	refused(t, b.run(t, "workers", "current"), "want one BUILD")
	b.environ["TEMPORAL_DEPLOYMENT_NAME"] = "a.b"
	failed(t, b.run(t, "workers", "list"), "TEMPORAL_DEPLOYMENT_NAME")
}

// TestDoctorChecksMailServer checks a mail server that is down, and settings that are not complete.
func TestDoctorChecksMailServer(t *testing.T) {
	t.Parallel()
	b := setup(t)
	require.NotContains(t, b.findings(t), "MAIL", "none is set")
	b.environ["SMTP_HOST"], b.environ["SMTP_PORT"], b.environ["SMTP_TLS"] = "127.0.0.1", "9", "none"
	require.Equal(t, "SMTP_FROM is required with SMTP_HOST", b.findings(t)["MAIL_CONFIGURATION"].Cause)
	b.environ["SMTP_FROM"], b.environ["SMTP_PASSWORD"] = "posts@example.com", "secret-canary"
	got := b.findings(t)["MAIL"]
	require.Contains(t, got.Cause, "cannot be reached")
	require.NotContains(t, got.Cause, "canary")
}

package bootstrap_test

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/internal/bootstrap"
	"fencepost.internal/services/internal/bootstrap/cloudtest"
	"fencepost.internal/shared/infra/config"
	"fencepost.internal/shared/kernel/clock"
)

const namespace = "default"

// reaches asks Temporal for the namespace.
func reaches(t *testing.T, cfg config.Temporal) error {
	t.Helper()
	cfg.Namespace = namespace
	c, err := bootstrap.Temporal(cfg, &bootstrap.Process{
		Name: "test", Logger: slog.New(slog.DiscardHandler), Clock: clock.System(),
	})
	require.NoError(t, err)
	defer c.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	return bootstrap.TemporalCheck(c, namespace).Probe(ctx)
}

func TestTemporalWithTLS(t *testing.T) {
	t.Parallel()
	front := cloudtest.Start(t, cloudtest.Options{})
	trusted := config.Temporal{Address: front.Address, CAFile: front.Authority.File}
	require.NoError(t, reaches(t, trusted))
	trusted.ServerName = "temporal.test"
	require.NoError(t, reaches(t, trusted))
	trusted.ServerName = "another.test"
	require.ErrorContains(t, reaches(t, trusted), "not another.test")
	require.ErrorContains(t, reaches(t, config.Temporal{Address: front.Address, TLS: true}), "unknown authority")
	require.Error(t, reaches(t, config.Temporal{Address: front.Address}), "without TLS")
}

func TestTemporalWithClientCertificates(t *testing.T) {
	t.Parallel()
	front := cloudtest.Start(t, cloudtest.Options{ClientCertificates: true})
	cfg := config.Temporal{Address: front.Address, CAFile: front.Authority.File}
	require.Error(t, reaches(t, cfg))
	cfg.CertFile, cfg.KeyFile = front.Authority.Issue(t, "first")
	require.NoError(t, reaches(t, cfg))
	require.Equal(t, "first", front.Client().Subject.CommonName)

	front.Authority.IssueInto(t, "second", cfg.CertFile, cfg.KeyFile)
	require.NoError(t, reaches(t, cfg))
	require.Equal(t, "second", front.Client().Subject.CommonName, "replaced files")

	cfg.CertFile, cfg.KeyFile = cloudtest.NewAuthority(t).Issue(t, "foreign")
	require.Error(t, reaches(t, cfg))
}

func TestTemporalWithAPIKey(t *testing.T) {
	t.Parallel()
	front := cloudtest.Start(t, cloudtest.Options{APIKey: "the key"})
	cfg := config.Temporal{Address: front.Address, CAFile: front.Authority.File}
	require.ErrorContains(t, reaches(t, cfg), "Jwt is missing")
	cfg.APIKey = config.NewSecret("another key")
	require.ErrorContains(t, reaches(t, cfg), "Jwt is missing")
	cfg.APIKey = config.NewSecret("the key")
	require.NoError(t, reaches(t, cfg))
	cfg.CAFile = ""
	require.ErrorContains(t, reaches(t, cfg), "unknown authority", "a key is sent only over TLS")
}

// TestInvalidTLSFiles checks that a program does not start, and that the message names the variable.
func TestInvalidTLSFiles(t *testing.T) {
	t.Parallel()
	certificate, key := cloudtest.NewAuthority(t).Issue(t, "test")
	_, otherKey := cloudtest.NewAuthority(t).Issue(t, "test")
	absent, text := filepath.Join(t.TempDir(), "absent"), filepath.Join(t.TempDir(), "text")
	require.NoError(t, os.WriteFile(text, []byte("no certificate"), 0o600))
	for name, test := range map[string]struct {
		cfg  config.Temporal
		want string
	}{
		"no authorities":      {config.Temporal{CAFile: absent}, "TEMPORAL_TLS_CA_FILE: open"},
		"not an authority":    {config.Temporal{CAFile: text}, "contains no certificate in PEM form"},
		"no certificate":      {config.Temporal{KeyFile: key}, "TEMPORAL_TLS_CERT_FILE is required"},
		"no key":              {config.Temporal{CertFile: certificate}, "TEMPORAL_TLS_KEY_FILE is required"},
		"another key":         {config.Temporal{CertFile: certificate, KeyFile: otherKey}, "does not match"},
		"an absent file":      {config.Temporal{CertFile: absent, KeyFile: key}, "TEMPORAL_TLS_CERT_FILE and"},
		"a certificate's key": {config.Temporal{CertFile: certificate, KeyFile: certificate}, "TEMPORAL_TLS_CERT_FILE and"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test.cfg.Address = "127.0.0.1:1"
			_, err := bootstrap.Temporal(test.cfg, &bootstrap.Process{Logger: slog.New(slog.DiscardHandler)})
			require.ErrorContains(t, err, test.want)
		})
	}
}

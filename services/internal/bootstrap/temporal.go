package bootstrap

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"

	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	sdklog "go.temporal.io/sdk/log"

	"fencepost.internal/shared/infra/config"
	"fencepost.internal/shared/infra/telemetry"
)

// Temporal returns a client that connects on first use, so that every process starts while Temporal is down. It
// connects without encryption, with TLS, with a client certificate, or with an API key (Temporal Cloud).
func Temporal(cfg config.Temporal, p *Process) (client.Client, error) {
	encryption, err := temporalTLS(cfg)
	if err != nil {
		return nil, err
	}
	options := client.Options{
		HostPort: cfg.Address, Namespace: cfg.Namespace, Logger: sdklog.NewStructuredLogger(p.Logger), Identity: p.Name,
		// The payloads are a few ids; compressing them costs more than sending them uncompressed.
		ConnectionOptions: client.ConnectionOptions{TLS: encryption, GrpcCompression: &client.GrpcCompressionNone{}},
	}
	if options.Interceptors, err = p.tracing(); err != nil {
		return nil, err
	}
	if cfg.APIKey.IsSet() {
		options.Credentials = client.NewAPIKeyStaticCredentials(cfg.APIKey.Reveal())
	}
	if p.Libraries != nil {
		if p.temporal, err = temporalMetrics(p.Libraries, p.Logger); err != nil {
			return nil, err
		}
		options.MetricsHandler = p.temporal
	}
	c, err := client.NewLazyClient(options)
	if err != nil {
		return nil, fmt.Errorf("Temporal client: %w", err)
	}
	return c, nil
}

// temporalTLS returns the settings of TLS, nil if the connection is not encrypted. The files are read at once, so that a
// program with a wrong one does not start.
func temporalTLS(cfg config.Temporal) (*tls.Config, error) {
	if !cfg.Encrypted() {
		return nil, nil //nolint:nilnil // nil is the client's setting for a connection without TLS
	}
	settings := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: cfg.ServerName}
	if cfg.CAFile != "" {
		pem, err := os.ReadFile(cfg.CAFile)
		if err != nil {
			return nil, fmt.Errorf("TEMPORAL_TLS_CA_FILE: %w", err)
		}
		settings.RootCAs = x509.NewCertPool()
		if !settings.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("TEMPORAL_TLS_CA_FILE: %s contains no certificate in PEM form", cfg.CAFile)
		}
	}
	switch {
	case cfg.CertFile == "" && cfg.KeyFile == "":
		return settings, nil
	case cfg.CertFile == "":
		return nil, errors.New("TEMPORAL_TLS_CERT_FILE is required with TEMPORAL_TLS_KEY_FILE")
	case cfg.KeyFile == "":
		return nil, errors.New("TEMPORAL_TLS_KEY_FILE is required with TEMPORAL_TLS_CERT_FILE")
	}
	// Certificates are short-lived. A connection that begins later uses the files of that time.
	settings.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
		pair, err := tls.LoadX509KeyPair(cfg.CertFile, cfg.KeyFile)
		return &pair, err
	}
	if _, err := settings.GetClientCertificate(nil); err != nil {
		return nil, fmt.Errorf("TEMPORAL_TLS_CERT_FILE and TEMPORAL_TLS_KEY_FILE: %w", err)
	}
	return settings, nil
}

// TemporalCheck returns a check that requests the namespace from Temporal.
func TemporalCheck(c client.Client, namespace string) telemetry.Check {
	return telemetry.Check{Name: "temporal", Probe: func(ctx context.Context) error {
		_, err := c.WorkflowService().DescribeNamespace(ctx, &workflowservice.DescribeNamespaceRequest{Namespace: namespace})
		return err
	}}
}

package temporalserver

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"time"

	uiserver "github.com/temporalio/ui-server/v2/server"
	uiconfig "github.com/temporalio/ui-server/v2/server/config"
	uioptions "github.com/temporalio/ui-server/v2/server/server_options"
	"go.temporal.io/server/common/authorization"
	"go.temporal.io/server/common/log"
	"go.temporal.io/server/temporal"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"fencepost.internal/devstack/internal/ports"
)

// Run prepares the schema, starts Temporal, its default namespace and the UI, and serves until ctx ends. It returns nil
// after a clean stop.
func Run(ctx context.Context, cfg Config) error {
	if err := cfg.Validate(); err != nil {
		return fmt.Errorf("temporal server: %w", err)
	}
	logger := log.NewZapLogger(log.BuildZapLogger(log.Config{
		Stdout: true, Level: cfg.LogLevel, Format: "json",
	}).WithOptions(LimitRepeats()))
	if err := cfg.ensureSchemas(logger); err != nil {
		return err
	}
	server, err := newServer(ctx, cfg, logger)
	if err != nil {
		return err
	}
	if err := server.Start(); err != nil {
		return fmt.Errorf("start temporal: %w", err)
	}
	stop := func() error { return server.Stop() }
	if err := ensureNamespace(ctx, cfg); err != nil {
		return errors.Join(err, stop())
	}
	ui := uiserver.NewServer(uioptions.WithConfigProvider(cfg.uiConfig()))
	uiEnded := make(chan error, 1)
	go func() { uiEnded <- ui.Start() }()
	select {
	case <-ctx.Done():
		ui.Stop()
		return stop()
	case err := <-uiEnded:
		return errors.Join(fmt.Errorf("the UI ended: %w", err), stop())
	}
}

// LimitRepeats limits how often the same message is logged. Temporal logs each failed attempt of each of its loops with
// a stack: a hundred per second while the database is down.
func LimitRepeats() zap.Option {
	const most = 5 // of one message per minute
	return zap.WrapCore(func(core zapcore.Core) zapcore.Core {
		return zapcore.NewSamplerWithOptions(core, time.Minute, most, 0)
	})
}

func newServer(ctx context.Context, cfg Config, logger log.Logger) (temporal.Server, error) {
	internal, err := pickInternalPorts(ctx)
	if err != nil {
		return nil, err
	}
	serverConfig := cfg.serverConfig(internal)
	authorizer, err := authorization.GetAuthorizerFromConfig(&serverConfig.Global.Authorization)
	if err != nil {
		return nil, fmt.Errorf("temporal authorizer: %w", err)
	}
	server, err := temporal.NewServer(
		temporal.WithConfig(serverConfig),
		temporal.ForServices(cfg.services()),
		temporal.WithStaticHosts(cfg.hosts(internal)),
		temporal.WithLogger(logger),
		temporal.WithAuthorizer(authorizer),
	)
	if err != nil {
		return nil, fmt.Errorf("configure temporal: %w", err)
	}
	return server, nil
}

func (c Config) uiConfig() *uiconfig.Config {
	return &uiconfig.Config{
		Host:                loopback,
		Port:                c.UIPort,
		TemporalGRPCAddress: c.address(),
		EnableUI:            true,
		DefaultNamespace:    c.Namespace,
		DisableNewsFetch:    true,
		HideLogs:            true,
		CORS: uiconfig.CORS{
			// Without a list, every web page that a developer visits could use the UI's API.
			AllowOrigins: []string{"http://" + net.JoinHostPort(loopback, strconv.Itoa(c.UIPort))},
			// Otherwise the CSRF cookie would be marked Secure and not be sent over http.
			CookieInsecure: true,
		},
	}
}

// pickInternalPorts picks three ports, which are used only within this process. They are locked and below the range of
// outgoing connections: on a busy machine, Temporal listens on them only seconds later.
func pickInternalPorts(ctx context.Context) (internalPorts, error) {
	picked, err := ports.Pick(ctx, 3)
	if err != nil {
		return internalPorts{}, fmt.Errorf("internal ports: %w", err)
	}
	return internalPorts{history: picked[0], matching: picked[1], worker: picked[2]}, nil
}

package servers

import (
	"context"
	"errors"
	"fmt"
	"time"

	uiserver "github.com/temporalio/ui-server/v2/server"
	uiconfig "github.com/temporalio/ui-server/v2/server/config"
	uioptions "github.com/temporalio/ui-server/v2/server/server_options"
	"go.temporal.io/server/common/authorization"
	"go.temporal.io/server/common/config"
	"go.temporal.io/server/common/log"
	"go.temporal.io/server/common/membership/static"
	"go.temporal.io/server/common/primitives"
	"go.temporal.io/server/temporal"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

// RunTemporal prepares the schema, starts Temporal, its default namespace and then the UI, and serves until ctx ends.
// The environment has the configuration. RunTemporal returns nil after a clean stop.
func RunTemporal(ctx context.Context, uiPort int) error {
	cfg, err := config.Load(config.WithEmbedded())
	if err != nil {
		return fmt.Errorf("configure temporal: %w", err)
	}
	logger := log.NewZapLogger(log.BuildZapLogger(log.Config{
		Stdout: true, Level: cfg.Log.Level, Format: "json",
	}).WithOptions(LimitRepeats()))
	if err := ensureSchemas(cfg.Persistence, logger); err != nil {
		return err
	}
	server, err := newTemporalServer(cfg, logger)
	if err != nil {
		return fmt.Errorf("configure temporal: %w", err)
	}
	if err := server.Start(); err != nil {
		return fmt.Errorf("start temporal: %w", err)
	}
	frontend := address(cfg.Services[string(primitives.FrontendService)].RPC.GRPCPort)
	if err := ensureNamespace(ctx, frontend); err != nil {
		return errors.Join(err, server.Stop())
	}
	ui := uiserver.NewServer(uioptions.WithConfigProvider(uiConfig(uiPort, frontend)))
	uiEnded := make(chan error, 1)
	go func() { uiEnded <- ui.Start() }()
	select {
	case <-ctx.Done():
		ui.Stop()
		return server.Stop()
	case err := <-uiEnded:
		return errors.Join(fmt.Errorf("the UI ended: %w", err), server.Stop())
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

// newTemporalServer returns a server with the fixed membership of a single node. Without it, the services would gossip,
// and a restart after a kill would first try to reach the dead process that the database still lists.
func newTemporalServer(cfg *config.Config, logger log.Logger) (temporal.Server, error) {
	authorizer, err := authorization.GetAuthorizerFromConfig(&cfg.Global.Authorization)
	if err != nil {
		return nil, err
	}
	hosts := make(map[primitives.ServiceName]static.Hosts)
	for name, service := range cfg.Services {
		hosts[primitives.ServiceName(name)] = static.SingleLocalHost(address(service.RPC.GRPCPort))
	}
	return temporal.NewServer(temporal.WithConfig(cfg), temporal.ForServices(temporal.DefaultServices),
		temporal.WithStaticHosts(hosts), temporal.WithLogger(logger), temporal.WithAuthorizer(authorizer))
}

func uiConfig(port int, frontend string) *uiconfig.Config {
	return &uiconfig.Config{
		Host: loopback, Port: port, TemporalGRPCAddress: frontend, DefaultNamespace: Namespace,
		EnableUI: true, DisableNewsFetch: true, HideLogs: true,
		CORS: uiconfig.CORS{
			// Without a list, every web page that a developer visits could use the UI's API.
			AllowOrigins: []string{"http://" + address(port)},
			// Otherwise the CSRF cookie would be marked Secure and not be sent over http.
			CookieInsecure: true,
		},
	}
}

package trial

import (
	"context"
	"encoding/json"
	"net"

	"github.com/gofiber/fiber/v2"
	"github.com/jackc/pgx/v5/pgxpool"

	"fencepost.internal/services/bench/internal/lab"
)

// BaselineCommand is the argument that runs the baseline. The next one is its configuration.
const BaselineCommand = "baseline"

// Baseline is a program with minimal HTTP handlers, which measures the infrastructure without the service's work.
type Baseline struct {
	DatabaseURL string `json:"databaseUrl"`
	Address     string `json:"address"`
	Workspace   string `json:"workspace"` // whose posts are listed and created

	Receiver  string `json:"receiver"`  // URL to which the names of the endpoints are appended
	Endpoints int    `json:"endpoints"` // of each workspace
	Places    int    `json:"places"`    // concurrent requests to each endpoint
	Delivery  []byte `json:"delivery"`  // body of each delivery
}

// startBaseline starts the program as a separate process and returns its URL.
func startBaseline(r *lab.Run, cfg Baseline) string {
	cfg.DatabaseURL, cfg.Address = r.DatabaseURL, r.Address()
	raw, err := json.Marshal(cfg)
	r.Check(err)
	r.StartSelf(BaselineCommand, cfg.Address, BaselineCommand, string(raw))
	return "http://" + cfg.Address
}

// ServeBaseline runs the program until the context ends.
func ServeBaseline(ctx context.Context, configuration string) error {
	var cfg Baseline
	if err := json.Unmarshal([]byte(configuration), &cfg); err != nil {
		return err
	}
	settings, err := pgxpool.ParseConfig(cfg.DatabaseURL)
	if err != nil {
		return err
	}
	settings.MaxConns = 20 // the API's default
	pool, err := pgxpool.NewWithConfig(ctx, settings)
	if err != nil {
		return err
	}
	defer pool.Close()
	app := fiber.New(fiber.Config{DisableStartupMessage: true, Immutable: true})
	app.Get("/readyz", func(c *fiber.Ctx) error { return c.SendStatus(fiber.StatusOK) })
	posts, hooks := plainPosts{pool, cfg.Workspace}, newPlainHooks(cfg)
	app.Post("/v1/posts", posts.create)
	app.Get("/v1/posts", posts.list)
	app.Post("/hooks/:workspace", func(c *fiber.Ctx) error { return hooks.create(ctx, c) })
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", cfg.Address)
	if err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { _ = app.Shutdown() })
	defer stop()
	return app.Listener(listener)
}

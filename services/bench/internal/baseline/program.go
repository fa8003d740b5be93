// Package baseline measures the infrastructure without the service's work: a program with minimal HTTP handlers, and
// workflows with one empty activity.
package baseline

import (
	"context"
	"encoding/json"
	"net"

	"github.com/gofiber/fiber/v2"
	"github.com/jackc/pgx/v5/pgxpool"

	"fencepost.internal/services/bench/internal/lab"
)

// Command is the argument that runs the program. The next one is the configuration.
const Command = "baseline"

// Config holds the settings of the program.
type Config struct {
	DatabaseURL string `json:"databaseUrl"`
	Address     string `json:"address"`
	Workspace   string `json:"workspace"` // whose posts are listed and created

	Receiver  string `json:"receiver"`  // URL to which the names of the endpoints are appended
	Endpoints int    `json:"endpoints"` // of each workspace
	Places    int    `json:"places"`    // concurrent requests to each endpoint
	Delivery  []byte `json:"delivery"`  // body of each delivery
}

// Start starts the program as a separate process and returns its URL.
func Start(r *lab.Run, cfg Config) string {
	cfg.DatabaseURL, cfg.Address = r.DatabaseURL, r.Address()
	raw, err := json.Marshal(cfg)
	r.Check(err)
	r.StartSelf(Command, cfg.Address, Command, string(raw))
	return "http://" + cfg.Address
}

// Serve runs the program until the context ends.
func Serve(ctx context.Context, configuration string) error {
	var cfg Config
	if err := json.Unmarshal([]byte(configuration), &cfg); err != nil {
		return err
	}
	pool, err := connect(ctx, cfg)
	if err != nil {
		return err
	}
	defer pool.Close()
	app := fiber.New(fiber.Config{DisableStartupMessage: true, Immutable: true})
	app.Get("/readyz", func(c *fiber.Ctx) error { return c.SendStatus(fiber.StatusOK) })
	posts{pool, cfg.Workspace}.register(app)
	newHooks(cfg).register(ctx, app)
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", cfg.Address)
	if err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { _ = app.Shutdown() })
	defer stop()
	return app.Listener(listener)
}

func connect(ctx context.Context, cfg Config) (*pgxpool.Pool, error) {
	pool, err := pgxpool.ParseConfig(cfg.DatabaseURL)
	if err != nil {
		return nil, err
	}
	pool.MaxConns = 20 // the API's default
	return pgxpool.NewWithConfig(ctx, pool)
}

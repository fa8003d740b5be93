// Package bare serves minimal HTTP handlers as a baseline: Fiber, one pgx insert or select on a copy of the table of
// posts, and JSON, without authentication, validation, events or logs.
package bare

import (
	"context"
	"net"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"fencepost.internal/shared/kernel/ident"
)

// Table is the copy of the table of posts, with its indexes and checks but without references to other tables.
const Table = "bench_post"

// CreateTable is the statement that creates Table.
const CreateTable = `CREATE TABLE ` + Table + ` (LIKE post INCLUDING ALL)`

const columns = `id, workspace_id, channel_id, content, title, content_type, media_ids, status, scheduled_at, published_at,
	created_at, updated_at, revision, publishing_since, waiting_reason, waiting_until, post_url, error_code, error_message,
	error_retryable, approval_status, approval_comment, approval_decided_at`

const insert = `INSERT INTO ` + Table + ` (` + columns + `)
	VALUES ($1, $2, $3, $4, '', 'POST', '{}', 'DRAFT', null, null, $5, $5, 1, null, null, null, null, null, null, null, null, null, null)`

const page = `SELECT ` + columns + ` FROM ` + Table + ` WHERE workspace_id = $1 ORDER BY id DESC LIMIT 25`

// row is a post in the handler's response.
type row struct {
	ID                string     `json:"id"`
	WorkspaceID       string     `json:"workspaceId"`
	ChannelID         string     `json:"channelId"`
	Content           string     `json:"content"`
	Title             string     `json:"title"`
	ContentType       string     `json:"contentType"`
	MediaIDs          []string   `json:"mediaIds"`
	Status            string     `json:"status"`
	ScheduledAt       *time.Time `json:"scheduledAt"`
	PublishedAt       *time.Time `json:"publishedAt"`
	CreatedAt         time.Time  `json:"createdAt"`
	UpdatedAt         time.Time  `json:"updatedAt"`
	Revision          int        `json:"revision"`
	PublishingSince   *time.Time `json:"publishingSince"`
	WaitingReason     *string    `json:"waitingReason"`
	WaitingUntil      *time.Time `json:"waitingUntil"`
	PostURL           *string    `json:"postUrl"`
	ErrorCode         *string    `json:"errorCode"`
	ErrorMessage      *string    `json:"errorMessage"`
	ErrorRetryable    *bool      `json:"errorRetryable"`
	ApprovalStatus    *string    `json:"approvalStatus"`
	ApprovalComment   *string    `json:"approvalComment"`
	ApprovalDecidedAt *time.Time `json:"approvalDecidedAt"`
}

type request struct {
	ChannelIDs []string `json:"channelIds"`
	Content    string   `json:"content"`
}

// Config holds the settings of the handler.
type Config struct {
	DatabaseURL string
	Address     string
	Workspace   string // whose posts are listed and created
	Connections int    // to the database; the same number as the API's
	Now         func() time.Time
}

// Serve serves until the context ends.
func Serve(ctx context.Context, cfg Config) error {
	pool, err := connect(ctx, cfg)
	if err != nil {
		return err
	}
	defer pool.Close()
	app := fiber.New(fiber.Config{DisableStartupMessage: true})
	app.Get("/readyz", func(c *fiber.Ctx) error { return c.SendStatus(fiber.StatusOK) })
	app.Post("/v1/posts", func(c *fiber.Ctx) error { return create(c.UserContext(), c, pool, cfg) })        //nolint:contextcheck // a request has its own
	app.Get("/v1/posts", func(c *fiber.Ctx) error { return list(c.UserContext(), c, pool, cfg.Workspace) }) //nolint:contextcheck // a request has its own
	return serve(ctx, app, cfg.Address)
}

func serve(ctx context.Context, app *fiber.App, address string) error {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
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
	pool.MaxConns = int32(cfg.Connections) //nolint:gosec // G115: a small number
	return pgxpool.NewWithConfig(ctx, pool)
}

func create(ctx context.Context, c *fiber.Ctx, pool *pgxpool.Pool, cfg Config) error {
	var in request
	if err := c.BodyParser(&in); err != nil {
		return err
	}
	now := cfg.Now()
	out := row{
		ID: ident.New[ident.Post]().String(), WorkspaceID: cfg.Workspace, ChannelID: in.ChannelIDs[0], Content: in.Content,
		ContentType: "POST", MediaIDs: []string{}, Status: "DRAFT", CreatedAt: now, UpdatedAt: now, Revision: 1,
	}
	if _, err := pool.Exec(ctx, insert, out.ID, out.WorkspaceID, out.ChannelID, out.Content, now); err != nil {
		return err
	}
	return c.Status(fiber.StatusCreated).JSON([]row{out})
}

func list(ctx context.Context, c *fiber.Ctx, pool *pgxpool.Pool, workspace string) error {
	rows, err := pool.Query(ctx, page, workspace)
	if err != nil {
		return err
	}
	posts, err := pgx.CollectRows(rows, pgx.RowToStructByPos[row])
	if err != nil {
		return err
	}
	return c.JSON(map[string]any{"data": posts, "nextCursor": nil})
}

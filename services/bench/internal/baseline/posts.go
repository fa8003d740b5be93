package baseline

import (
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"fencepost.internal/shared/kernel/ident"
)

// PostTable is the copy of the table of posts, with its indexes and checks but without references to other tables.
const PostTable = "bench_post"

const columns = `id, workspace_id, channel_id, content, title, content_type, media_ids, status, scheduled_at, published_at,
	created_at, updated_at, revision, publishing_since, waiting_reason, waiting_until, post_url, error_code, error_message,
	error_retryable, approval_status, approval_comment, approval_decided_at`

const insert = `INSERT INTO ` + PostTable + ` (` + columns + `)
	VALUES ($1, $2, $3, $4, '', 'POST', '{}', 'DRAFT', null, null, $5, $5, 1, null, null, null, null, null, null, null, null, null, null)`

const page = `SELECT ` + columns + ` FROM ` + PostTable + ` WHERE workspace_id = $1 ORDER BY id DESC LIMIT 25`

// row is a post in the program's response.
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

type newPost struct {
	ChannelIDs []string `json:"channelIds"`
	Content    string   `json:"content"`
}

// posts creates and lists posts of one workspace: Fiber, one pgx insert or select, and JSON, without authentication,
// validation, events or logs.
type posts struct {
	pool      *pgxpool.Pool
	workspace string
}

func (p posts) register(app *fiber.App) {
	app.Post("/v1/posts", p.create)
	app.Get("/v1/posts", p.list)
}

func (p posts) create(c *fiber.Ctx) error {
	var in newPost
	if err := c.BodyParser(&in); err != nil {
		return err
	}
	now := time.Now()
	out := row{
		ID: ident.New[ident.Post]().String(), WorkspaceID: p.workspace, ChannelID: in.ChannelIDs[0], Content: in.Content,
		ContentType: "POST", MediaIDs: []string{}, Status: "DRAFT", CreatedAt: now, UpdatedAt: now, Revision: 1,
	}
	_, err := p.pool.Exec(c.UserContext(), insert, out.ID, out.WorkspaceID, out.ChannelID, out.Content, now)
	if err != nil {
		return err
	}
	return c.Status(fiber.StatusCreated).JSON([]row{out})
}

func (p posts) list(c *fiber.Ctx) error {
	rows, err := p.pool.Query(c.UserContext(), page, p.workspace)
	if err != nil {
		return err
	}
	posts, err := pgx.CollectRows(rows, pgx.RowToStructByPos[row])
	if err != nil {
		return err
	}
	return c.JSON(map[string]any{"data": posts, "nextCursor": nil})
}

package trial

import (
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"fencepost.internal/shared/kernel/ident"
)

// plainTable is the copy of the table of posts, with its indexes and checks but without references to other tables.
const plainTable = "bench_post"

const plainColumns = `id, workspace_id, channel_id, content, title, content_type, media_ids, status, scheduled_at, published_at,
	created_at, updated_at, revision, publishing_since, waiting_reason, waiting_until, post_url, error_code, error_message,
	error_retryable, approval_status, approval_comment, approval_decided_at`

const insertPlain = `INSERT INTO ` + plainTable + ` (` + plainColumns + `)
	VALUES ($1, $2, $3, $4, '', 'POST', '{}', 'DRAFT', null, null, $5, $5, 1, null, null, null, null, null, null, null, null, null, null)`

const listPlain = `SELECT ` + plainColumns + ` FROM ` + plainTable + ` WHERE workspace_id = $1 ORDER BY id DESC LIMIT 25`

// plainPost is a post in the program's response.
type plainPost struct {
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

// plainDraft is the body of a request that creates a post.
type plainDraft struct {
	ChannelIDs []string `json:"channelIds"`
	Content    string   `json:"content"`
}

// plainPosts creates and lists posts of one workspace: Fiber, one pgx insert or select, and JSON, without authentication,
// validation, events or logs.
type plainPosts struct {
	pool      *pgxpool.Pool
	workspace string
}

func (p plainPosts) create(c *fiber.Ctx) error {
	var in plainDraft
	if err := c.BodyParser(&in); err != nil {
		return err
	}
	now := time.Now()
	out := plainPost{
		ID: ident.New[ident.Post]().String(), WorkspaceID: p.workspace, ChannelID: in.ChannelIDs[0], Content: in.Content,
		ContentType: "POST", MediaIDs: []string{}, Status: "DRAFT", CreatedAt: now, UpdatedAt: now, Revision: 1,
	}
	_, err := p.pool.Exec(c.UserContext(), insertPlain, out.ID, out.WorkspaceID, out.ChannelID, out.Content, now)
	if err != nil {
		return err
	}
	return c.Status(fiber.StatusCreated).JSON([]plainPost{out})
}

func (p plainPosts) list(c *fiber.Ctx) error {
	rows, err := p.pool.Query(c.UserContext(), listPlain, p.workspace)
	if err != nil {
		return err
	}
	posts, err := pgx.CollectRows(rows, pgx.RowToStructByPos[plainPost])
	if err != nil {
		return err
	}
	return c.JSON(map[string]any{"data": posts, "nextCursor": nil})
}

package postgres

import (
	"context"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/domain/workspace"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// testAccount is the external ID and the user name of the account of every test channel.
const testAccount = "test"

// Test returns the test workspace of a live one; NOT_FOUND if it has none.
func (s *Workspaces) Test(ctx context.Context, live ident.Workspace) (workspace.Workspace, error) {
	var rows []workspaceRow
	err := s.db.conn(ctx).Table("workspace").Select(workspaceColumns).Where("live_id = ?", live).Find(&rows).Error
	if err != nil {
		return workspace.Workspace{}, classify(err)
	}
	if len(rows) == 0 {
		return workspace.Workspace{}, notFound("test workspace")
	}
	return fromWorkspaceRow(rows[0]), nil
}

// EnsureTest returns the test workspace of a live one, with a connected channel of every channel type. It creates what is
// missing: the workspace, or the channels of types that are new in this version. It returns NOT_FOUND if there is no such
// live workspace.
func (s *Workspaces) EnsureTest(
	ctx context.Context, live ident.Workspace, now time.Time,
) (test workspace.Workspace, err error) {
	err = s.db.WithinTx(ctx, func(ctx context.Context) error {
		if _, err := lockPlan(ctx, s.db, live); err != nil { // of concurrent callers, one creates it
			return classify(err)
		}
		of, err := s.Get(ctx, live)
		if err != nil {
			return err
		}
		if of.IsTest() {
			return notFound("live workspace")
		}
		if test, err = s.Test(ctx, live); apperr.Is(err, apperr.NotFound) {
			test = workspace.Workspace{
				ID: ident.New[ident.Workspace](), LiveID: live, Name: of.Name, Plan: of.Plan, Timezone: of.Timezone, CreatedAt: now,
			}
			if err = s.Insert(ctx, test); err == nil {
				err = s.SetApprovalPolicy(ctx, test.ID, of.Approval)
			}
		}
		if err != nil {
			return err
		}
		return s.insertTestChannels(ctx, test, now)
	})
	return test, err
}

func (s *Workspaces) insertTestChannels(ctx context.Context, test workspace.Workspace, now time.Time) error {
	rows := make([]map[string]any, 0, len(channel.Types()))
	for _, t := range channel.Types() {
		rows = append(rows, map[string]any{
			"id": ident.New[ident.Channel](), "workspace_id": test.ID, "name": "Test " + t.Name(), "type": string(t),
			"username": testAccount, "external_id": testAccount, "is_connected": true,
			"token_status": string(channel.TokenHealthy), "timezone": test.Timezone, "is_test": true, "created_at": now,
			"updated_at": now,
		})
	}
	return classify(s.db.conn(ctx).Table("channel").
		Clauses(onConflict("ON CONFLICT (workspace_id, type, external_id) DO NOTHING")).Create(&rows).Error)
}

// TestPosts is the memory of the test network; see testnet.Memory.
type TestPosts struct{ db *DB }

// NewTestPosts returns the store.
func NewTestPosts(db *DB) *TestPosts { return &TestPosts{db: db} }

type testPostRow struct {
	ID          uuid.UUID
	WorkspaceID ident.Workspace
	PostID      ident.Post
	Script      string
	Calls       int
	CreatedAt   time.Time
	AcceptedAt  *time.Time
}

// Prepare stores a prepared post and returns it.
func (s *TestPosts) Prepare(ctx context.Context, id ident.Post, script string) (post.TestPost, error) {
	handle := uuid.New()
	err := s.db.conn(ctx).Table("test_post").
		Create(map[string]any{"id": handle, "post_id": id, "script": script}).Error
	if err != nil {
		return post.TestPost{}, classify(err)
	}
	return s.Post(ctx, handle.String())
}

// Post returns a post by its ID; NOT_FOUND if there is none.
func (s *TestPosts) Post(ctx context.Context, id string) (post.TestPost, error) {
	handle, err := uuid.Parse(id)
	if err != nil {
		return post.TestPost{}, notFound("test post")
	}
	return s.one(s.found(ctx).Where("t.id = ?", handle))
}

// Accepted returns the latest post that the network accepted for a post of the service; NOT_FOUND if there is none.
func (s *TestPosts) Accepted(ctx context.Context, id ident.Post) (post.TestPost, error) {
	return s.one(s.found(ctx).Where("t.post_id = ? AND t.accepted_at IS NOT NULL", id).Order("t.accepted_at DESC").Limit(1))
}

func (s *TestPosts) found(ctx context.Context) *gorm.DB {
	return s.db.conn(ctx).Table("test_post t").Joins("JOIN post p ON p.id = t.post_id").
		Select(`t.id, p.workspace_id, t.post_id, t.script, t.created_at, t.accepted_at, (SELECT sum(o.calls) FROM test_post o
			WHERE o.post_id = t.post_id AND o.script = t.script) AS calls`)
}

func (s *TestPosts) one(query *gorm.DB) (post.TestPost, error) {
	var rows []testPostRow
	if err := query.Scan(&rows).Error; err != nil {
		return post.TestPost{}, classify(err)
	}
	if len(rows) == 0 {
		return post.TestPost{}, notFound("test post")
	}
	r := rows[0]
	return post.TestPost{
		ID: r.ID.String(), WorkspaceID: r.WorkspaceID, PostID: r.PostID, Script: r.Script, Calls: r.Calls,
		CreatedAt: r.CreatedAt, AcceptedAt: value(r.AcceptedAt),
	}, nil
}

// Call counts an irrevocable call, and returns the post with it; NOT_FOUND if there is none.
func (s *TestPosts) Call(ctx context.Context, id string) (post.TestPost, error) {
	return s.change(ctx, id, map[string]any{"calls": gorm.Expr("calls + 1")}, 0)
}

// Accept records that the network has the post, and returns it. A positive time requests a collection of the channel's
// figures after it.
func (s *TestPosts) Accept(ctx context.Context, id string, collectAfter time.Duration) (post.TestPost, error) {
	return s.change(ctx, id,
		map[string]any{"accepted_at": gorm.Expr("COALESCE(accepted_at, clock_timestamp())")}, collectAfter)
}

func (s *TestPosts) change(
	ctx context.Context, id string, columns map[string]any, collectAfter time.Duration,
) (changed post.TestPost, err error) {
	handle, err := uuid.Parse(id)
	if err != nil {
		return changed, notFound("test post")
	}
	err = s.db.WithinTx(ctx, func(ctx context.Context) error {
		result := s.db.conn(ctx).Table("test_post").Where("id = ?", handle).Updates(columns)
		if result.Error != nil {
			return classify(result.Error)
		}
		if changed, err = s.Post(ctx, id); err != nil || collectAfter <= 0 {
			return err
		}
		return classify(s.db.conn(ctx).Exec(`INSERT INTO outbox (kind, subject, workspace_id, payload, not_before)
			SELECT 'insights', p.channel_id, p.workspace_id, CAST('{"now": true}' AS jsonb),
				now() + CAST(@after AS float8) * interval '1 second'
			FROM post p WHERE p.id = @post`,
			map[string]any{"post": changed.PostID, "after": collectAfter.Seconds()}).Error)
	})
	return changed, err
}

package app

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"time"

	"fencepost.internal/services/internal/relay"
	"fencepost.internal/shared/domain/audit"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/mail"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/domain/workspace"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// WorkspaceContents counts what DeleteWorkspace deletes. Only owners may ask.
func (a *identityUseCases) WorkspaceContents(ctx context.Context, p Principal) (workspace.Contents, error) {
	if err := p.Require(credential.OwnersManage); err != nil {
		return workspace.Contents{}, err
	}
	return a.workspaces.Contents(ctx, p.WorkspaceID)
}

// DeleteWorkspace stops all publishing of the workspace now, and deletes the workspace after workspace.DeletionGrace. The name
// confirms it. Every owner is mailed. Only owners may do so. Errors: VALIDATION_FAILED for another name.
func (a *identityUseCases) DeleteWorkspace(ctx context.Context, p Principal, name string) (at time.Time, err error) {
	if err := p.Require(credential.OwnersManage); err != nil {
		return at, err
	}
	w, err := a.workspaces.Get(ctx, p.WorkspaceID)
	if err != nil || !w.DeleteAt.IsZero() {
		return w.DeleteAt, err
	}
	if strings.TrimSpace(name) != w.Name {
		return at, apperr.Invalid([]apperr.Field{{Pointer: "/name", Message: "Enter the name of the workspace: " + w.Name}})
	}
	at = a.now().Add(workspace.DeletionGrace)
	err = a.recorded(ctx, p, audit.WorkspaceDeletion, w.Name, at.Format(time.RFC3339), func(ctx context.Context) error {
		if err := a.workspaces.SetDeletion(ctx, p.WorkspaceID, at, p.Person.Name, a.now()); err != nil {
			return err
		}
		if err := a.stopper.StopPublishing(ctx, p.WorkspaceID, a.now(), p.Person.Name); err != nil {
			return err
		}
		members, err := a.users.Members(ctx, p.WorkspaceID)
		if err != nil {
			return err
		}
		for _, m := range members {
			if !m.Role.Allows(credential.OwnersManage) || !m.Active() {
				continue
			}
			content := mail.Content{To: m.Email, Workspace: w.Name, Actor: p.Person.Name}
			if err := a.send(ctx, mail.WorkspaceDeletion, p.WorkspaceID, content, at); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		a.mailsStored()
	}
	return at, err
}

// KeepWorkspace takes DeleteWorkspace back. Publishing stays stopped. Only owners may do so; NOT_FOUND once the time has come.
func (a *identityUseCases) KeepWorkspace(ctx context.Context, p Principal) error {
	if err := p.Require(credential.OwnersManage); err != nil {
		return err
	}
	return a.recorded(ctx, p, audit.WorkspaceKept, "", "", func(ctx context.Context) error {
		return a.workspaces.SetDeletion(ctx, p.WorkspaceID, time.Time{}, "", a.now())
	})
}

// EraseWorkspaces deletes the workspaces whose time has come: it asks the networks to revoke their tokens, ends what waits,
// and deletes what they have. A workspace that cannot be deleted now does not hold up others; the next call goes on.
func (c *Connections) EraseWorkspaces(ctx context.Context) error {
	due, err := c.workspaces.DueForDeletion(ctx, c.now())
	failed := []error{err}
	for _, id := range due {
		err := c.erase(ctx, id)
		if err == nil {
			c.log.InfoContext(ctx, "a workspace was deleted", slog.String("workspace_id", id.String()))
		}
		failed = append(failed, err)
	}
	return errors.Join(failed...)
}

func (c *Connections) erase(ctx context.Context, id ident.Workspace) error {
	channels, err := c.channels.List(ctx, id)
	if err != nil {
		return err
	}
	for _, of := range channels {
		if of.IsConnected && !of.IsTest {
			c.revoke(ctx, of)
		}
		if _, err := c.channels.SetConnected(ctx, id, of.ID, false); err != nil {
			return err
		}
	}
	if err := c.endWaits(ctx, id); err != nil {
		return err
	}
	return c.workspaces.Erase(ctx, id, c.now())
}

// endWaits deletes the posts that wait for their time or an approval, so that their workflows end now.
func (c *Connections) endWaits(ctx context.Context, id ident.Workspace) error {
	filter := postgres.PostFilter{Statuses: []post.Status{post.Scheduled, post.PendingApproval}, Limit: postgres.MaxPage}
	for {
		waiting, err := c.posts.List(ctx, id, filter)
		if err != nil || len(waiting) == 0 {
			return err
		}
		for _, one := range waiting {
			change, err := one.Delete(c.now())
			if err == nil {
				err = c.posts.Delete(ctx, change)
			}
			// A post that is being published is deleted with the rest, and its workflow then finds none.
			if err != nil && !errors.Is(err, postgres.ErrStale) && !apperr.Is(err, apperr.PublishInProgress) {
				return err
			}
			filter.After = filter.Sort.Position(one)
		}
		c.wake(relay.Messages)
	}
}

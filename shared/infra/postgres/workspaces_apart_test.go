package postgres_test

import (
	"context"
	"crypto/sha256"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/audit"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/member"
	"fencepost.internal/shared/domain/workspace"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// tenantRows stores a row of a workspace and reads the rows of a workspace. The read must return what store returned, and
// nothing else.
type tenantRows struct {
	store func(t *testing.T, b *bundle, of workspace.Workspace) string
	read  func(ctx context.Context, b *bundle, of ident.Workspace) ([]string, error)
}

// TestWorkspaceReadsOnlyItsRows stores a row of each kind in two workspaces.
func TestWorkspaceReadsOnlyItsRows(t *testing.T) {
	t.Parallel()
	for name, rows := range ownRows() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			ours, theirs := b.ws, b.tenant(t)
			stored := map[ident.Workspace]string{}
			for _, w := range []workspace.Workspace{ours, theirs} {
				stored[w.ID] = rows.store(t, b, w)
			}
			for _, w := range []workspace.Workspace{ours, theirs} {
				found, err := rows.read(t.Context(), b, w.ID)
				require.NoError(t, err, w.Name)
				require.Equal(t, []string{stored[w.ID]}, found, w.Name)
			}
		})
	}
}

func ownRows() map[string]tenantRows {
	return map[string]tenantRows{
		"audit log":             {logged, readLog},
		"ends of access":        {endingAccess, readEnds},
		"channel of an account": {accountOfBoth, readAccount},
		"attempts to connect":   {connects, readConnects},
		"open invitations":      {invites, readInvitations}, // to one address: an invitation replaces those of its workspace
		"number of invitations": {invitesOne, countInvitations},
		"pictures of an owner":  {pictures, readPictures}, // of one ID
	}
}

func logged(t *testing.T, b *bundle, of workspace.Workspace) string {
	t.Helper()
	e := audit.Entry{
		ID: ident.New[ident.Audit](), WorkspaceID: of.ID, At: b.now, Actor: "Dana", Action: audit.WorkspaceChanged,
		Subject: of.Name,
	}
	require.NoError(t, postgres.NewAudit(b.db).Insert(t.Context(), e))
	return e.ID.String()
}

func readLog(ctx context.Context, b *bundle, of ident.Workspace) (found []string, err error) {
	entries, err := postgres.NewAudit(b.db).List(ctx, of, ident.Audit{}, 10)
	for _, e := range entries {
		found = append(found, e.ID.String())
	}
	return found, err
}

func endingAccess(t *testing.T, b *bundle, of workspace.Workspace) string {
	t.Helper()
	c := b.channelOf(t, of)
	postgrestest.Exec(t, b.address, `UPDATE channel SET token_end_at = now() + interval '1 day', assessed_rev = credentials_rev
		WHERE id = $1`, c.ID.String())
	return c.ID.String()
}

func readEnds(ctx context.Context, b *bundle, of ident.Workspace) (found []string, err error) {
	ends, err := b.channels.AccessEnds(ctx, of)
	for id := range ends {
		found = append(found, id.String())
	}
	return found, err
}

// accountOfBoth stores a channel of an account that both workspaces have connected.
func accountOfBoth(t *testing.T, b *bundle, of workspace.Workspace) string {
	t.Helper()
	return b.channelOf(t, of).ID.String()
}

func readAccount(ctx context.Context, b *bundle, of ident.Workspace) (found []string, err error) {
	c, ok, err := b.channels.ByAccount(ctx, of, b.ch.Type, "3")
	if ok {
		found = append(found, c.ID.String())
	}
	return found, err
}

func connects(t *testing.T, b *bundle, of workspace.Workspace) string {
	t.Helper()
	return b.connect(t, of.ID, nil).ID.String()
}

func readConnects(ctx context.Context, b *bundle, of ident.Workspace) (found []string, err error) {
	attempts, err := postgres.NewConnects(b.db, nil).List(ctx, of, 10)
	for _, a := range attempts {
		found = append(found, a.ID.String())
	}
	return found, err
}

func invites(t *testing.T, b *bundle, of workspace.Workspace) string {
	t.Helper()
	return b.invitation(t, of).ID.String()
}

func readInvitations(ctx context.Context, b *bundle, of ident.Workspace) (found []string, err error) {
	open, err := postgres.NewInvitations(b.db).Open(ctx, of, b.now)
	for _, i := range open {
		found = append(found, i.ID.String())
	}
	return found, err
}

func invitesOne(t *testing.T, b *bundle, of workspace.Workspace) string {
	t.Helper()
	b.invitation(t, of)
	return "1"
}

func countInvitations(ctx context.Context, b *bundle, of ident.Workspace) ([]string, error) {
	created, err := postgres.NewInvitations(b.db).CountSince(ctx, of, b.now.Add(-time.Hour))
	return []string{strconv.FormatInt(created, 10)}, err
}

// ownerOfPictures has one ID in both workspaces.
func ownerOfPictures(b *bundle, of ident.Workspace) postgres.Owner {
	return postgres.Owner{WorkspaceID: of, Type: media.OwnerBrandPersonaPhoto, ID: b.ch.ID.String(), Label: "News"}
}

func pictures(t *testing.T, b *bundle, of workspace.Workspace) string {
	t.Helper()
	a := b.asset(t, of.ID, media.Image)
	require.NoError(t, postgres.NewReferences(b.db).Set(t.Context(), ownerOfPictures(b, of.ID), []ident.Media{a.ID}))
	return a.ID.String()
}

func readPictures(ctx context.Context, b *bundle, of ident.Workspace) (found []string, err error) {
	all, err := postgres.NewReferences(b.db).All(ctx, ownerOfPictures(b, of))
	for _, id := range all[media.OwnerBrandPersonaPhoto] {
		found = append(found, id.String())
	}
	return found, err
}

// invitation stores an invitation of the workspace, by a member of it, to an address that every workspace invites.
func (b *bundle) invitation(t *testing.T, of workspace.Workspace) member.Invitation {
	t.Helper()
	by := b.member(t, of.ID.String()+"@example.com", of)
	i, err := member.Invite(of.ID, "new@example.com", member.Editor, by.ID, b.now)
	require.NoError(t, err)
	require.NoError(t, postgres.NewInvitations(b.db).Insert(t.Context(), sha256.Sum256([]byte(i.ID.String())), i))
	return i
}

// TestForeignRowIsNotFound also checks that its request leaves the row to the workspace that has it.
func TestForeignRowIsNotFound(t *testing.T) {
	t.Parallel()
	type request = func(ctx context.Context, by ident.Workspace) error
	for name, prepare := range map[string]func(t *testing.T, b *bundle) request{
		"return of an attempt to connect": func(t *testing.T, b *bundle) request {
			t.Helper()
			state := sha256.Sum256([]byte("state"))
			b.connect(t, b.ws.ID, state[:])
			return func(ctx context.Context, by ident.Workspace) error {
				_, _, err := postgres.NewConnects(b.db, keyring(t)).Take(ctx, by, state[:], connectSession, b.now)
				return err
			}
		},
		"attempt to connect": func(t *testing.T, b *bundle) request {
			t.Helper()
			a := b.connect(t, b.ws.ID, nil)
			return func(ctx context.Context, by ident.Workspace) error {
				_, _, err := postgres.NewConnects(b.db, keyring(t)).Get(ctx, by, a.ID, connectSession)
				return err
			}
		},
		"locked attempt to connect": func(t *testing.T, b *bundle) request {
			t.Helper()
			a := b.connect(t, b.ws.ID, nil)
			return func(ctx context.Context, by ident.Workspace) error {
				_, _, err := postgres.NewConnects(b.db, keyring(t)).GetLocked(ctx, by, a.ID, connectSession)
				return err
			}
		},
		"revoked invitation": func(t *testing.T, b *bundle) request {
			t.Helper()
			i := b.invitation(t, b.ws)
			return func(ctx context.Context, by ident.Workspace) error {
				_, err := postgres.NewInvitations(b.db).Revoke(ctx, by, i.ID, b.now)
				return err
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			do := prepare(t, b)
			err := do(t.Context(), b.tenant(t).ID)
			require.True(t, apperr.Is(err, apperr.NotFound), "%v", err)
			require.NoError(t, do(t.Context(), b.ws.ID))
		})
	}
}

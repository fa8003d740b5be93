// Package operator implements the changes that operators may make to records: creating workspaces, keys and channels,
// and ending or restoring them. Each change and its event are written in one transaction.
//
// Input is text as entered by a person. Invalid input produces one VALIDATION_FAILED error with every fault, each with
// the name of its input.
package operator

import (
	"context"
	"errors"
	"time"

	"fencepost.internal/services/internal/app"
	"fencepost.internal/services/internal/authserver"
	"fencepost.internal/shared/domain/audit"
	"fencepost.internal/shared/domain/workspace"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/secretbox"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform"
)

// Deps holds the dependencies of an Operator.
type Deps struct {
	DB       *postgres.DB
	Keyring  *secretbox.Keyring
	Networks *platform.Registry // verify the credentials of channels
	Live     *app.Live          // changes published posts
	Clock    clock.Clock
}

// Operator implements the actions. It is safe for concurrent use.
type Operator struct {
	records    *app.Records // the use cases that operators share with clients
	livePosts  *app.Live
	db         *postgres.DB
	workspaces *postgres.Workspaces
	apps       *postgres.AppCredentials
	keys       *postgres.Keys
	channels   *postgres.Channels
	posts      *postgres.Posts
	events     *postgres.Events
	insights   *postgres.Insights
	users      *postgres.Users
	operators  *postgres.Operators
	clients    *authserver.FirstParty
	linkPages  *postgres.LinkPages
	livePages  *postgres.LivePages
	visits     *postgres.Visits
	secrets    *postgres.Secrets
	keyring    *secretbox.Keyring
	networks   *platform.Registry
	clock      clock.Clock
}

// New returns an Operator.
func New(d Deps) (*Operator, error) {
	if d.DB == nil || d.Keyring == nil || d.Networks == nil || d.Live == nil || d.Clock == nil {
		return nil, errors.New("operator: every dependency is required")
	}
	clients, err := authserver.NewFirstParty(d.DB, d.Clock)
	if err != nil {
		return nil, err
	}
	records, err := app.NewRecords(app.RecordsDeps{DB: d.DB, Keyring: d.Keyring, Clock: d.Clock})
	if err != nil {
		return nil, err
	}
	return &Operator{
		records: records, livePosts: d.Live, clients: clients,
		db: d.DB, workspaces: postgres.NewWorkspaces(d.DB), apps: postgres.NewAppCredentials(d.DB, d.Keyring),
		keys:     postgres.NewKeys(d.DB),
		channels: postgres.NewChannels(d.DB, d.Keyring), posts: postgres.NewPosts(d.DB),
		events: postgres.NewEvents(d.DB), insights: postgres.NewInsights(d.DB), users: postgres.NewUsers(d.DB),
		operators: postgres.NewOperators(d.DB),
		linkPages: postgres.NewLinkPages(d.DB), livePages: postgres.NewLivePages(d.DB), visits: postgres.NewVisits(d.DB),
		secrets: postgres.NewSecrets(d.DB, d.Keyring), keyring: d.Keyring,
		networks: d.Networks, clock: d.Clock,
	}, nil
}

// now returns the time to store. It is truncated to milliseconds, so that the printed time equals the stored one.
func (o *Operator) now() time.Time { return o.clock.Now().UTC().Truncate(time.Millisecond) }

// client returns the operator as a client of the workspace, for the use cases of clients.
func client(id ident.Workspace) app.Principal { return app.Principal{WorkspaceID: id} }

// recorded runs a change of the workspace and adds its entry to the audit log, both or neither.
func (o *Operator) recorded(
	ctx context.Context, id ident.Workspace, action audit.Action, subject, detail string, do func(ctx context.Context) error,
) error {
	return o.db.WithinTx(ctx, func(ctx context.Context) error {
		if err := do(ctx); err != nil {
			return err
		}
		return o.records.Record(ctx, client(id), action, subject, detail)
	})
}

// Together runs several actions in one transaction.
func (o *Operator) Together(ctx context.Context, actions func(ctx context.Context) error) error {
	return o.db.WithinTx(ctx, actions)
}

// workspace returns a workspace, or NOT_FOUND with a remedy.
func (o *Operator) workspace(ctx context.Context, id ident.Workspace) (workspace.Workspace, error) {
	w, err := o.workspaces.Get(ctx, id)
	if apperr.Is(err, apperr.NotFound) {
		return w, apperr.New(apperr.NotFound, "There is no workspace %s. See: admin workspace list", id)
	}
	return w, err
}

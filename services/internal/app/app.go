// Package app implements the use cases of the service, the same for every process that offers them. Most run in one
// transaction. Callers have authenticated the client and checked the operation's scope.
package app

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"fencepost.internal/services/internal/relay"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/workspace"
	"fencepost.internal/shared/infra/egress"
	"fencepost.internal/shared/infra/objectstore"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/secretbox"
	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/access"
	"fencepost.internal/shared/platform/rules"
)

// Deps holds the dependencies of the use cases.
type Deps struct {
	DB         *postgres.DB
	Keyring    *secretbox.Keyring
	Connectors *platform.Registry
	Rules      rules.Table // what the networks accept
	Files      *objectstore.Store
	Egress     *egress.Policy // decides which addresses are allowed for webhooks and imports
	Clock      clock.Clock
	Logger     *slog.Logger
	// Audience is the required audience of OAuth access tokens (RFC 8707): the address of the program that offers the
	// use cases. If it is empty, no access token is accepted.
	Audience string
	// Mails reports whether a mail server is configured. Without one, callers show the links that would be mailed.
	Mails bool
	// AppURL is the address of the application, to which messages link; empty: they only name it.
	AppURL string
	// Wake notifies the relay of committed rows. It never blocks.
	Wake func(relay.Wake)
}

// App implements the use cases. It is safe for concurrent use.
type App struct {
	*Records

	workspaces  *postgres.Workspaces
	users       *postgres.Users
	operators   *postgres.Operators
	keyStore    *postgres.Keys
	invitations *postgres.Invitations
	accounts    *postgres.Accounts
	mails       *postgres.Mails // nil: no mails are sent
	keys        *keyCache
	channels    *postgres.Channels
	types       *channelTypes
	posts       *postgres.Posts
	uploads     *postgres.Uploads
	imports     *postgres.Imports
	loose       *postgres.Loose
	files       *objectstore.Store
	references  *postgres.References
	usage       *postgres.Usage
	deliveries  *postgres.Deliveries
	events      *postgres.Events
	visits      *postgres.Visits
	insights    *postgres.Insights
	connectors  *platform.Registry
	rules       rules.Table
	access      *access.Keeper
	live        *liveReads
	egress      *egress.Policy
	log         *slog.Logger
	appURL      string

	idempotency *postgres.Idempotency
}

// New returns the use cases.
func New(d Deps) (*App, error) {
	if d.DB == nil || d.Keyring == nil || d.Connectors == nil || d.Rules == nil || d.Files == nil || d.Egress == nil ||
		d.Clock == nil || d.Logger == nil || d.Wake == nil {
		return nil, errors.New("app: every dependency is required")
	}
	channels := postgres.NewChannels(d.DB, d.Keyring)
	keeper, err := access.New(channels, d.Clock)
	if err != nil {
		return nil, err
	}
	records, err := NewRecords(RecordsDeps{DB: d.DB, Keyring: d.Keyring, Clock: d.Clock, Wake: d.Wake})
	if err != nil {
		return nil, err
	}
	a := &App{
		Records:    records,
		workspaces: postgres.NewWorkspaces(d.DB), users: postgres.NewUsers(d.DB),
		operators: postgres.NewOperators(d.DB), keyStore: postgres.NewKeys(d.DB),
		invitations: postgres.NewInvitations(d.DB),
		keys: newKeyCache(postgres.NewKeys(d.DB),
			postgres.NewGrants(d.DB, d.Keyring), d.Audience, d.Clock, d.Logger),
		channels: channels, types: newChannelTypes(), posts: postgres.NewPosts(d.DB),
		uploads: postgres.NewUploads(d.DB), imports: postgres.NewImports(d.DB, d.Keyring), loose: postgres.NewLoose(d.DB),
		files: d.Files, references: postgres.NewReferences(d.DB),
		usage: postgres.NewUsage(d.DB), deliveries: postgres.NewDeliveries(d.DB, nil), events: postgres.NewEvents(d.DB),
		visits: postgres.NewVisits(d.DB), insights: postgres.NewInsights(d.DB),
		connectors: d.Connectors, rules: d.Rules, access: keeper, live: newLiveReads(d.Clock), egress: d.Egress,
		log:         d.Logger,
		appURL:      d.AppURL,
		idempotency: postgres.NewIdempotency(d.DB, d.Keyring), accounts: postgres.NewAccounts(d.DB),
	}
	if d.Mails {
		a.mails = postgres.NewMails(d.DB, d.Keyring)
	}
	return a, nil
}

// Authenticate returns the client of a bearer token. The error is UNAUTHENTICATED for a malformed, unknown, expired or
// revoked token, without distinction.
func (a *App) Authenticate(ctx context.Context, token string) (Principal, error) {
	found, err := a.keys.find(ctx, token)
	if err != nil {
		return Principal{}, err
	}
	return Principal{
		WorkspaceID: found.key.WorkspaceID, Plan: found.plan, Key: found.key, Program: found.program, Grantor: found.grantor,
		GrantorID: found.grantorID,
	}, nil
}

// WorkspaceState is a workspace with its usage.
type WorkspaceState struct {
	workspace.Workspace
	Usage workspace.Usage
}

// Workspace returns the client's workspace.
func (a *App) Workspace(ctx context.Context, p Principal) (WorkspaceState, error) {
	w, err := a.workspaces.Get(ctx, p.WorkspaceID)
	if err != nil {
		return WorkspaceState{}, err
	}
	usage, err := a.usage.Get(ctx, p.WorkspaceID)
	return WorkspaceState{Workspace: w, Usage: usage}, err
}

// Channels returns every channel of the workspace.
func (a *App) Channels(ctx context.Context, p Principal) ([]channel.Channel, error) {
	return a.channels.List(ctx, p.WorkspaceID)
}

// AccessEnds returns when the access of channels ends that only a person can extend. A channel whose access has no such
// end, or was not assessed yet, is missing.
func (a *App) AccessEnds(ctx context.Context, p Principal) (map[ident.Channel]time.Time, error) {
	return a.channels.AccessEnds(ctx, p.WorkspaceID)
}

// Channel returns one channel; NOT_FOUND when the workspace has no such channel.
func (a *App) Channel(ctx context.Context, p Principal, id ident.Channel) (channel.Channel, error) {
	return a.channels.Get(ctx, p.WorkspaceID, id)
}

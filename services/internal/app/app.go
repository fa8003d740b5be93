// Package app holds the use cases: what a client can ask of the service, each in one transaction, the same for every
// process that offers them. Callers have authenticated the client and checked the operation's scope.
package app

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"socialpub.internal/services/internal/relay"
	"socialpub.internal/shared/domain/channel"
	"socialpub.internal/shared/domain/credential"
	"socialpub.internal/shared/domain/post"
	"socialpub.internal/shared/domain/workspace"
	"socialpub.internal/shared/infra/egress"
	"socialpub.internal/shared/infra/objectstore"
	"socialpub.internal/shared/infra/postgres"
	"socialpub.internal/shared/infra/secretbox"
	"socialpub.internal/shared/kernel/apperr"
	"socialpub.internal/shared/kernel/clock"
	"socialpub.internal/shared/kernel/ident"
	"socialpub.internal/shared/platform"
	"socialpub.internal/shared/platform/access"
)

// Deps are what the use cases stand on.
type Deps struct {
	DB         *postgres.DB
	Keyring    *secretbox.Keyring
	Connectors *platform.Registry
	Files      *objectstore.Store
	Egress     *egress.Policy // decides which addresses of webhooks and imports are accepted
	Clock      clock.Clock
	Logger     *slog.Logger
	// Audience is whom OAuth access tokens must be for (RFC 8707): the address of what offers the use cases. Empty: none are taken.
	Audience string
	// Poke tells the relay, after a commit, what there is to carry. It never blocks.
	Poke func(relay.Poke)
}

// App offers the use cases. It is safe for concurrent use.
type App struct {
	db         *postgres.DB
	workspaces *postgres.Workspaces
	keys       *keyCache
	channels   *postgres.Channels
	types      *channelTypes
	posts      *postgres.Posts
	media      *postgres.Media
	uploads    *postgres.Uploads
	imports    *postgres.Imports
	loose      *postgres.Loose
	files      *objectstore.Store
	usage      *postgres.Usage
	webhooks   *postgres.Webhooks
	deliveries *postgres.Deliveries
	events     *postgres.Events
	leads      *postgres.Leads
	linkPages  *postgres.LinkPages
	visits     *postgres.Visits
	insights   *postgres.Insights
	ideas      *postgres.Ideas
	connectors *platform.Registry
	access     *access.Keeper
	live       *liveReads
	egress     *egress.Policy
	clock      clock.Clock
	log        *slog.Logger
	poke       func(relay.Poke)

	idempotency *postgres.Idempotency
}

// New makes the use cases.
func New(d Deps) (*App, error) {
	if d.DB == nil || d.Keyring == nil || d.Connectors == nil || d.Files == nil || d.Egress == nil || d.Clock == nil || d.Logger == nil || d.Poke == nil {
		return nil, errors.New("app: every dependency is required")
	}
	channels := postgres.NewChannels(d.DB, d.Keyring)
	keeper, err := access.New(d.DB, channels, d.Clock)
	if err != nil {
		return nil, err
	}
	return &App{
		db: d.DB, workspaces: postgres.NewWorkspaces(d.DB), keys: newKeyCache(postgres.NewKeys(d.DB), postgres.NewGrants(d.DB, d.Keyring), d.Audience, d.Clock, d.Logger),
		channels: channels, types: newChannelTypes(), posts: postgres.NewPosts(d.DB), media: postgres.NewMedia(d.DB),
		uploads: postgres.NewUploads(d.DB), imports: postgres.NewImports(d.DB, d.Keyring), loose: postgres.NewLoose(d.DB), files: d.Files,
		usage: postgres.NewUsage(d.DB), webhooks: postgres.NewWebhooks(d.DB, d.Keyring), deliveries: postgres.NewDeliveries(d.DB, nil), events: postgres.NewEvents(d.DB), leads: postgres.NewLeads(d.DB),
		linkPages: postgres.NewLinkPages(d.DB), visits: postgres.NewVisits(d.DB), insights: postgres.NewInsights(d.DB), ideas: postgres.NewIdeas(d.DB),
		connectors: d.Connectors, access: keeper, live: newLiveReads(d.Clock), egress: d.Egress, clock: d.Clock, log: d.Logger,
		poke: d.Poke, idempotency: postgres.NewIdempotency(d.DB, d.Keyring),
	}, nil
}

// now is the time that is stored: whole milliseconds, so that what is answered now equals what is read later.
func (a *App) now() time.Time { return a.clock.Now().UTC().Truncate(time.Millisecond) }

// Principal is the authenticated client: one credential, bound to one workspace.
type Principal struct {
	WorkspaceID ident.Workspace
	Plan        workspace.Plan
	Key         credential.Key
	Program     string // the OAuth client; empty: an API key
}

// Allows reports whether the client has the scope.
func (p Principal) Allows(scope credential.Scope) bool { return p.Key.Allows(scope) }

// Require returns INSUFFICIENT_SCOPE unless the client has the scope.
func (p Principal) Require(scope credential.Scope) error {
	if p.Allows(scope) {
		return nil
	}
	return &apperr.Error{
		Code: apperr.InsufficientScope, Scope: string(scope),
		Message: "This needs the scope " + string(scope) + ", which the credential does not have.",
	}
}

// Actor names the client in timelines: by the readable start of its key, or by the program's name.
func (p Principal) Actor() post.Actor {
	if p.Program != "" {
		return post.Actor("program " + p.Program)
	}
	return post.Actor("key " + p.Key.Display + "…")
}

// Authenticate finds the client of a bearer token. UNAUTHENTICATED for a token that is malformed, unknown, expired or
// revoked, all alike.
func (a *App) Authenticate(ctx context.Context, token string) (Principal, error) {
	found, err := a.keys.find(ctx, token)
	if err != nil {
		return Principal{}, err
	}
	return Principal{WorkspaceID: found.key.WorkspaceID, Plan: found.plan, Key: found.key, Program: found.program}, nil
}

// WorkspaceState is a workspace and what it uses of its plan.
type WorkspaceState struct {
	workspace.Workspace
	Usage workspace.Usage
}

// Workspace reads the client's workspace.
func (a *App) Workspace(ctx context.Context, p Principal) (WorkspaceState, error) {
	w, err := a.workspaces.Get(ctx, p.WorkspaceID)
	if err != nil {
		return WorkspaceState{}, err
	}
	usage, err := a.usage.Get(ctx, p.WorkspaceID)
	return WorkspaceState{Workspace: w, Usage: usage}, err
}

// Channels reads every channel of the workspace.
func (a *App) Channels(ctx context.Context, p Principal) ([]channel.Channel, error) {
	return a.channels.List(ctx, p.WorkspaceID)
}

// Channel reads one channel; NOT_FOUND when the workspace has none of this id.
func (a *App) Channel(ctx context.Context, p Principal, id ident.Channel) (channel.Channel, error) {
	return a.channels.Get(ctx, p.WorkspaceID, id)
}

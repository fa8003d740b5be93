// Package app implements the use cases of the service, the same for every process that offers them. Most run in one
// transaction. Callers have authenticated the client and checked the operation's scope.
package app

import (
	"context"
	"errors"
	"log/slog"
	"net"

	"fencepost.internal/services/internal/relay"
	"fencepost.internal/shared/infra/egress"
	"fencepost.internal/shared/infra/feed"
	"fencepost.internal/shared/infra/objectstore"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/secretbox"
	"fencepost.internal/shared/kernel/clock"
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
	// ShortURL is the address of the host of short links, without a trailing slash; empty: links are not shortened.
	ShortURL string
	// PagesURL is the address of link pages, without a trailing slash; empty: none is named.
	PagesURL string
	// Names looks up the records of domains; nil: those of the machine's resolver.
	Names Names
	// Wake notifies the relay of committed rows. It never blocks.
	Wake func(relay.Wake)
}

// App implements the use cases, by subject. It is safe for concurrent use.
type App struct {
	*Records
	*postUseCases
	*setUseCases
	*mediaUseCases
	*channelUseCases
	*identityUseCases
	*hookUseCases
	*pageUseCases
	*figureUseCases
	*calendarUseCases
	*planUseCases
	*scratchUseCases
	*snippetUseCases
	*seriesUseCases
	*clientLinkUseCases
	*campaignUseCases
	*sourceUseCases
	*evergreenUseCases

	keys        *keyCache
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
	posts, workspaces := postgres.NewPosts(d.DB), postgres.NewWorkspaces(d.DB)
	usage := postgres.NewUsage(d.DB)
	library := libraryOf(d, records, channels, usage)
	scheduling := &channelUseCases{
		Records: records, channels: channels, types: newChannelTypes(), posts: posts, workspaces: workspaces,
		connectors: d.Connectors, rules: d.Rules, access: keeper, live: newLiveReads(d.Clock), appURL: d.AppURL,
	}
	identity := peopleOf(d, records, workspaces, usage)
	ofPosts := &postUseCases{
		Records: records, library: library, scheduling: scheduling, posts: posts, rules: d.Rules,
		renditions: postgres.NewRenditions(d.DB), users: identity.users, events: postgres.NewEvents(d.DB), notices: informing(identity),
	}
	ofSets := &setUseCases{one: ofPosts}
	texts := &snippetUseCases{Records: records, snippets: postgres.NewSnippets(d.DB), channels: channels}
	ofSeries := &seriesUseCases{
		Records: records, sets: ofSets, store: postgres.NewSeries(d.DB), users: identity.users, references: library.references,
	}
	reader, err := feed.NewReader(d.Egress)
	if err != nil {
		return nil, err
	}
	return &App{
		Records: records, mediaUseCases: library, channelUseCases: scheduling, identityUseCases: identity,
		postUseCases: ofPosts, setUseCases: ofSets,
		hookUseCases: &hookUseCases{
			Records: records, deliveries: postgres.NewDeliveries(d.DB, nil), events: postgres.NewEvents(d.DB), egress: d.Egress,
		},
		pageUseCases: pagesOf(d, records, posts),
		figureUseCases: &figureUseCases{
			Records: records, insights: postgres.NewInsights(d.DB), channels: channels, posts: posts, workspaces: workspaces,
		},
		calendarUseCases: &calendarUseCases{Records: records, notes: postgres.NewDayNotes(d.DB), workspaces: workspaces},
		planUseCases: &planUseCases{
			Records: records, ofPosts: ofPosts, library: library, imports: postgres.NewPlanImports(d.DB), feeds: postgres.NewFeeds(d.DB),
		},
		scratchUseCases:    &scratchUseCases{Records: records, scratches: postgres.NewScratches(d.DB)},
		snippetUseCases:    texts,
		campaignUseCases:   &campaignUseCases{Records: records, snippets: texts, shorts: postgres.NewShortLinks(d.DB), shortURL: d.ShortURL},
		clientLinkUseCases: &clientLinkUseCases{Records: records, ofPosts: ofPosts, links: postgres.NewClientLinks(d.DB), users: identity.users},
		seriesUseCases:     ofSeries,
		evergreenUseCases: &evergreenUseCases{
			Records: records, series: ofSeries, scheduling: scheduling, store: postgres.NewEvergreens(d.DB),
		},
		sourceUseCases: &sourceUseCases{Records: records, series: ofSeries, store: postgres.NewSources(d.DB), reader: reader},
		keys:           newKeyCache(postgres.NewKeys(d.DB), postgres.NewGrants(d.DB, d.Keyring), d.Audience, d.Clock, d.Logger),
		idempotency:    postgres.NewIdempotency(d.DB, d.Keyring),
	}, nil
}

// pagesOf returns the use cases of link pages.
func pagesOf(d Deps, records *Records, posts *postgres.Posts) *pageUseCases {
	a := &pageUseCases{
		Records: records, posts: posts, visits: postgres.NewVisits(d.DB), live: postgres.NewLivePages(d.DB),
		domains: postgres.NewLinkDomains(d.DB), pagesURL: d.PagesURL, names: d.Names,
	}
	if a.names == nil {
		a.names = net.DefaultResolver
	}
	return a
}

// libraryOf returns the use cases of the media library.
func libraryOf(d Deps, records *Records, channels *postgres.Channels, usage *postgres.Usage) *mediaUseCases {
	return &mediaUseCases{
		Records: records, channels: channels, uploads: postgres.NewUploads(d.DB),
		imports: postgres.NewImports(d.DB, d.Keyring), loose: postgres.NewLoose(d.DB), files: d.Files,
		references: postgres.NewReferences(d.DB), usage: usage, egress: d.Egress, log: d.Logger,
	}
}

// peopleOf returns the use cases of people.
func peopleOf(d Deps, records *Records, workspaces *postgres.Workspaces, usage *postgres.Usage) *identityUseCases {
	people := &identityUseCases{
		Records: records, workspaces: workspaces, users: postgres.NewUsers(d.DB), operators: postgres.NewOperators(d.DB),
		keyStore: postgres.NewKeys(d.DB), grants: postgres.NewGrants(d.DB, d.Keyring), requests: postgres.NewRequests(d.DB),
		invitations: postgres.NewInvitations(d.DB),
		accounts:    postgres.NewAccounts(d.DB), usage: usage, stopper: postgres.NewChannels(d.DB, d.Keyring), notices: postgres.NewMails(d.DB, d.Keyring), egress: d.Egress,
		log: d.Logger,
	}
	if d.Mails {
		people.mails = people.notices
	}
	return people
}

// Authenticate returns the client of a bearer token. The error is UNAUTHENTICATED for a malformed, unknown, expired or
// revoked token, without distinction.
func (a *App) Authenticate(ctx context.Context, token string) (Principal, error) {
	found, err := a.keys.find(ctx, token)
	if err != nil {
		return Principal{}, err
	}
	return Principal{
		WorkspaceID: found.key.WorkspaceID, Plan: found.plan, Mode: found.mode, Key: found.key, Program: found.program, Grantor: found.grantor,
		GrantorID: found.grantorID, Channels: found.channels,
	}, nil
}

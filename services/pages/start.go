package main

import (
	"context"
	"errors"
	"log/slog"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/valyala/fasthttp"

	"fencepost.internal/services/internal/bootstrap"
	"fencepost.internal/services/internal/framing"
	"fencepost.internal/services/internal/hosts"
	"fencepost.internal/services/internal/render"
	"fencepost.internal/services/pages/internal/tally"
	"fencepost.internal/services/pages/internal/web"
	"fencepost.internal/shared/infra/config"
	"fencepost.internal/shared/infra/objectstore"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/telemetry"
)

const (
	// drainTimeout is the time that requests have to finish after a shutdown request. It is short because documents are
	// in memory.
	drainTimeout = 3 * time.Second
	lockTimeout  = 2 * time.Second
)

type parts struct {
	db     *postgres.DB
	shelf  *web.Shelf
	tally  *tally.Tally
	server *fasthttp.Server
	guard  *framing.Guard
}

// Start builds the process. It waits for the database. The object store may be unavailable: pages are then served
// without images.
func Start(ctx context.Context, cfg config.Pages, p *bootstrap.Process) (bootstrap.Service, error) {
	db, err := bootstrap.Database(ctx, cfg.Database.URL,
		bootstrap.Pool{Connections: cfg.DBMaxConns, LockTimeout: lockTimeout}, p)
	if err != nil {
		return bootstrap.Service{}, err
	}
	built, err := build(cfg, p, db)
	if err == nil {
		err = built.tally.Prepare(ctx)
	}
	if err != nil {
		return bootstrap.Service{}, errors.Join(err, db.Close())
	}
	listener, err := bootstrap.Listen(ctx, "PAGES_ADDR", cfg.Addr)
	if err != nil {
		return bootstrap.Service{}, errors.Join(err, db.Close())
	}
	p.Logger.InfoContext(ctx, "serving link pages", slog.String("address", listener.Addr().String()))
	return bootstrap.Service{
		Checks: []telemetry.Check{bootstrap.DatabaseCheck(db)},
		Run:    func(ctx context.Context) error { return built.program().Run(ctx, listener) },
	}, nil
}

func build(cfg config.Pages, p *bootstrap.Process, db *postgres.DB) (*parts, error) {
	files, err := bootstrap.Files(cfg.ObjectStore)
	if err != nil {
		return nil, err
	}
	pictures, err := pictureOrigin(files)
	if err != nil {
		return nil, err
	}
	renderer, err := render.New(render.Config{PagesURL: cfg.PagesURL, MediaOrigin: pictures})
	if err != nil {
		return nil, err
	}
	pages, err := web.NewShelf(web.ShelfConfig{
		Pages: postgres.NewLivePages(db), Assets: postgres.NewMedia(db), Renderer: renderer, Clock: p.Clock, Logger: p.Logger,
		Registerer: p.Registry,
	})
	if err != nil {
		return nil, err
	}
	counts, err := tally.New(tally.Config{
		Store: postgres.NewVisits(db), Clock: p.Clock, Logger: p.Logger, Registerer: p.Registry,
	})
	if err != nil {
		return nil, err
	}
	known, err := served(cfg)
	if err != nil {
		return nil, err
	}
	site, err := web.New(web.Config{
		Shelf: pages, Shorts: postgres.NewShortLinks(db), Tally: counts, Renderer: renderer, Signer: files, Clock: p.Clock, Logger: p.Logger,
		Registerer: p.Registry,
		Secure:     strings.HasPrefix(cfg.PagesURL, "https://"), TrustedProxies: cfg.TrustedProxies, Hosts: known,
	})
	if err != nil {
		return nil, err
	}
	guard, err := framing.New(framing.Config{ServerResponds: true, Clock: p.Clock, Registerer: p.Registry})
	if err != nil {
		return nil, err
	}
	return &parts{db: db, shelf: pages, tally: counts, server: site.Server(), guard: guard}, nil
}

// served returns the hosts of link pages and of short links.
func served(cfg config.Pages) (*hosts.Set, error) {
	further := slices.Clone(cfg.AllowedHosts)
	if cfg.ShortURL != "" {
		short, err := url.Parse(cfg.ShortURL)
		if err != nil {
			return nil, err
		}
		further = append(further, short.Host)
	}
	return hosts.New(cfg.PagesURL, further)
}

// pictureOrigin returns the origin of the signed addresses of images. It is the only origin, besides their own, from
// which pages may load.
func pictureOrigin(files *objectstore.Store) (string, error) {
	signed, err := files.PresignGet(objectstore.GetTerms{Key: "media/origin", Expires: time.Minute})
	if err != nil {
		return "", err
	}
	parsed, err := url.Parse(signed.URL)
	if err != nil {
		return "", err
	}
	return parsed.Scheme + "://" + parsed.Host, nil
}

// program returns a program that writes the last counts after the last request.
func (b *parts) program() bootstrap.Server {
	return bootstrap.Server{
		Guard: b.guard, Serve: b.server.Serve, Shutdown: b.server.ShutdownWithContext, Drain: drainTimeout,
		Abort:  func() error { return nil }, // requests that are still open after the drain are dropped
		Beside: []func(context.Context){b.shelf.Run, b.tally.Run}, Close: b.db.Close,
	}
}

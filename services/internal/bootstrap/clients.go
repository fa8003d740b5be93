package bootstrap

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"time"

	"fencepost.internal/services/internal/authserver"
	"fencepost.internal/services/internal/requestlog"
	"fencepost.internal/shared/domain/oauth"
	"fencepost.internal/shared/infra/config"
	"fencepost.internal/shared/infra/egress"
	"fencepost.internal/shared/infra/objectstore"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/secretbox"
	"fencepost.internal/shared/infra/telemetry"
)

const (
	schemaPause = time.Second
	schemaLimit = time.Minute
)

// Pool limits the use of the database by one process.
type Pool struct {
	Connections int
	LockTimeout time.Duration // maximum wait for a lock held by another transaction; zero: no limit
	Horizon     time.Duration // see postgres.Config
	Express     *time.Duration
}

// Late returns the time for which a first call to Temporal may keep a delivery from the express lane; zero: no limit.
func Late(cfg config.Express) time.Duration {
	if after := cfg.DeliveryExpressAfter.After(); after != nil {
		return max(*after, time.Second)
	}
	return 0
}

// Database opens the pool and waits until the database responds and its schema is current. An outdated schema is an
// error: the migrate program must run first. So is a database that was restored from a dump: worker recover must run.
func Database(ctx context.Context, url config.Secret, pool Pool, p *Process) (*postgres.DB, error) {
	db, err := postgres.Open(postgres.Config{
		URL: url.Reveal(), Name: p.Name, MaxConnections: pool.Connections, LockTimeout: pool.LockTimeout,
		Horizon: pool.Horizon, Express: pool.Express, Traced: p.traced,
		Logger: p.Logger,
	})
	if err != nil {
		return nil, err
	}
	if p.Libraries != nil {
		if err := p.Libraries.Register(db.Collector()); err != nil {
			return nil, errors.Join(err, db.Close())
		}
	}
	ctx, cancel := context.WithTimeout(ctx, schemaLimit)
	defer cancel()
	for {
		err := db.CheckSchema(ctx)
		if err == nil {
			err = db.CheckRestored(ctx)
		}
		if err == nil {
			return db, nil
		}
		if errors.Is(err, postgres.ErrBehind) || errors.Is(err, postgres.ErrRestored) || ctx.Err() != nil {
			return nil, errors.Join(err, db.Close())
		}
		p.Logger.WarnContext(ctx, "waiting for the database", slog.Any("error", err))
		select {
		case <-ctx.Done():
		case <-time.After(schemaPause):
		}
	}
}

// Files returns the client of the media bucket. It connects on first use, so that every process starts while the object
// store is down.
func Files(cfg config.ObjectStore) (*objectstore.Store, error) {
	return objectstore.New(objectstore.Config{
		Endpoint: cfg.S3Endpoint, PublicEndpoint: cfg.S3PublicEndpoint, Region: cfg.S3Region, AccessKey: cfg.S3AccessKey,
		SecretKey: cfg.S3SecretKey.Reveal(), Bucket: cfg.S3Bucket, Addressing: objectstore.Addressing(cfg.S3Addressing),
	})
}

// OwnURLs returns the service's own addresses, which are never a target of webhooks or imports.
func OwnURLs(public config.Public, store config.ObjectStore) []string {
	own := []string{public.BaseURL, public.AppURL, public.MCPURL, public.PagesURL, public.ShortHost()}
	if public.InboundURL != "" {
		own = append(own, public.InboundURL)
	}
	for _, endpoint := range []string{store.S3Endpoint, store.S3PublicEndpoint} {
		if endpoint == "" {
			continue
		}
		own = append(own, endpoint)
		if scheme, host, ok := strings.Cut(endpoint, "://"); ok &&
			store.S3Addressing == string(objectstore.AddressingVirtual) {
			own = append(own, scheme+"://"+store.S3Bucket+"."+host)
		}
	}
	return own
}

// Authorizations returns the authorization server. The policy restricts the requests for the metadata documents that
// clients publish.
func Authorizations(
	db *postgres.DB, keyring *secretbox.Keyring, public config.Public, policy *egress.Policy, p *Process,
) (*authserver.Server, error) {
	const documentTimeout, clientAgent = 5 * time.Second, "Fencepost-Clients/1"
	fetch, err := egress.NewClient(egress.Config{
		Policy: policy, Profile: egress.Webhook, UserAgent: clientAgent, Timeout: documentTimeout, MaxBody: oauth.MaxMetadata,
	})
	if err != nil {
		return nil, err
	}
	return authserver.New(authserver.Config{
		DB: db, Keyring: keyring, Issuer: public.BaseURL, Resources: []string{public.BaseURL, public.MCPURL}, Fetch: fetch,
		Clock: p.Clock, Logger: p.Logger,
	})
}

// Keyring returns the keyring that decrypts secrets at rest.
func Keyring(keys config.EncryptionKeys) (*secretbox.Keyring, error) {
	return secretbox.NewKeyring(keys)
}

// DatabaseCheck returns a check that pings the database.
func DatabaseCheck(db *postgres.DB) telemetry.Check {
	return telemetry.Check{Name: "database", Probe: db.Ping}
}

// RequestLog returns the log of the requests of credentials. The caller runs it beside the requests.
func RequestLog(db *postgres.DB, p *Process) (*requestlog.Log, error) {
	return requestlog.New(requestlog.Config{Store: postgres.NewRequests(db), Logger: p.Logger, Registerer: p.Registry})
}

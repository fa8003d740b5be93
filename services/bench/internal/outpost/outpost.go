// Package outpost runs Hookdeck Outpost, a service for webhooks of other makers, with Redis, RabbitMQ and a database of
// the lab's PostgreSQL.
package outpost

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"fencepost.internal/services/bench/internal/lab"
	"fencepost.internal/services/bench/internal/load"
)

// Topic is the topic of every event.
const Topic = "post.created"

const (
	program    = "outpost"        // migrates
	server     = "outpost-server" // serves
	folderMode = 0o755
)

// Outpost is a running installation.
type Outpost struct {
	lab     *lab.Lab
	bin     string
	folder  string // of data and configuration
	env     []string
	url     string
	key     string
	log     *pgxpool.Pool  // its log store
	client  *http.Client   // for few calls
	started []*lab.Process // in the order of their start
}

// Start starts an empty installation: API, deliveries and log in a process each, as its guide for production recommends.
func Start(ctx context.Context, l *lab.Lab) (*Outpost, error) {
	const timeout = 10 * time.Second
	o := &Outpost{lab: l, key: rand.Text(), client: &http.Client{Timeout: timeout}}
	if err := o.start(ctx); err != nil {
		o.Stop()
		return nil, err
	}
	return o, nil
}

// Stop stops all processes, those last on which others depend, and deletes the data outside of PostgreSQL.
func (o *Outpost) Stop() {
	for i := len(o.started) - 1; i >= 0; i-- {
		o.started[i].Stop()
	}
	if o.log != nil {
		o.log.Close()
	}
	if o.folder != "" {
		_ = os.RemoveAll(o.folder)
	}
}

func (o *Outpost) start(ctx context.Context) error {
	if err := o.find(ctx); err != nil {
		return err
	}
	name := "outpost_" + strconv.FormatInt(o.lab.Clock.Now().UnixNano(), 36)
	folder, err := filepath.Abs(filepath.Join(o.lab.Folder, name))
	if err != nil {
		return err
	}
	o.folder = folder
	if err := os.MkdirAll(o.folder, folderMode); err != nil {
		return err
	}
	database, err := o.lab.CreateDatabase(ctx, name)
	if err != nil {
		return err
	}
	if o.log, err = pgxpool.New(ctx, database); err != nil {
		return err
	}
	redis, err := o.startRedis(ctx)
	if err != nil {
		return err
	}
	rabbit, err := o.startRabbit(ctx)
	if err != nil {
		return err
	}
	o.env = append(settings(), "PATH="+o.lab.Path, "POSTGRES_URL="+database, "RABBITMQ_SERVER_URL="+rabbit,
		"REDIS_HOST="+redis.host, "REDIS_PORT="+redis.port, "API_KEY="+o.key, "API_JWT_SECRET="+rand.Text(),
		"AES_ENCRYPTION_SECRET="+rand.Text()[:24], "TOPICS="+Topic)
	return o.startServices(ctx)
}

// settings returns the variables that have no secret and no address. The others keep their defaults.
func settings() []string {
	return []string{
		// The value of its load test on AWS. With the default of 1, deliveries are sent one after the other.
		"DELIVERY_MAX_CONCURRENCY=200", "LOG_MAX_CONCURRENCY=200",
		"LOG_LEVEL=warn", "DISABLE_TELEMETRY=true",
		// Our receiver verifies the signatures of this mode.
		"DESTINATIONS_WEBHOOK_MODE=standard",
	}
}

// find checks that the programs exist, and prints the version.
func (o *Outpost) find(ctx context.Context) error {
	for _, name := range []string{redisServer, rabbitServer, erlangNames} {
		if _, err := exec.LookPath(name); err != nil {
			return fmt.Errorf("%w; run: tools/install.sh rival", err)
		}
	}
	bin, err := filepath.Abs(o.lab.Outpost)
	if err != nil {
		return err
	}
	o.bin = bin
	for _, name := range []string{program, server} {
		if _, err := os.Stat(filepath.Join(bin, name)); errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("the program %s of Hookdeck Outpost is not in %s; see docs/performance.md", name, o.lab.Outpost)
		}
	}
	version, err := exec.CommandContext(ctx, filepath.Join(bin, server), "--version").Output() //nolint:gosec // G204: chosen by the operator
	if err != nil {
		return fmt.Errorf("%s --version: %w", server, err)
	}
	o.lab.Say("outpost: version %s", strings.TrimSpace(string(version)))
	return nil
}

// startServices prepares the stores and starts the three services.
func (o *Outpost) startServices(ctx context.Context) error {
	migrate := exec.CommandContext(ctx, filepath.Join(o.bin, program), "migrate", "apply", "--yes") //nolint:gosec // G204: chosen by the operator
	migrate.Env, migrate.Dir = o.env, o.folder
	if out, err := migrate.CombinedOutput(); err != nil {
		return fmt.Errorf("%s migrate apply: %w\n%s", program, err, out)
	}
	for _, service := range []string{"api", "delivery", "log"} {
		a, err := freeAddress(ctx)
		if err != nil {
			return err
		}
		if service == "api" {
			o.url = "http://" + a.String()
		}
		err = o.run(ctx, lab.Program{
			Name: "outpost-" + service, Path: filepath.Join(o.bin, server),
			Env:   append(o.env[:len(o.env):len(o.env)], "SERVICE="+service, "API_PORT="+a.port),
			Ready: lab.Healthy("http://" + a.String() + "/healthz"),
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// run starts a program in the installation's folder, because Outpost reads configuration files of its working folder.
func (o *Outpost) run(ctx context.Context, p lab.Program) error {
	p.Folder = o.folder
	process, err := o.lab.Run(ctx, p)
	if err != nil {
		return err
	}
	o.started = append(o.started, process)
	return nil
}

// Tenant creates a tenant.
func (o *Outpost) Tenant(ctx context.Context, id string) error {
	_, err := load.Call{
		Method: http.MethodPut, URL: o.url + "/api/v1/tenants/" + id, Key: o.key, Want: http.StatusCreated,
	}.Make(ctx, o.client)
	return err
}

// Destination creates a webhook destination for all events of a tenant, signed with the secret.
func (o *Outpost) Destination(ctx context.Context, tenant, url, secret string) error {
	body, err := json.Marshal(map[string]any{
		"type": "webhook", "topics": "*", "config": map[string]string{"url": url},
		"credentials": map[string]string{"secret": secret},
	})
	if err != nil {
		return err
	}
	_, err = load.Call{
		Method: http.MethodPost, URL: o.url + "/api/v1/tenants/" + tenant + "/destinations", Key: o.key, Body: body,
		Want: http.StatusCreated,
	}.Make(ctx, o.client)
	return err
}

// Event returns the call that publishes an event. Outpost delivers the data as the body of its requests.
func (o *Outpost) Event(tenant, id string, data []byte) (load.Call, error) {
	body, err := json.Marshal(map[string]any{
		"id": id, "tenant_id": tenant, "topic": Topic, "data": json.RawMessage(data),
	})
	return load.Call{
		Method: http.MethodPost, URL: o.url + "/api/v1/publish", Key: o.key, Body: body, Want: http.StatusAccepted,
	}, err
}

// Attempts returns the numbers of recorded attempts to deliver an event: of all, and of those that failed.
func (o *Outpost) Attempts(ctx context.Context) (all, failed int, err error) {
	const query = `SELECT count(*), count(*) FILTER (WHERE status <> 'success') FROM attempts`
	err = o.log.QueryRow(ctx, query).Scan(&all, &failed)
	return all, failed, err
}

package trial

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	vegeta "github.com/tsenart/vegeta/v12/lib"

	"fencepost.internal/services/bench/internal/lab"
	"fencepost.internal/shared/domain/event"
	"fencepost.internal/shared/domain/webhook"
	"fencepost.internal/shared/kernel/ident"
)

// compareOutpost compares the deliveries of measureWebhooksAPI with those of Hookdeck Outpost: as many events with the
// same bodies are published over its API, for as many tenants and destinations of the same receiver. Its rate takes the
// place of the ceiling. Our first round begins idle, as each of Outpost's does. Our second one follows at once, as the
// round of measureWebhooksAPI follows its warm-up, while the express lane still takes all deliveries.
func compareOutpost(r *lab.Run) []Row {
	w := newWebhooksAPI(r)
	o := newOutpost(w)
	o.round(deliverWarmUp)
	before := o.round(w.each)
	idle, rate := w.service(w.each), w.service(w.each)
	theirs := mean(before, o.round(w.each))
	const unit = "deliveries/s"
	return []Row{
		Against("webhooks_outpost", rate, unit, theirs).MinRatio(1),
		Against("webhooks_outpost_idle", idle, unit, theirs).MinRatio(1),
	}
}

// Debian's programs. The script of RabbitMQ in PATH would change to the package's own user.
const (
	redisServer  = "redis-server"
	rabbitServer = "/usr/lib/rabbitmq/bin/rabbitmq-server"
	erlangNames  = "epmd"
)

// Programs of Outpost.
const (
	outpostMigrations = "outpost"
	outpostServer     = "outpost-server"
)

// host is the host of all addresses.
const host = "127.0.0.1"

func port(address string) string { return strings.TrimPrefix(address, host+":") }

// topic is the topic of every event.
const topic = "post.created"

// outpost is an installation of Hookdeck Outpost, with Redis, RabbitMQ and a database of the lab's PostgreSQL. It sends
// the events of webhooksAPI.
type outpost struct {
	*webhooksAPI

	folder     string // of data and configuration
	url        string
	apiKey     string
	attempts   *pgxpool.Pool // its log store
	sample     []byte        // body of an event of the service
	deliveries int           // of all rounds
}

// newOutpost starts an empty installation with a tenant for each workspace, with as many destinations as the workspace's
// endpoints.
func newOutpost(w *webhooksAPI) *outpost {
	o := &outpost{webhooksAPI: w, apiKey: rand.Text(), sample: w.event()}
	bin := o.find()
	name := "outpost_" + strconv.FormatInt(time.Now().UnixNano(), 36)
	folder, err := filepath.Abs(filepath.Join(o.Folder, name))
	o.Check(err)
	o.folder = folder
	o.Check(os.MkdirAll(o.folder, 0o750))
	o.Cleanup(func() { _ = os.RemoveAll(o.folder) })
	database := o.CreateDatabase(name)
	o.attempts, err = pgxpool.New(o.Context(), database)
	o.Check(err)
	o.Cleanup(o.attempts.Close)
	o.startServices(bin, []string{
		"PATH=" + o.Path, "POSTGRES_URL=" + database, "RABBITMQ_SERVER_URL=" + o.startRabbit(),
		"REDIS_HOST=" + host, "REDIS_PORT=" + port(o.startRedis()), "API_KEY=" + o.apiKey, "API_JWT_SECRET=" + rand.Text(),
		"AES_ENCRYPTION_SECRET=" + rand.Text()[:24], "TOPICS=" + topic,
		// The value of its load test on AWS. With the default of 1, deliveries are sent one after the other.
		"DELIVERY_MAX_CONCURRENCY=200", "LOG_MAX_CONCURRENCY=200", "LOG_LEVEL=warn", "DISABLE_TELEMETRY=true",
		// Our receiver verifies the signatures of this mode.
		"DESTINATIONS_WEBHOOK_MODE=standard",
	})
	for _, t := range o.tenants {
		o.register(t)
	}
	return o
}

// find prints the version of Outpost and returns the folder of its programs.
func (o *outpost) find() string {
	bin, err := filepath.Abs(o.Outpost)
	o.Check(err)
	version, err := exec.CommandContext(o.Context(), filepath.Join(bin, outpostServer), "--version").Output() //nolint:gosec // G204: chosen by the operator
	if err != nil {
		o.Failf("Hookdeck Outpost is not in %s; run make bench RIVAL=1: %w", o.Outpost, err)
	}
	o.Logf("outpost: version %s", strings.TrimSpace(string(version)))
	return bin
}

// startRedis starts Redis with an append-only file, which is synchronized each second, and returns its address.
// Outpost's guide requires persistence.
func (o *outpost) startRedis() string {
	address := o.Address()
	o.StartProgram(lab.Program{
		Name: "redis", Path: redisServer, Env: []string{"PATH=" + o.Path}, Ready: address, Folder: o.folder,
		Args: []string{"--bind", host, "--port", port(address), "--dir", o.folder, "--appendonly", "yes", "--save", ""},
	})
	return address
}

// startRabbit starts RabbitMQ with its defaults and returns its URL. Its queues are quorum queues, which Outpost declares.
func (o *outpost) startRabbit() string {
	names, node, cluster := o.Address(), o.Address(), o.Address()
	env := []string{"PATH=" + o.Path, "HOME=" + o.folder, "ERL_EPMD_PORT=" + port(names), "ERL_EPMD_ADDRESS=" + host}
	// RabbitMQ would start this server of names as a daemon that outlives it.
	o.StartProgram(lab.Program{
		Name: erlangNames, Path: erlangNames, Env: env, Ready: names, Folder: o.folder,
	})
	none := filepath.Join(o.folder, "none") // instead of the machine's configuration
	o.StartProgram(lab.Program{
		Name: "rabbitmq", Path: rabbitServer, Ready: node, Folder: o.folder,
		Env: append(env,
			"RABBITMQ_NODENAME=bench@localhost", "RABBITMQ_NODE_IP_ADDRESS="+host, "RABBITMQ_NODE_PORT="+port(node),
			"RABBITMQ_DIST_PORT="+port(cluster),
			"RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS=-kernel inet_dist_use_interface {127,0,0,1}",
			"RABBITMQ_MNESIA_BASE="+filepath.Join(o.folder, "rabbitmq"), "RABBITMQ_LOGS=-",
			"RABBITMQ_PID_FILE="+filepath.Join(o.folder, "rabbitmq.pid"), "RABBITMQ_CONF_ENV_FILE="+none,
			"RABBITMQ_CONFIG_FILE="+none, "RABBITMQ_ENABLED_PLUGINS_FILE="+none,
			// With both, the script becomes the server, so that signals reach it.
			"RABBITMQ_ALLOW_INPUT=true", "RABBITMQ_SERVER_START_ARGS=-noinput",
		),
	})
	return "amqp://guest:guest@" + node + "/"
}

// startServices prepares the stores and starts API, deliveries and log in a process each, as the guide for production
// recommends. They run in the installation's folder, because they read configuration files of their working folder.
func (o *outpost) startServices(bin string, env []string) {
	migrate := exec.CommandContext(o.Context(), filepath.Join(bin, outpostMigrations), "migrate", "apply", "--yes") //nolint:gosec // G204: chosen by the operator
	migrate.Env, migrate.Dir = env, o.folder
	if out, err := migrate.CombinedOutput(); err != nil {
		o.Failf("%s migrate apply: %w\n%s", outpostMigrations, err, out)
	}
	for _, service := range []string{"api", "delivery", "log"} {
		address := o.Address()
		if service == "api" {
			o.url = "http://" + address + "/api/v1"
		}
		o.StartProgram(lab.Program{
			Name: "outpost-" + service, Path: filepath.Join(bin, outpostServer), Folder: o.folder,
			Env:   append(env[:len(env):len(env)], "SERVICE="+service, "API_PORT="+port(address)),
			Ready: "http://" + address + "/healthz",
		})
	}
}

// register creates a tenant with webhook destinations for all its events.
func (o *outpost) register(t lab.Tenant) {
	tenant := o.url + "/tenants/" + t.ID.String()
	o.Call(o.Request(http.MethodPut, tenant, o.apiKey, nil), nil)
	for k := range apiEndpoints {
		name, secret := destination(t, k), webhook.NewSecret()
		o.target.Serve(name, lab.Endpoint{Secret: secret, Standard: true})
		o.Call(o.Request(http.MethodPost, tenant+"/destinations", o.apiKey, map[string]any{
			"type": "webhook", "topics": "*", "config": map[string]string{"url": o.target.URL(name)},
			"credentials": map[string]string{"secret": secret},
		}), nil)
	}
}

// destination returns the name of the k-th destination of a tenant.
func destination(t lab.Tenant, k int) string { return fmt.Sprintf("outpost-%s-%d", t.ID, k) }

// round returns Outpost's rate for a number of events of each tenant. It waits until all deliveries are recorded, so that
// the next round does not compete with them, and checks that each destination got all events of its tenant, with
// identical bytes, and no others.
func (o *outpost) round(each int) float64 {
	requests, events := o.events(each)
	rate := o.send("Outpost", requests)
	o.deliveries += len(requests) * apiEndpoints
	o.Until(limit, "Outpost has recorded all deliveries", func() bool {
		var all, failed int
		const query = `SELECT count(*), count(*) FILTER (WHERE status <> 'success') FROM attempts`
		o.Check(o.attempts.QueryRow(o.Context(), query).Scan(&all, &failed))
		if failed > 0 {
			o.Failf("%d attempts failed", failed)
		}
		return all >= o.deliveries
	})
	for _, t := range o.tenants {
		for k := range apiEndpoints {
			name := destination(t, k)
			checkArrivals(o.Run, name, events[t.ID.String()], o.target.Arrivals(name))
		}
	}
	return rate
}

// events returns requests that publish events of the tenants in turn, and the events by tenant.
func (o *outpost) events(each int) ([]vegeta.Target, map[string]map[string]sent) {
	var requests []vegeta.Target
	var sample struct {
		ID string `json:"id"`
	}
	o.Check(json.Unmarshal(o.sample, &sample))
	events := make(map[string]map[string]sent)
	for range each {
		for _, t := range o.tenants {
			tenant, id := t.ID.String(), event.ExternalID(ident.New[ident.Event]())
			body := bytes.ReplaceAll(o.sample, []byte(sample.ID), []byte(id))
			requests = append(requests, o.Request(http.MethodPost, o.url+"/publish", o.apiKey, publication(tenant, id, body)))
			if events[tenant] == nil {
				events[tenant] = make(map[string]sent)
			}
			events[tenant][id] = sent{hash: sha256.Sum256(body)}
		}
	}
	return requests, events
}

// publication returns the request's body that publishes an event. Outpost delivers the data as the body of its requests.
func publication(tenant, id string, data []byte) map[string]any {
	return map[string]any{"id": id, "tenant_id": tenant, "topic": topic, "data": json.RawMessage(data)}
}

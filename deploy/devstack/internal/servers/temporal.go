package servers

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"

	"fencepost.internal/devstack/internal/process"
)

const (
	// TemporalCommand starts Temporal in this program: run and exec start it as a child process, so that Temporal can be
	// killed and restarted alone, as in production.
	TemporalCommand = "temporal-server"
	// Namespace is the namespace that is created at start.
	Namespace = "default"
)

func (s *Servers) newTemporal() *process.Unit {
	url := "http://" + address(s.cfg.Ports.TemporalUI) + "/healthz"
	return process.New(process.Config{
		Name: "temporal", Launch: s.launchTemporal,
		// The UI starts last.
		Probe:   func(ctx context.Context) error { return CheckHTTP(ctx, url) },
		LogPath: s.log("temporal"),
	})
}

// launchTemporal configures Temporal with the variables of its image. The ports of the services that communicate only with
// each other are locked and below the range of outgoing connections: on a busy machine, Temporal listens on them only
// seconds later. Each of the four services has its own pools of connections, so their limits count four times against
// PostgreSQL's max_connections.
func (s *Servers) launchTemporal(ctx context.Context) (process.Spec, error) {
	internal, err := process.Pick(ctx, 3)
	if err != nil {
		return process.Spec{}, err
	}
	return process.Spec{
		Path: s.cfg.Program, Args: []string{TemporalCommand}, Dir: os.TempDir(),
		Env: []string{
			"PATH=/usr/local/bin:/usr/bin:/bin", "TZ=UTC", "LOG_LEVEL=warn",
			"DB=postgres12_pgx", "POSTGRES_SEEDS=" + loopback, "DB_PORT=" + strconv.Itoa(s.cfg.Ports.Postgres),
			"POSTGRES_USER=" + temporalRole, "POSTGRES_PWD=" + s.cfg.Secrets.TemporalPassword,
			"DBNAME=" + temporalDatabase, "VISIBILITY_DBNAME=" + visibilityDatabase,
			"SQL_MAX_CONNS=16", "SQL_MAX_IDLE_CONNS=16", "SQL_VIS_MAX_CONNS=4", "SQL_VIS_MAX_IDLE_CONNS=4",
			// Never changes for the life of a database. Four shards are enough to keep two to eight cores busy, and each
			// idle shard costs timers and polls.
			"NUM_HISTORY_SHARDS=4",
			"FRONTEND_GRPC_PORT=" + strconv.Itoa(s.cfg.Ports.Temporal), "FRONTEND_HTTP_PORT=0",
			"HISTORY_GRPC_PORT=" + strconv.Itoa(internal[0]), "MATCHING_GRPC_PORT=" + strconv.Itoa(internal[1]),
			"WORKER_GRPC_PORT=" + strconv.Itoa(internal[2]), "DYNAMIC_CONFIG_FILE_PATH=" + s.cfg.DynamicConfig,
			"TEMPORAL_UI_PORT=" + strconv.Itoa(s.cfg.Ports.TemporalUI),
		},
	}, nil
}

// CheckHTTP returns an error unless a URL responds with status 200. The error contains the response.
func CheckHTTP(ctx context.Context, url string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return err
	}
	response, err := new(http.Client).Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode == http.StatusOK {
		return nil
	}
	body, _ := io.ReadAll(io.LimitReader(response.Body, 500))
	return fmt.Errorf("%s responds with %d: %s", url, response.StatusCode, body)
}

// Package temporalserver runs Temporal and its web UI in this process. The stack starts it as a child process
// ("devstack temporal-server"), so that Temporal can be killed and restarted alone, as in production.
package temporalserver

import (
	"errors"
	"fmt"
	"net"
	"strconv"
	"time"

	"go.temporal.io/server/common/cluster"
	"go.temporal.io/server/common/config"
	"go.temporal.io/server/common/dynamicconfig"
	"go.temporal.io/server/common/membership/static"
	"go.temporal.io/server/common/persistence/sql/sqlplugin/postgresql"
	"go.temporal.io/server/common/primitives"
	"go.temporal.io/server/temporal"
)

const (
	// loopback is the only address on which this package listens: the server has no authentication.
	loopback = "127.0.0.1"

	// historyShards never changes for the life of a database. Four shards are enough to keep two to eight cores busy,
	// and each idle shard costs timers and polls.
	historyShards = 4

	clusterName     = "active"
	defaultStore    = "default"
	visibilityStore = "visibility"
	dynamicPoll     = 10 * time.Second
)

// Config holds the addresses and databases of Temporal.
type Config struct {
	// Port is the frontend's gRPC port, UIPort the web UI's; both on loopback.
	Port, UIPort int
	// PostgresAddress is "host:port".
	PostgresAddress string
	User, Password  string
	// Database and VisibilityDatabase must exist and belong to User. Their schema is created and updated at start.
	Database, VisibilityDatabase string
	// DynamicConfig is the path of the dynamic configuration, deploy/temporal/dynamic.yaml.
	DynamicConfig string
	// Namespace is registered at start if it is missing. Its closed workflows are kept for Retention.
	Namespace string
	Retention time.Duration
	// LogLevel is one of debug, info, warn, error.
	LogLevel string
}

// Validate reports all missing settings at once.
func (c Config) Validate() error {
	var errs []error
	for name, value := range map[string]string{
		"postgres address": c.PostgresAddress, "user": c.User, "password": c.Password, "database": c.Database,
		"visibility database": c.VisibilityDatabase, "dynamic configuration": c.DynamicConfig, "namespace": c.Namespace,
	} {
		if value == "" {
			errs = append(errs, fmt.Errorf("%s is missing", name))
		}
	}
	if c.Port <= 0 || c.UIPort <= 0 {
		errs = append(errs, errors.New("port and UI port must be positive"))
	}
	if c.Retention < 24*time.Hour {
		errs = append(errs, errors.New("retention must be at least one day"))
	}
	return errors.Join(errs...)
}

func (c Config) address() string { return net.JoinHostPort(loopback, strconv.Itoa(c.Port)) }

// store returns the persistence plugin's configuration for one database. Each of the four services of the process has
// its own pools, so the limits count four times against PostgreSQL's max_connections.
func (c Config) store(database string, connections int) *config.SQL {
	return &config.SQL{
		PluginName:      postgresql.PluginNamePGX,
		DatabaseName:    database,
		ConnectAddr:     c.PostgresAddress,
		ConnectProtocol: "tcp",
		User:            c.User,
		Password:        c.Password,
		MaxConns:        connections,
		MaxIdleConns:    connections,
		MaxConnLifetime: time.Hour,
	}
}

// internalPorts holds the gRPC ports of the services that communicate only with each other.
type internalPorts struct{ history, matching, worker int }

func (c Config) serverConfig(internal internalPorts) *config.Config {
	disabled := config.Archival{
		History:    config.HistoryArchival{State: config.ArchivalDisabled},
		Visibility: config.VisibilityArchival{State: config.ArchivalDisabled},
	}
	return &config.Config{
		Persistence: config.Persistence{
			DefaultStore:     defaultStore,
			VisibilityStore:  visibilityStore,
			NumHistoryShards: historyShards,
			DataStores: map[string]config.DataStore{
				defaultStore:    {SQL: c.store(c.Database, 16)},
				visibilityStore: {SQL: c.store(c.VisibilityDatabase, 4)},
			},
		},
		ClusterMetadata: &cluster.Config{
			FailoverVersionIncrement: 10,
			MasterClusterName:        clusterName,
			CurrentClusterName:       clusterName,
			ClusterInformation: map[string]cluster.ClusterInformation{
				clusterName: {Enabled: true, InitialFailoverVersion: 1, RPCAddress: c.address()},
			},
		},
		DCRedirectionPolicy: config.DCRedirectionPolicy{Policy: "noop"},
		Services: map[string]config.Service{
			string(primitives.FrontendService): service(c.Port),
			string(primitives.HistoryService):  service(internal.history),
			string(primitives.MatchingService): service(internal.matching),
			string(primitives.WorkerService):   service(internal.worker),
		},
		Archival: disabled,
		NamespaceDefaults: config.NamespaceDefaults{Archival: config.ArchivalNamespaceDefaults{
			History:    config.HistoryArchivalNamespaceDefaults{State: config.ArchivalDisabled},
			Visibility: config.VisibilityArchivalNamespaceDefaults{State: config.ArchivalDisabled},
		}},
		PublicClient:        config.PublicClient{HostPort: c.address()},
		DynamicConfigClient: &dynamicconfig.FileBasedClientConfig{Filepath: c.DynamicConfig, PollInterval: dynamicPoll},
	}
}

func service(port int) config.Service {
	return config.Service{RPC: config.RPC{GRPCPort: port, BindOnIP: loopback}}
}

// hosts returns the fixed membership of a single-node cluster. Without it, the services would gossip, and a restart
// after a kill would first try to reach the dead process that the database still lists.
func (c Config) hosts(internal internalPorts) map[primitives.ServiceName]static.Hosts {
	at := func(port int) static.Hosts {
		return static.SingleLocalHost(net.JoinHostPort(loopback, strconv.Itoa(port)))
	}
	return map[primitives.ServiceName]static.Hosts{
		primitives.FrontendService: at(c.Port),
		primitives.HistoryService:  at(internal.history),
		primitives.MatchingService: at(internal.matching),
		primitives.WorkerService:   at(internal.worker),
	}
}

func (c Config) services() []string { return temporal.DefaultServices }

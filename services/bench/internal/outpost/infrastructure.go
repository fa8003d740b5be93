package outpost

import (
	"context"
	"net"
	"path/filepath"

	"fencepost.internal/services/bench/internal/lab"
)

// Debian's programs. The script of RabbitMQ in PATH would change to the package's own user.
const (
	redisServer  = "redis-server"
	rabbitServer = "/usr/lib/rabbitmq/bin/rabbitmq-server"
	erlangNames  = "epmd"
)

// address is an address on this machine on which no process listens.
type address struct{ host, port string }

func (a address) String() string { return net.JoinHostPort(a.host, a.port) }

func freeAddress(ctx context.Context) (address, error) {
	free, err := lab.FreeAddress(ctx)
	if err != nil {
		return address{}, err
	}
	host, port, err := net.SplitHostPort(free)
	return address{host: host, port: port}, err
}

// startRedis starts Redis with an append-only file, which is synchronized each second. Outpost's guide requires
// persistence.
func (o *Outpost) startRedis(ctx context.Context) (address, error) {
	a, err := freeAddress(ctx)
	if err != nil {
		return address{}, err
	}
	return a, o.run(ctx, lab.Program{
		Name: "redis", Path: redisServer, Env: []string{"PATH=" + o.lab.Path}, Ready: lab.Listening(a.String()),
		Args: []string{"--bind", a.host, "--port", a.port, "--dir", o.folder, "--appendonly", "yes", "--save", ""},
	})
}

// startRabbit starts RabbitMQ with its defaults and returns its URL. Its queues are quorum queues, which Outpost declares.
func (o *Outpost) startRabbit(ctx context.Context) (string, error) {
	var addresses [3]address
	for i := range addresses {
		var err error
		if addresses[i], err = freeAddress(ctx); err != nil {
			return "", err
		}
	}
	names, node, cluster := addresses[0], addresses[1], addresses[2]
	env := []string{"PATH=" + o.lab.Path, "HOME=" + o.folder, "ERL_EPMD_PORT=" + names.port, "ERL_EPMD_ADDRESS=" + names.host}
	// RabbitMQ would start this server of names as a daemon that outlives it.
	err := o.run(ctx, lab.Program{Name: erlangNames, Path: erlangNames, Env: env, Ready: lab.Listening(names.String())})
	if err != nil {
		return "", err
	}
	none := filepath.Join(o.folder, "none") // instead of the machine's configuration
	err = o.run(ctx, lab.Program{
		Name: "rabbitmq", Path: rabbitServer, Ready: lab.Listening(node.String()),
		Env: append(env,
			"RABBITMQ_NODENAME=bench@localhost", "RABBITMQ_NODE_IP_ADDRESS="+node.host, "RABBITMQ_NODE_PORT="+node.port,
			"RABBITMQ_DIST_PORT="+cluster.port,
			"RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS=-kernel inet_dist_use_interface {127,0,0,1}",
			"RABBITMQ_MNESIA_BASE="+filepath.Join(o.folder, "rabbitmq"), "RABBITMQ_LOGS=-",
			"RABBITMQ_PID_FILE="+filepath.Join(o.folder, "rabbitmq.pid"), "RABBITMQ_CONF_ENV_FILE="+none,
			"RABBITMQ_CONFIG_FILE="+none, "RABBITMQ_ENABLED_PLUGINS_FILE="+none,
			// With both, the script becomes the server, so that signals reach it.
			"RABBITMQ_ALLOW_INPUT=true", "RABBITMQ_SERVER_START_ARGS=-noinput",
		),
	})
	return "amqp://guest:guest@" + node.String() + "/", err
}

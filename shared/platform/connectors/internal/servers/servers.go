// Package servers returns the API client of an account's server, for networks of independent servers. Users choose the
// servers, so every connection to one passes the rules for outgoing requests (network.Servers).
package servers

import (
	"errors"
	"fmt"
	"sync"

	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
	"fencepost.internal/shared/platform/network"
)

// mostClients bounds the number of clients that are kept, each with its idle connections.
const mostClients = 256

var errForbidden = errors.New("servers: no server but the usual one may be called")

// Config describes the servers of one network.
type Config struct {
	// Wire configures every client. Its BaseURL is the usual server, which the operator chose: it needs no check.
	Wire httpcall.Config
	// Only means that the usual server serves all accounts, as the sandbox network does.
	Only bool
	// Sandbox plays all servers; nil on the real network.
	Sandbox *Sandbox
	// Reach checks and dials the other servers. If it is zero, none may be called.
	Reach network.Servers
}

// Sandbox is a program that plays the servers of a network.
type Sandbox struct {
	Usual string                     // URL of the server that it plays at Wire.BaseURL
	At    func(server string) string // address at which it plays another server
}

// Pool holds the clients of one network's servers. It is safe for concurrent use.
type Pool struct {
	config Config
	usual  *httpcall.Client

	mu      sync.Mutex
	clients map[string]*httpcall.Client // by URL
}

// New returns a pool.
func New(config Config) (*Pool, error) {
	usual, err := httpcall.New(config.Wire)
	if err != nil {
		return nil, err
	}
	return &Pool{config: config, usual: usual, clients: make(map[string]*httpcall.Client)}, nil
}

// Usual returns the client of the usual server.
func (p *Pool) Usual() *httpcall.Client { return p.usual }

// Of returns the client of the account's server. A server that may not be called is a Failure of ClassReconnect: only
// a user can name another one.
func (p *Pool) Of(account platform.Account) (*httpcall.Client, error) {
	server := account.Credentials.Server
	if server == "" || p.config.Only || server == p.usual.BaseURL() ||
		p.config.Sandbox != nil && server == p.config.Sandbox.Usual {
		return p.usual, nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if client, ok := p.clients[server]; ok {
		return client, nil
	}
	client, err := p.connect(server)
	if err != nil {
		return nil, p.usual.Reconnect(err)
	}
	if len(p.clients) == mostClients {
		for other, old := range p.clients {
			old.Close()
			delete(p.clients, other)
			break
		}
	}
	p.clients[server] = client
	return client, nil
}

func (p *Pool) connect(server string) (*httpcall.Client, error) {
	if p.config.Reach.Check == nil || p.config.Reach.Dial == nil {
		return nil, errForbidden
	}
	if err := p.config.Reach.Check(server); err != nil {
		return nil, fmt.Errorf("the server may not be called: %w", err)
	}
	wire := p.config.Wire
	if p.config.Sandbox != nil {
		wire.BaseURL = p.config.Sandbox.At(server)
		return httpcall.New(wire)
	}
	wire.BaseURL, wire.Dial = server, p.config.Reach.Dial
	return httpcall.New(wire)
}

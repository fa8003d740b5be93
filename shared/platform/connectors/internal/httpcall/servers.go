package httpcall

import (
	"errors"
	"fmt"
	"sync"

	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/network"
)

// mostClients bounds the number of clients that are kept, each with its idle connections.
const mostClients = 256

var errForbidden = errors.New("servers: no server but the usual one may be called")

// ServersConfig describes the servers of one network.
type ServersConfig struct {
	// Wire configures every client. Its BaseURL is the usual server, which the operator chose: it needs no check.
	Wire Config
	// Only means that the usual server serves all accounts, as the sandbox network does.
	Only bool
	// Sandbox plays all servers; nil on the real network.
	Sandbox *ServersSandbox
	// Reach checks and dials the other servers. If it is zero, none may be called.
	Reach network.Servers
}

// ServersSandbox is a program that plays the servers of a network.
type ServersSandbox struct {
	Usual string                     // URL of the server that it plays at Wire.BaseURL
	At    func(server string) string // address at which it plays another server
}

// Servers holds the clients of one network's servers. It is safe for concurrent use.
type Servers struct {
	config ServersConfig
	usual  *Client

	mu      sync.Mutex
	clients map[string]*Client // by URL
}

// NewServers returns a pool.
func NewServers(config ServersConfig) (*Servers, error) {
	usual, err := New(config.Wire)
	if err != nil {
		return nil, err
	}
	return &Servers{config: config, usual: usual, clients: make(map[string]*Client)}, nil
}

// Usual returns the client of the usual server.
func (p *Servers) Usual() *Client { return p.usual }

// Of returns the client of the account's server. A server that may not be called is a Failure of ClassReconnect: only
// a user can name another one.
func (p *Servers) Of(account platform.Account) (*Client, error) {
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

func (p *Servers) connect(server string) (*Client, error) {
	if p.config.Reach.Check == nil || p.config.Reach.Dial == nil {
		return nil, errForbidden
	}
	if err := p.config.Reach.Check(server); err != nil {
		return nil, fmt.Errorf("the server may not be called: %w", err)
	}
	wire := p.config.Wire
	if p.config.Sandbox != nil {
		wire.BaseURL = p.config.Sandbox.At(server)
		return New(wire)
	}
	wire.BaseURL, wire.Dial = server, p.config.Reach.Dial
	return New(wire)
}

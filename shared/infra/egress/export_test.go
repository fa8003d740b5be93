package egress

import (
	"context"
	"net"
)

// SetConnect replaces what opens sockets, so that tests reach "public" addresses on loopback servers. The
// gate is handed over and must be asked as a net.Dialer would.
func SetConnect(c *Client, connect func(ctx context.Context, network, address string, gate Gate) (net.Conn, error)) {
	c.dialer.connect = connect
}

// SetDownloadConnect is SetConnect for a Downloader.
func SetDownloadConnect(d *Downloader, connect func(ctx context.Context, network, address string, gate Gate) (net.Conn, error)) {
	d.dialer.connect = connect
}

// Connect is what opens sockets outside of tests.
func Connect(ctx context.Context, network, address string, gate Gate) (net.Conn, error) {
	return connect(ctx, network, address, gate)
}

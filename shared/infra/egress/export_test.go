package egress

import (
	"context"
	"net"
)

// SetConnect replaces the function that opens sockets, so that tests reach "public" addresses on loopback servers. The
// replacement must call the gate as a net.Dialer would.
func SetConnect(c *Client, connect func(ctx context.Context, network, address string, gate Gate) (net.Conn, error)) {
	c.dialer.connect = connect
}

// SetDownloadConnect is SetConnect for a Downloader.
func SetDownloadConnect(
	d *Downloader, connect func(ctx context.Context, network, address string, gate Gate) (net.Conn, error),
) {
	d.dialer.connect = connect
}

// Connect opens sockets as in production.
func Connect(ctx context.Context, network, address string, gate Gate) (net.Conn, error) {
	return connect(ctx, network, address, gate)
}

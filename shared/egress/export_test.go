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

package lab

import (
	"context"
	"net"
	"net/http"
	"sync/atomic"
)

// Balance distributes the connections of this measurement to the API's address over servers, which are addresses. If one
// is down, it connects to another one. Each request has its own connection, and requests that must not happen twice
// require an Idempotency-Key.
func (r *Run) Balance(servers ...string) {
	var turn atomic.Int64
	dial := func(ctx context.Context, network, address string) (connection net.Conn, err error) {
		if "http://"+address != r.APIURL {
			return new(net.Dialer).DialContext(ctx, network, address)
		}
		for range servers {
			server := servers[int(turn.Add(1))%len(servers)]
			if connection, err = new(net.Dialer).DialContext(ctx, network, server); err == nil {
				break
			}
		}
		return connection, err
	}
	r.client = &http.Client{Timeout: callTimeout, Transport: &http.Transport{DialContext: dial, DisableKeepAlives: true}}
}

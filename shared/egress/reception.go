package egress

import (
	"context"
	"net"
	"net/http/httptrace"
	"sync/atomic"
)

// countingConn counts what was received over a connection.
type countingConn struct {
	net.Conn

	received atomic.Int64
}

// Read counts.
func (c *countingConn) Read(buffer []byte) (int, error) {
	n, err := c.Conn.Read(buffer)
	c.received.Add(int64(n))

	return n, err
}

// reception knows how much of an answer was received, the one way to tell a head that is too large:
// net/http has no error value for it.
type reception struct {
	conn  *countingConn
	start int64
}

func (r *reception) trace() *httptrace.ClientTrace {
	return &httptrace.ClientTrace{GotConn: func(info httptrace.GotConnInfo) {
		if conn, ok := info.Conn.(*countingConn); ok {
			r.conn, r.start = conn, conn.received.Load()
		}
	}}
}

// classify is for failures before the head was complete.
func (r *reception) classify(ctx context.Context, err error) *Error {
	if ctx.Err() == nil && r.conn != nil && r.conn.received.Load()-r.start >= maxHead {
		return newError(ClassTooLarge, StageExchange, err)
	}

	return classify(ctx, err)
}

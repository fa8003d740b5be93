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

// reception knows how much of an answer was received. It tells apart what net/http has no error values for:
// a head that is too large, and an answer of which not one byte came.
type reception struct {
	conn      *countingConn
	connected atomic.Bool // to the destination, with or without TLS
}

func (r *reception) trace() *httptrace.ClientTrace {
	return &httptrace.ClientTrace{
		GotConn: func(info httptrace.GotConnInfo) {
			if conn, ok := info.Conn.(*countingConn); ok {
				r.conn = conn
			}
		},
		ConnectDone: func(_, _ string, err error) {
			if err == nil {
				r.connected.Store(true)
			}
		},
	}
}

func (r *reception) received() int64 {
	if r.conn == nil {
		return 0
	}

	return r.conn.received.Load()
}

// classify is for failures before the head was complete.
func (r *reception) classify(ctx context.Context, err error) *Error {
	failure := classify(ctx, err)
	// At the end of the time net/http does not wait for what the dialer has to say.
	if failure.Class == ClassTimeout && failure.Stage == StageExchange && !r.connected.Load() {
		failure.Stage = StageDial
	}

	if failure.Class != ClassProtocol {
		return failure
	}

	switch received := r.received(); {
	case received == 0:
		return newError(ClassConnectionReset, StageExchange, err)
	case received >= maxHead:
		return newError(ClassTooLarge, StageExchange, err)
	default:
		return failure
	}
}

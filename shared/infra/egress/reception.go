package egress

import (
	"context"
	"net"
	"net/http/httptrace"
	"sync/atomic"
)

// countingConn counts the bytes received over a connection.
type countingConn struct {
	net.Conn

	received atomic.Int64
}

// Read reads from the connection and counts the bytes.
func (c *countingConn) Read(buffer []byte) (int, error) {
	n, err := c.Conn.Read(buffer)
	c.received.Add(int64(n))

	return n, err
}

// reception tracks how much of a response was received. It distinguishes failures for which net/http has no error
// values: a header that is too large, and a response without a single byte.
type reception struct {
	conn      *countingConn
	connected atomic.Bool // connected to the destination, with or without TLS
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

// classify classifies failures before the header was complete.
func (r *reception) classify(ctx context.Context, err error) *Error {
	failure := classify(ctx, err)
	// When the time is over, net/http does not wait for the dialer's error.
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

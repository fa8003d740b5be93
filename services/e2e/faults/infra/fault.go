package infra

import "time"

// Fault is a fault of a connection. The zero value is no fault. A fault has one kind; Delay can be combined with any.
type Fault struct {
	// Closed stops listening: connections are refused before the client can send a byte. Befallen does not count them.
	Closed bool
	// Refuse resets connections as soon as they are accepted. Bytes that the client has sent by then are lost.
	Refuse bool
	// Silent accepts connections and drops all bytes in both directions, like a host that is disconnected from the
	// network.
	Silent bool
	// CutAfter resets a connection after the client has sent this many bytes on it since the fault started.
	CutAfter int64
	// LoseReplyTo forwards a client's bytes that contain this text, waits for the server's response, and resets the
	// connection instead of forwarding the response: the request was performed, and the client cannot know. "\r\n\r\n"
	// matches any HTTP request.
	LoseReplyTo string
	// Delay is the added latency in each direction. It does not reduce throughput.
	Delay time.Duration
	// Times is the number of affected connections; the others are forwarded. 0 means all.
	Times int
}

package proxy

import "time"

// Fault is what is wrong with a way. The zero value is a good way. One kind at a time; Delay goes with any.
type Fault struct {
	// Closed has nobody listen: whoever comes is refused before it can say a byte. Befallen does not count these.
	Closed bool
	// Refuse resets connections as soon as they are made. What the client has said by then was written, and read by nobody.
	Refuse bool
	// Silent lets connections be made and swallows whatever either side says: a host that fell off the network.
	Silent bool
	// CutAfter resets a connection when the client has sent so many bytes on it, counted from when the fault began.
	CutAfter int64
	// LoseReplyTo passes what the client says that contains this, waits for the server's answer, and resets the connection
	// instead of passing that on: it was done, and the client cannot know. With "\r\n\r\n" it befalls any HTTP request.
	LoseReplyTo string
	// Delay is how much later everything arrives, in each direction. It takes time, not throughput.
	Delay time.Duration
	// Times is how many connections are befallen; the others pass. 0 means all.
	Times int
}

package infra

import (
	"bytes"
	"net"
	"sync"
	"time"
)

// pair is a client's connection and the proxy's connection to the server.
type pair struct {
	proxy          *Proxy
	client, server *net.TCPConn
	once           sync.Once

	mu       sync.Mutex
	since    <-chan struct{} // identifies the fault to which the following fields refer; closed when that fault ends
	befallen bool
	deaf     bool   // the next response is lost
	bytes    int64  // from the client
	said     []byte // end of the client's bytes, for a text that spans two pieces
}

// disposition is the treatment of a piece of bytes.
type disposition int

const (
	pass disposition = iota
	swallow
	cut
)

const (
	pieceSize = 32 << 10
	inFlight  = 256 // pieces on a slow connection; more block the sender, as a full window does
)

type piece struct {
	bytes []byte
	due   time.Time
}

// carry forwards bytes in one direction. judge decides the fate of each piece.
func (c *pair) carry(from, to *net.TCPConn, judge func([]byte) disposition) {
	line := make(chan piece, inFlight)
	var writing sync.WaitGroup
	writing.Go(func() { c.deliver(line, to) })
	defer writing.Wait()
	defer close(line)
	buffer := make([]byte, pieceSize)
	for {
		n, err := from.Read(buffer)
		if n > 0 {
			switch judge(buffer[:n]) {
			case cut:
				c.reset()
				return
			case swallow:
				continue
			case pass:
			}
			fault, _ := c.proxy.present()
			c.proxy.count(n)
			line <- piece{bytes.Clone(buffer[:n]), time.Now().Add(fault.Delay)}
		}
		if err != nil {
			return
		}
	}
}

// deliver writes pieces when they are due, and forwards the end of the stream.
func (c *pair) deliver(line <-chan piece, to *net.TCPConn) {
	for next := range line {
		if wait := time.Until(next.due); wait > 0 {
			<-time.After(wait)
		}
		if _, err := to.Write(next.bytes); err != nil {
			c.reset()
		}
	}
	_ = to.CloseWrite()
}

// sent decides the fate of the client's bytes.
func (c *pair) sent(said []byte) disposition {
	c.mu.Lock()
	defer c.mu.Unlock()
	fault := c.present()
	c.bytes += int64(len(said))
	switch {
	case fault.Silent && c.befall():
		return swallow
	case fault.CutAfter > 0 && c.bytes >= fault.CutAfter && c.befall():
		if over := c.bytes - fault.CutAfter; over < int64(len(said)) {
			_, _ = c.server.Write(said[:int64(len(said))-over])
		}
		return cut
	case fault.LoseReplyTo != "" && c.received(said, fault.LoseReplyTo) && c.befall():
		c.deaf = true
	}
	return pass
}

// received reports whether the client has sent the words.
func (c *pair) received(said []byte, words string) bool {
	c.said = append(c.said, said...)
	if bytes.Contains(c.said, []byte(words)) {
		c.said = nil
		return true
	}
	if keep := len(words) - 1; len(c.said) > keep {
		c.said = c.said[len(c.said)-keep:]
	}
	return false
}

// responded decides the fate of the server's bytes.
func (c *pair) responded([]byte) disposition {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch fault := c.present(); {
	case fault.Silent && c.befall():
		return swallow
	case c.deaf:
		return cut
	default:
		return pass
	}
}

// present returns the current fault. If the fault has changed, present resets the state of the previous one.
func (c *pair) present() Fault {
	fault, ended := c.proxy.present()
	if c.since != ended {
		c.since, c.befallen, c.deaf, c.bytes, c.said = ended, false, false, 0, nil
	}
	return fault
}

// befall reports whether the fault affects this connection.
func (c *pair) befall() bool {
	c.befallen = c.befallen || c.proxy.befall()
	return c.befallen
}

// reset resets both connections, as a machine that restarts does.
func (c *pair) reset() {
	c.once.Do(func() {
		abort(c.client)
		abort(c.server)
	})
}

// abort closes with a reset instead of an orderly end.
func abort(conn *net.TCPConn) {
	_ = conn.SetLinger(0)
	_ = conn.Close()
}

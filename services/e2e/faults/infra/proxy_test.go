package infra_test

import (
	"bufio"
	"io"
	"net"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fencepost.internal/services/e2e/faults/infra"
)

// echo starts a server that returns each line unchanged, and reports the received lines.
func echo(t *testing.T) (address string, received <-chan string) {
	t.Helper()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	lines := make(chan string, 100)
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer func() { _ = conn.Close() }()
				reader := bufio.NewReader(conn)
				for {
					line, err := reader.ReadString('\n')
					if line != "" {
						lines <- line
					}
					if err != nil {
						return
					}
					_, _ = conn.Write([]byte(line))
				}
			}()
		}
	}()
	return listener.Addr().String(), lines
}

type talk struct {
	net.Conn

	*bufio.Reader
}

// Read reads buffered bytes first.
func (c talk) Read(p []byte) (int, error) { return c.Reader.Read(p) }

func dial(t *testing.T, p *infra.Proxy) talk {
	t.Helper()
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", p.Address())
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	require.NoError(t, conn.SetDeadline(time.Now().Add(10*time.Second)))
	return talk{conn, bufio.NewReader(conn)}
}

func (c talk) say(t *testing.T, line string) {
	t.Helper()
	_, err := io.WriteString(c.Conn, line)
	require.NoError(t, err)
}

func (c talk) requireEcho(t *testing.T, line string) {
	t.Helper()
	c.say(t, line)
	got, err := c.ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, line, got)
}

func (c talk) requireReset(t *testing.T) {
	t.Helper()
	_, err := c.ReadString('\n')
	require.ErrorIs(t, err, syscall.ECONNRESET)
}

// requireRefused expects a reset, possibly during the connection attempt.
func requireRefused(t *testing.T, p *infra.Proxy) {
	t.Helper()
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", p.Address())
	if err == nil {
		defer func() { _ = conn.Close() }()
		require.NoError(t, conn.SetDeadline(time.Now().Add(10*time.Second)))
		_, err = conn.Read(make([]byte, 1))
	}
	require.ErrorIs(t, err, syscall.ECONNRESET)
}

func TestProxyPassesEverything(t *testing.T) {
	t.Parallel()
	target, _ := echo(t)
	p := infra.NewProxy(t, target)
	long := strings.Repeat("x", 1<<20) + "\n"
	c := dial(t, p)
	go func() { _, _ = io.WriteString(c.Conn, long) }()
	got, err := c.ReadString('\n')
	require.NoError(t, err)
	require.Len(t, got, len(long))
	require.Zero(t, p.Befallen())
}

func TestRefusedConnectionsPassNothing(t *testing.T) {
	t.Parallel()
	target, received := echo(t)
	p := infra.NewProxy(t, target)
	p.Break(infra.Fault{Refuse: true, Times: 1})
	requireRefused(t, p)
	require.Equal(t, 1, p.Befallen())
	require.Empty(t, received)
	dial(t, p).requireEcho(t, "the next one passes\n")
	require.Equal(t, 1, p.Befallen())
}

func TestSilentFaultDropsData(t *testing.T) {
	t.Parallel()
	target, received := echo(t)
	p := infra.NewProxy(t, target)
	before := dial(t, p)
	before.requireEcho(t, "hello\n")
	<-received
	p.Break(infra.Fault{Silent: true})
	before.say(t, "lost\n")
	during := dial(t, p)
	during.say(t, "lost too\n")
	require.EventuallyWithT(t, func(c *assert.CollectT) { require.Equal(c, 2, p.Befallen()) }, 5*time.Second,
		time.Millisecond)
	p.Heal()
	during.requireEcho(t, "heard\n")
	require.Equal(t, "heard\n", <-received)
	p.Sever()
	during.requireReset(t)
}

func TestCutAfterBytes(t *testing.T) {
	t.Parallel()
	target, received := echo(t)
	p := infra.NewProxy(t, target)
	c := dial(t, p)
	c.requireEcho(t, "not counted\n")
	<-received
	p.Break(infra.Fault{CutAfter: 20})
	c.requireEcho(t, "ten bytes\n")
	require.Equal(t, "ten bytes\n", <-received)
	c.say(t, "more than that\n")
	c.requireReset(t)
	require.Equal(t, 1, p.Befallen())
}

func TestLostReplyWasExecuted(t *testing.T) {
	t.Parallel()
	target, received := echo(t)
	p := infra.NewProxy(t, target)
	p.Break(infra.Fault{LoseReplyTo: "commit", Times: 1})
	c := dial(t, p)
	c.requireEcho(t, "insert\n")
	<-received
	c.say(t, "com")
	c.say(t, "mit\n")
	c.requireReset(t)
	require.Equal(t, "commit\n", <-received)
	require.Equal(t, 1, p.Befallen())
	dial(t, p).requireEcho(t, "commit\n")
}

// TestDelayKeepsThroughput sends many lines, each larger than a piece that the proxy forwards. They would take
// more than 100 times the delay if each piece waited for the one before.
func TestDelayKeepsThroughput(t *testing.T) {
	t.Parallel()
	const delay, lines = 200 * time.Millisecond, 100
	target, _ := echo(t)
	p := infra.NewProxy(t, target)
	p.Break(infra.Fault{Delay: delay})
	begin := time.Now()
	c := dial(t, p)
	require.NoError(t, c.SetDeadline(begin.Add(time.Minute)))
	line := strings.Repeat("x", 64<<10) + "\n"
	sent := make(chan error, 1)
	go func() {
		_, err := io.WriteString(c.Conn, strings.Repeat(line, lines))
		sent <- err
	}()
	for range lines {
		got, err := c.ReadString('\n')
		require.NoError(t, err)
		require.Len(t, got, len(line))
	}
	elapsed := time.Since(begin)
	require.NoError(t, <-sent)
	require.GreaterOrEqual(t, elapsed, 2*delay)
	require.Less(t, elapsed, lines*delay)
}

func TestMissingServerRefusesConnections(t *testing.T) {
	t.Parallel()
	p := infra.NewProxy(t, "127.0.0.1:1")
	requireRefused(t, p)
	target, _ := echo(t)
	p.To(target)
	dial(t, p).requireEcho(t, "back\n")
}

func TestNoListener(t *testing.T) {
	t.Parallel()
	target, _ := echo(t)
	p := infra.NewProxy(t, target)
	before := dial(t, p)
	before.requireEcho(t, "accepted\n") // a connection in the backlog ends with its listener
	p.Break(infra.Fault{Closed: true})
	_, err := new(net.Dialer).DialContext(t.Context(), "tcp", p.Address())
	require.ErrorIs(t, err, syscall.ECONNREFUSED)
	before.requireEcho(t, "what is open stays open\n")
	p.Heal()
	dial(t, p).requireEcho(t, "back\n")
}

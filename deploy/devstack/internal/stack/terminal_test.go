package stack_test

import (
	"bytes"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/devstack/internal/stack"
)

func TestWriterPrefixesLines(t *testing.T) {
	t.Parallel()
	var out, copied bytes.Buffer
	writer := stack.NewTerminal(&out, false).Writer("api", &copied)
	for _, piece := range []string{"one\ntw", "o\n", "unfinished"} {
		n, err := io.WriteString(writer, piece)
		require.NoError(t, err)
		require.Equal(t, len(piece), n)
	}
	require.Equal(t, "api     | one\napi     | two\n", out.String())
	require.Equal(t, "one\ntwo\nunfinished", copied.String())
}

func TestSayPrefixesLines(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	stack.NewTerminal(&out, false).Say("devstack", "first\nsecond")
	require.Equal(t, "devstack| first\ndevstack| second\n", out.String())
}

func TestColors(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	stack.NewTerminal(&out, true).Say("api", "x")
	require.Contains(t, out.String(), "\x1b[")
	require.True(t, strings.HasSuffix(out.String(), "\x1b[0mx\n"), "only the name is colored")
}

func TestWriterSplitsLongLine(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	_, err := io.WriteString(stack.NewTerminal(&out, false).Writer("api", io.Discard), strings.Repeat("x", 70<<10))
	require.NoError(t, err)
	require.NotEmpty(t, out.String())
}

func TestWritersDoNotMixLines(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	target := stack.NewTerminal(&out, false)
	var group sync.WaitGroup
	for _, name := range []string{"api", "worker", "sandbox"} {
		writer := target.Writer(name, io.Discard)
		group.Go(func() {
			for range 200 {
				_, _ = io.WriteString(writer, name+" says\n")
			}
		})
	}
	group.Wait()
	for line := range strings.Lines(out.String()) {
		name := strings.TrimSpace(line[:8])
		require.Equal(t, name+" says\n", line[10:])
	}
}

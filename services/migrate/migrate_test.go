package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestCalls checks that an invalid call does nothing but print the usage.
func TestCalls(t *testing.T) {
	t.Parallel()
	for call, want := range map[string]int{
		"help": 0, "print-config": 0, "sideways": 2, "up up": 2, "status --anyway": 2, "--anyway down down": 2,
		"print-config --anyway": 2,
	} {
		var out bytes.Buffer
		require.Equal(t, want, Main(strings.Fields(call), &out), call)
		if call != "print-config" {
			require.Contains(t, out.String(),
				"usage: migrate [up | schema | down | status | restore-visibility | print-config | version] [--anyway]", call)
		}
	}
}

package delivering_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/activities/delivering"
)

func TestHeaderLines(t *testing.T) {
	t.Parallel()
	require.Equal(t, "A: 1\nB: 2\nB: 3", delivering.HeaderLines(http.Header{
		"B": {"2", "3"}, "A": {"1"}, "Set-Cookie": {"session=secret"},
	}))
	require.Equal(t, "A: x", delivering.HeaderLines(http.Header{"A": {"x"}, "B": {strings.Repeat("x", 4096)}}))
	require.Equal(t, "A: \uFFFD", delivering.HeaderLines(http.Header{"A": {"\xff\x00"}}))
	require.Empty(t, delivering.HeaderLines(nil))
}

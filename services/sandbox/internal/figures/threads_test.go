package figures_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/sandbox/internal/figures"
)

func TestThreadsLinks(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"": 0, "no link, me@www.example.com": 0, "example.com is a name": 0, "www.example.com, www.example.com.": 1,
		"https://example.com/日本1 https://example.com/日本2 HTTPS://EXAMPLE.COM": 3,
		"https://www.example.com/a www.example.com/a":                         2,
	} {
		require.Equal(t, want, figures.ThreadsLinks(text), text)
	}
}

package web_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/pages/internal/web"
)

// The behavior of a shelf is tested through the site, in package web.
func TestNewShelfRequiresConfig(t *testing.T) {
	t.Parallel()
	_, err := web.NewShelf(web.ShelfConfig{})
	require.Error(t, err)
}

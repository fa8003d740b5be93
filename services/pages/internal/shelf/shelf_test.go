package shelf_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/pages/internal/shelf"
)

// The behavior of a shelf is tested through the site, in package web.
func TestNewRequiresConfig(t *testing.T) {
	t.Parallel()
	_, err := shelf.New(shelf.Config{})
	require.Error(t, err)
}

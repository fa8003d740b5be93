package media_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/media"
)

func TestTypes(t *testing.T) {
	t.Parallel()
	require.Equal(t, []media.Type{"IMAGE", "VIDEO", "GIF", "DOCUMENT"}, media.Types())
}

package outpost_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/bench/internal/outpost"
)

func TestEventKeepsBytesOfItsData(t *testing.T) {
	t.Parallel()
	data := []byte(`{"id":"evt_1","content":"caf\u00e9"}`)
	call, err := (&outpost.Outpost{}).Event("tenant-1", "evt_1", data)
	require.NoError(t, err)
	require.Equal(t, http.StatusAccepted, call.Want)
	require.JSONEq(t, `{"id":"evt_1","tenant_id":"tenant-1","topic":"post.created","data":`+string(data)+`}`, string(call.Body))
	require.Contains(t, string(call.Body), string(data))
}

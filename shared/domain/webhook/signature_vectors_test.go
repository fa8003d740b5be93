package webhook_test

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/webhook"
)

// TestVectors checks the verdicts of the documentation's test vectors, which its verifiers are tested with.
func TestVectors(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("../../../docs/examples/receiver/vectors.json")
	require.NoError(t, err)
	var file struct {
		Vectors []struct {
			Name, Secret, BodyBase64 string
			Now                      int64
			Headers                  map[string]string
			Accept                   struct{ Service, Standard bool }
		}
	}
	require.NoError(t, json.Unmarshal(raw, &file))
	require.GreaterOrEqual(t, len(file.Vectors), 40)
	verdicts := make(map[[2]bool]int)
	for _, v := range file.Vectors {
		body, err := base64.StdEncoding.DecodeString(v.BodyBase64)
		require.NoError(t, err, v.Name)
		header := make(http.Header)
		for name, value := range v.Headers {
			header.Set(name, value)
		}
		now := time.Unix(v.Now, 0)
		require.Equal(t, v.Accept.Service, webhook.Verify(header.Get(webhook.HeaderSignature), body, v.Secret, now) == nil,
			v.Name)
		require.Equal(t, v.Accept.Standard, webhook.VerifyStandard(header, body, v.Secret, now) == nil, v.Name)
		verdicts[[2]bool{v.Accept.Service, v.Accept.Standard}]++
	}
	require.Len(t, verdicts, 4, "verdicts of every kind")
}

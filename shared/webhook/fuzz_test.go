package webhook_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"socialpub.internal/shared/webhook"
)

// FuzzVerify: a header proves a body only when one of its parts is the signature that the service would make.
func FuzzVerify(f *testing.F) {
	const secret = "whsec_c2VjcmV0"
	now := time.Unix(1_772_348_400, 0)
	f.Add(webhook.Sign(now, []byte("{}"), secret), []byte("{}"))
	f.Add(webhook.Sign(now, []byte("{}"), "whsec_bmV3", secret), []byte("{}"))
	f.Add("t=1772348400,t=0,v1=", []byte{})
	f.Add("t=9223372036854775807,v1=00", []byte("{}"))
	f.Fuzz(func(t *testing.T, header string, body []byte) {
		if webhook.Verify(header, body, secret, now) == nil {
			require.Contains(t, strings.ToLower(header), webhook.Sign(now, body, secret)[len("t=1772348400,"):])
		}
	})
}

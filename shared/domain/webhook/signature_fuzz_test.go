package webhook_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/event"
	"fencepost.internal/shared/domain/webhook"
)

// FuzzVerify checks that a header proves a body only if it has exactly one time t and one of its parts is the signature
// that the service would create.
func FuzzVerify(f *testing.F) {
	now := time.Unix(1_772_348_400, 0)
	f.Add(webhook.Sign(now, []byte("{}"), secret), []byte("{}"))
	f.Add(webhook.Sign(now, []byte("{}"), previous, secret), []byte("{}"))
	f.Add("t=1772348400,t=0,v1=", []byte{})
	f.Add("t=9223372036854775807,v1=00", []byte("{}"))
	f.Add("t=1772348100,v1=00,v1=é,,=", []byte("{}\n"))
	f.Fuzz(func(t *testing.T, header string, body []byte) {
		if webhook.Verify(header, body, secret, now) != nil {
			return
		}
		parts := strings.Split(header, ",")
		isTime := func(part string) bool { return part == "t" || strings.HasPrefix(part, "t=") }
		i := slices.IndexFunc(parts, isTime)
		require.GreaterOrEqual(t, i, 0)
		require.False(t, slices.ContainsFunc(parts[i+1:], isTime), "two times")
		require.True(t, slices.ContainsFunc(parts, func(part string) bool {
			for ahead := -300; ahead <= 300; ahead++ {
				signed := strings.Split(webhook.Sign(now.Add(time.Duration(ahead)*time.Second), body, secret), ",")
				if signed[0] == parts[i] {
					return part == signed[1]
				}
			}
			return false
		}), "accepted without its signature")
	})
}

// FuzzVerifyStandard checks that headers prove a body only if a value is the signature that the service would create.
func FuzzVerifyStandard(f *testing.F) {
	now := time.Unix(1_772_348_400, 0)
	f.Add(eventID, webhook.SignStandard(eventID, now, []byte("{}"), previous, secret), []byte("{}"))
	f.Add("evt_1.1772348400", "v1, v1a,AAAA v2", []byte{})
	f.Fuzz(func(t *testing.T, id, signatures string, body []byte) {
		header := http.Header{"Webhook-Id": {id}, "Webhook-Timestamp": {"1772348400"}, "Webhook-Signature": {signatures}}
		if webhook.VerifyStandard(header, body, secret, now) == nil {
			require.Contains(t, strings.Split(signatures, " "), webhook.SignStandard(id, now, body, secret))
		}
	})
}

// FuzzSigned checks that signed bodies are accepted with either secret, and that nothing else is accepted.
func FuzzSigned(f *testing.F) {
	f.Add(int64(1_772_348_400), []byte(`{"a":"ü🎈</script>"}`), 3)
	f.Add(int64(0), []byte{}, 0)
	f.Fuzz(func(t *testing.T, seconds int64, body []byte, place int) {
		if seconds < 0 {
			return
		}
		now := time.Unix(seconds, 0)
		header := webhook.Headers(eventID, event.PostCreated, now, body, secret, previous)
		accepted := func(body []byte, secret string) bool {
			own, standard := webhook.Verify(header.Get(webhook.HeaderSignature), body, secret,
				now), webhook.VerifyStandard(header, body, secret, now)
			require.Equal(t, own == nil, standard == nil)
			return own == nil
		}
		require.True(t, accepted(body, secret))
		require.True(t, accepted(body, previous))
		require.False(t, accepted(body, otherSecret))
		require.False(t, accepted(append(slices.Clone(body), '\n'), secret))
		if len(body) > 0 {
			other := slices.Clone(body)
			other[uint(place)%uint(len(body))] ^= 1
			require.False(t, accepted(other, secret))
		}
	})
}

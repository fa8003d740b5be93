package webhook_test

import (
	"encoding/base64"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"socialpub.internal/shared/event"
	"socialpub.internal/shared/webhook"
)

const secret = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="

var at = time.Unix(1_772_355_600, 999_000_000)

func TestSignatureVector(t *testing.T) {
	t.Parallel()
	// printf '%s' '1772355600.{"a":"ü"}' | openssl dgst -sha256 -hmac whsec_…
	require.Equal(t, "t=1772355600,v1=656c7a86b001adabf631ae9d0876fc793cd03f74a4fba0e7cb04e926487227c6", webhook.Sign(at, []byte(`{"a":"ü"}`), secret))
}

func TestVerify(t *testing.T) {
	t.Parallel()
	body := []byte(`{"emoji":"🎈","tag":"</script>","n":9007199254740993}` + "\n")
	header := webhook.Sign(at, body, secret)
	require.NoError(t, webhook.Verify(header, body, secret, at.Add(webhook.Tolerance-time.Second)))
	rotated := webhook.Sign(at, body, "whsec_new", secret)
	require.Equal(t, 2, strings.Count(rotated, "v1="))
	require.NoError(t, webhook.Verify(rotated, body, secret, at))
	require.NoError(t, webhook.Verify(rotated, body, "whsec_new", at))
	for name, fails := range map[string]error{
		"other secret":  webhook.Verify(header, body, "whsec_other", at),
		"other body":    webhook.Verify(header, body[:len(body)-1], secret, at),
		"too old":       webhook.Verify(header, body, secret, at.Add(301*time.Second)),
		"from ahead":    webhook.Verify(header, body, secret, at.Add(-301*time.Second)),
		"swapped time":  webhook.Verify(strings.Replace(header, "t=1772355600", "t=1772355601", 1), body, secret, at),
		"no time":       webhook.Verify(strings.TrimPrefix(header, "t=1772355600,"), body, secret, at),
		"no signature":  webhook.Verify("t=1772355600", body, secret, at),
		"not hex":       webhook.Verify("t=1772355600,v1=zz", body, secret, at),
		"empty":         webhook.Verify("", body, secret, at),
		"other version": webhook.Verify(strings.Replace(header, "v1=", "v0=", 1), body, secret, at),
	} {
		require.ErrorIs(t, fails, webhook.ErrSignature, name)
	}
}

func TestSecret(t *testing.T) {
	t.Parallel()
	one, two := webhook.NewSecret(), webhook.NewSecret()
	require.NotEqual(t, one, two)
	raw, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(one, webhook.SecretPrefix))
	require.NoError(t, err)
	require.Len(t, raw, 32)
}

func TestRetrySchedule(t *testing.T) {
	t.Parallel()
	var total time.Duration
	for n, want := range []time.Duration{10, 40, 160, 640, 2560} {
		want *= time.Second
		middle, more := webhook.RetryAfter(n+1, 0.5, 0)
		require.True(t, more)
		require.InDelta(t, want, middle, float64(time.Millisecond))
		least, _ := webhook.RetryAfter(n+1, 0, 0)
		most, _ := webhook.RetryAfter(n+1, 0.999999, 0)
		require.InDelta(t, 0.8*float64(want), least, float64(time.Millisecond))
		require.InDelta(t, 1.2*float64(want), most, float64(10*time.Millisecond))
		asked, _ := webhook.RetryAfter(n+1, 0.5, 24*time.Hour)
		require.Equal(t, 2*want, asked)
		total += middle
	}
	require.InDelta(t, 57*time.Minute, total, float64(time.Minute))
	_, more := webhook.RetryAfter(webhook.MaxAttempts, 0.5, 0)
	require.False(t, more)
}

func TestJudge(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]webhook.Verdict{
		200: webhook.Accepted, 204: webhook.Accepted, 299: webhook.Accepted, 301: webhook.Retry, 302: webhook.Retry, 308: webhook.Retry,
		400: webhook.Retry, 404: webhook.Retry, 410: webhook.Gone, 429: webhook.Retry, 500: webhook.Retry, 101: webhook.Retry,
	} {
		require.Equal(t, want, webhook.Judge(status), "%d", status)
	}
}

func TestSubscribes(t *testing.T) {
	t.Parallel()
	some := webhook.Endpoint{Events: []string{"post.published"}}
	require.True(t, some.Subscribes(event.PostPublished))
	require.False(t, some.Subscribes(event.PostFailed))
	require.True(t, webhook.Endpoint{Events: []string{webhook.AllEvents}}.Subscribes(event.LeadCreated))
}

package webhook_test

import (
	"encoding/base64"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/webhook"
)

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
		requested, _ := webhook.RetryAfter(n+1, 0.5, 24*time.Hour)
		require.Equal(t, 2*want, requested)
		total += middle
	}
	require.InDelta(t, 57*time.Minute, total, float64(time.Minute))
	_, more := webhook.RetryAfter(webhook.MaxAttempts, 0.5, 0)
	require.False(t, more)
}

func TestJudge(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]webhook.Verdict{
		200: webhook.Accepted, 204: webhook.Accepted, 299: webhook.Accepted, 301: webhook.Retry, 302: webhook.Retry,
		308: webhook.Retry,
		400: webhook.Retry, 404: webhook.Retry, 410: webhook.Gone, 429: webhook.Retry, 500: webhook.Retry, 101: webhook.Retry,
	} {
		require.Equal(t, want, webhook.Judge(status), "%d", status)
	}
}

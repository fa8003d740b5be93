package trial_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/bench/internal/lab"
	"fencepost.internal/services/bench/internal/trial"
	"fencepost.internal/shared/domain/channel"
)

func TestPercentile(t *testing.T) {
	t.Parallel()
	var values []time.Duration
	for i := range 50 {
		values = append(values, time.Duration(50-i)*time.Second)
	}
	require.Equal(t, 25*time.Second, trial.Percentile(values, 50))
	require.Equal(t, 50*time.Second, trial.Percentile(values, 99))
	require.Equal(t, time.Second, trial.Percentile(values[49:], 50))
}

func TestSamplesOfBurst(t *testing.T) {
	t.Parallel()
	require.Equal(t, 1, trial.DueWithin(time.Second), "the first sample is due when the burst begins")
	require.Equal(t, 31, trial.DueWithin(time.Minute))
	require.Equal(t, 50, trial.DueWithin(time.Hour))
	require.Equal(t, 20, trial.NowSamples())
}

func TestOnNetwork(t *testing.T) {
	t.Parallel()
	all := lab.Tenant{Channels: []channel.Channel{
		{Type: channel.Twitter, Name: "first"},
		{Type: channel.Threads},
		{Type: channel.TelegramChannel},
		{Type: channel.Twitter, Name: "second"},
	}}
	one := trial.OnNetwork(all, channel.Twitter.Network())
	require.Len(t, one.Channels, 2)
	require.Equal(t, "first", one.Channels[0].Name)
	require.Equal(t, "second", one.Channels[1].Name)
	require.Len(t, all.Channels, 4, "the tenant keeps its channels")
	require.Equal(t, channel.Threads, all.Channels[1].Type)
}

func TestRenamedEvents(t *testing.T) {
	t.Parallel()
	body := []byte(`{"id":"evt_1","data":{"post":{"id":"post_1"}}}`)
	require.JSONEq(t, `{"id":"evt_2","data":{"post":{"id":"post_1"}}}`, string(trial.Renamed(body, "evt_1", "evt_2")))
	require.Contains(t, string(body), "evt_1", "the sample is unchanged")
}

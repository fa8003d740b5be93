package trial_test

import (
	"encoding/json"
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

func TestPublicationKeepsBytesOfData(t *testing.T) {
	t.Parallel()
	data := `{"id":"evt_1","content":"caf\u00e9"}`
	body, err := json.Marshal(trial.Publication("tenant-1", "evt_1", []byte(data)))
	require.NoError(t, err)
	require.JSONEq(t, `{"id":"evt_1","tenant_id":"tenant-1","topic":"post.created","data":`+data+`}`, string(body))
	require.Contains(t, string(body), data)
}

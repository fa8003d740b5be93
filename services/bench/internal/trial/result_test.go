package trial_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/bench/internal/trial"
)

func TestGoals(t *testing.T) {
	t.Parallel()
	relays := func(value, ceiling float64) trial.Row {
		return trial.Against("relays", value, "messages/s", ceiling).MinValue(200).MinRatio(0.95)
	}
	for _, c := range []struct {
		row    trial.Row
		goals  []string
		missed bool
	}{
		{trial.Against("publish", 80, "posts/s", 100).MinRatio(0.8), []string{"ratio ≥ 0.8"}, false},
		{trial.Against("publish", 79, "posts/s", 100).MinRatio(0.8), []string{"ratio ≥ 0.8"}, true},
		{trial.Plain("neighbour", 1, "s").MaxValue(1), []string{"≤ 1 s"}, false},
		{trial.Plain("neighbour", 1.01, "s").MaxValue(1), []string{"≤ 1 s"}, true},
		{trial.Plain("webhooks_api", 500, "/s").MinValue(500), []string{"≥ 500 /s"}, false},
		{relays(210, 220), []string{"≥ 200 messages/s", "ratio ≥ 0.95"}, false},
		{relays(199, 180), []string{"≥ 200 messages/s", "ratio ≥ 0.95"}, true},
		{relays(300, 400), []string{"≥ 200 messages/s", "ratio ≥ 0.95"}, true},
		{trial.Plain("deliver_one", 9999, "deliveries/s"), nil, false},
	} {
		require.Equal(t, c.goals, c.row.Goals, c.row.Name)
		require.Equal(t, c.missed, c.row.Missed, c.row)
	}
}

func TestWrite(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "run", "bench.json")
	rows := []trial.Row{
		trial.Against("publish", 80, "posts/s", 100).MinRatio(0.9), trial.Plain("deliver_one", 161, "deliveries/s"),
	}
	require.NoError(t, trial.Write(path, rows))
	raw, err := os.ReadFile(path)
	require.NoError(t, err)
	require.JSONEq(t, `[
		{"name": "publish", "value": 80, "unit": "posts/s", "ceiling": 100, "ratio": 0.8, "goals": ["ratio ≥ 0.9"], "missed": true},
		{"name": "deliver_one", "value": 161, "unit": "deliveries/s", "ceiling": null, "ratio": null, "goals": null, "missed": false}
	]`, string(raw))
}

func TestTable(t *testing.T) {
	t.Parallel()
	var page bytes.Buffer
	require.NoError(t, trial.Table(&page, []trial.Row{
		trial.Against("publish", 80, "posts/s", 100).MinRatio(0.8), trial.Plain("disk_within", 11, "KB").MaxValue(10),
		trial.Plain("deliver_one", 161, "deliveries/s"),
	}))
	require.Equal(t, `| name        | value | unit         | ceiling | ratio | goal        | verdict |
| ---         | ---:  | ---          | ---:    | ---:  | ---         | ---     |
| publish     | 80.0  | posts/s      | 100     | 0.800 | ratio ≥ 0.8 | met     |
| disk_within | 11.0  | KB           | –       | –     | ≤ 10 KB     | missed  |
| deliver_one | 161   | deliveries/s | –       | –     |             |         |
`, page.String())
}

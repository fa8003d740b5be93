package result_test

import (
	"bytes"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/bench/internal/result"
)

func TestGoal(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		row     result.Row
		text    string
		verdict string
	}{
		{result.Against(result.Publish, 80, "posts/s", 100), "ratio ≥ 0.8", "met"},
		{result.Against(result.Deliver, 79, "deliveries/s", 100), "ratio ≥ 0.8", "missed"},
		{result.Against(result.List, 50, "requests/s", 100), "ratio ≥ 0.5", "met"},
		{result.Plain(result.Lateness1k, 1.01, "s"), "≤ 1 s", "missed"},
		{result.Against(result.Lateness20k, 0.12, "s", 0.1), "≤ 1 s, ratio ≤ 1.2", "met"},
		{result.Against(result.Lateness20k, 0.13, "s", 0.1), "≤ 1 s, ratio ≤ 1.2", "missed"},
		{result.Against(result.WebhookP50, 39, "ms", 25), "≤ 100 ms, ratio ≤ 3", "met"},
		{result.Against(result.WebhookP99, 90, "ms", 29), "≤ 250 ms, ratio ≤ 3", "missed"},
		{result.Against(result.Relays, 210, "messages/s", 220), "≥ 200 messages/s, ratio ≥ 0.95", "met"},
		{result.Against(result.Relays, 199, "messages/s", 180), "≥ 200 messages/s, ratio ≥ 0.95", "missed"},
		{result.Against(result.Relays, 300, "messages/s", 400), "≥ 200 messages/s, ratio ≥ 0.95", "missed"},
		{result.Against(result.WebhooksAPI, 500, "deliveries/s", 2000), "≥ 500 deliveries/s", "met"},
		{result.Against(result.WebhooksOutpost, 1000, "deliveries/s", 1000), "ratio ≥ 1", "met"},
		{result.Against(result.WebhooksOutpost, 999, "deliveries/s", 1000), "ratio ≥ 1", "missed"},
		{result.Against(result.Burst, 2.1, "s", 0.1), "≤ 2 s", "missed"},
		{result.Plain(result.RSSTotal, 250, "MB"), "≤ 250 MB", "met"},
		{result.Plain(result.RSSPrefix+"api", 9999, "MB"), "", ""},
	} {
		text, verdict := c.row.Goal()
		require.Equal(t, c.text, text, c.row.Name)
		require.Equal(t, c.verdict, verdict, c.row.Name)
	}
}

func TestWriteAndRead(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "run", "bench.json")
	rows := []result.Row{result.Against(result.Publish, 80, "posts/s", 100), result.Plain(result.RSSTotal, 120, "MB")}
	require.NoError(t, result.Write(path, rows))
	read, err := result.Read(path)
	require.NoError(t, err)
	require.Equal(t, rows, read)
	require.Nil(t, read[1].Ceiling)
}

func TestTables(t *testing.T) {
	t.Parallel()
	rows := []result.Row{result.Against(result.Publish, 80, "posts/s", 100)}
	var terminal, page bytes.Buffer
	require.NoError(t, result.Table(&terminal, rows))
	require.NoError(t, result.Markdown(&page, rows))
	require.Contains(t, terminal.String(), "publish  80.0   posts/s  100      0.800  ratio ≥ 0.8  met")
	require.Contains(t, page.String(), "| publish | 80.0 | posts/s | 100 | 0.800 | ratio ≥ 0.8 | met |")
}

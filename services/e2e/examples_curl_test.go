package e2e_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/e2e/harness"
)

// TestExampleCommands runs the scripts of docs/examples/curl, which the guides of the API show.
func TestExampleCommands(t *testing.T) {
	t.Parallel()
	s := running(t)
	run := func(script string, variables ...string) []byte {
		cmd := exec.CommandContext(t.Context(), "bash", script)
		cmd.Env = append(append(os.Environ(), "FENCEPOST_URL="+s.APIURL, "FENCEPOST_API_KEY="+s.Key), variables...)
		out, err := cmd.Output()
		require.NoError(t, err, "%s: %s", script, out)
		return out
	}
	listing := filepath.Join(t.TempDir(), "channels.sh")
	require.NoError(t, os.WriteFile(listing, []byte(`curl -sS --fail-with-body "$FENCEPOST_URL/v1/channels" -H "Authorization: Bearer $FENCEPOST_API_KEY"`), 0o600))
	var channels []struct{ ID, Type string }
	require.NoError(t, json.Unmarshal(run(listing), &channels))
	of := func(kind string) string {
		for _, c := range channels {
			if c.Type == kind {
				return c.ID
			}
		}
		require.Fail(t, "no channel", kind)
		return ""
	}
	type post struct {
		ChannelID, Content, Status, GroupID string
		MediaIDs                            []string
	}
	posts := func(out []byte) (list []post) {
		require.NoError(t, json.Unmarshal(out, &list), string(out))
		return list
	}
	const folder = "../../docs/examples/curl/"
	scheduled := posts(run(folder+"schedule.sh", "CHANNEL="+of("TWITTER")))
	require.Len(t, scheduled, 1)
	require.Equal(t, "SCHEDULED", scheduled[0].Status)

	set := posts(run(folder+"texts.sh", "FIRST="+of("TWITTER"), "SECOND="+of("LINKEDIN_PAGE")))
	require.Len(t, set, 2)
	require.Equal(t, set[0].GroupID, set[1].GroupID)
	require.NotEqual(t, set[0].Content, set[1].Content)

	picture := filepath.Join(t.TempDir(), "picture.jpg")
	require.NoError(t, os.WriteFile(picture, harness.Picture(t, 11), 0o600))
	published := posts(run(folder+"picture.sh", "CHANNEL="+of("TWITTER"), "PICTURE="+picture))
	require.Len(t, published, 1)
	require.Len(t, published[0].MediaIDs, 1)
	require.Equal(t, "Good morning", published[0].Content)
}

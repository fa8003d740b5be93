package temporalserver_test

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/server/common/dynamicconfig"

	"fencepost.internal/devstack/internal/temporalserver"
)

const dynamicConfig = "../../../temporal/dynamic.yaml"

func TestDynamicConfigHoldsOnlySettingsThatTheServerKnows(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile(dynamicConfig)
	require.NoError(t, err)
	loaded := dynamicconfig.LoadYamlFile(raw)
	require.NoError(t, loaded.Err())
	require.Empty(t, loaded.Warnings)
	require.NotEmpty(t, loaded.Map)
}

func TestDynamicConfigSuitsOneMachine(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile(dynamicConfig)
	require.NoError(t, err)
	values := dynamicconfig.LoadYamlFile(raw).Map
	for key, want := range map[string]any{
		"frontend.enableCancelWorkerPollsOnShutdown": true,
		"matching.enableFairness":                    true,
		"matching.numTaskqueueReadPartitions":        1,
		"matching.numTaskqueueWritePartitions":       1,
		"system.enableActivityEagerExecution":        true,
		"system.enableEagerWorkflowStart":            true,
		"system.namespaceCacheRefreshInterval":       "500ms",
		"worker.historyScannerEnabled":               false,
		"worker.taskQueueScannerEnabled":             false,
	} {
		found := values[dynamicconfig.MakeKey(key)]
		require.Len(t, found, 1, key)
		require.Equal(t, want, found[0].Value, key)
		require.Equal(t, dynamicconfig.Constraints{}, found[0].Constraints, key)
	}
}

func TestConfigNamesEverythingThatIsMissing(t *testing.T) {
	t.Parallel()
	err := temporalserver.Config{}.Validate()
	for _, want := range []string{
		"postgres address", "user", "password", "database", "dynamic configuration", "port", "retention",
	} {
		require.ErrorContains(t, err, want)
	}
	require.NoError(t, temporalserver.Config{
		Port: 7233, UIPort: 8233, PostgresAddress: "h:1", User: "u", Password: "p", Database: "d", VisibilityDatabase: "v",
		DynamicConfig: dynamicConfig, Namespace: "default", Retention: 7 * 24 * time.Hour,
	}.Validate())
}

package servers_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/server/common/dynamicconfig"
)

const dynamicConfig = "../../../temporal/dynamic.yaml"

func TestDynamicConfigHasKnownSettings(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile(dynamicConfig)
	require.NoError(t, err)
	loaded := dynamicconfig.LoadYamlFile(raw)
	require.NoError(t, loaded.Err())
	require.Empty(t, loaded.Warnings)
	require.NotEmpty(t, loaded.Map)
}

func TestDynamicConfigForOneMachine(t *testing.T) {
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

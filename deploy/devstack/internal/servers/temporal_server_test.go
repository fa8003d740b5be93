package servers_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"fencepost.internal/devstack/internal/servers"
)

func TestLimitRepeats(t *testing.T) {
	t.Parallel()
	core, logged := observer.New(zap.WarnLevel)
	logger := zap.New(core, servers.LimitRepeats())
	for range 1000 {
		logger.Error("Operation failed with internal error.")
	}
	logger.Warn("the first of another kind")
	require.Equal(t, 5, logged.FilterMessage("Operation failed with internal error.").Len())
	require.Equal(t, 1, logged.FilterMessage("the first of another kind").Len())
}

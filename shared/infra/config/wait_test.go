package config_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/infra/config"
)

func TestWaitIsDurationOrOff(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]*time.Duration{"off": nil, "0": new(time.Duration(0)), "1s": new(time.Second)} {
		var w config.Wait
		require.NoError(t, w.UnmarshalText([]byte(text)), text)
		require.Equal(t, want, w.After(), text)
		again, err := w.MarshalText()
		require.NoError(t, err)
		var same config.Wait
		require.NoError(t, same.UnmarshalText(again))
		require.Equal(t, w, same)
	}
	for _, text := range []string{"", "never", "-1s", "5"} {
		require.Error(t, new(config.Wait).UnmarshalText([]byte(text)), text)
	}
}

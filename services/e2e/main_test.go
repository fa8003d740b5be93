package e2e_test

import (
	"os"
	"testing"

	"fencepost.internal/services/e2e/harness"
)

func TestMain(m *testing.M) {
	code := m.Run()
	harness.CleanUp()
	os.Exit(code)
}

package e2e_test

import (
	"os"
	"testing"

	"socialpub.internal/services/e2e/harness"
)

func TestMain(m *testing.M) {
	code := m.Run()
	harness.CleanUp()
	os.Exit(code)
}

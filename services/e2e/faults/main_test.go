// Package faults_test injects every fault of the fault list into a running system and then checks in both ledgers, the
// service's and the networks', whether the invariants hold. TestF… is part of the gate; TestNightF… takes longer and
// runs with `make faults`.
package faults_test

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

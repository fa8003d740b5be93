package hanging

import (
	"runtime"
	"testing"
)

func TestWaits(t *testing.T) {
	t.Parallel()
	for !Open() {
		runtime.Gosched()
	}
}

func TestFails(t *testing.T) {
	t.Parallel()
	if !Open() {
		t.Fatal("not open")
	}
}

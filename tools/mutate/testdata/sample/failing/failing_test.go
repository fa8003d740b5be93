package failing

import "testing"

func TestFails(t *testing.T) {
	if One() != 2 {
		t.Fatal("as it should")
	}
}

package counter

import (
	"strings"
	"testing"
)

func TestQuery(t *testing.T) {
	if Query() != "SELECT id FROM note WHERE workspace_id = ? AND id = ? FOR UPDATE" {
		t.Fatal(Query())
	}
}

func TestLocked(t *testing.T) {
	if !strings.HasSuffix(Locked(), "workspace FOR NO KEY UPDATE\n") {
		t.Fatal(Locked())
	}
}

func TestNew(t *testing.T) {
	for limit, ok := range map[int]bool{-1: false, 0: false, 1: true} {
		if _, err := New(limit); (err == nil) != ok {
			t.Fatal(limit, err)
		}
	}
}

func TestAdd(t *testing.T) {
	c, _ := New(2)
	for i, want := range []bool{true, true, false} {
		if c.Add() != want {
			t.Fatal(i)
		}
	}
}

package main

import (
	"encoding/json"
	"os"
	"testing"
	"time"
)

// TestVectors runs Verify on the deliveries of ../vectors.json:
//
//	go test -v verify.go verify_test.go
func TestVectors(t *testing.T) {
	text, err := os.ReadFile("../vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Vectors []struct {
			Name, Why, Secret string
			Now               int64
			Body              []byte            `json:"bodyBase64"`
			Headers           map[string]string `json:"headers"`
			Accept            struct{ Service bool }
		}
	}
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	for _, v := range file.Vectors {
		err := Verify(v.Headers["X-Service-Signature"], v.Body, v.Secret, time.Unix(v.Now, 0))
		if accepted := err == nil; accepted != v.Accept.Service {
			t.Errorf("%s: accepted is %t; %s", v.Name, accepted, v.Why)
		}
	}
	t.Logf("%d vectors", len(file.Vectors))
}

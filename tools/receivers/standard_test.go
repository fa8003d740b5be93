package receivers_test

import (
	"encoding/json"
	"net/http"
	"os"
	"testing"
	"testing/synctest"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// TestStandardWebhooks checks the reference library with the deliveries of $VECTORS. In the synctest bubble, waiting
// sets the clock.
func TestStandardWebhooks(t *testing.T) {
	text, err := os.ReadFile(os.Getenv("VECTORS"))
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Vectors []struct {
			Name, Why, Secret string
			Now               int64
			Body              []byte `json:"bodyBase64"`
			Headers           map[string]string
			Accept            struct{ Standard bool }
		}
	}
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	for _, v := range file.Vectors {
		synctest.Test(t, func(t *testing.T) {
			time.Sleep(time.Until(time.Unix(v.Now, 0)))
			header := make(http.Header)
			for name, value := range v.Headers {
				header.Set(name, value)
			}
			verifier, err := standardwebhooks.NewWebhook(v.Secret)
			if err == nil {
				err = verifier.Verify(v.Body, header)
			}
			if (err == nil) != v.Accept.Standard {
				t.Errorf("%s: %v; %s", v.Name, err, v.Why)
			}
		})
	}
	t.Logf("%d vectors", len(file.Vectors))
}

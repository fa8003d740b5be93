package objectstore_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/infra/objectstore"
)

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		change func(*objectstore.Config)
		want   string
	}{
		"no endpoint": {func(c *objectstore.Config) { c.Endpoint = "" }, "endpoint: must be an absolute"},
		"no scheme": {
			func(c *objectstore.Config) { c.Endpoint = "s3.example.com" }, "endpoint: must be an absolute",
		},
		"other scheme": {func(c *objectstore.Config) { c.Endpoint = "ftp://s3.example.com" }, "http or https"},
		"unreadable": {
			func(c *objectstore.Config) { c.Endpoint = "https://hunter2\x7f@host" }, "endpoint: must be an absolute",
		},
		"credentials": {func(c *objectstore.Config) { c.Endpoint = "https://user:hunter2@host" }, "a user"},
		"path":        {func(c *objectstore.Config) { c.Endpoint = "https://host/store" }, "a path"},
		"query": {
			func(c *objectstore.Config) { c.PublicEndpoint = "https://host?x" },
			"public endpoint: must not have a user, query",
		},
		"no access key":       {func(c *objectstore.Config) { c.AccessKey = "" }, "access key"},
		"no secret key":       {func(c *objectstore.Config) { c.SecretKey = "" }, "secret key"},
		"no bucket":           {func(c *objectstore.Config) { c.Bucket = "" }, "bucket"},
		"impossible bucket":   {func(c *objectstore.Config) { c.Bucket = "Media_1" }, "bucket"},
		"unknown addressing":  {func(c *objectstore.Config) { c.Addressing = "dns" }, "path, virtual or auto"},
		"negative timeout":    {func(c *objectstore.Config) { c.StallTimeout = -time.Second }, "negative"},
		"host with bad chars": {func(c *objectstore.Config) { c.Endpoint = "https://bad_host!" }, "objectstore: "},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			config := example()
			test.change(&config)
			_, err := objectstore.New(config)
			require.ErrorContains(t, err, test.want)
			require.NotContains(t, err.Error(), "hunter2")
		})
	}
}

func TestNewReportsAllErrors(t *testing.T) {
	t.Parallel()
	_, err := objectstore.New(objectstore.Config{Addressing: "x", CallTimeout: -1})
	for _, want := range []string{"endpoint", "access key", "bucket", "addressing", "timeout"} {
		require.ErrorContains(t, err, want)
	}
}

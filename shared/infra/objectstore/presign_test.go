package objectstore_test

import (
	"math"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/infra/objectstore"
)

func TestAddresses(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		endpoint, public string
		addressing       objectstore.Addressing
		want             string
	}{
		"auto is path": {"https://s3.example.com", "", "", "https://s3.example.com/media/a/b.png"},
		"path": {
			"https://s3.example.com", "", objectstore.AddressingPath, "https://s3.example.com/media/a/b.png",
		},
		"virtual": {
			"https://s3.example.com", "", objectstore.AddressingVirtual, "https://media.s3.example.com/a/b.png",
		},
		"without TLS":  {"http://127.0.0.1:9000", "", "", "http://127.0.0.1:9000/media/a/b.png"},
		"slash":        {"http://127.0.0.1:9000/", "", "", "http://127.0.0.1:9000/media/a/b.png"},
		"IPv6":         {"http://[::1]:9000", "", "", "http://[::1]:9000/media/a/b.png"},
		"default port": {"https://s3.example.com:443", "", "", "https://s3.example.com/media/a/b.png"},
		"public": {
			"http://minio:9000", "https://files.example.com", "", "https://files.example.com/media/a/b.png",
		},
		"public, virtual": {
			"http://minio:9000", "https://example.com", objectstore.AddressingVirtual, "https://media.example.com/a/b.png",
		},
		"Amazon": {
			"https://s3.eu-central-1.amazonaws.com", "", "", "https://media.s3.eu-central-1.amazonaws.com/a/b.png",
		},
		"Amazon, path": {
			"https://s3.eu-central-1.amazonaws.com", "", objectstore.AddressingPath,
			"https://s3.eu-central-1.amazonaws.com/media/a/b.png",
		},
		"Amazon, IPv6": {
			"https://s3.dualstack.eu-central-1.amazonaws.com", "", "",
			"https://media.s3.dualstack.eu-central-1.amazonaws.com/a/b.png",
		},
		"Amazon, of another region": {
			"https://s3.amazonaws.com", "", "", "https://media.s3.eu-central-1.amazonaws.com/a/b.png",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			config := example()
			config.Endpoint, config.PublicEndpoint, config.Addressing = test.endpoint, test.public, test.addressing
			store := open(t, config)

			upload, err := store.PresignPut(objectstore.PutTerms{Key: "a/b.png", ContentType: png, Size: 5, Expires: time.Hour})
			require.NoError(t, err)
			download, err := store.PresignGet(objectstore.GetTerms{Key: "a/b.png", Expires: time.Hour})
			require.NoError(t, err)
			for _, signed := range []string{upload.URL, download.URL} {
				address, _, _ := strings.Cut(signed, "?")
				require.Equal(t, test.want, address)
				require.NotContains(t, signed, config.SecretKey)
			}
		})
	}
}

func TestSignedTerms(t *testing.T) {
	t.Parallel()
	config := example()
	config.Region = ""
	store := open(t, config)

	upload, err := store.PresignPut(objectstore.PutTerms{Key: "a", ContentType: png, Size: 5, Expires: 15 * time.Minute})
	require.NoError(t, err)
	query := parse(t, upload.URL).Query()
	require.Equal(t, "content-length;content-type;host", query.Get("X-Amz-SignedHeaders"))
	require.Equal(t, "900", query.Get("X-Amz-Expires"))
	require.True(t, strings.HasPrefix(query.Get("X-Amz-Credential"), "AKEXAMPLE/"))
	require.True(t, strings.HasSuffix(query.Get("X-Amz-Credential"), "/us-east-1/s3/aws4_request"), "the default region")
	require.Equal(t, http.Header{"Content-Type": {png}}, upload.Header)
	require.WithinDuration(t, time.Now().Add(15*time.Minute), upload.ExpiresAt, 10*time.Second)

	download, err := store.PresignGet(objectstore.GetTerms{
		Key: "a", Expires: 24 * time.Hour, ContentType: "image/jpeg", CacheControl: "private, max-age=60", Inline: true,
	})
	require.NoError(t, err)
	query = parse(t, download.URL).Query()
	require.Equal(t, "host", query.Get("X-Amz-SignedHeaders"))
	require.Equal(t, "86400", query.Get("X-Amz-Expires"))
	require.True(t, strings.HasPrefix(query.Get("X-Amz-Credential"), "AKEXAMPLE/"))
	require.Equal(t, "image/jpeg", query.Get("response-content-type"))
	require.Equal(t, "private, max-age=60", query.Get("response-cache-control"))
	require.Equal(t, "inline", query.Get("response-content-disposition"))
	require.WithinDuration(t, time.Now().Add(24*time.Hour), download.ExpiresAt, 10*time.Second)
}

func TestTermsAreChecked(t *testing.T) {
	t.Parallel()
	store := open(t, example())
	good := objectstore.PutTerms{Key: "a", ContentType: png, Size: 1, Expires: time.Hour}
	puts := map[string]func(*objectstore.PutTerms){
		"negative size":      func(p *objectstore.PutTerms) { p.Size = -1 },
		"too large":          func(p *objectstore.PutTerms) { p.Size = objectstore.MaxSize + 1 },
		"no type":            func(p *objectstore.PutTerms) { p.ContentType = "" },
		"half a type":        func(p *objectstore.PutTerms) { p.ContentType = "image" },
		"line break":         func(p *objectstore.PutTerms) { p.ContentType = "image/png;a=\"\r\nX: y\"" },
		"spaces":             func(p *objectstore.PutTerms) { p.ContentType = "image/png;  a=b" },
		"space at the end":   func(p *objectstore.PutTerms) { p.ContentType = "image/png " },
		"not ASCII":          func(p *objectstore.PutTerms) { p.ContentType = "image/png; a=\"ä\"" },
		"no time":            func(p *objectstore.PutTerms) { p.Expires = 0 },
		"less than a second": func(p *objectstore.PutTerms) { p.Expires = time.Second - 1 },
		"part of a second":   func(p *objectstore.PutTerms) { p.Expires = 1500 * time.Millisecond },
		"more than a day":    func(p *objectstore.PutTerms) { p.Expires = 24*time.Hour + time.Second },
		"no key":             func(p *objectstore.PutTerms) { p.Key = "" },
	}
	for name, change := range puts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			terms := good
			change(&terms)
			_, err := store.PresignPut(terms)
			require.ErrorContains(t, err, "objectstore: ")
		})
	}
	for name, terms := range map[string]objectstore.GetTerms{
		"get, type":   {Key: "a", Expires: time.Hour, ContentType: "x"},
		"get, cache":  {Key: "a", Expires: time.Hour, CacheControl: "a\nb"},
		"get, expiry": {Key: "a", Expires: 25 * time.Hour},
		"get, key":    {Key: "../a", Expires: time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := store.PresignGet(terms)
			require.ErrorContains(t, err, "objectstore: ")
		})
	}
}

func TestKeys(t *testing.T) {
	t.Parallel()
	config := example()
	config.Endpoint = closedPort(t)
	store := open(t, config)
	for _, key := range []string{
		"", "/", "/a", "a/", "a//b", ".", "..", "a/../b", "a/./b", ".hidden", "a/.hidden", `a\b`, "a b", "a%2Fb", "a?b",
		"a#b", "ä",
		"a\nb", "a\x00b", "\xff", strings.Repeat("a", 513),
	} {
		_, err := store.Stat(t.Context(), key)
		require.ErrorContains(t, err, "is not a key", key)
		_, err = store.Open(t.Context(), key, objectstore.Range{})
		require.ErrorContains(t, err, "is not a key", key)
		require.ErrorContains(t, store.Delete(t.Context(), key), "is not a key", key)
		_, err = store.Copy(t.Context(), objectstore.CopyRequest{From: "a", ETag: "e", To: key, ContentType: png})
		require.ErrorContains(t, err, "is not a key", key)
		_, err = store.Put(t.Context(), objectstore.PutRequest{Key: key, Body: strings.NewReader(""), ContentType: png})
		require.ErrorContains(t, err, "is not a key", key)
	}
	for _, key := range []string{
		"a", "a/b", "A-1_b.c..d/0", "0198c1d0-7e5a-7000-8000-000000000000/original.jpg", strings.Repeat("a", 512),
	} {
		_, err := store.PresignGet(objectstore.GetTerms{Key: key, Expires: time.Hour})
		require.NoError(t, err)
	}
	for _, prefix := range []string{"/", "a//", "../", "a/.", "a b"} {
		for _, err := range store.List(t.Context(), prefix, time.Time{}) {
			require.ErrorContains(t, err, "a key prefix", prefix)
		}
	}
}

func TestCallsAreChecked(t *testing.T) {
	t.Parallel()
	config := example()
	config.Endpoint = closedPort(t)
	store := open(t, config)
	for name, request := range map[string]objectstore.PutRequest{
		"no body":       {Key: "a", ContentType: png},
		"negative size": {Key: "a", ContentType: png, Body: strings.NewReader(""), Size: -2},
		"too large":     {Key: "a", ContentType: png, Body: strings.NewReader(""), Size: objectstore.MaxSize + 1},
		"no type":       {Key: "a", Body: strings.NewReader("")},
		"cache control": {Key: "a", ContentType: png, Body: strings.NewReader(""), CacheControl: "a\r\nb"},
	} {
		_, err := store.Put(t.Context(), request)
		require.ErrorContains(t, err, "objectstore: ", name)
		require.NotErrorIs(t, err, objectstore.ErrUnavailable, name)
	}
	for _, part := range []objectstore.Range{{Offset: -1}, {Length: -1}, {Offset: 1, Length: math.MaxInt64}} {
		_, err := store.Open(t.Context(), "a", part)
		require.ErrorContains(t, err, "a range is negative")
	}
	_, err := store.Copy(t.Context(), objectstore.CopyRequest{From: "a", To: "b", ContentType: png})
	require.ErrorContains(t, err, "requires the ETag")
	_, err = store.Copy(t.Context(), objectstore.CopyRequest{From: "a", ETag: "e", To: "b"})
	require.ErrorContains(t, err, "content type")
}

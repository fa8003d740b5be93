package gateway_test

import (
	"bufio"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"fencepost.internal/services/files/internal/gateway"
	"fencepost.internal/shared/infra/objectstore"
	"fencepost.internal/shared/infra/objectstore/objectstoretest"
	"fencepost.internal/shared/kernel/clock"
)

// TestOtherAddresses sends addresses that are no object of the bucket, unmodified and with a valid signature.
func TestOtherAddresses(t *testing.T) {
	t.Parallel()
	d, store := openFake(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })
	signed := parse(t, signGet(t, store, "a/b"))
	for _, path := range []string{
		"/", "//", "*", "/media", "/media/", "/media//a", "//media/a", "/media/a/", "/media/a//b", "/media/../other/a",
		"/media/./a", "/./media/a",
		"/media/a/..", "/media/..", "/media/%2e%2e/other/a", "/media/a%2fb", "/media/a%2Fb", "/media%2Fa", "/%6dedia/a",
		"/media/a%00b", "/media/a%25b",
		"/media/a%20b", "/media/a+b", "/media/a;b", "/media/a\\b", "/media/a:b", "/media/a,b", "/media/.a", "/media/ä",
		"/other/a", "/Media/a", "/mediaa",
		"/minio/admin/v3/info", "/minio/health/live", "/minio/v2/metrics/cluster", "/media/" + strings.Repeat("a", 513),
		"/media/a#b",
		"http://" + signed.Host + "/media/a/b",
	} {
		requireNoFile(t, raw(t, d, "GET "+path+"?"+signed.RawQuery+" HTTP/1.1\r\nHost: "+signed.Host+"\r\n\r\n"), path)
	}
	for _, host := range []string{
		"localhost:" + signed.Port(), "media." + signed.Host, "other.example.com", "127.0.0.1", signed.Host + ".",
		"[::1]:80",
	} {
		requireRefused(t, readRaw(t, raw(t, d, "GET "+signed.RequestURI()+" HTTP/1.1\r\nHost: "+host+"\r\n\r\n")),
			http.StatusMisdirectedRequest, "MISDIRECTED_REQUEST")
	}
	require.Zero(t, d.calls.Load(), "the store receives no request")
	require.Equal(t, http.StatusOK, send(t, http.MethodGet, signed.String(), "", nil).status)
}

// requireNoFile requires a refusal from the gateway, or from the server if it could not parse the request.
func requireNoFile(t *testing.T, reader *bufio.Reader, what string) {
	t.Helper()
	response, err := http.ReadResponse(reader, nil)
	require.NoError(t, err, what)
	defer func() { require.NoError(t, response.Body.Close()) }()
	if response.StatusCode != http.StatusBadRequest {
		requireRefused(t, read(t, response), http.StatusNotFound, "NOT_FOUND")
		return
	}
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err, what)
	require.Equal(t, "text/plain; charset=utf-8", response.Header.Get("Content-Type"), what)
	require.Equal(t, "400 Bad Request", string(body), what)
}

func TestOtherMethods(t *testing.T) {
	t.Parallel()
	d, store := openFake(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })
	for _, method := range []string{"DELETE", "POST", "PATCH", "TRACE", "COPY", "PROPFIND", "get", "PUTT"} {
		got := readRaw(t, raw(t, d, head(t, method, signGet(t, store, "a"))+"\r\n"))
		requireRefused(t, got, http.StatusMethodNotAllowed, "METHOD_NOT_ALLOWED")
		require.Equal(t, "GET, HEAD, OPTIONS, PUT", got.header.Get("Allow"))
	}
	got := readRaw(t, raw(t, d, "CONNECT "+parse(t, d.url).Host+" HTTP/1.1\r\nHost: "+parse(t, d.url).Host+"\r\n\r\n"))
	require.Equal(t, http.StatusNotFound, got.status)
	body := send(t, http.MethodGet, signGet(t, store, "a"), "a body", nil)
	requireRefused(t, body, http.StatusBadRequest, "MALFORMED_REQUEST")
	require.Zero(t, d.calls.Load())
	d.requireMetric(t, 8, "files_requests_total", map[string]string{"method": "other", "outcome": "method_not_allowed"})
}

// TestOtherQueries changes and adds parameters. The store would act on most of them.
func TestOtherQueries(t *testing.T) {
	t.Parallel()
	d, store := openFake(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })
	get, put := parse(t, signGet(t, store, "a")), parse(t, signPut(t, store, "a", 10).URL)
	added := []string{
		"uploads", "uploads=", "uploadId=1", "partNumber=1", "acl", "policy", "policyStatus", "versionId=1", "versions",
		"tagging", "retention", "legal-hold",
		"torrent", "restore", "select&select-type=2", "attributes", "delete", "lifecycle", "cors", "encryption", "location",
		"logging", "notification",
		"replication", "website", "list-type=2", "prefix=", "events=x", "x-id=GetObject", "X-Amz-Security-Token=x",
		"x-amz-copy-source=/media/b",
		"X-Amz-Content-Sha256=UNSIGNED-PAYLOAD", "x-amz-acl=public-read", "x-minio-extract=true", "response-expires=0",
		"response-content-language=de",
		"response-content-encoding=gzip", "AWSAccessKeyId=x&Signature=x&Expires=9999999999",
		"X-Amz-Signature=" + strings.Repeat("0", 64),
		"x-amz-signature=" + strings.Repeat("0", 64), "a=b", "=", "%zz", ";uploads",
		"response-content-type=a&response-content-type=b",
	}
	for _, address := range []*url.URL{get, put} {
		method := http.MethodGet
		if address == put {
			method = http.MethodPut
		}
		for _, more := range added {
			for _, query := range []string{address.RawQuery + "&" + more, more + "&" + address.RawQuery, more} {
				text := method + " " + address.Path + "?" + query + " HTTP/1.1\r\nHost: " + address.Host +
					"\r\nContent-Length: 0\r\n\r\n"
				requireRefused(t, readRaw(t, raw(t, d, text)), http.StatusForbidden, "LINK_REFUSED")
			}
		}
		for name, value := range map[string]string{
			"X-Amz-Algorithm": "AWS4-ECDSA-P256-SHA256", "X-Amz-Expires": "86401", "X-Amz-SignedHeaders": "host;x-amz-acl",
			"X-Amz-Signature": "short", "X-Amz-Credential": "a/b", "X-Amz-Date": "today",
		} {
			changed := query(name, value)
			requireRefused(t, send(t, method, address.String(), "", changed), http.StatusForbidden, "LINK_REFUSED")
			requireRefused(t, send(t, method, address.String(), "", query(name, "")), http.StatusForbidden, "LINK_REFUSED")
		}
	}
	requireRefused(t, send(t, http.MethodGet, d.url+get.Path, "", nil), http.StatusForbidden, "LINK_REFUSED")
	onPut := put.String() + "&response-content-type=text%2Fhtml"
	requireRefused(t, send(t, http.MethodPut, onPut, picture, nil), http.StatusForbidden, "LINK_REFUSED")
	require.Zero(t, d.calls.Load(), "the store receives no request")
}

func TestPreflight(t *testing.T) {
	t.Parallel()
	d, store := openFake(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })
	got := send(t, http.MethodOptions, signPut(t, store, "up/a", 10).URL, "", func(r *http.Request) {
		r.Header.Set("Origin", "https://app.example.com")
		r.Header.Set("Access-Control-Request-Method", "PUT")
		r.Header.Set("Access-Control-Request-Headers", "content-type")
	})
	require.Equal(t, http.StatusNoContent, got.status)
	require.Equal(t, "*", got.header.Get("Access-Control-Allow-Origin"))
	require.Equal(t, "GET, HEAD, PUT", got.header.Get("Access-Control-Allow-Methods"))
	require.Contains(t, got.header.Get("Access-Control-Allow-Headers"), "Content-Type")
	require.Empty(t, got.header.Get("Access-Control-Allow-Credentials"))
	require.Equal(t, "86400", got.header.Get("Access-Control-Max-Age"))
	require.Zero(t, d.calls.Load())
	requireRefused(t, send(t, http.MethodOptions, d.url+"/other/a", "", nil), http.StatusNotFound, "NOT_FOUND")
}

// TestPreflightOfUploadWidgets checks the headers that widgets send with an upload, and those of a hostile request.
func TestPreflightOfUploadWidgets(t *testing.T) {
	t.Parallel()
	_, store := openFake(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })
	for widget, requested := range map[string]string{
		"Dropzone":           "cache-control,content-type,x-requested-with",
		"Uppy":               "content-type",
		"FilePond":           "upload-length,upload-name,upload-offset",
		"Fine Uploader":      "cache-control, content-type, x-file-name, x-mime-type, x-requested-with",
		"jQuery File Upload": "content-disposition,content-range,content-type,x-requested-with",
		"axios":              "authorization,content-type,x-xsrf-token",
		"tracing":            "baggage,content-type,sentry-trace,traceparent,tracestate",
		"AWS SDK":            "amz-sdk-invocation-id,amz-sdk-request,content-type,x-amz-acl,x-amz-user-agent",
		"nothing":            "",
		"repeated":           strings.Repeat("range,", 1000),
	} {
		got := send(t, http.MethodOptions, signPut(t, store, "up/a", 10).URL, "", func(r *http.Request) {
			r.Header.Set("Origin", "https://app.example.com")
			r.Header.Set("Access-Control-Request-Method", "PUT")
			r.Header.Set("Access-Control-Request-Headers", requested)
		})
		require.Equal(t, http.StatusNoContent, got.status, widget)
		allowed := strings.Split(strings.ToLower(got.header.Get("Access-Control-Allow-Headers")), ", ")
		for name := range strings.SplitSeq(strings.TrimRight(requested, ","), ",") {
			if name = strings.TrimSpace(name); name != "" {
				require.Contains(t, allowed, name, widget)
			}
		}
		require.Less(t, len(allowed), 20, widget)
	}
	got := send(t, http.MethodOptions, signPut(t, store, "up/a", 10).URL, "", func(r *http.Request) {
		r.Header.Set("Access-Control-Request-Headers", "<script>, a b, *, x-good")
	})
	require.Equal(t, "Content-Type, If-Modified-Since, If-None-Match, If-Range, Range, *, X-Good",
		got.header.Get("Access-Control-Allow-Headers"))
}

// recordingStore returns a store that accepts every request, and the channel on which it delivers them.
func recordingStore() (store http.HandlerFunc, seen <-chan *http.Request) {
	requests := make(chan *http.Request, 2)
	return func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		requests <- r
		w.Header().Set("Etag", `"e"`)
	}, requests
}

// TestRequestsToStoreAreRebuilt checks the requests that the store receives.
func TestRequestsToStoreAreRebuilt(t *testing.T) {
	t.Parallel()
	noise := func(r *http.Request) {
		r.Header.Set("User-Agent", "x")
		r.Header.Set("Accept", "*/*")
		r.Header.Set("Te", "trailers")
		r.Header.Set("Accept-Encoding", "gzip")
	}
	t.Run("path", func(t *testing.T) {
		t.Parallel()
		record, seen := recordingStore()
		d, store := openFake(t, record)
		require.Equal(t, http.StatusOK, send(t, http.MethodGet, signGet(t, store, "a/b"), "", noise).status)
		r := <-seen
		require.Equal(t, "/media/a/b", r.URL.Path)
		require.Equal(t, parse(t, d.url).Host, r.Host, "as it was signed")
		require.Empty(t, r.Header)
		require.NotContains(t, r.URL.RawQuery, "+")
	})
	t.Run("virtual", func(t *testing.T) {
		t.Parallel()
		record, seen := recordingStore()
		d, _ := openFake(t, record, func(c *gateway.Config) {
			c.Addressing, c.PublicEndpoint = objectstore.AddressingVirtual, "https://files.example.com"
		})
		signing := objectstoretest.New(t, objectstore.Config{
			Endpoint: "https://files.example.com", Bucket: "media", AccessKey: "k", SecretKey: "secret",
			Addressing: objectstore.AddressingVirtual,
		})
		signed := signPut(t, signing, "a/b", 10)
		address := parse(t, signed.URL)
		require.Equal(t, "media.files.example.com", address.Host)
		for _, host := range []string{"media.files.example.com", "Media.Files.Example.com:443"} {
			got := send(t, http.MethodPut, d.url+address.RequestURI(), picture, func(r *http.Request) {
				noise(r)
				r.Header.Set("Content-Type", png)
				r.Host = host
			})
			require.Equal(t, http.StatusOK, got.status)
			require.Equal(t, `"e"`, got.header.Get("Etag"))
			r := <-seen
			require.Equal(t, "/a/b", r.URL.Path)
			require.Equal(t, host, r.Host)
			require.Equal(t, http.Header{"Content-Type": {png}, "Content-Length": {"10"}, "Expect": {"100-continue"}}, r.Header)
		}
		got := send(t, http.MethodPut, d.url+address.RequestURI(), picture,
			func(r *http.Request) { r.Host = "files.example.com" })
		requireRefused(t, got, http.StatusMisdirectedRequest, "MISDIRECTED_REQUEST")
	})
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*gateway.Config){
		"no endpoint":     func(c *gateway.Config) { c.Endpoint = "" },
		"no scheme":       func(c *gateway.Config) { c.Endpoint = "store:9000" },
		"a path":          func(c *gateway.Config) { c.PublicEndpoint = "https://files.example.com/x" },
		"a password":      func(c *gateway.Config) { c.PublicEndpoint = "https://u:p@files.example.com" },
		"no bucket":       func(c *gateway.Config) { c.Bucket = "" },
		"no clock":        func(c *gateway.Config) { c.Clock = nil },
		"no logger":       func(c *gateway.Config) { c.Logger = nil },
		"no registerer":   func(c *gateway.Config) { c.Registerer = nil },
		"a negative time": func(c *gateway.Config) { c.StallTimeout = -time.Second },
	} {
		cfg := gateway.Config{
			Endpoint: "http://store:9000", PublicEndpoint: "https://files.example.com", Bucket: "media", Clock: clock.System(),
			Logger: slog.New(slog.DiscardHandler), Registerer: prometheus.NewRegistry(),
		}
		_, err := gateway.New(cfg)
		require.NoError(t, err)
		change(&cfg)
		_, err = gateway.New(cfg)
		require.ErrorContains(t, err, "gateway: ", name)
	}
}

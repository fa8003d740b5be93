package egress_test

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/infra/egress"
)

// hostile returns targets of redirects that must not be followed; port is that of a server on this machine.
func hostile(port string) map[string]egress.Stage {
	return map[string]egress.Stage{
		"http://127.0.0.1:" + port + "/":                egress.StageParse,
		"http://127.0.0.1/":                             egress.StageParse,
		"http://localhost:" + port + "/":                egress.StageParse,
		"//127.0.0.1:1/":                                egress.StageParse,
		"//127.0.0.1:" + port + "/":                     egress.StageParse,
		"//localhost/":                                  egress.StageParse,
		"http://[::1]:" + port + "/":                    egress.StageParse,
		"http://[::ffff:7f00:1]/":                       egress.StageParse,
		"http://0/":                                     egress.StageParse,
		"http://127.1/":                                 egress.StageParse,
		"http://2130706433/":                            egress.StageParse,
		"http://0x7f000001/":                            egress.StageParse,
		"http://①②⑦.⓪.⓪.①/":                             egress.StageParse,
		"http://169.254.169.254/latest/meta-data/":      egress.StageParse,
		"http://168.63.129.16/metadata/instance":        egress.StageParse,
		"http://metadata.google.internal/":              egress.StageParse,
		"http://minio:9000/":                            egress.StageParse,
		"file:///etc/passwd":                            egress.StageParse,
		"gopher://127.0.0.1:6379/_INFO":                 egress.StageParse,
		"ftp://ok.test/":                                egress.StageParse,
		"data:image/png;base64,iVBORw0KGgo=":            egress.StageParse,
		"javascript:alert(1)":                           egress.StageParse,
		"http:127.0.0.1/":                               egress.StageParse,
		"http:///127.0.0.1/":                            egress.StageParse,
		"http://user:pass@ok.test/":                     egress.StageParse,
		"http://user@127.0.0.1:" + port + "/":           egress.StageParse,
		"http://ok.test:" + port + "/":                  egress.StageParse,
		`\\127.0.0.1\`:                                  egress.StageParse,
		`/\127.0.0.1/`:                                  egress.StageParse,
		"http://127.0.0.1 /":                            egress.StageParse,
		"http://ok.test @127.0.0.1/":                    egress.StageParse,
		"http://loop.test/a b":                          egress.StageDial,
		"/a b":                                          egress.StageDial, // the second lookup of the first name
		"http://[":                                      egress.StageParse,
		"https://api.service.test/v1/workspace":         egress.StageParse,
		"http://media.service.test/bucket/key":          egress.StageParse,
		"http://ok.test/" + strings.Repeat("a", 2e3+50): egress.StageParse,
		"http://loop.test/":                             egress.StageDial,
		"//rfc1918.test/":                               egress.StageDial,
		"http://meta.test/":                             egress.StageDial,
		"http://nat64.test/":                            egress.StageDial,
		"http://mixed.test/":                            egress.StageResolve,
		"http://rebind.test/":                           egress.StageDial, // the second lookup of the first name
		"/again":                                        egress.StageDial, // the same
		"?again":                                        egress.StageDial, // the same
	}
}

// TestRefusedRedirects downloads from a public server that redirects to other places.
func TestRefusedRedirects(t *testing.T) {
	t.Parallel()

	var hits atomic.Int64
	inner := serveHTTP(t, func(http.ResponseWriter, *http.Request) { hits.Add(1) })
	_, port, err := net.SplitHostPort(hostOf(inner.URL))
	require.NoError(t, err)
	t.Cleanup(func() { require.Zero(t, hits.Load()) })

	for _, status := range []string{"301", "302", "303", "307", "308"} {
		for location, stage := range hostile(port) {
			t.Run(status+" to "+location, func(t *testing.T) {
				t.Parallel()

				server := serveRaw(t, say("HTTP/1.1 "+status+" x\r\nLocation: "+location+"\r\nContent-Length: 0\r\n\r\n"))
				downloader := newDownloader(t, egress.DownloaderConfig{})
				sockets := lead(downloader, map[string]string{"80": hostOf(server.url)})

				_, err := fetch(t, downloader, "http://rebind.test/a.jpg", megabyte)

				failure := new(egress.Error)
				require.ErrorAs(t, err, &failure)
				require.Contains(t, []egress.Class{egress.ClassBlockedURL, egress.ClassBlockedAddress}, failure.Class)
				require.Equal(t, stage, failure.Stage)
				require.ErrorContains(t, err, "it redirects to a rejected URL")
				require.NotRegexp(t, `\d+\.\d+\.\d+|::`, err.Error())
				require.EqualValues(t, 1, sockets.Load())
				require.EqualValues(t, 1, server.conns.Load())
			})
		}
	}
}

func TestRedirectsWithoutLocation(t *testing.T) {
	t.Parallel()

	for _, lines := range []string{"", "Location:\r\n", "Location: /a\r\nLocation: /b\r\n"} {
		server := serveRaw(t, say("HTTP/1.1 302 x\r\n"+lines+"Content-Length: 0\r\n\r\n"))
		_, err := fetch(t, newLoopbackDownloader(t, egress.DownloaderConfig{}), server.url, megabyte)
		requireFailure(t, err, egress.ClassProtocol)
		require.EqualValues(t, 1, server.conns.Load())
	}
}

// TestRedirectLimit checks ten redirects, and one more.
func TestRedirectLimit(t *testing.T) {
	t.Parallel()

	locations := map[string]string{
		"/0/start":                      "1#here",
		"/0/1":                          "../2?a=%20b",
		"/2?a=%20b":                     "//OK.test./3",
		"/3":                            "http://ok.test:80/4",
		"/4":                            "/5 5/é%2F?q=é s#x",
		"/5%205/%C3%A9%2F?q=%C3%A9%20s": "http://ok.test/6 6",
		"/6%206":                        "/7",
		"/7":                            "/8",
		"/8":                            "/9",
		"/9":                            "/end",
		"/loop":                         "/loop",
		"/there":                        "/back",
		"/back":                         "/there",
		"/long":                         "/0/start",
	}

	tests := map[string]struct {
		start string
		body  string
		class egress.Class
		conns int64
	}{
		"none":        {start: "/end", body: "the end", conns: 1},
		"three":       {start: "/7", body: "the end", conns: 4},
		"ten":         {start: "/0/start", body: "the end", conns: 11},
		"eleven":      {start: "/long", class: egress.ClassRedirects, conns: 11},
		"loop":        {start: "/loop", class: egress.ClassRedirects, conns: 11},
		"loop of two": {start: "/there", class: egress.ClassRedirects, conns: 11},
	}

	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			headers := make(chan http.Header, 11)
			server := serveHTTP(t, func(w http.ResponseWriter, r *http.Request) {
				headers <- r.Header.Clone()

				if location := locations[r.RequestURI]; location != "" {
					w.Header().Set("Location", location)
					w.WriteHeader(http.StatusFound)
				}

				_, _ = io.WriteString(w, "the end")
			})
			downloader := newDownloader(t, egress.DownloaderConfig{})
			sockets := lead(downloader, map[string]string{"80": hostOf(server.URL)})

			content, err := fetch(t, downloader, "http://ok.test"+test.start, megabyte)
			if test.class == "" {
				require.NoError(t, err)
			} else {
				requireFailure(t, err, test.class)
			}

			require.Equal(t, test.body, content)
			require.Equal(t, test.conns, sockets.Load(), "a connection for each request")
			close(headers)

			for header := range headers {
				require.Equal(t, http.Header{
					"User-Agent":      {"egress-test/1"},
					"Accept":          {"*/*"},
					"Accept-Encoding": {"identity"},
					"Connection":      {"close"},
				}, header, "no referer")
			}
		})
	}
}

// TestDownloadCookies checks that a cookie goes back within the redirects of one download, only to the server that
// set it, and never with another download.
func TestDownloadCookies(t *testing.T) {
	t.Parallel()

	var seen []string
	server := serveHTTP(t, func(w http.ResponseWriter, r *http.Request) {
		seen = append(seen, r.Host+r.URL.Path+" "+r.Header.Get("Cookie"))

		switch cookie, _ := r.Cookie("seen"); {
		case r.Host == "sub.api.service.test":
			http.Redirect(w, r, "http://ok.test/wall", http.StatusFound)
		case cookie == nil:
			w.Header().Add("Set-Cookie", "seen=1; Path=/")
			w.Header().Add("Set-Cookie", "all=1; Domain=test")
			w.Header().Add("Set-Cookie", "tls=1; Secure")
			http.Redirect(w, r, "/wall", http.StatusFound)
		case r.URL.Path == "/wall":
			http.Redirect(w, r, "http://dual.test/file", http.StatusFound)
		default:
			_, _ = io.WriteString(w, "the end")
		}
	})
	downloader := newDownloader(t, egress.DownloaderConfig{})
	lead(downloader, map[string]string{"80": hostOf(server.URL)})

	for range 2 {
		seen = nil
		_, err := fetch(t, downloader, "http://sub.api.service.test/", megabyte)
		require.NoError(t, err)
		require.Equal(t, []string{
			"sub.api.service.test/ ", "ok.test/wall ", "ok.test/wall seen=1", "dual.test/file ", "dual.test/wall seen=1",
			"dual.test/file seen=1",
		}, seen)
	}
}

// TestRedirectBetweenSchemes checks that http to https is followed, and https to http is not.
func TestRedirectBetweenSchemes(t *testing.T) {
	t.Parallel()

	trusted := newAuthority(t)
	var plainHits atomic.Int64

	plain := serveHTTP(t, func(w http.ResponseWriter, r *http.Request) {
		plainHits.Add(1)
		http.Redirect(w, r, "https://ok.test/secure.jpg", http.StatusMovedPermanently)
	})
	secure, _ := serveTLSWith(t, &tls.Config{Certificates: []tls.Certificate{trusted.issue(t, unchanged)}},
		func(w http.ResponseWriter, r *http.Request) {
			switch r.URL.Path {
			case "/down":
				http.Redirect(w, r, "http://ok.test/x", http.StatusFound)

				return
			case "/beside":
				w.Header().Set("Location", "//ok.test/secure.jpg")
				w.WriteHeader(http.StatusFound)

				return
			}

			w.Header().Set("Content-Disposition", `inline; filename="from the head.jpg"`)
			_, _ = io.WriteString(w, "safe")
		})

	downloader := newDownloader(t, egress.DownloaderConfig{RootCAs: trusted.pool()})
	sockets := lead(downloader, map[string]string{"80": hostOf(plain.URL), "443": secure.Listener.Addr().String()})

	download, err := downloader.Get(t.Context(), "http://ok.test/a.jpg", megabyte)
	require.NoError(t, err)
	require.Equal(t, "from the head.jpg", download.Name)
	content, err := io.ReadAll(download.Body)
	require.NoError(t, err)
	require.Equal(t, "safe", string(content))
	require.NoError(t, download.Body.Close())
	require.EqualValues(t, 2, sockets.Load())

	beside, err := fetch(t, downloader, "https://ok.test/beside", megabyte)
	require.NoError(t, err, "the scheme stays")
	require.Equal(t, "safe", beside)
	require.EqualValues(t, 4, sockets.Load())

	_, err = fetch(t, downloader, "https://ok.test/down", megabyte)
	requireFailure(t, err, egress.ClassBlockedURL)
	require.ErrorContains(t, err, "from https to http")
	require.EqualValues(t, 5, sockets.Load())
	require.EqualValues(t, 1, plainHits.Load())
}

// TestFailureAfterRedirect checks that the failure keeps its class.
func TestFailureAfterRedirect(t *testing.T) {
	t.Parallel()

	server := serveRaw(t, say("HTTP/1.1 302 x\r\nLocation: http://unknown.test/\r\nContent-Length: 0\r\n\r\n"))
	downloader := newDownloader(t, egress.DownloaderConfig{})
	lead(downloader, map[string]string{"80": hostOf(server.url)})

	_, err := fetch(t, downloader, "http://ok.test/", megabyte)
	requireFailure(t, err, egress.ClassDNS)
}

// TestDialGateAppliesToEveryHop checks that the dial gate is called for each connection.
func TestDialGateAppliesToEveryHop(t *testing.T) {
	t.Parallel()

	hops := 0
	server := serveHTTP(t, func(w http.ResponseWriter, r *http.Request) {
		hop, _ := strconv.Atoi(r.URL.Path[1:])
		http.Redirect(w, r, "/"+strconv.Itoa(hop+1), http.StatusFound)
	})
	downloader := newDownloader(t, egress.DownloaderConfig{})
	egress.SetDownloadConnect(downloader,
		func(ctx context.Context, network, _ string, gate egress.Gate) (net.Conn, error) {
			hops++
			// The address that the system would connect to if it had changed between the check and the socket.
			address := "93.184.216.34:80"
			if hops == 3 {
				address = "127.0.0.1:80"
			}

			if err := gate(ctx, network, address, nil); err != nil {
				return nil, err
			}

			return (&net.Dialer{}).DialContext(ctx, network, hostOf(server.URL))
		})

	_, err := fetch(t, downloader, "http://ok.test/1", megabyte)
	requireFailure(t, err, egress.ClassBlockedAddress)
	require.Equal(t, 3, hops)
}

// TestFetchStaysAtItsHosts checks that a request with a header goes to the hosts of the service alone, also after a redirect.
func TestFetchStaysAtItsHosts(t *testing.T) {
	t.Parallel()

	var seen []string

	server := serveHTTP(t, func(w http.ResponseWriter, r *http.Request) {
		seen = append(seen, r.Host+r.URL.Path+" "+r.Header.Get("Authorization"))

		switch r.URL.Path {
		case "/same":
			http.Redirect(w, r, "/file", http.StatusFound)
		case "/other":
			http.Redirect(w, r, "http://other.test/file", http.StatusFound)
		default:
			_, _ = io.WriteString(w, "content")
		}
	})
	downloader := newDownloader(t, egress.DownloaderConfig{})
	lead(downloader, map[string]string{"80": hostOf(server.URL)})

	fetch := func(address string, hosts ...string) error {
		download, err := downloader.Fetch(t.Context(), egress.FileRequest{
			Address: address, Header: http.Header{"authorization": {"Bearer secret"}}, Hosts: hosts, Limit: 100,
		})
		if err == nil {
			_, err = io.Copy(io.Discard, download.Body)
			_ = download.Body.Close()
		}

		return err
	}

	require.NoError(t, fetch("http://ok.test/same", "ok.test"))
	require.NoError(t, fetch("http://ok.test/file", "*.test"))
	require.Equal(t, []string{"ok.test/same Bearer secret", "ok.test/file Bearer secret", "ok.test/file Bearer secret"}, seen)
	seen = nil

	for _, hosts := range [][]string{{"test"}, {"*.ok.test"}, {"k.test"}, {"ok.test:8080"}, {}} {
		require.Equal(t, egress.ClassBlockedURL, egress.ClassOf(fetch("http://ok.test/file", append([]string{"x"}, hosts...)...)), hosts)
	}

	require.Empty(t, seen)
	require.Equal(t, egress.ClassBlockedURL, egress.ClassOf(fetch("http://ok.test/other", "ok.test", "other.test")))
	require.Equal(t, []string{"ok.test/other Bearer secret"}, seen)
}

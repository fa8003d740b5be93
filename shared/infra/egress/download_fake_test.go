package egress_test

import (
	"context"
	"io"
	"net"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/infra/egress"
)

const megabyte = 1 << 20

func newDownloader(t *testing.T, config egress.DownloaderConfig) *egress.Downloader {
	t.Helper()

	if config.Policy == nil {
		config.Policy = newPolicy(t, egress.PolicyConfig{OwnURLs: ownURLs()})
	}

	if config.Resolver == nil {
		config.Resolver = newFakeDNS(internet())
	}

	config.UserAgent = "egress-test/1"

	downloader, err := egress.NewDownloader(config)
	require.NoError(t, err)

	return downloader
}

// newLoopbackDownloader returns a downloader with development settings: it may reach test servers.
func newLoopbackDownloader(t *testing.T, config egress.DownloaderConfig) *egress.Downloader {
	t.Helper()

	config.Policy = newPolicy(t, egress.PolicyConfig{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}})

	return newDownloader(t, config)
}

// lead lets a downloader with the strict rules reach test servers in place of the internet, selected by the port of the
// public address. It counts the sockets that the gate allowed.
func lead(d *egress.Downloader, servers map[string]string) *atomic.Int64 {
	sockets := &atomic.Int64{}

	egress.SetDownloadConnect(d, func(ctx context.Context, network, address string, gate egress.Gate) (net.Conn, error) {
		if err := gate(ctx, network, address, nil); err != nil {
			return nil, err
		}

		sockets.Add(1)

		_, port, err := net.SplitHostPort(address)
		if err != nil {
			return nil, err
		}

		return (&net.Dialer{}).DialContext(ctx, network, servers[port])
	})

	return sockets
}

// hostOf returns the host and port of a server.
func hostOf(url string) string {
	_, host, _ := strings.Cut(url, "://")

	return host
}

// fetch downloads a whole file into memory.
func fetch(t *testing.T, d *egress.Downloader, address string, limit int64) (string, error) {
	t.Helper()

	download, err := d.Get(t.Context(), address, limit)
	if err != nil {
		require.Nil(t, download)

		return "", err
	}

	content, err := io.ReadAll(download.Body)
	_, again := download.Body.Read(make([]byte, 1))
	require.Error(t, again, "an end stays one")
	require.NoError(t, download.Body.Close())

	return string(content), err
}

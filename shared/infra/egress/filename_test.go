package egress_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/infra/egress"
)

func TestDownloadNames(t *testing.T) {
	t.Parallel()

	tests := map[string]struct{ path, disposition, name string }{
		"path":          {path: "/a/cat.png", name: "cat.png"},
		"escaped path":  {path: "/Gr%C3%BC%C3%9Fe%20%F0%9F%8E%89.jpg", name: "Grüße 🎉.jpg"},
		"no path":       {path: "/", name: ""},
		"folder":        {path: "/a/b/", name: ""},
		"query is none": {path: "/?name=cat.png", name: ""},
		"escaped slash": {path: "/a%2f..%2fcat.png", name: "cat.png"},
		"dots alone":    {path: "/%2e%2e", name: ""},
		"hidden":        {path: "/.htaccess", name: "htaccess"},
		"invalid UTF-8": {path: "/%ff%fecat.png", name: "cat.png"},
		"header":        {path: "/x", disposition: `attachment; filename="a cat.png"`, name: "a cat.png"},
		"extended header": {
			path: "/x", disposition: `attachment; filename=e.png; filename*=UTF-8''%E2%82%AC.png`, name: "€.png",
		},
		"path in the header":    {path: "/x", disposition: `attachment; filename="../../etc/passwd"`, name: "passwd"},
		"path of Windows":       {path: "/x", disposition: `attachment; filename="C:\\temp\\cat.png"`, name: "cat.png"},
		"nothing in the header": {path: "/cat.png", disposition: `inline`, name: "cat.png"},
		"empty name":            {path: "/cat.png", disposition: `inline; filename=""`, name: "cat.png"},
		"malformed header":      {path: "/cat.png", disposition: `;;;"`, name: "cat.png"},
		"turned writing direction": {
			path: "/x", disposition: `inline; filename*=UTF-8''exe%E2%80%AEgpj.png`, name: "exegpj.png",
		},
		"control characters": {
			path: "/x", disposition: `inline; filename*=UTF-8''a%0D%0Ab%00%1B%5B.png`, name: "a  b[.png",
		},
		"long with an extension": {
			path: "/" + strings.Repeat("%C3%BC", 300) + ".jpeg", name: strings.Repeat("ü", 97) + ".jpeg",
		},
		"long without an extension":  {path: "/" + strings.Repeat("a", 300), name: strings.Repeat("a", 200)},
		"long with a long extension": {path: "/a." + strings.Repeat("b", 300), name: "a." + strings.Repeat("b", 198)},
	}

	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			server := serveHTTP(t, func(w http.ResponseWriter, _ *http.Request) {
				if test.disposition != "" {
					w.Header().Set("Content-Disposition", test.disposition)
				}

				_, _ = io.WriteString(w, "x")
			})

			download, err := newLoopbackDownloader(t, egress.DownloaderConfig{}).Get(t.Context(), server.URL+test.path, 1)
			require.NoError(t, err)
			require.NoError(t, download.Body.Close())
			require.Equal(t, test.name, download.Name)
			require.True(t, utf8.ValidString(download.Name))
		})
	}
}

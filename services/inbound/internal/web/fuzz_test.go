package web_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzReports checks that a request is stored if, and only if, its address and its proof are right.
func FuzzReports(f *testing.F) {
	b := setup(f)
	for _, r := range []report{b.telegram(`[{"key":"u/1"}]`), whatsApp(`[{"key":"m/1"}]`)} {
		f.Add(r.path, r.header.Get("X-Telegram-Bot-Api-Secret-Token"), r.header.Get("X-Hub-Signature-256"), []byte(r.body))
	}
	f.Add("/meta/whatsapp", "", "sha256=", []byte("[]"))
	f.Fuzz(func(t *testing.T, path, secret, signature string, body []byte) {
		if u, err := url.ParseRequestURI(path); err != nil || u.Host != "" || u.Scheme != "" {
			t.Skip() // no request has this target
		}
		b := setup(t)
		address := "/telegram/" + b.source.String()
		if len(path) == len(address) && path[:len("/telegram/")] == "/telegram/" {
			path = address // the source has another name in each try
		}
		target, err := url.ParseRequestURI(path)
		require.NoError(t, err)
		request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", bytes.NewReader(body))
		request.URL = target
		request.Header.Set("X-Telegram-Bot-Api-Secret-Token", secret)
		request.Header.Set("X-Hub-Signature-256", signature)
		recorded := httptest.NewRecorder()
		b.site(t).ServeHTTP(recorded, request)
		telegram := target.EscapedPath() == address && (secret == telegramSecret || secret == formerSecret)
		meta := target.EscapedPath() == "/meta/whatsapp" &&
			(signature == signatureOf(metaSecret, string(body)) || signature == signatureOf(oldMetaSecret, string(body)))
		require.Equal(t, telegram || meta, recorded.Code == http.StatusOK, "%s: %d", path, recorded.Code)
		require.Equal(t, telegram || meta, len(b.store.all()) > 0)
	})
}

package web_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/inbound/internal/web"
	"fencepost.internal/services/internal/hosts"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

func TestNewRequiresConfig(t *testing.T) {
	t.Parallel()
	_, err := web.New(web.Config{})
	require.Error(t, err)
}

func TestAuthenticReportsAreStored(t *testing.T) {
	t.Parallel()
	b := setup(t)
	site := b.site(t)
	require.Equal(t, http.StatusOK, send(t, site, b.telegram(`[{"key":"u/1","kind":"business_message"}]`)).Code)
	former := b.telegram(`[{"key":"u/2","kind":"business_message"}]`)
	former.header.Set("X-Telegram-Bot-Api-Secret-Token", formerSecret)
	require.Equal(t, http.StatusOK, send(t, site, former).Code)
	require.Equal(t, http.StatusOK, send(t, site, whatsApp(`[{"key":"m/1","kind":"messages"},{"key":"m/2","kind":"messages"}]`)).Code)
	old := whatsApp(`[{"key":"m/3","kind":"messages"}]`)
	old.header.Set("X-Hub-Signature-256", signatureOf(oldMetaSecret, old.body))
	require.Equal(t, http.StatusOK, send(t, site, old).Code)
	require.Equal(t, http.StatusOK, send(t, site, old).Code)
	var keys []string
	for _, e := range b.store.all() {
		keys = append(keys, string(e.Network)+" "+e.Account+" "+e.Key)
	}
	require.Equal(t, []string{
		"telegram 4711 u/1", "telegram 4711 u/2", "whatsapp  m/1", "whatsapp  m/2", "whatsapp  m/3",
	}, keys)
	require.InDelta(t, 2, b.count(t, "telegram", "stored"), 0)
	require.InDelta(t, 2, b.count(t, "whatsapp", "stored"), 0)
	require.InDelta(t, 1, b.count(t, "whatsapp", "repeated"), 0)
}

// TestReportsWithoutProofAreRefused has the cases of bar 8 of the design.
func TestReportsWithoutProofAreRefused(t *testing.T) {
	t.Parallel()
	const escaped, body = `[{"key":"m/1","kind":"\u00e4"}]`, `[{"key":"m/1","kind":"text"}]`
	right := signatureOf(metaSecret, body)
	meta := func(body string, signatures ...string) report {
		return report{http.MethodPost, "/meta/whatsapp", body, http.Header{"X-Hub-Signature-256": signatures}}
	}
	b := setup(t)
	telegram := func(secrets ...string) report {
		r := b.telegram(body)
		r.header = http.Header{"X-Telegram-Bot-Api-Secret-Token": secrets}
		return r
	}
	for name, r := range map[string]report{
		"no signature":          meta(body),
		"empty signature":       meta(body, ""),
		"foreign secret":        meta(body, signatureOf("foreign", body)),
		"truncated signature":   meta(body, right[:len(right)-2]),
		"longer signature":      meta(body, right+"00"),
		"upper-case digits":     meta(body, "sha256="+strings.ToUpper(right[len("sha256="):])),
		"upper-case name":       meta(body, strings.Replace(right, "sha256", "SHA256", 1)),
		"no name":               meta(body, strings.TrimPrefix(right, "sha256=")),
		"space":                 meta(body, " "+right),
		"second signature":      meta(body, right, signatureOf("foreign", body)),
		"equal signatures":      meta(body, right, right),
		"list of signatures":    meta(body, right+", "+right),
		"changed byte":          meta(strings.Replace(body, "m/1", "m/2", 1), right),
		"added space":           meta(body+" ", right),
		"unescaped Unicode":     meta(strings.ReplaceAll(escaped, `\u00e4`, "ä"), signatureOf(metaSecret, escaped)),
		"signature of SHA-1":    meta(body, "sha1="+right[len("sha256="):][:40]),
		"no secret":             telegram(),
		"empty secret":          telegram(""),
		"wrong secret":          telegram("wrong"),
		"truncated secret":      telegram(telegramSecret[:len(telegramSecret)-1]),
		"upper-case secret":     telegram(strings.ToUpper(telegramSecret)),
		"second secret":         telegram(telegramSecret, "wrong"),
		"hash instead":          telegram(string(hashed(telegramSecret))),
		"the other's signature": {http.MethodPost, b.telegram("").path, body, http.Header{"X-Hub-Signature-256": {right}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.store.sources[named(t, r, b)] = b.store.sources[b.source]
			site := b.site(t)
			response := send(t, site, r)
			require.Equal(t, http.StatusUnauthorized, response.Code, response.Body)
			require.Empty(t, b.store.all())
			network := "whatsapp"
			if strings.HasPrefix(r.path, "/telegram") {
				network = "telegram"
			}
			require.InDelta(t, 1, b.count(t, network, "forged"), 0)
			for _, secret := range []string{telegramSecret, metaSecret, "m/1"} {
				require.NotContains(t, b.logs.String(), secret)
			}
		})
	}
}

// named returns the source that a request names, so that each test has the source of the table.
func named(t *testing.T, r report, b *bundle) ident.InboundSource {
	t.Helper()
	text, ok := strings.CutPrefix(r.path, "/telegram/")
	if !ok {
		return b.source
	}
	id, err := ident.Parse[ident.InboundSource](text)
	require.NoError(t, err)
	return id
}

func TestAddressesWithoutSecretDoNotExist(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.config.Secrets, b.config.VerifyToken = nil, verifyToken
	other, bare := ident.New[ident.InboundSource](), ident.New[ident.InboundSource]()
	b.store.sources[other] = postgres.InboundOrigin{Network: channel.NetworkWhatsApp, Account: "1", Hashes: [][]byte{hashed(telegramSecret)}}
	b.store.sources[bare] = postgres.InboundOrigin{Network: channel.NetworkTelegram, Account: "1"}
	site := b.site(t)
	const body = `[{"key":"m/1"}]`
	handshake := "/meta/whatsapp?hub.mode=subscribe&hub.challenge=1&hub.verify_token=" + verifyToken
	header := b.telegram(body).header
	for name, r := range map[string]report{
		"no application":           whatsApp(body),
		"handshake of none":        {http.MethodGet, handshake, "", nil},
		"unknown source":           {http.MethodPost, "/telegram/" + ident.New[ident.InboundSource]().String(), body, header},
		"source of another":        {http.MethodPost, "/telegram/" + other.String(), body, header},
		"source without a secret":  {http.MethodPost, "/telegram/" + bare.String(), body, header},
		"no ID":                    {http.MethodPost, "/telegram/" + bot, body, header},
		"no source":                {http.MethodPost, "/telegram/", body, header},
		"more than a source":       {http.MethodPost, b.telegram("").path + "/x", body, header},
		"slash behind":             {http.MethodPost, b.telegram("").path + "/", body, header},
		"escaped":                  {http.MethodPost, "/telegram%2F" + b.source.String(), body, header},
		"root":                     {http.MethodGet, "/", "", nil},
		"other application":        {http.MethodPost, "/meta/other", body, nil},
		"address of an operator":   {http.MethodGet, "/metrics", "", nil},
		"another network's prefix": {http.MethodPost, "/x/" + b.source.String(), body, header},
	} {
		require.Equal(t, http.StatusNotFound, send(t, site, r).Code, name)
	}
	require.Empty(t, b.store.all())
	b.config.Receivers = nil
	b.config.Registerer = setup(t).registry
	require.Equal(t, http.StatusNotFound, send(t, b.site(t), b.telegram(body)).Code, "no receiver")
}

func TestHandshake(t *testing.T) {
	t.Parallel()
	b := setup(t)
	site := b.site(t)
	ask := func(query string) *httptest.ResponseRecorder {
		return send(t, site, report{http.MethodGet, "/meta/whatsapp?" + query, "", nil})
	}
	const right = "hub.mode=subscribe&hub.verify_token=" + verifyToken
	got := ask(right + "&hub.challenge=1158201444")
	require.Equal(t, http.StatusOK, got.Code)
	require.Equal(t, "1158201444", got.Body.String())
	require.InDelta(t, 1, b.count(t, "whatsapp", "verified"), 0)
	for _, query := range []string{
		"", right, right + "&hub.challenge=", "hub.mode=unsubscribe&hub.verify_token=" + verifyToken + "&hub.challenge=1",
		"hub.mode=subscribe&hub.challenge=1", "hub.mode=subscribe&hub.verify_token=wrong&hub.challenge=1",
		right + "&hub.verify_token=wrong&hub.challenge=1", right + "&hub.challenge=1&hub.challenge=2",
		right + "&hub.challenge=" + strings.Repeat("1", 257), right + "&hub.challenge=1;x", right + "&hub.challenge=%zz",
	} {
		require.Equal(t, http.StatusUnauthorized, ask(query).Code, query)
	}
	b.config.VerifyToken, b.config.Registerer = "", setup(t).registry
	site = b.site(t)
	require.Equal(t, http.StatusNotFound, ask("hub.mode=subscribe&hub.verify_token=&hub.challenge=1").Code, "no token is set")
}

func TestOtherMethodsAreRefused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	site := b.site(t)
	for _, method := range []string{http.MethodGet, http.MethodPut, http.MethodHead, http.MethodOptions} {
		got := send(t, site, report{method, b.telegram("").path, "", nil})
		require.Equal(t, http.StatusMethodNotAllowed, got.Code, method)
		require.Equal(t, "POST", got.Header().Get("Allow"))
	}
	got := send(t, site, report{http.MethodHead, "/meta/whatsapp", "", nil})
	require.Equal(t, http.StatusMethodNotAllowed, got.Code)
	require.Equal(t, "GET, POST", got.Header().Get("Allow"))
}

func TestGuessesAreLimited(t *testing.T) {
	t.Parallel()
	b := setup(t)
	site := b.site(t)
	from := func(address string, r report) report {
		r.header = r.header.Clone()
		r.header.Set("X-Forwarded-For", address)
		return r
	}
	forged := b.telegram("[]")
	forged.header.Set("X-Telegram-Bot-Api-Secret-Token", "wrong")
	unknown := report{http.MethodPost, "/telegram/" + ident.New[ident.InboundSource]().String(), "", http.Header{}}
	for range 45 {
		require.Equal(t, http.StatusUnauthorized, send(t, site, from("192.0.2.1", forged)).Code)
		require.Equal(t, http.StatusNotFound, send(t, site, from("192.0.2.1", unknown)).Code)
	}
	limited := send(t, site, from("192.0.2.1", forged))
	require.Equal(t, http.StatusTooManyRequests, limited.Code)
	seconds, err := strconv.Atoi(limited.Header().Get("Retry-After"))
	require.NoError(t, err)
	require.Positive(t, seconds)
	require.Equal(t, http.StatusUnauthorized, send(t, site, from("192.0.2.2", forged)).Code)
	require.InDelta(t, 47, b.count(t, "telegram", "forged"), 0, "refused ones count too")
	authentic := from("192.0.2.1", b.telegram(`[{"key":"u/1"}]`))
	require.Equal(t, http.StatusOK, send(t, site, authentic).Code, "the address of a proxy does not stop a network")
}

func TestOtherHostsAreRefused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var err error
	b.config.Hosts, err = hosts.New("https://inbound.example.com", nil)
	require.NoError(t, err)
	site := b.site(t)
	for host, want := range map[string]int{"inbound.example.com": http.StatusOK, "example.com": http.StatusMisdirectedRequest} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, b.telegram("").path, strings.NewReader(`[{"key":"u/1"}]`))
		r.Host, r.Header = host, b.telegram("").header
		recorded := httptest.NewRecorder()
		site.ServeHTTP(recorded, r)
		require.Equal(t, want, recorded.Code)
	}
}

func TestBodiesThatDoNotArriveAreRefused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	site := b.site(t)
	for _, large := range []bool{true, false} {
		body := strings.Repeat("x", 4<<20+1)
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, b.telegram("").path, strings.NewReader(body))
		r.Header = b.telegram("").header
		if !large { // the length is not announced
			r.ContentLength = -1
		}
		recorded := httptest.NewRecorder()
		site.ServeHTTP(recorded, r)
		require.Equal(t, http.StatusRequestEntityTooLarge, recorded.Code)
	}
	for cause, want := range map[error]int{os.ErrDeadlineExceeded: http.StatusRequestTimeout, errBroken: http.StatusBadRequest} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/meta/whatsapp", failing{cause})
		r.Header = whatsApp("").header
		recorded := httptest.NewRecorder()
		site.ServeHTTP(recorded, r)
		require.Equal(t, want, recorded.Code)
	}
	require.Empty(t, b.store.all())
}

// TestNothingAuthenticIsDropped sends authentic bodies that the receiver refuses, does not understand, or fails on, and
// events that the database could not store.
func TestNothingAuthenticIsDropped(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		"", "{", `{"object":"new"}`, `[]`, `[{"panics":true}]`, `[{"key":""}]`, `[{"key":"a\u0000b"}]`, `[{"key":"` + strings.Repeat("k", 501) + `"}]`,
		`[{"key":"u/1","kind":"` + strings.Repeat("k", 501) + `"}]`,
	} {
		b := setup(t)
		site := b.site(t)
		for _, r := range []report{b.telegram(body), whatsApp(body)} {
			require.Equal(t, http.StatusOK, send(t, site, r).Code, body)
			require.Equal(t, http.StatusOK, send(t, site, r).Code, body)
		}
		events := b.store.all()
		require.Len(t, events, 2, body)
		for _, e := range events {
			require.Equal(t, "unknown", e.Kind, body)
			require.Regexp(t, "^x/[0-9a-f]{64}$", e.Key)
			require.Equal(t, body, string(e.Body))
			require.Equal(t, b.config.Clock.Now(), e.At)
		}
		require.Equal(t, bot, events[0].Account)
		require.Empty(t, events[1].Account)
	}
}

func TestUnavailableStoreAsksToRepeat(t *testing.T) {
	t.Parallel()
	b := setup(t)
	site := b.site(t)
	b.store.down = &apperr.Error{Code: apperr.Unavailable, Message: "down", RetryAfter: 2 * time.Second}
	for _, r := range []report{b.telegram(`[{"key":"u/1"}]`), whatsApp(`[{"key":"m/1"}]`)} {
		got := send(t, site, r)
		require.Equal(t, http.StatusServiceUnavailable, got.Code)
		require.Equal(t, "2", got.Header().Get("Retry-After"))
	}
	forged := whatsApp(`[{"key":"m/1"}]`)
	forged.header.Del("X-Hub-Signature-256")
	require.Equal(t, http.StatusUnauthorized, send(t, site, forged).Code)
	require.InDelta(t, 1, b.count(t, "telegram", "unavailable"), 0)
	b.store.down = nil
	require.Equal(t, http.StatusOK, send(t, site, b.telegram(`[{"key":"u/1"}]`)).Code)
}

// TestFloodIsRefused sends more reports at a time than are served.
func TestFloodIsRefused(t *testing.T) {
	t.Parallel()
	const served, sent = 64, 100
	b := setup(t)
	b.store.wait = make(chan struct{})
	site := b.site(t)
	codes := make(chan int, sent)
	for i := range sent {
		r := b.telegram(`[{"key":"u/` + strconv.Itoa(i) + `"}]`)
		go func() {
			request := httptest.NewRequestWithContext(t.Context(), r.method, r.path, strings.NewReader(r.body))
			request.Header = r.header
			recorded := httptest.NewRecorder()
			site.ServeHTTP(recorded, request)
			codes <- recorded.Code
		}()
	}
	for range sent - served {
		require.Equal(t, http.StatusServiceUnavailable, <-codes)
	}
	refused := send(t, site, b.telegram("[]"))
	require.Equal(t, http.StatusServiceUnavailable, refused.Code)
	require.Equal(t, "1", refused.Header().Get("Retry-After"))
	close(b.store.wait)
	for range served {
		require.Equal(t, http.StatusOK, <-codes)
	}
	require.Len(t, b.store.all(), served)
	require.Equal(t, http.StatusOK, send(t, site, b.telegram("[]")).Code)
}

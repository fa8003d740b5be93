package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"fencepost.internal/services/internal/bootstrap"
	"fencepost.internal/services/internal/framing/framingtest"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/inbox"
	"fencepost.internal/shared/domain/workspace"
	"fencepost.internal/shared/infra/config"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/kernel/proctest"
	"fencepost.internal/shared/platform"
)

const (
	appSecret   = "new-secret"
	oldSecret   = "old-secret"
	verifyToken = "verify-me"
	botSecret   = "secret-of-the-webhook"
)

// receiver splits bodies of the form [{"account": …, "key": …, "kind": …}].
type receiver struct{ network channel.Network }

func (r receiver) Network() channel.Network { return r.network }

func (receiver) Version() int { return 1 }

func (receiver) Read(inbox.Event) (inbox.Change, error) { return inbox.Change{}, nil }

func (r receiver) Split(account string, body []byte, now time.Time) ([]inbox.Event, error) {
	var events []inbox.Event
	if err := json.Unmarshal(body, &events); err != nil {
		return nil, err
	}
	for i := range events {
		events[i].Network, events[i].At, events[i].Body = r.network, now, []byte("body of "+events[i].Key)
		if account != "" {
			events[i].Account = account
		}
	}
	return events, nil
}

type bundle struct {
	address string // of the database
	source  ident.InboundSource
}

// setup returns a database with the bot 4711, whose channel is connected, and the number 15550001.
func setup(t *testing.T) *bundle {
	t.Helper()
	db, address := postgrestest.OpenURL(t)
	b := &bundle{address: address, source: ident.New[ident.InboundSource]()}
	w := workspace.Workspace{
		ID: ident.New[ident.Workspace](), Name: "Acme", Plan: workspace.Growth, Timezone: "UTC", CreatedAt: time.Now().UTC(),
	}
	require.NoError(t, postgres.NewWorkspaces(db).Insert(t.Context(), w))
	for external, typ := range map[string]channel.Type{
		"4711:99": channel.TelegramBusiness, "15550001": channel.WhatsAppBusiness,
	} {
		postgrestest.Exec(t, address, `INSERT INTO channel
			(id, workspace_id, name, type, username, external_id, is_connected, token_status, timezone, created_at, updated_at)
			VALUES ($1, $2, 'Support', $3, 'support', $4, true, 'HEALTHY', 'UTC', now(), now())`,
			ident.New[ident.Channel]().String(), w.ID.String(), string(typ), external)
	}
	hash := sha256.Sum256([]byte(botSecret))
	postgrestest.Exec(t, address, `INSERT INTO inbound_source (id, network, account, secret_hash) VALUES ($1, 'telegram', '4711', $2)`,
		b.source.String(), hash[:])
	return b
}

// start runs the process until stop is called.
func (b *bundle) start(t *testing.T, more map[string]string) (base string, stop func()) {
	t.Helper()
	address, err := proctest.NewPorts().Address(t.Context())
	require.NoError(t, err)
	environ := map[string]string{
		"DATABASE_URL": b.address, "INBOUND_ADDR": address, "WHATSAPP_APP_SECRET": appSecret + "," + oldSecret,
		"WHATSAPP_VERIFY_TOKEN": verifyToken,
	}
	for name, value := range more {
		environ[name] = value
	}
	cfg, err := config.Load[config.Inbound](environ)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	service, err := start(ctx, cfg, process(), map[channel.Network]platform.Receiver{
		channel.NetworkTelegram: receiver{channel.NetworkTelegram}, channel.NetworkWhatsApp: receiver{channel.NetworkWhatsApp},
	})
	require.NoError(t, err)
	require.Equal(t, "database", service.Checks[0].Name)
	require.NoError(t, service.Checks[0].Probe(t.Context()))
	ended := make(chan error, 1)
	go func() { ended <- service.Run(ctx) }()
	return "http://" + address, func() {
		cancel()
		require.NoError(t, <-ended)
	}
}

func process() *bootstrap.Process {
	return &bootstrap.Process{
		Name: "inbound", Logger: slog.New(slog.DiscardHandler), Registry: prometheus.NewRegistry(), Clock: clock.System(),
	}
}

// post sends a report and returns the status of the response and its Retry-After.
func post(ctx context.Context, address, body string, header http.Header) (status int, retryAfter string, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewBufferString(body))
	if err != nil {
		return 0, "", err
	}
	r.Header = header
	response, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(r)
	if err != nil {
		return 0, "", err
	}
	_, err = io.Copy(io.Discard, response.Body)
	return response.StatusCode, response.Header.Get("Retry-After"), errorsOf(err, response.Body.Close())
}

func errorsOf(first, second error) error {
	if first != nil {
		return first
	}
	return second
}

func ofBot() http.Header { return http.Header{"X-Telegram-Bot-Api-Secret-Token": {botSecret}} }

func signed(secret, body string) http.Header {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(body))
	return http.Header{"X-Hub-Signature-256": {"sha256=" + hex.EncodeToString(mac.Sum(nil))}}
}

func (b *bundle) events(t *testing.T) []string {
	t.Helper()
	return postgrestest.Column(t, b.address,
		`SELECT network || ' ' || account || ' ' || key || ' ' || state || ' ' || convert_from(body, 'UTF8') FROM inbound_event ORDER BY network, account, key`)
}

func TestMalformedRequestsAreRefused(t *testing.T) {
	t.Parallel()
	base, stop := setup(t).start(t, nil)
	t.Cleanup(stop)
	framingtest.Run(t, framingtest.Target{
		Address: strings.TrimPrefix(base, "http://"), Post: "/meta/whatsapp",
		Get: "/meta/whatsapp?hub.mode=subscribe&hub.challenge=1&hub.verify_token=" + verifyToken,
	})
}

func TestOtherHostsAreRefused(t *testing.T) {
	t.Parallel()
	base, stop := setup(t).start(t, map[string]string{"INBOUND_URL": "https://inbound.example.com"})
	defer stop()
	framingtest.Hosts(t, base+"/meta/whatsapp?hub.mode=subscribe&hub.challenge=1&hub.verify_token="+verifyToken, "inbound.example.com",
		http.Header{})
}

// TestParallelDeliveriesAreOneEvent is bar 1 of the design: a report that is delivered five times at once, to two receivers, with
// its events in another order each time.
func TestParallelDeliveriesAreOneEvent(t *testing.T) {
	t.Parallel()
	const rounds, deliveries = 20, 5
	b := setup(t)
	one, stopOne := b.start(t, nil)
	two, stopTwo := b.start(t, nil)
	defer stopOne()
	defer stopTwo()
	results := make(chan string, deliveries)
	for round := range rounds {
		for n := range deliveries {
			first, second := fmt.Sprintf("m/%d", round), fmt.Sprintf("s/%d", round)
			if n%2 == 1 {
				first, second = second, first
			}
			body := fmt.Sprintf(`[{"account":"15550001","key":%q},{"account":"15550001","key":%q},{"account":"15550001","key":%q}]`,
				first, second, first)
			address := []string{one, two}[n%2] + "/meta/whatsapp"
			go func() {
				status, _, err := post(t.Context(), address, body, signed([]string{appSecret, oldSecret}[n%2], body))
				results <- fmt.Sprint(status, err)
			}()
		}
		for range deliveries {
			require.Equal(t, "200 <nil>", <-results)
		}
	}
	require.Len(t, b.events(t), 2*rounds)
}

// TestEventsOfForeignAccountsHaveNoContent checks which events keep their content.
func TestEventsOfForeignAccountsHaveNoContent(t *testing.T) {
	t.Parallel()
	b := setup(t)
	base, stop := b.start(t, nil)
	defer stop()
	send := func(path, body string, header http.Header) {
		status, _, err := post(t.Context(), base+path, body, header)
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, status)
	}
	const all = `[{"account":"15550001","key":"m/1"},{"account":"1555","key":"m/2"},{"account":"4711","key":"m/3"},{"account":"%","key":"m/4"}]`
	send("/meta/whatsapp", all, signed(appSecret, all))
	send("/meta/whatsapp", "new form", signed(oldSecret, "new form"))
	source := "/telegram/" + b.source.String()
	send(source, `[{"key":"u/1","kind":"business_message"}]`, ofBot())
	postgrestest.Exec(t, b.address, `UPDATE channel SET is_connected = false WHERE external_id = '4711:99'`)
	send(source, `[{"key":"u/2","kind":"business_message"},{"key":"u/3","kind":"business_connection"}]`, ofBot())
	hash := sha256.Sum256([]byte("new form"))
	require.Equal(t, []string{
		"telegram 4711 u/1 NEW body of u/1", "telegram 4711 u/2 SKIPPED ", "telegram 4711 u/3 NEW body of u/3",
		"whatsapp  x/" + hex.EncodeToString(hash[:]) + " NEW new form",
		"whatsapp % m/4 SKIPPED ", "whatsapp 1555 m/2 SKIPPED ", "whatsapp 15550001 m/1 NEW body of m/1", "whatsapp 4711 m/3 SKIPPED ",
	}, b.events(t))
}

// TestDatabaseThatDoesNotStoreAsksToRepeat checks that a report is not acknowledged, and is stored once by its repetition.
func TestDatabaseThatDoesNotStoreAsksToRepeat(t *testing.T) {
	t.Parallel()
	b := setup(t)
	base, stop := b.start(t, nil)
	defer stop()
	address, body := base+"/telegram/"+b.source.String(), `[{"key":"u/1"}]`
	release := postgrestest.Hold(t, b.address, `LOCK TABLE inbound_event IN ACCESS EXCLUSIVE MODE`)
	status, retryAfter, err := post(t.Context(), address, body, ofBot())
	require.NoError(t, err)
	require.Equal(t, http.StatusServiceUnavailable, status)
	require.Equal(t, "2", retryAfter)
	release()
	require.Empty(t, b.events(t))
	status, _, err = post(t.Context(), address, body, ofBot())
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, status)
	require.Len(t, b.events(t), 1)
}

// TestSourcesAreReadAgain checks that a new secret and a removed source take effect within a second or so.
func TestSourcesAreReadAgain(t *testing.T) {
	t.Parallel()
	b := setup(t)
	base, stop := b.start(t, nil)
	defer stop()
	address := base + "/telegram/" + b.source.String()
	becomes := func(want int) {
		require.Eventually(t, func() bool {
			status, _, err := post(t.Context(), address, `[{"key":"u/1"}]`, ofBot())
			return err == nil && status == want
		}, 10*time.Second, 100*time.Millisecond)
	}
	becomes(http.StatusOK)
	postgrestest.Exec(t, b.address, `UPDATE inbound_source SET previous_hash = secret_hash, secret_hash = sha256('another')`)
	status, _, err := post(t.Context(), address, `[{"key":"u/1"}]`, ofBot())
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, status, "the former secret is valid")
	postgrestest.Exec(t, b.address, `UPDATE inbound_source SET previous_hash = NULL`)
	becomes(http.StatusUnauthorized)
	postgrestest.Exec(t, b.address, `DELETE FROM inbound_source`)
	becomes(http.StatusNotFound)
}

// TestSlowBodyIsRefused sends a part of a body and waits.
func TestSlowBodyIsRefused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	base, stop := b.start(t, nil)
	defer stop()
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", strings.TrimPrefix(base, "http://"))
	require.NoError(t, err)
	defer func() { _ = conn.Close() }()
	require.NoError(t, conn.SetDeadline(time.Now().Add(30*time.Second)))
	_, err = fmt.Fprintf(conn, "POST /telegram/%s HTTP/1.1\r\nHost: x\r\nX-Telegram-Bot-Api-Secret-Token: %s\r\nContent-Length: 9\r\n\r\n[{",
		b.source, botSecret)
	require.NoError(t, err)
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	require.Equal(t, http.StatusRequestTimeout, response.StatusCode)
	require.Empty(t, b.events(t))
}

func TestStartRefuses(t *testing.T) {
	t.Parallel()
	b := setup(t)
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { require.NoError(t, listener.Close()) }()
	environ := map[string]string{"DATABASE_URL": b.address, "INBOUND_ADDR": listener.Addr().String()}
	cfg, err := config.Load[config.Inbound](environ)
	require.NoError(t, err)
	_, err = Start(t.Context(), cfg, process())
	require.ErrorContains(t, err, "INBOUND_ADDR")
	cfg.Database.URL = config.NewSecret("postgres://127.0.0.1:1/none%zz")
	_, err = Start(t.Context(), cfg, process())
	require.ErrorContains(t, err, "DATABASE_URL")
	for _, secrets := range []string{",", "a,", "a,b,c"} {
		environ["WHATSAPP_APP_SECRET"] = secrets
		_, err = config.Load[config.Inbound](environ)
		require.ErrorContains(t, err, "WHATSAPP_APP_SECRET is not one secret, or two", secrets)
	}
}

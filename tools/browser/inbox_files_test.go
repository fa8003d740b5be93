package browser_test

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/snippet"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/infra/secretbox"
	"fencepost.internal/shared/kernel/ident"
)

// TestInboxFiles receives a picture of a possible lead over WhatsApp, and answers with a saved text and a picture, until the person has
// read it.
func TestInboxFiles(t *testing.T) {
	t.Parallel()
	address := free(t)
	sandbox := "http://" + address
	startProgram(t, "sandbox", "SANDBOX_ADDR="+address, "SANDBOX_DATA="+t.TempDir(), "SANDBOX_PUBLIC_URL="+sandbox)
	a, chromium, reports := newApplication(t), openBrowser(t), free(t)
	a.start([]string{
		"NETWORKS_SANDBOX_URL=" + sandbox, "RETRY_SCALE=0.01", "INSIGHTS_SCHEDULES=false", "SWEEP_INTERVAL=1s", "EGRESS_ALLOW=127.0.0.1/32",
		"INBOUND_URL=http://" + reports, "INBOUND_ADDR=" + reports, "WHATSAPP_APP_ID=sandbox-client", "WHATSAPP_APP_SECRET=sandbox-secret",
		"WHATSAPP_VERIFY_TOKEN=test-token",
	}, "inbound", "worker", "api", "console")
	const person = "kim@example.com"
	of := a.person(person, "Northern Lights Ceramics")[0]
	path := a.base + "/w/" + of.String()
	keys, err := secretbox.ParseKeys("test:BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc=")
	require.NoError(t, err)
	ring, err := secretbox.NewKeyring(keys)
	require.NoError(t, err)
	now := time.Now().UTC()
	require.NoError(t, postgres.NewChannels(a.db, ring).Insert(t.Context(), channel.Channel{
		ID: ident.New[ident.Channel](), WorkspaceID: of, Name: "Studio phone", Type: channel.WhatsAppBusiness, ExternalID: sandboxID(2e15, "number store"),
		IsConnected: true, TokenStatus: channel.TokenHealthy, Timezone: "UTC", CreatedAt: now,
	}, channel.Credentials{AccessToken: "sandbox-whatsapp-store", Business: sandboxID(1e15, "account store"), StoredAt: now}))
	require.NoError(t, postgres.NewSnippets(a.db).Insert(t.Context(), snippet.Snippet{
		ID: ident.New[ident.Snippet](), WorkspaceID: of, Kind: snippet.Text, Name: "Glaze", Text: "This is our ash glaze.", CreatedAt: now, UpdatedAt: now,
	}))
	require.Eventually(t, func() bool {
		return len(postgrestest.Column(t, a.dsn, `SELECT 1 FROM inbound_source WHERE network = 'whatsapp' AND checked_at IS NOT NULL AND fault = ''`)) == 1
	}, time.Minute, 100*time.Millisecond)
	control := func(path string, body any) {
		(&networked{application: a, sandbox: sandbox}).control(http.MethodPost, "/_sandbox/"+path, body)
	}
	drawn := gradient(t)
	control("messages", map[string]any{
		"platform": "whatsapp", "account": "store", "from": "Tilda Muster", "text": "How much is a mug with this glaze? I would like to order two.",
		"file": map[string]any{"name": "glaze.png", "content": drawn},
	})

	for _, l := range []look{desk(), phone()} {
		w := openTab(t, chromium.profile(t), l)
		w.clearCookies()
		w.open(path + "/inbox")
		w.signIn(person, words)
		w.click("#conversations a")
		w.shows(".msg.in .pic img")
		w.shows("#banner .suggestion")
		w.wait(`document.querySelector('.msg.in .pic img').naturalWidth > 0`)
		w.click(".msg.in .pic")
		w.wait(`document.querySelector('.large img').naturalWidth > 0`)
		w.looked("inbox-picture-large")
		w.click(".large [popovertargetaction=hide]")

		w.click("[data-texts] summary")
		w.click("[data-insert]")
		w.must(`document.querySelector('#text').value`, "This is our ash glaze.")
		w.pastes("ash.png", "image/png")
		w.wait(`document.querySelector('#attached [name=media]')?.value.length === 36`)
		w.inEveryLook("inbox-attached")
		w.requireTouch()
		w.click("[data-send]")
		w.wait(`document.querySelector('.msg.out:last-child .state')?.innerText.match(/sent|delivered/)`)
		external := postgrestest.Column(t, a.dsn, `SELECT external_id FROM message WHERE direction = 'OUT' ORDER BY sent_at DESC LIMIT 1`)[0]
		control("statuses", map[string]any{"platform": "whatsapp", "account": "store", "message": external, "status": "read"})
		w.wait(`document.querySelector('.msg.out:last-child .state')?.innerText === 'read'`)
		w.wait(`[...document.querySelectorAll('.msg .pic img')].every((img) => img.naturalWidth > 0 || img.loading === 'lazy')`)
		w.inEveryLook("inbox-files")

		w.click("[data-library]")
		w.shows("#pickerfiles .asset input")
		w.click("#pickerfiles .asset input")
		w.click(`[data-picker="use"]`)
		w.shows("#attached .chip")
		w.click("#attached [data-remove]")
		w.must(`document.querySelector('#attached').children.length + '|' + document.querySelector('#text').required`, "0|true")
		w.requireQuiet()
	}
}

// gradient returns a picture.
func gradient(t *testing.T) []byte {
	t.Helper()
	drawn := image.NewNRGBA(image.Rect(0, 0, 900, 600))
	for x := range 900 {
		for y := range 600 {
			drawn.Set(x, y, color.NRGBA{R: uint8(x / 4), G: uint8(y / 3), B: 140, A: 255})
		}
	}
	var out bytes.Buffer
	require.NoError(t, png.Encode(&out, drawn))
	return out.Bytes()
}

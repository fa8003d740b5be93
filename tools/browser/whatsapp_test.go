package browser_test

import (
	"hash/fnv"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/infra/postgres/postgrestest"
)

// TestWhatsApp connects a number of the sandbox network, and answers by a template after the time for own words.
func TestWhatsApp(t *testing.T) {
	t.Parallel()
	sandbox, inbound := free(t), free(t)
	n := &networked{sandbox: "http://" + sandbox, application: newApplication(t)}
	startProgram(t, "sandbox", "SANDBOX_ADDR="+sandbox, "SANDBOX_DATA="+t.TempDir(), "SANDBOX_PUBLIC_URL="+n.sandbox)
	n.start([]string{
		"NETWORKS_SANDBOX_URL=" + n.sandbox, "RETRY_SCALE=0.01", "INSIGHTS_SCHEDULES=false", "SWEEP_INTERVAL=1s", "INBOUND_URL=http://" + inbound,
		"INBOUND_ADDR=" + inbound, "WHATSAPP_APP_ID=sandbox-client", "WHATSAPP_APP_SECRET=sandbox-secret", "WHATSAPP_VERIFY_TOKEN=test-token",
	}, "inbound", "worker", "api", "console")
	n = n.in(t)
	w := n.window(openBrowser(t), desk())
	number := connectsNumber(w, n)
	writesByTemplate(w, n)

	w.open(n.path + "/channels/" + number)
	w.wait(`document.querySelector('table.figures')?.innerText.includes('Marketing')`)
	w.click("#reads")
	w.click(`form[action$="/receipts"] button`)
	w.wait(`document.querySelector('#reads')?.checked && document.querySelector('.toasts')?.innerText.includes('once you open it')`)
	w.inEveryLook("whatsapp-channel")
	w.mu.Lock() // the late answer was refused, unless a status of the message had updated the page before
	w.violations = slices.DeleteFunc(w.violations, func(problem string) bool {
		return strings.Contains(problem, "/reply") && strings.Contains(problem, "409")
	})
	w.mu.Unlock()
	w.requireQuiet()
}

// write lets a person write to the number.
func (n *networked) write(text string) {
	n.t.Helper()
	n.control(http.MethodPost, "/_sandbox/messages", map[string]any{
		"platform": "whatsapp", "account": "tilda", "from": "Anna", "text": text,
	})
}

// sandboxID returns an ID as the sandbox network makes it.
func sandboxID(floor int64, name string) string {
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(name)) // never fails
	return strconv.FormatInt(floor+int64(hash.Sum64()%10_000_000), 10)
}

// connectsNumber connects a number, whose page waits for a first message, and is refused another one. It returns the channel.
func connectsNumber(w *tab, n *networked) string {
	w.t.Helper()
	of := func(name string) string { return sandboxID(2e15, "number "+name) }
	enter := func() {
		w.open(n.path + "/connect/whatsapp-business")
		w.types("#token", "sandbox-whatsapp-tilda")
		w.types("#business", sandboxID(1e15, "account tilda"))
		w.click("main form .primary")
		w.on("Choose the accounts to connect")
	}
	enter()
	w.inEveryLook("whatsapp-pick")
	second := `[name=account][value="` + of("tilda-shop") + `"]`
	w.click(second)
	w.types(`[name^=value-]`, "12")
	w.click("main form .primary")
	w.wait(`document.querySelector('.field .fault')?.innerText === 'Enter six digits.'`)
	w.inEveryLook("whatsapp-pin")
	w.expect("422", "422")
	w.click(second)
	w.click(`[name=account][value="` + of("tilda") + `"]`)
	w.click("main form .primary")
	w.wait(`document.querySelector('#inboxstate')?.innerText.includes('Ready for the first message')`)
	w.inEveryLook("whatsapp-waiting")
	n.write("Hello! Is the blue in the picture the real one?")
	w.wait(`document.querySelector('#inboxstate')?.innerText.includes('Messages arrive')`)

	postgrestest.Exec(w.t, n.dsn, `UPDATE workspace SET plan = 'CREATOR'`)
	enter()
	w.click(second)
	w.types(`[name^=value-]`, "123456")
	w.click("main form .primary")
	w.wait(`document.querySelector('#fault')?.innerText.includes('1 of the 1 WhatsApp numbers that the plan allows')`)
	w.inEveryLook("whatsapp-second")
	w.expect("403", "403")
	require.Equal(w.t, []string{of("tilda")}, n.connected(channel.WhatsAppBusiness))
	return postgrestest.Column(w.t, n.dsn, `SELECT id::text FROM channel WHERE type = 'WHATSAPP_BUSINESS'`)[0]
}

// writesByTemplate writes while the time to answer ends, and sends a template instead.
func writesByTemplate(w *tab, n *networked) {
	w.t.Helper()
	w.open(n.path + "/inbox")
	w.click("#conversations a")
	w.shows("#reply")
	w.types("#text", "It is, straight from the kiln.")
	postgrestest.Exec(w.t, n.dsn, `UPDATE conversation SET last_in_at = now() - interval '24 hours', changed_at = now()`)
	w.wait(`document.querySelector('[data-send]')?.disabled`)
	w.click("#templates > a")
	w.wait(`document.querySelectorAll('#approvedlist li').length === 4`)
	w.inEveryLook("whatsapp-templates")
	w.requireTouch()
	w.types("#findtemplate", "good news")
	w.wait(`document.querySelectorAll('#approvedlist li').length === 1`)
	w.click("#approvedlist a")
	w.shows("form[data-template]")
	for key, value := range map[string]string{"header-0-order": "7", "body-0-first_name": "Anna", "body-0-day": "Monday", "button-0-1": "7"} {
		w.types("#value-"+key, value)
	}
	w.wait(`document.querySelector('.preview').innerText.includes('Good news, Anna: it comes on Monday.')`)
	w.must(`document.querySelector('#text').value`, "It is, straight from the kiln.")
	w.inEveryLook("whatsapp-template")
	w.requireTouch()
	w.click("form[data-template] .primary")
	w.wait(`document.querySelector('.msg.out')?.innerText.includes('Good news, Anna: it comes on Monday.')`)
	w.wait(`document.querySelector('.msg.out')?.innerText.includes('billed as MARKETING')`)
	w.wait(`document.querySelector('#text')?.value === 'It is, straight from the kiln.'`)
	w.inEveryLook("whatsapp-sent")
	n.write("Thank you!")
	w.wait(`document.querySelector('#talk').innerText.includes('Thank you!') && !document.querySelector('[data-send]').disabled`)

	// The same on a phone: the page of a form that came too late has the templates beside the text.
	w.appears(phone())
	w.shows("#reply")
	postgrestest.Exec(w.t, n.dsn, `UPDATE conversation SET last_in_at = now() - interval '24 hours'`)
	w.click("[data-send]")
	w.wait(`document.querySelectorAll('#approvedlist li').length === 4`)
	w.wait(`document.querySelector('#text')?.value === 'It is, straight from the kiln.'`)
	w.inEveryLook("whatsapp-late")
	w.appears(desk())
}

package trial

import (
	"bufio"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	vegeta "github.com/tsenart/vegeta/v12/lib"

	"fencepost.internal/services/bench/internal/lab"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform/connectors"
)

const (
	inboxSecret  = "sandbox-secret" // of the application at Meta
	stormRate    = 1000             // messages per second
	stormTime    = time.Minute
	stormWorkers = 64
	stormPeople  = 500
	stormPosts   = 200 // that are due meanwhile
	calmMessages = 60  // one after the other
)

// inbox is a workspace with a number of WhatsApp, and the page of a member.
type inbox struct {
	*lab.Run

	tenant  lab.Tenant
	number  string
	address string // to which the network reports
	console string
	cookie  string
}

// newInbox starts all programs that receive, show and reply to messages.
func newInbox(r *lab.Run) *inbox {
	inbound, console := r.Address(), r.Address()
	account := connectors.Of(channel.NetworkWhatsApp).SandboxAccount(channel.WhatsAppBusiness, "shop")
	b := &inbox{
		Run: r, tenant: r.Tenant("Inbox"), number: account.ID, address: "http://" + inbound + "/meta/whatsapp",
		console: "http://" + console,
	}
	r.Check(addMember(r, b.tenant))
	b.cookie = session(r, b.tenant.ID.String())
	r.Channel(&b.tenant, channel.WhatsAppBusiness, account.ID, account.Credentials)
	meta := []string{
		"INBOUND_URL=http://" + inbound, "WHATSAPP_APP_SECRET=" + inboxSecret, "WHATSAPP_APP_ID=sandbox-client",
		"WHATSAPP_VERIFY_TOKEN=bench",
	}
	r.Start("sandbox")
	r.Start("inbound", append(meta, "INBOUND_ADDR="+inbound)...)
	r.Start("worker", meta...)
	r.Start("console", append(meta, "CONSOLE_ADDR="+console, "APP_URL="+b.console)...)
	r.UntilNone(limit, "the number is subscribed", `SELECT 1 - count(*) FROM inbound_source WHERE network = 'whatsapp' AND account = $1
		AND fault = '' AND checked_at IS NOT NULL`, b.number)
	return b
}

// addMember makes a person with the workspace's ID its owner.
func addMember(r *lab.Run, t lab.Tenant) error {
	_, err := r.SQL.Exec(r.Context(), strings.ReplaceAll(`WITH person AS (INSERT INTO app_user (id, email, name, password_hash, created_at)
		VALUES ('$', 'ada-$@example.com', 'Ada', '', now()))
		INSERT INTO workspace_member (workspace_id, user_id, created_at, role) VALUES ('$', '$', now(), 'OWNER')`, "$", t.ID.String()))
	return err
}

// measureInbox measures messages of people: the acknowledgement of a storm, its reading, its effect on posts that are due; and in
// calm times, until members see a message and until a person has the reply.
func measureInbox(r *lab.Run) []Row {
	b := newInbox(r)
	visible, replied := b.calm()
	before := percentile(b.late(func() {}), tail).Seconds()
	var acknowledged []time.Duration
	var storm, backlog time.Duration
	late := percentile(b.late(func() {
		cpu, begin := r.CPU(), time.Now()
		acknowledged = b.storm()
		end := time.Now()
		r.UntilNone(limit, "all messages are read", `SELECT count(*) FROM (SELECT 1 FROM inbound_event WHERE state = 'NEW' LIMIT 1) AS e`)
		storm, backlog = time.Since(begin), time.Since(end)
		r.Logf("inbox: %d messages, %s", len(acknowledged), r.PerItem(cpu, len(acknowledged)))
	}), tail).Seconds()
	if n := lab.Value[int](r, `SELECT count(*) FROM message WHERE external_id LIKE 'wamid.storm%'`); n != len(acknowledged) {
		r.Failf("%d messages of %d are in the inbox", n, len(acknowledged))
	}
	r.Logf("inbox: visible %s; replied %s; acknowledged %s", spread(visible), spread(replied), spread(acknowledged))
	return []Row{
		Plain("inbox_messages", perSecond(len(acknowledged), storm), "messages/s"),
		Plain("inbox_acknowledge", percentile(acknowledged, tail).Seconds()*1000, "ms").MaxValue(250), //nolint:mnd // milliseconds
		Plain("inbox_backlog", backlog.Seconds(), "s").MaxValue(30),
		Against("inbox_posts", late, "s", before),
		Plain("inbox_visible", percentile(visible, percent95).Seconds(), "s").MaxValue(1.5),
		Plain("inbox_reply", percentile(replied, percent95).Seconds(), "s").MaxValue(1),
	}
}

// late returns the lateness of posts that are due while the function runs.
func (b *inbox) late(meanwhile func()) []time.Duration {
	t, from := b.Tenant("Posts beside the inbox"), time.Now().Add(10*time.Second)
	b.Posts(t, stormPosts, func(i int) time.Time { return from.Add(time.Duration(i) * stormTime / stormPosts) })
	b.OutboxEmpty(limit)
	b.Pause(time.Until(from))
	meanwhile()
	allPublished(b.Run, t, limit)
	return lateness(b.Run, t, stormPosts)
}

// storm reports messages at a constant rate, and returns how long each acknowledgement took.
func (b *inbox) storm() []time.Duration {
	var latencies []time.Duration
	n := 0
	b.Attack(b.Context(), func(target *vegeta.Target) error {
		n++
		*target = b.report(n)
		return nil
	}, vegeta.ConstantPacer{Freq: stormRate, Per: time.Second}, stormWorkers, stormTime, func(result *vegeta.Result) {
		if result.Code != http.StatusOK {
			b.Logf("inbox: %d %s", result.Code, result.Error)
		}
		latencies = append(latencies, result.Latency)
	})
	if len(latencies) == 0 {
		b.Failf("no message was reported")
	}
	return latencies
}

// report returns the n-th message of the storm, as Meta reports it.
func (b *inbox) report(n int) vegeta.Target {
	from := fmt.Sprintf("4915%08d", n%stormPeople)
	body := fmt.Appendf(nil, `{"object":"whatsapp_business_account","entry":[{"id":"1","changes":[{"field":"messages","value":{
		"messaging_product":"whatsapp","metadata":{"display_phone_number":"1","phone_number_id":%q},
		"contacts":[{"profile":{"name":"Person %[2]s"},"wa_id":%[2]q}],"messages":[{"from":%[2]q,"id":"wamid.storm%[3]d",
		"timestamp":"%[4]d","type":"text","text":{"body":"Message %[3]d of the measurement"}}]}}]}]}`, b.number, from, n, time.Now().Unix())
	mac := hmac.New(sha256.New, []byte(inboxSecret))
	_, _ = mac.Write(body)
	return vegeta.Target{Method: http.MethodPost, URL: b.address, Body: body, Header: http.Header{
		"Content-Type": {"application/json"}, "X-Hub-Signature-256": {"sha256=" + hex.EncodeToString(mac.Sum(nil))},
	}}
}

// calm writes messages and replies one after the other. It returns the times until an open page is notified of each message, and
// those until the network has each reply.
func (b *inbox) calm() (visible, replied []time.Duration) {
	notified := b.live()
	for i := range calmMessages {
		begin := time.Now()
		b.Call(b.Request(http.MethodPost, b.SandboxURL+"/_sandbox/messages", "", map[string]string{
			"platform": "whatsapp", "account": "shop", "from": fmt.Sprintf("person%d", i), "text": "Hello",
		}), nil)
		select {
		case at := <-notified:
			visible = append(visible, at.Sub(begin))
		case <-time.After(limit):
			b.Failf("no page was notified of message %d", i)
		}
		replied = append(replied, b.reply(i))
		b.Pause(1500 * time.Millisecond) // until the page has been notified of the reply and its statuses
		for len(notified) > 0 {
			<-notified
		}
	}
	return visible, replied
}

// reply sends the form of the latest conversation, and returns the time until the network has the reply.
func (b *inbox) reply(i int) time.Duration {
	conversation := lab.Value[string](b.Run, `SELECT id::text FROM conversation WHERE workspace_id = $1 ORDER BY last_in_at DESC LIMIT 1`,
		b.tenant.ID.String())
	text := fmt.Sprintf("Reply %d", i)
	form := b.Request(http.MethodPost, b.console+"/w/"+b.tenant.ID.String()+"/inbox/"+conversation+"/reply", "", nil)
	form.Header.Set("Cookie", b.cookie)
	form.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	form.Body = []byte(url.Values{"message": {ident.New[ident.Message]().String()}, "text": {text}, "anyway": {"1"}}.Encode())
	begin := time.Now()
	b.Call(form, nil)
	var sent []struct {
		At time.Time `json:"at"`
	}
	b.Until(limit, "the network has the reply", func() bool {
		b.Call(b.Request(http.MethodGet, b.SandboxURL+"/_sandbox/messages?platform=whatsapp&account=shop&origin=reply&text="+
			url.QueryEscape(text), "", nil), &sent)
		return len(sent) > 0
	})
	return sent[0].At.Sub(begin)
}

// live opens the stream of a page, and returns the times at which it names conversations.
func (b *inbox) live() <-chan time.Time {
	request, err := http.NewRequestWithContext(b.Context(), http.MethodGet, b.console+"/w/"+b.tenant.ID.String()+"/live", http.NoBody)
	b.Check(err)
	request.Header.Set("Cookie", b.cookie)
	response, err := new(http.Client).Do(request)
	b.Check(err)
	if response.StatusCode != http.StatusOK {
		b.Failf("the stream of the page: status %d", response.StatusCode)
	}
	b.Cleanup(func() { _ = response.Body.Close() })
	notified := make(chan time.Time, 1000) //nolint:mnd // more than are ever waiting
	go func() {
		lines := bufio.NewScanner(response.Body)
		for lines.Scan() {
			if strings.Contains(lines.Text(), `"conversations"`) {
				notified <- time.Now()
			}
		}
	}()
	return notified
}

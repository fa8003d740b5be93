package trial

import (
	"fmt"
	"net/http"
	"net/url"
	"time"

	vegeta "github.com/tsenart/vegeta/v12/lib"

	"fencepost.internal/services/bench/internal/lab"
)

const (
	manyConversations = 200_000 // with ten messages each
	slowestInbox      = 50      // goal, in milliseconds
	slowestSearch     = 150     // goal, in milliseconds
)

// fillInbox inserts conversations of two years on the channels of a workspace, with people and messages of 14 words. One of 50
// is open, one of 100 assigned.
const fillInbox = `
UPDATE channel SET type = 'WHATSAPP_BUSINESS', external_id = CAST(id AS text) WHERE workspace_id = '%[1]s';
INSERT INTO person (id, workspace_id, name, created_at) SELECT CAST(md5('p' || i) AS uuid), '%[1]s', 'Person ' || i, now() FROM generate_series(1, %[3]d) AS i;
INSERT INTO person_identity (workspace_id, network, value, person_id, name, username, seen_at)
SELECT '%[1]s', 'whatsapp', CAST(4915100000000 + i AS text), CAST(md5('p' || i) AS uuid), 'Person ' || i, '', now() FROM generate_series(1, %[3]d) AS i;
WITH channels AS MATERIALIZED (SELECT array_agg(id ORDER BY id) AS id FROM channel WHERE workspace_id = '%[1]s')
INSERT INTO conversation (id, workspace_id, channel_id, kind, thread, person_id, state, assignee_id, last_at, last_in_at, preview)
SELECT CAST(md5('c' || i) AS uuid), '%[1]s', channels.id[1 + i %% cardinality(channels.id)], 'MESSAGES', CAST(i AS text), CAST(md5('p' || i) AS uuid),
	CASE WHEN i %% 50 = 0 THEN 'OPEN' ELSE 'CLOSED' END, CASE WHEN i %% 100 = 0 THEN CAST('%[1]s' AS uuid) END, at, at, 'Hello'
FROM generate_series(1, %[3]d) AS i, channels, LATERAL (SELECT now() - (%[3]d - i) * interval '5 minutes' AS at) AS times;
INSERT INTO message (id, conversation_id, workspace_id, channel_id, direction, external_id, text, sent_at)
SELECT CAST(overlay(CAST(gen_random_uuid() AS text) PLACING left(CAST(uuid_v7_at(at) AS text), 13) FROM 1 FOR 13) AS uuid),
	c.id, c.workspace_id, c.channel_id, 'IN', c.thread || '.' || i, ` + someWords + ` || ' no' || c.thread, at
FROM conversation c, generate_series(1, 10) AS i, LATERAL (SELECT c.last_at - (10 - i) * interval '1 minute' AS at) AS times
WHERE c.workspace_id = '%[1]s'`

// measureInboxPages measures pages of an inbox with 200,000 conversations and 2 million messages. The value is the 95th
// percentile of the latency.
func measureInboxPages(r *lab.Run) []Row {
	tenant, address := r.Tenant("Inbox"), r.Address()
	r.Check(addMember(r, tenant))
	cookie := session(r, tenant.ID.String())
	begin := time.Now()
	// An index that is created at once takes a tenth of the time.
	index := lab.Rows[struct{ Index string }](r, `SELECT pg_get_indexdef(CAST('message_text' AS regclass)) AS index`)[0].Index
	execute(r, `DROP INDEX message_text`)
	execute(r, fmt.Sprintf(fillInbox, tenant.ID, vocabulary, manyConversations))
	execute(r, index)
	execute(r, `VACUUM (ANALYZE) conversation`)
	execute(r, `VACUUM (ANALYZE) message`)
	r.Logf("inbox_pages: filled in %s", time.Since(begin).Round(time.Second))
	r.Start("console", "CONSOLE_ADDR="+address, "APP_URL=http://"+address)
	known := lab.Rows[struct{ Word string }](r, `SELECT split_part(text, ' ', 1 + CAST(hashtext(text) & 7 AS integer)) AS word
		FROM message TABLESAMPLE SYSTEM (1) LIMIT 1000`)
	talks := lab.Rows[struct{ ID string }](r, `SELECT id::text FROM conversation TABLESAMPLE SYSTEM (5) LIMIT 1000`)
	base := "http://" + address + "/w/" + tenant.ID.String() + "/inbox"
	search := func(q string) string { return "?q=" + url.QueryEscape(q) }
	var rows []Row
	for _, page := range []struct {
		name string
		path func(i int) string
		goal float64
	}{
		{"list", func(int) string { return "" }, slowestInbox},
		{"mine", func(int) string { return "?view=mine" }, slowestInbox},
		{"closed", func(int) string { return "?view=closed" }, slowestInbox},
		{"conversation", func(i int) string { return "/" + talks[i%len(talks)].ID }, slowestInbox},
		{"search_word", func(i int) string { return search(known[i%len(known)].Word) }, slowestSearch},
		{"search_words", func(i int) string { return search(known[i%len(known)].Word + " " + known[7*i%len(known)].Word) }, slowestSearch},
		{"search_one", func(i int) string { return search(fmt.Sprintf("no%d", 1+i*1331%manyConversations)) }, slowestSearch},
		{"search_none", func(i int) string { return search(fmt.Sprintf("xyzzy%d", i)) }, slowestSearch},
	} {
		rows = append(rows, Plain("inbox_"+page.name, tailLatency(r, requestedPages, func(i int) vegeta.Target {
			target := r.Request(http.MethodGet, base+page.path(i), "", nil)
			target.Header.Set("Cookie", cookie)
			return target
		}), "ms").MaxValue(page.goal))
	}
	return rows
}

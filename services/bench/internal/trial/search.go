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
	// millionPosts is the number of posts of the workspace that is searched.
	millionPosts = 1_000_000
	// searchedPages is the number of requests per row, after a few that are not counted.
	searchedPages, warmPages = 300, 20
	// slowestPage is the goal of the 95th percentile, in milliseconds.
	slowestPage = 20
	percent95   = 95
	vocabulary  = 20_000
)

// someWords is an expression of the format of a statement whose second argument is the size of the vocabulary: 14 words for
// the row i. The frequency of a word is that of natural language (Zipf): the word of rank r occurs in the share 1/r of the
// most frequent one's. A word is written as syllables.
const someWords = `(SELECT string_agg(substr(c, 1 + n %% 18, 1) || substr(v, 1 + n / 18 %% 5, 1)
		|| substr(c, 1 + n / 90 %% 18, 1) || substr(v, 1 + n / 1620 %% 5, 1)
		|| substr(c, 1 + n / 8100 %% 18, 1) || substr(v, 1 + n / 145800 %% 5, 1), ' ')
		FROM (SELECT 7919 * CAST(exp(random() * ln(%[2]d)) + 0 * w * i AS integer) AS n, 'bcdfghjklmnprstvwz' AS c, 'aeiou' AS v
			FROM generate_series(1, 14) AS w) AS words)`

// fillWorkspace inserts posts of the last two years with 14 words each. One of 5,000 posts failed, one of 500 has the label of a campaign.
const fillWorkspace = `
WITH channels AS MATERIALIZED (SELECT array_agg(id ORDER BY id) AS id FROM channel WHERE workspace_id = '%[1]s')
INSERT INTO post (id, workspace_id, channel_id, content, content_type, status, scheduled_at, published_at, error_code,
	created_at, updated_at, revision, labels, label_keys)
SELECT uuid_v7_at(at), '%[1]s', channels.id[1 + i %% cardinality(channels.id)],
	` + someWords + ` || ' no' || i,
	'POST', status, at + interval '1 day', CASE WHEN status = 'PUBLISHED' THEN at + interval '1 day' END,
	CASE WHEN status = 'FAILED' THEN 'REJECTED' END, at, at + interval '1 day', 2,
	CAST(CASE WHEN i %% 500 = 0 THEN '{Campaign}' ELSE '{}' END AS text[]),
	CAST(CASE WHEN i %% 500 = 0 THEN '{campaign}' ELSE '{}' END AS text[])
FROM generate_series(1, %[3]d) AS i, channels, LATERAL (
	SELECT now() - (%[3]d - i) * interval '1 minute' AS at, CASE WHEN i %% 5000 = 0 THEN 'FAILED' ELSE 'PUBLISHED' END AS status
) AS each`

// search measures pages of searches and filtered lists of a workspace with a million posts. The value is the 95th
// percentile of the latency, the ceiling that of its list without filters.
func search(r *lab.Run) []Row {
	s := &site{Run: r, tenant: r.Tenant("Searching"), url: r.APIURL + "/v1/posts"}
	begin := time.Now()
	execute(r, fmt.Sprintf(fillWorkspace, s.tenant.ID, vocabulary, millionPosts))
	r.Logf("search: %d posts in %s", millionPosts, time.Since(begin).Round(time.Second))
	execute(r, `VACUUM (ANALYZE) post`)
	r.Start("api")
	word := wordsOf(r, s.tenant)
	month := func(i int) url.Values {
		from := time.Now().UTC().Add(-time.Duration(1+i%20) * 30 * 24 * time.Hour)
		return url.Values{
			"scheduledFrom": {from.Format(time.RFC3339)}, "scheduledTo": {from.Add(31 * 24 * time.Hour).Format(time.RFC3339)},
			"sort": {"scheduledAt"}, "channelId": s.someChannels(i),
		}
	}
	ceiling := s.tail(func(int) url.Values { return nil })
	var rows []Row
	for _, c := range []struct {
		name  string
		query func(i int) url.Values
	}{
		{"search_word", func(i int) url.Values { return url.Values{"q": {word(i)}} }},
		{"search_words", func(i int) url.Values { return url.Values{"q": {word(i) + " " + word(7*i)}} }},
		{"search_part", func(i int) url.Values { return url.Values{"q": {word(i)[1:6]}} }},
		{"search_one", func(i int) url.Values { return url.Values{"q": {fmt.Sprintf("no%d", 1+i*3331)}} }},
		{"search_none", func(i int) url.Values { return url.Values{"q": {fmt.Sprintf("xyzzy%d", i)}} }},
		{"search_status", func(i int) url.Values { return url.Values{"q": {word(i)}, "status": {"FAILED"}} }},
		{"list_calendar", month},
		{"list_failed", func(i int) url.Values { return url.Values{"status": {"FAILED"}, "channelId": s.someChannels(i)} }},
		{"list_label", func(int) url.Values { return url.Values{"label": {"campaign"}} }},
		{"list_updated", func(i int) url.Values {
			return url.Values{"updatedSince": {time.Now().UTC().Add(-time.Duration(i) * time.Minute).Format(time.RFC3339)}}
		}},
	} {
		rows = append(rows, Against(c.name, s.tail(c.query), "ms", ceiling).MaxValue(slowestPage))
	}
	return rows
}

// someChannels returns one to three channels of the tenant.
func (s *site) someChannels(i int) (ids []string) {
	for n := range 1 + i%3 {
		ids = append(ids, s.tenant.Channels[(i+n)%len(s.tenant.Channels)].ID.String())
	}
	return ids
}

// wordsOf returns a function that returns words of the posts of a tenant.
func wordsOf(r *lab.Run, of lab.Tenant) func(i int) string {
	words := lab.Rows[struct{ Word string }](r, `SELECT split_part(content, ' ', 1 + CAST(hashtext(content) & 7 AS integer)) AS word
		FROM post TABLESAMPLE SYSTEM (1) WHERE workspace_id = $1 LIMIT 1000`, of.ID.String())
	return func(i int) string { return words[i%len(words)].Word }
}

// tail returns the 95th percentile of the latency of pages, in milliseconds.
func (s *site) tail(query func(i int) url.Values) float64 {
	return tailLatency(s.Run, searchedPages, func(i int) vegeta.Target {
		return s.Request(http.MethodGet, s.url+"?"+query(i).Encode(), s.tenant.Key, nil)
	})
}

// tailLatency returns the 95th percentile of the latency of n requests, in milliseconds. One client makes them one by one.
func tailLatency(r *lab.Run, n int, request func(i int) vegeta.Target) float64 {
	var latencies []time.Duration
	for i := range warmPages + n {
		target := request(i)
		begin := time.Now()
		r.Call(target, nil)
		if i >= warmPages {
			latencies = append(latencies, time.Since(begin))
		}
	}
	return percentile(latencies, percent95).Seconds() * 1000 //nolint:mnd // milliseconds
}

package main

import (
	"encoding/csv"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/internal/apiforms"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/services/internal/chart"
	"fencepost.internal/services/internal/report/reporttest"
	"fencepost.internal/shared/domain/analytics"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/member"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/ident"
)

// measured is a workspace with figures of two channels: one of X, which gives followers only, and one of Facebook.
type measured struct {
	*bundle
	tenant

	path  string // of the page
	page  string // ID of the channel of Facebook
	today analytics.Date
}

func measures(t *testing.T) measured {
	t.Helper()
	b := setup(t)
	of := b.furnish(t, "Ours")
	m := measured{b, of, filled("/w/{workspace}/analytics", of.wildcards), ident.New[ident.Channel]().String(), analytics.DateOf(b.clock.Now().UTC())}
	postgrestest.Exec(t, b.dsn, `INSERT INTO channel (id, workspace_id, name, type, username, external_id, is_connected, token_status, timezone, created_at, updated_at)
		SELECT $1, workspace_id, '=Page <b>', 'FACEBOOK_PAGE', '', 'page', true, 'HEALTHY', 'UTC', created_at, created_at FROM channel WHERE id = $2`, m.page, of.wildcards["channel"])
	for d := range 20 {
		m.day(t, m.page, -d, fmt.Sprintf("followers = %d, impressions = %d, reach = %d, engagements = %d", 1000-d, 100+d, 50, 10))
	}
	for d := 28; d < 40; d++ {
		m.day(t, m.page, -d, "followers = 900, impressions = 10, engagements = 2")
	}
	m.day(t, of.wildcards["channel"], -3, "followers = 234")
	return m
}

// day stores figures of a channel for a day before today.
func (m measured) day(t *testing.T, id string, offset int, set string) {
	t.Helper()
	on := m.today.Add(offset).String()
	postgrestest.Exec(t, m.dsn, `INSERT INTO channel_insight (channel_id, day, collected_at) VALUES ($1, $2, now())`, id, on)
	postgrestest.Exec(t, m.dsn, `UPDATE channel_insight SET `+set+` WHERE channel_id = $1 AND day = $2`, id, on)
}

// read stores that figures of a channel were read.
func (m measured) read(t *testing.T, id string) {
	t.Helper()
	postgrestest.Exec(t, m.dsn, `INSERT INTO insight_progress (channel_id, collected_at, heard_at) VALUES ($1, now(), now())`, id)
}

func (m measured) as(t *testing.T, role member.Role) *browser {
	t.Helper()
	br := m.browser(t)
	br.signInAs(t, m.membership(t, m.workspace, role).Email)
	return br
}

// client returns the client of the API that has a key with the scope.
func (m measured) client() app.Principal {
	return app.Principal{WorkspaceID: m.workspace.ID, Key: credential.Key{Scopes: []credential.Scope{credential.AnalyticsRead}}}
}

// tile returns the value and the texts of a tile.
func tile(t *testing.T, body, name string) (value, rest string) {
	t.Helper()
	found := regexp.MustCompile(`(?s)<li><h2>` + name + `</h2><strong>([^<]*)</strong>(.*?)</li>`).FindStringSubmatch(body)
	require.NotNil(t, found, name)
	return html.UnescapeString(found[1]), html.UnescapeString(found[2])
}

func float(v *int64) *float64 {
	if v == nil {
		return nil
	}
	f := float64(*v)
	return &f
}

// TestAnalyticsAreThoseOfAPI compares the page with the API for several ranges, and the table of each chart with its days.
func TestAnalyticsAreThoseOfAPI(t *testing.T) {
	t.Parallel()
	m := measures(t)
	br := m.as(t, member.Viewer)
	m.published(t, m.page, -2, "Kiln day", "likes = 4, impressions = 50")
	for query, days := range map[string]int{"": 28, "?range=7": 7, "?range=90": 90, "?range=unknown": 28} {
		requested := app.Days{From: m.today.Add(1 - days), To: m.today}
		found, err := m.app.WorkspaceAnalytics(t.Context(), m.client(), requested)
		require.NoError(t, err)
		api := apiforms.ToAPIWorkspaceAnalytics(found)
		body := br.visited(t, m.path+query).body
		value, _ := tile(t, body, "Followers")
		require.Equal(t, chart.Text(analytics.Followers, float(api.TotalFollowers)), value, query)
		require.Equal(t, "1\u202f234", value)
		value, _ = tile(t, body, "Engagement rate")
		require.Equal(t, chart.Text(analytics.EngagementRate, api.AverageEngagementRate), value, query)
		value, _ = tile(t, body, "Posts published")
		require.Equal(t, chart.Grouped(api.PostsPublished), value, query)

		id, err := ident.Parse[ident.Channel](m.page)
		require.NoError(t, err)
		channel, err := m.app.ChannelAnalytics(t.Context(), m.client(), id, requested)
		require.NoError(t, err)
		var sum int64
		for _, day := range channel.Days {
			sum += *day.Impressions
			row := fmt.Sprintf(`<tr><th scope="row">%s</th><td>%s</td>`, day.Date.Start(time.UTC).Format("Mon 2 January 2006"), chart.Grouped(*day.Impressions))
			require.Contains(t, body, row, query)
		}
		value, rest := tile(t, body, "Impressions")
		require.Equal(t, chart.Grouped(sum), value, query)
		require.Contains(t, rest, "Without \u2068News\u2069 (X).", "a sum says what it lacks")
	}
}

// TestMissingFigureIsNotZero checks what the page says about figures that a network does not give, and its reasons.
func TestMissingFigureIsNotZero(t *testing.T) {
	t.Parallel()
	m := measures(t)
	br := m.as(t, member.Viewer)
	m.read(t, m.page)
	body := br.visited(t, m.path).body
	require.Contains(t, body, "X does not give this figure")
	require.Contains(t, body, "X gives followers only.")
	require.Contains(t, body, "Facebook Page gives figures after one day.")
	require.Regexp(t, `Figures come from Facebook, last read <time`, body)
	require.Contains(t, body, "Not read yet.")
	require.NotContains(t, body, "=Page <b>")
	require.Contains(t, body, "Too little data: 0 posts")

	alone := br.visited(t, m.path+"?channel="+m.wildcards["channel"]).body
	for _, name := range []string{"Impressions", "Reach", "Engagement rate"} {
		value, rest := tile(t, alone, name)
		require.Equal(t, "–", value, name)
		require.Contains(t, rest, "No channel has it in this period.", name)
	}
	value, _ := tile(t, alone, "Followers")
	require.Equal(t, "234", value)
	m.day(t, m.wildcards["channel"], 0, "impressions = 0")
	value, _ = tile(t, br.visited(t, m.path+"?channel="+m.wildcards["channel"]).body, "Impressions")
	require.Equal(t, "0", value, "zero was reported")

	postgrestest.Exec(t, m.dsn, `UPDATE insight_progress SET stopped = 'Access to figures <b> is off.', stopped_rev = (SELECT credentials_rev FROM channel WHERE id = $1) WHERE channel_id = $1`, m.page)
	require.Contains(t, br.visited(t, m.path).body, "Access to figures &lt;b&gt; is off.")
}

// TestAnalyticsAreCompared checks the values of the period before, and the words about the change.
func TestAnalyticsAreCompared(t *testing.T) {
	t.Parallel()
	m := measures(t)
	br := m.as(t, member.Viewer)
	body := br.visited(t, m.path).body
	_, rest := tile(t, body, "Impressions")
	require.Contains(t, rest, "120 before") // 12 days with 10
	require.Regexp(t, `change up`, rest)
	_, rest = tile(t, body, "Engagement rate")
	require.Contains(t, rest, "20.0\u202f% before")
	require.Regexp(t, `change down`, rest)
	require.Contains(t, rest, "points")
	_, rest = tile(t, body, "Reach")
	require.Contains(t, rest, "no figures before")
	require.Contains(t, rest, "– before")
	_, rest = tile(t, body, "Followers")
	require.Contains(t, rest, "+334")
}

// published creates a published post of a channel with its figures of today.
func (m measured) published(t *testing.T, channel string, offset int, text, set string) string {
	t.Helper()
	id := m.scheduled(t, m.tenant, text, m.clock.Now().Add(time.Minute))
	at := m.today.Add(offset).Start(time.UTC).Add(9 * time.Hour)
	postgrestest.Exec(t, m.dsn, `UPDATE post SET status = 'PUBLISHED', published_at = $2, channel_id = $3, labels = '{Spring}', label_keys = '{spring}' WHERE id = $1`, id, at, channel)
	postgrestest.Exec(t, m.dsn, `INSERT INTO post_insight (post_id, day, collected_at) VALUES ($1, $2, now())`, id, m.today.String())
	postgrestest.Exec(t, m.dsn, `UPDATE post_insight SET `+set+` WHERE post_id = $1`, id)
	return id
}

// TestBestPostsAndTimes ranks posts by several figures, and shows times once there are enough posts.
func TestBestPostsAndTimes(t *testing.T) {
	t.Parallel()
	m := measures(t)
	br := m.as(t, member.Viewer)
	liked := m.published(t, m.page, -2, "Liked <i>much</i>", "likes = 900, impressions = 9000")
	seen := m.published(t, m.page, -3, "Seen much", "likes = 2, impressions = 90000")
	m.published(t, m.wildcards["channel"], -3, "Without impressions", "likes = 3")
	order := func(query string, first, second string) string {
		t.Helper()
		body := br.visited(t, m.path+query).body
		list := regexp.MustCompile(`(?s)<ol class="best">.*?</ol>`).FindString(body)
		require.Less(t, strings.Index(list, first), strings.Index(list, second), query)
		require.Positive(t, strings.Index(list, first), query)
		return body
	}
	body := order("", liked, seen)
	require.Contains(t, body, "Liked &lt;i&gt;much&lt;/i&gt;")
	body = order("?by=impressions", seen, liked)
	require.Contains(t, body, "1 post has no impressions")
	order("?by=rate&range=7", liked, seen)
	order("?by=unknown", liked, seen)
	require.Contains(t, br.visited(t, m.path+"?by=saves").body, "No post of this period has saves yet.")
	require.Contains(t, body, "Too little data: 2 posts")
	for i := range analytics.EnoughPosts {
		m.published(t, m.page, -1-i%4, "More", "likes = 2, impressions = 100")
	}
	body = br.visited(t, m.path).body
	require.Contains(t, body, fmt.Sprintf("From %d posts.", analytics.EnoughPosts+2))
	require.Contains(t, body, `<table class="heatmap">`)
	require.Regexp(t, `Best: \w+day 9–12 \(`, body)
}

// TestAnalyticsAreFiltered checks the filters by label and post: the figures are what posts gained.
func TestAnalyticsAreFiltered(t *testing.T) {
	t.Parallel()
	m := measures(t)
	br := m.as(t, member.Editor)
	id := m.published(t, m.page, -2, "Kiln <day>", "likes = 4, comments = 1, impressions = 50, reach = 40")
	m.published(t, m.page, -2, "Other", "likes = 5, impressions = 50, reach = 40")
	postgrestest.Exec(t, m.dsn, `UPDATE post SET labels = '{}', label_keys = '{}' WHERE id <> $1`, id)
	postgrestest.Exec(t, m.dsn, `INSERT INTO label (workspace_id, key, name, color) VALUES ($1, 'spring', 'Spring', '#b3261e')`, m.workspace.ID.String())
	labeled := br.visited(t, m.path+"?label=SPRING").body
	value, _ := tile(t, labeled, "Impressions")
	require.Equal(t, "50", value)
	value, _ = tile(t, labeled, "Engagement rate")
	require.Equal(t, "10.0\u202f%", value)
	value, rest := tile(t, labeled, "Reach")
	require.Equal(t, "–", value)
	require.Contains(t, rest, "Several posts may reach the same person")
	value, rest = tile(t, labeled, "Followers")
	require.Equal(t, "–", value)
	require.Contains(t, rest, "Followers belong to channels")
	require.Contains(t, labeled, "What 1 post labeled “Spring” gained")
	require.Contains(t, labeled, "Remove filters")

	one := br.visited(t, m.path+"?post="+id+"&range=7").body
	value, _ = tile(t, one, "Reach")
	require.Equal(t, "40", value)
	require.Contains(t, one, "Kiln &lt;day&gt;")
	require.NotContains(t, one, "Best posts")
	for _, query := range []string{
		"?label=nowhere", "?channel=x", "?post=x", "?channel=" + ident.New[ident.Channel]().String(), "?post=" + ident.New[ident.Post]().String(),
	} {
		require.Equal(t, http.StatusNotFound, br.get(t, m.path+query).status, query)
		require.Equal(t, http.StatusNotFound, br.get(t, m.path+"/export"+query).status, query)
	}
	theirs := m.furnish(t, "Theirs")
	for _, query := range []string{"?channel=" + theirs.wildcards["channel"], "?post=" + theirs.wildcards["post"]} {
		require.Equal(t, http.StatusNotFound, br.get(t, m.path+query).status, query)
	}
}

// TestRangeIsCheckedAtField keeps what was entered, and says what is wrong beside it.
func TestRangeIsCheckedAtField(t *testing.T) {
	t.Parallel()
	m := measures(t)
	br := m.as(t, member.Viewer)
	for query, want := range map[string]string{
		"from=yesterday&to=2026-02-01":     `id="from-fault">Choose a day.`,
		"from=2026-02-02&to=2026-02-01":    `id="to-fault">Must not be before the first day.`,
		"from=2020-01-01&to=2026-02-01":    `id="from-fault">Must be within 365 days of the last day`,
		"from=2026-02-30":                  `id="from-fault">Choose a day.`,
		"from=2026-01-01&to=%22%3E%3Cb%3E": `id="to-fault">Choose a day.`,
	} {
		got := br.get(t, m.path+"?range=own&"+query)
		require.Equal(t, http.StatusUnprocessableEntity, got.status, query)
		require.Contains(t, got.body, want, query)
		require.NotContains(t, got.body, `<ul class="tiles">`)
		require.NotContains(t, got.body, `"><b>`)
		require.Equal(t, http.StatusUnprocessableEntity, br.get(t, m.path+"/export?range=own&"+query).status, query)
	}
	require.Contains(t, br.last.body, "The range is not valid")
	body := br.visited(t, m.path+"?range=own&from="+m.today.Add(-1).String()+"&to="+m.today.String()).body
	value, _ := tile(t, body, "Impressions")
	require.Equal(t, "201", value)
	require.Contains(t, body, `value="`+m.today.String()+`"`)
	br.visited(t, m.path+"?range=own")
	br.visited(t, m.path+"?range=month")
}

// TestAnalyticsFile reads the files: figures that are not known are empty, and no cell is computed.
func TestAnalyticsFile(t *testing.T) {
	t.Parallel()
	m := measures(t)
	br := m.as(t, member.Viewer)
	read := func(query string) [][]string {
		t.Helper()
		got := br.visited(t, m.path+"/export"+query)
		require.Contains(t, got.header.Get("Content-Type"), "text/csv")
		require.Contains(t, got.header.Get("Content-Disposition"), "attachment")
		rows, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(got.body, "\ufeff"))).ReadAll()
		require.NoError(t, err)
		return rows
	}
	rows := read("")
	require.Equal(t, []string{"Date", "Channel", "Network", "Followers", "Impressions", "Reach", "Engagements", "Engagement rate", "Profile views", "Website clicks"}, rows[0])
	require.Len(t, rows, 1+20+1)
	require.Contains(t, rows, []string{m.today.Add(-3).String(), "News", "X", "234", "", "", "", "", "", ""})
	require.Contains(t, rows, []string{m.today.String(), "'=Page <b>", "Facebook Page", "1000", "100", "50", "10", "0.1", "", ""})
	require.Len(t, read("?channel="+m.wildcards["channel"]), 2)

	id := m.published(t, m.page, -2, "Kiln day", "likes = 4")
	posts := read("?post=" + id)
	require.Equal(t, []string{m.today.String(), id, "'=Page <b>", "Facebook Page", "", "", "4", "", "", "", "", ""}, posts[1])
	require.Len(t, posts, 2)
}

// TestReportIsThatOfAPI downloads the report of a month, and compares its texts with the API.
func TestReportIsThatOfAPI(t *testing.T) {
	t.Parallel()
	m := measures(t)
	br := m.as(t, member.Viewer)
	m.published(t, m.page, 0, "Kiln day \u202e) Tj (", "likes = 4321, impressions = 50")
	month := analytics.MonthOf(m.today)
	got := br.visited(t, m.path+"/reports/download?month="+month.String())
	require.Equal(t, "application/pdf", got.header.Get("Content-Type"))
	texts := reporttest.Texts(t, []byte(got.body))
	found, err := m.app.WorkspaceAnalytics(t.Context(), m.client(), app.Days{From: month.Range().From, To: m.today})
	require.NoError(t, err)
	api := apiforms.ToAPIWorkspaceAnalytics(found)
	for name, want := range map[string]string{
		"Followers":       chart.Text(analytics.Followers, float(api.TotalFollowers)),
		"Engagement rate": chart.Text(analytics.EngagementRate, api.AverageEngagementRate),
		"Posts published": chart.Grouped(api.PostsPublished),
	} {
		require.Equal(t, want, after(t, texts, name), name)
	}
	for _, c := range api.Channels {
		require.Equal(t, chart.Text(analytics.Followers, float(c.Followers)), after(t, texts, c.Name+" ("+map[string]string{"TWITTER": "X", "FACEBOOK_PAGE": "Facebook Page"}[string(c.Type)]+")"))
	}
	require.Contains(t, texts, "4\u202f321")
	require.Contains(t, texts, "Kiln day ) Tj (")
	require.Contains(t, texts, "Ours")

	for query, status := range map[string]int{
		"?month=2026-13": http.StatusUnprocessableEntity, "?month=9999-01": http.StatusUnprocessableEntity, "?month=2024-02": http.StatusOK, "": http.StatusOK,
	} {
		require.Equal(t, status, br.get(t, m.path+"/reports/download"+query).status, query)
	}
	require.Equal(t, http.StatusUnprocessableEntity, br.get(t, m.path+"/reports/download?month=x").status)
	require.Contains(t, br.last.body, `id="month-fault">Choose a month.`)
}

// after returns the text that follows another one.
func after(t *testing.T, texts []string, name string) string {
	t.Helper()
	for i, text := range texts[:len(texts)-1] {
		if text == name {
			return texts[i+1]
		}
	}
	require.Contains(t, texts, name)
	return ""
}

// TestReportsAreSet chooses who gets the report. Two who change it learn of each other.
func TestReportsAreSet(t *testing.T) {
	t.Parallel()
	m := measures(t)
	reports := m.path + "/reports"
	require.NotContains(t, m.as(t, member.Editor).visited(t, reports).body, `name="addresses"`)
	require.Equal(t, http.StatusForbidden, m.as(t, member.Editor).post(t, reports, url.Values{"on": {"1"}}).status)
	br, other := m.as(t, member.Owner), m.as(t, member.Admin)
	for text, want := range map[string]string{
		"": "Enter the address that gets the report.", "ada@example.com\n<b>": "“&lt;b&gt;” is not an email address.",
		strings.Repeat("a@example.com\n", 2) + "b@c\n": "“b@c”",
	} {
		br.visited(t, reports)
		got := br.post(t, reports, url.Values{"on": {"1"}, "addresses": {text}, "revision": {"0"}})
		if strings.Contains(text, "b@c") { // an address without a dot is one
			require.Equal(t, http.StatusSeeOther, got.status)
			continue
		}
		require.Equal(t, http.StatusUnprocessableEntity, got.status, text)
		require.Contains(t, got.body, want)
	}
	postgrestest.Exec(t, m.dsn, `DELETE FROM report_setting`)
	other.visited(t, reports)
	br.visited(t, reports)
	form := url.Values{"on": {"1"}, "addresses": {"Ada@example.com\nada@example.com"}, "revision": {br.hidden(t, "revision")}}
	require.Equal(t, http.StatusSeeOther, br.post(t, reports, form).status)
	require.Equal(t, []string{"true Ada@example.com Grace Hopper"}, m.column(t, `SELECT is_on || ' ' || array_to_string(addresses, ' ') || ' ' || changed_by FROM report_setting`))
	got := other.post(t, reports, url.Values{"on": {"1"}, "addresses": {"eve@example.com"}, "revision": {"0"}})
	require.Equal(t, http.StatusConflict, got.status)
	require.Contains(t, got.body, "Grace Hopper changed this meanwhile. It is on, for Ada@example.com.")
	require.Contains(t, got.body, "eve@example.com</textarea>", "the entries stay")
	require.Equal(t, []string{"workspace.report_changed"}, m.column(t, `SELECT DISTINCT action FROM audit_entry WHERE action LIKE '%report%'`))
	require.Contains(t, br.visited(t, reports).body, "No mail server is set up")
}

// TestReaderStopsReports follows the link of a report without an account: people and programs for mail stop it by the same address.
func TestReaderStopsReports(t *testing.T) {
	t.Parallel()
	m := measures(t)
	require.NoError(t, postgres.NewReports(m.db).SetSetting(t.Context(), m.workspace.ID, analytics.ReportSetting{
		On: true, Addresses: nil, ChangedBy: "Ada",
	}, m.clock.Now()))
	postgrestest.Exec(t, m.dsn, `UPDATE report_setting SET addresses = '{Ada@example.com}'`)
	secret := credential.Report.New()
	hash, err := credential.Report.Hash(secret)
	require.NoError(t, err)
	postgrestest.Exec(t, m.dsn, `INSERT INTO report_link (hash, workspace_id, address, created_at) VALUES ($1, $2, 'ada@example.com', now())`, hash[:], m.workspace.ID.String())
	reader, link := m.browser(t), "/reports/"+secret
	require.Contains(t, reader.visited(t, link).body, "ada@example.com gets the report of “Ours” each month.")
	stops := func() []string { return m.column(t, `SELECT address FROM report_stop`) }
	require.Empty(t, stops(), "programs that only follow links change nothing")
	for range 2 {
		require.Equal(t, http.StatusSeeOther, reader.post(t, link, url.Values{"List-Unsubscribe": {"One-Click"}}).status)
		require.Equal(t, []string{"ada@example.com"}, stops())
	}
	require.Contains(t, reader.visited(t, link).body, "gets no more reports")
	require.Contains(t, m.as(t, member.Owner).visited(t, m.path+"/reports").body, "Stopped by their owners, and not sent to: Ada@example.com.")
	require.Equal(t, http.StatusSeeOther, reader.post(t, link, url.Values{"again": {"1"}}).status)
	require.Empty(t, stops())
	for _, wrong := range []string{"x", "svc_rep_x", credential.Report.New()} {
		require.Equal(t, http.StatusNotFound, reader.get(t, "/reports/"+wrong).status)
		require.Equal(t, http.StatusNotFound, reader.post(t, "/reports/"+wrong, nil).status)
	}
}

// TestAnalyticsOfMemberWithChannels shows a member the channels to which the member is limited.
func TestAnalyticsOfMemberWithChannels(t *testing.T) {
	t.Parallel()
	m := measures(t)
	of := m.membership(t, m.workspace, member.Admin)
	id, err := ident.Parse[ident.Channel](m.wildcards["channel"])
	require.NoError(t, err)
	require.NoError(t, m.users.Limit(t.Context(), of.ID, m.workspace.ID, []ident.Channel{id}))
	br := m.browser(t)
	br.signInAs(t, of.Email)
	body := br.visited(t, m.path).body
	require.NotContains(t, body, "=Page")
	value, _ := tile(t, body, "Followers")
	require.Equal(t, "234", value)
	require.NotContains(t, br.visited(t, m.path+"/export").body, "=Page")
	require.NotContains(t, reporttest.Texts(t, []byte(br.visited(t, m.path+"/reports/download").body)), "=Page <b> (Facebook Page)")
	require.Equal(t, http.StatusNotFound, br.get(t, m.path+"?channel="+m.page).status)
	require.Equal(t, http.StatusForbidden, br.post(t, m.path+"/reports", url.Values{}).status, "the report has every channel")
	require.NotContains(t, br.visited(t, m.path+"/reports").body, `name="addresses"`)
}

package trial

import (
	"fmt"
	"net/http"
	"time"

	vegeta "github.com/tsenart/vegeta/v12/lib"

	"fencepost.internal/services/bench/internal/lab"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/user"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/ident"
)

const (
	requestedPages   = 100
	slowestOfConsole = 50 // goal, in milliseconds
)

// fillConsole furnishes a workspace: 40 channels with three times a day, 500 pictures, 10,000 posts of 200 days by three people
// (four of five posts in sets of four), eight labels, and an import of 1,000 rows. The workspace, its first person and the
// import have the same id.
const fillConsole = `
UPDATE workspace SET timezone = 'Europe/Berlin' WHERE id = '%[1]s';
UPDATE channel SET timezone = 'Europe/Berlin' WHERE workspace_id = '%[1]s';
INSERT INTO app_user (id, email, name, password_hash, created_at) SELECT CASE i WHEN 1 THEN '%[1]s'::uuid ELSE gen_random_uuid() END,
	'ada' || i || '@example.com', 'Ada', '', now() FROM generate_series(1, 3) AS i;
INSERT INTO workspace_member (workspace_id, user_id, created_at, role) SELECT '%[1]s', id, now(), 'OWNER' FROM app_user;
INSERT INTO channel (id, workspace_id, name, type, username, external_id, is_connected, token_status, timezone, created_at, updated_at)
SELECT gen_random_uuid(), '%[1]s', 'Channel ' || i, ('{FACEBOOK_PAGE,INSTAGRAM_PROFESSIONAL,LINKEDIN_PAGE,BLUESKY,MASTODON,PINTEREST,YOUTUBE}'::text[])[1 + i %% 7],
	'acme', 'e' || i, true, 'HEALTHY', 'Europe/Berlin', now(), now() FROM generate_series((SELECT count(*) FROM channel WHERE workspace_id = '%[1]s') + 1, 40) AS i;
INSERT INTO channel_slot (channel_id, weekday, minute)
SELECT id, d, m FROM channel, generate_series(0, 6) AS d, unnest('{540,765,1050}'::int[]) AS m WHERE workspace_id = '%[1]s';
INSERT INTO label (workspace_id, key, name, color) SELECT '%[1]s', 'label ' || i, 'Label ' || i, '#3b7d4f' FROM generate_series(0, 7) AS i;
INSERT INTO media (id, workspace_id, name, type, content_type, size, created_at, object_key, etag, thumbnail_key, thumbnail_type, thumbnail_size,
	width, height, processed_at, process_again)
SELECT gen_random_uuid(), '%[1]s', 'harbour ' || i || '.jpg', 'IMAGE', 'image/jpeg', 400000, now(), 'o' || i, 'e', 't' || i, 'image/jpeg', 9000,
	1600, 1200, now(), NULL FROM generate_series(1, 500) AS i;
WITH given AS MATERIALIZED (SELECT
	(SELECT array_agg(id ORDER BY id) FROM channel WHERE workspace_id = '%[1]s') AS channels,
	(SELECT array_agg(id) FROM media WHERE workspace_id = '%[1]s') AS media,
	(SELECT array_agg(user_id) FROM workspace_member WHERE workspace_id = '%[1]s') AS people)
INSERT INTO post (id, workspace_id, channel_id, author_id, content, content_type, media_ids, status, scheduled_at, published_at, error_code,
	created_at, updated_at, revision, group_id, labels, label_keys)
SELECT uuid_v7_at(at - interval '9 days' + i %% 5 * interval '1 second'), '%[1]s', channels[1 + (3 * n + i) %% 40], people[1 + n %% cardinality(people)], text, 'POST',
	CASE WHEN n %% 2 = 0 THEN ARRAY[media[1 + n %% 500]] ELSE '{}' END, status, at, CASE status WHEN 'PUBLISHED' THEN at END,
	CASE status WHEN 'FAILED' THEN 'REJECTED' END, at - interval '9 days', at - interval '8 days', 2,
	CASE WHEN i %% 5 > 0 THEN md5(n::text)::uuid END,
	CASE WHEN n %% 3 = 0 THEN ARRAY['Label ' || n %% 8] ELSE '{}' END, CASE WHEN n %% 3 = 0 THEN ARRAY['label ' || n %% 8] ELSE '{}' END
FROM given, generate_series(0, %[3]d - 1) AS i, LATERAL (SELECT i / 5 AS n) AS sets, LATERAL (
	SELECT date_trunc('minute', now()) - interval '170 days' + (144 * n + 72 * CAST(i %% 5 = 0 AS integer)) * interval '1 minute' AS at) AS times,
	LATERAL (SELECT CASE WHEN at < now() AND i %% 200 = 0 THEN 'FAILED' WHEN at < now() THEN 'PUBLISHED' WHEN n %% 9 = 0 THEN 'DRAFT'
	WHEN n %% 20 = 3 THEN 'PENDING_APPROVAL' ELSE 'SCHEDULED' END AS status, ` + someWords + ` AS text) AS each;
INSERT INTO media_reference (media_id, workspace_id, owner_type, owner_id) SELECT unnest(media_ids), '%[1]s', 'POST', id FROM post WHERE workspace_id = '%[1]s';
INSERT INTO plan_import (id, workspace_id, user_id, name, format, settings, created_at, updated_at) VALUES ('%[1]s', '%[1]s', '%[1]s', 'plan.csv', 'CSV',
	'{"header": true, "columns": ["date", "time", "channel", "text", "labels"], "order": "dmy", "schedules": true}', now(), now());
INSERT INTO plan_import_row (import_id, line, key, cells) SELECT '%[1]s', i, 'csv-' || i, CASE i WHEN 1 THEN '["Date","Time","Channel","Text","Labels"]'
	ELSE jsonb_build_array(to_char(now() + i * interval '1 hour', 'YYYY-MM-DD'), '09:30', 'Channel ' || 13 + i %% 28, ` + someWords + `, 'Label 1') END
FROM generate_series(1, 1000) AS i;
ANALYZE`

// measurePages measures pages of the application, for an owner of a workspace with 10,000 posts. The value is the 95th percentile
// of the latency.
func measurePages(r *lab.Run) []Row {
	tenant, address := r.Tenant("Pages"), r.Address()
	execute(r, fmt.Sprintf(fillConsole, tenant.ID, vocabulary, listedPosts))
	cookie := session(r, tenant.ID.String())
	r.Start("console", "CONSOLE_ADDR="+address, "APP_URL=http://"+address)
	base, word := "http://"+address+"/w/"+tenant.ID.String(), wordsOf(r, tenant)
	published := lab.Rows[struct{ ID string }](r, `SELECT id::text FROM post WHERE workspace_id = $1 AND status = 'PUBLISHED'
		LIMIT 1000`, tenant.ID.String())
	always := func(path string) func(int) string { return func(int) string { return path } }
	var rows []Row
	for _, page := range []struct {
		name string
		path func(i int) string
	}{
		{"month", always("/calendar?view=month")},
		{"week", always("/calendar?view=week")},
		{"day", always("/calendar?view=day")},
		{"agenda", always("/calendar?view=list")},
		{"agenda_label", always("/calendar?view=list&label=Label+3")},
		{"today", always("/today")},
		{"posts", always("/posts")},
		{"posts_search", func(i int) string { return "/posts?q=" + word(i) }},
		{"posts_label", always("/posts?label=Label+3")},
		{"posts_author", always("/posts?author=" + tenant.ID.String())},
		{"posts_status", always("/posts?status=scheduled")},
		{"post", func(i int) string { return "/posts/" + published[i%len(published)].ID }},
		{"queue", func(i int) string { return "/queue/" + tenant.Channels[i%len(tenant.Channels)].ID.String() }},
		{"media", always("/media")},
		{"find", func(i int) string { return "/find?q=" + word(i) }},
		{"import", always("/plan/" + tenant.ID.String())},
		{"compose", func(i int) string { return "/compose?channel=" + tenant.Channels[i%len(tenant.Channels)].ID.String() }},
		{"channels", always("/channels")},
	} {
		before := r.CPU()
		value := tailLatency(r, requestedPages, func(i int) vegeta.Target {
			target := r.Request(http.MethodGet, base+page.path(i), "", nil)
			target.Header.Set("Cookie", cookie)
			target.Header.Set("Accept-Encoding", "gzip")
			return target
		})
		r.Logf("%s: p95 %.1f ms, %s", page.name, value, r.PerItem(before, warmPages+requestedPages))
		rows = append(rows, Plain("page_"+page.name, value, "ms").MaxValue(slowestOfConsole))
	}
	return rows
}

// session signs the owner in and returns the cookie.
func session(r *lab.Run, owner string) string {
	id, err := ident.Parse[ident.User](owner)
	r.Check(err)
	secret := credential.Session.New()
	hash, err := credential.Session.Hash(secret)
	r.Check(err)
	r.Check(postgres.NewUsers(r.DB).InsertSession(r.Context(), hash, user.Session{
		ID: ident.New[ident.Session](), UserID: id, CreatedAt: time.Now(), Method: user.Password,
	}))
	return "session=" + secret
}

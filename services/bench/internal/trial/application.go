package trial

import (
	"context"
	"net/http"
	"time"

	"fencepost.internal/services/bench/internal/lab"
	"fencepost.internal/services/bench/internal/load"
	"fencepost.internal/services/bench/internal/result"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/member"
	"fencepost.internal/shared/domain/user"
	"fencepost.internal/shared/domain/workspace"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/ident"
)

const (
	appChannels = 40
	appPosts    = 10_000
	appBatch    = 200
	appSamples  = 200 // requests of each page, one after the other
	appWarmUps  = 20
	appSlowest  = 95 // percentile
)

// Application measures the pages of the application in a workspace with 10,000 posts and 40 channels: the response
// times of one person, and the rate of the list of posts. The ceiling of the rate is the same page of an empty workspace.
func Application(ctx context.Context, l *lab.Lab) ([]result.Row, error) {
	full, err := l.Tenant(ctx, "Application")
	if err != nil {
		return nil, err
	}
	if err := fill(ctx, l, &full); err != nil {
		return nil, err
	}
	empty := ident.New[ident.Workspace]()
	if err := postgres.NewWorkspaces(l.DB).Insert(ctx, workspace.Workspace{
		ID: empty, Name: "Empty", Plan: workspace.Growth, Timezone: "UTC", CreatedAt: l.Clock.Now(),
	}); err != nil {
		return nil, err
	}
	cookie, err := signedIn(ctx, l, full.ID, empty)
	if err != nil {
		return nil, err
	}
	address, err := lab.FreeAddress(ctx)
	if err != nil {
		return nil, err
	}
	base := "http://" + address
	console, err := l.Start(ctx, "console", "CONSOLE_ADDR="+address, "APP_URL="+base)
	if err != nil {
		return nil, err
	}
	defer console.Stop()
	page := func(of ident.Workspace, path string) load.Call {
		return load.Call{
			Method: http.MethodGet, URL: base + "/w/" + of.String() + path, Want: http.StatusOK,
			Headers: map[string]string{"Cookie": "session=" + cookie},
		}
	}
	worst, err := worstPage(ctx, l, full, page)
	if err != nil {
		return nil, err
	}
	rate, err := inTurn(ctx, l, result.PagesApp, console, page(full.ID, "/posts"), page(empty, "/posts"))
	if err != nil {
		return nil, err
	}
	return []result.Row{rate, {Name: result.PagesAppP95, Value: milliseconds(worst), Unit: "ms"}}, nil
}

// fill adds channels and posts to a workspace.
func fill(ctx context.Context, l *lab.Lab, t *lab.Tenant) error {
	if err := l.AddChannels(ctx, t, appChannels); err != nil {
		return err
	}
	l.Say("pages_app: %d posts", appPosts)
	later := l.Clock.Now().Add(60 * 24 * time.Hour) // beyond the horizon, so that no workflow starts
	planned := func(i int) time.Time { return later.Add(time.Duration(i) * time.Minute) }
	if err := l.Posts(ctx, *t, appPosts/2, appBatch, planned); err != nil {
		return err
	}
	if err := l.Posts(ctx, *t, appPosts/2, appBatch, nil); err != nil {
		return err
	}
	_, err := l.SQL.Exec(ctx, `ANALYZE`)
	return err
}

// signedIn creates an owner of the workspaces and returns the cookie of a session.
func signedIn(ctx context.Context, l *lab.Lab, workspaces ...ident.Workspace) (string, error) {
	users, now := postgres.NewUsers(l.DB), l.Clock.Now()
	person, err := user.New("bench@example.com", "Mara", "no password", now)
	if err != nil {
		return "", err
	}
	if _, err := users.Insert(ctx, person); err != nil {
		return "", err
	}
	for _, id := range workspaces {
		if err := users.Join(ctx, person.ID, id, member.Owner, now); err != nil {
			return "", err
		}
	}
	cookie := credential.Session.New()
	hash, err := credential.Session.Hash(cookie)
	if err != nil {
		return "", err
	}
	return cookie, users.InsertSession(ctx, hash, user.Session{
		ID: ident.New[ident.Session](), UserID: person.ID, CreatedAt: now,
	})
}

// worstPage returns the 95th percentile of the response times of the slowest page.
func worstPage(
	ctx context.Context, l *lab.Lab, t lab.Tenant, page func(of ident.Workspace, path string) load.Call,
) (time.Duration, error) {
	var post string
	err := l.SQL.QueryRow(ctx, `SELECT id::text FROM post WHERE workspace_id = $1 LIMIT 1`, t.ID.String()).Scan(&post)
	if err != nil {
		return 0, err
	}
	var worst time.Duration
	client := &http.Client{Timeout: limit}
	for _, path := range []string{
		"/posts", "/posts?status=scheduled&channel=" + t.Channels[0].ID.String(), "/posts?status=failed", "/posts/" + post,
		"/channels", "/channels/" + t.Channels[0].ID.String(), "/developers/keys", "/developers/webhooks", "/developers/events",
		"/settings", "/settings/members", "/settings/audit", "/settings/profile",
	} {
		var times []time.Duration
		for i := range appWarmUps + appSamples {
			begin := l.Clock.Now()
			if _, err := page(t.ID, path).Make(ctx, client); err != nil {
				return 0, err
			}
			if i >= appWarmUps {
				times = append(times, l.Clock.Now().Sub(begin))
			}
		}
		p95 := percentile(times, appSlowest)
		l.Say("pages_app: %s: p50 %.1f ms, p95 %.1f ms", path, milliseconds(percentile(times, 50)), milliseconds(p95))
		worst = max(worst, p95)
	}
	return worst, nil
}

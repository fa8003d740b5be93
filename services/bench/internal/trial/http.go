package trial

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"time"

	"fencepost.internal/services/bench/internal/bare"
	"fencepost.internal/services/bench/internal/lab"
	"fencepost.internal/services/bench/internal/load"
	"fencepost.internal/services/bench/internal/result"
)

const (
	httpRound      = 8 * time.Second
	httpWarmUp     = 2 * time.Second
	httpRounds     = 2 // alternating between the service and the bare handler
	listedPosts    = 10_000
	deepPage       = 400 // the last page, with 25 posts per page
	apiConnections = 20  // the API's default pool
)

// site is the API and the bare handler, with the same posts of one tenant.
type site struct {
	*lab.Lab

	tenant lab.Tenant
	key    string
	api    *lab.Process
	plain  *lab.Process
}

// openSite fills a workspace, copies its posts for the bare handler, and starts both processes.
func openSite(ctx context.Context, l *lab.Lab) (*site, error) {
	s := &site{Lab: l}
	var err error
	if s.tenant, s.key, err = filled(ctx, l, "Creating and listing"); err != nil {
		return nil, err
	}
	for _, statement := range []string{
		`DROP TABLE IF EXISTS ` + bare.Table, bare.CreateTable,
		`INSERT INTO ` + bare.Table + ` SELECT * FROM post WHERE workspace_id = '` + s.tenant.ID.String() + `'`, `ANALYZE`,
	} {
		if _, err := l.SQL.Exec(ctx, statement); err != nil {
			return nil, err
		}
	}
	if s.api, err = l.Start(ctx, "api"); err != nil {
		return nil, err
	}
	address, err := lab.FreeAddress(ctx)
	if err != nil {
		return nil, err
	}
	s.plain, err = l.StartSelf(ctx, "bare", address, "bare-api", "-address", address,
		"-workspace", s.tenant.ID.String(), "-connections", strconv.Itoa(apiConnections))
	if err != nil {
		s.api.Stop()
		return nil, err
	}
	return s, numbered(ctx, l)
}

// filled creates a workspace with many posts and an API key.
func filled(ctx context.Context, l *lab.Lab, name string) (lab.Tenant, string, error) {
	tenant, err := l.Tenant(ctx, name)
	if err != nil {
		return lab.Tenant{}, "", err
	}
	key, err := l.Key(ctx, tenant)
	if err != nil {
		return lab.Tenant{}, "", err
	}
	const batch = 500
	return tenant, key, l.Posts(ctx, tenant, listedPosts, batch, nil)
}

// numbered waits until the relay has fanned out the posts' events, so that the fan-out does not overlap with the
// measurement.
func numbered(ctx context.Context, l *lab.Lab) error {
	return lab.Until(ctx, limit, "the posts' events are numbered", func(ctx context.Context) (bool, error) {
		open, err := l.Count(ctx, `SELECT count(*) FROM event WHERE seq IS NULL`)
		return open == 0, err
	})
}

func (s *site) close() {
	s.plain.Stop()
	s.api.Stop()
}

// HTTP measures creating drafts, with and without an Idempotency-Key, and listing a page, over HTTP. The ceiling is the
// bare handler. It also compares the last page of the list with the first one.
func HTTP(ctx context.Context, l *lab.Lab) ([]result.Row, error) {
	s, err := openSite(ctx, l)
	if err != nil {
		return nil, err
	}
	defer s.close()
	list, err := s.compare(ctx, result.List, load.Call{Method: http.MethodGet, Want: http.StatusOK})
	if err != nil {
		return nil, err
	}
	body, err := json.Marshal(map[string]any{
		"channelIds": []string{s.tenant.Channels[0].ID.String()}, "content": "What the harbour looks like this morning.",
		"schedule": "draft",
	})
	if err != nil {
		return nil, err
	}
	deep, err := s.deep(ctx)
	if err != nil {
		return nil, err
	}
	create, err := s.compare(ctx, result.Create, load.Call{Method: http.MethodPost, Body: body, Want: http.StatusCreated})
	if err != nil {
		return nil, err
	}
	once, err := s.compare(ctx, result.CreateOnce,
		load.Call{Method: http.MethodPost, Body: body, Want: http.StatusCreated, Once: true})
	return []result.Row{create, once, list, deep}, err
}

// deep compares the last page of the posts with the first one.
func (s *site) deep(ctx context.Context) (result.Row, error) {
	cursor, err := s.walk(ctx, deepPage)
	if err != nil {
		return result.Row{}, err
	}
	first := load.Call{Method: http.MethodGet, URL: s.APIURL + "/v1/posts", Key: s.key, Want: http.StatusOK}
	last := first
	last.URL += "?cursor=" + cursor
	var firsts, lasts []float64
	for range httpRounds {
		f, err := s.round(ctx, result.ListDeep+": page 1", first)
		if err != nil {
			return result.Row{}, err
		}
		l, err := s.round(ctx, result.ListDeep+": page "+strconv.Itoa(deepPage), last)
		if err != nil {
			return result.Row{}, err
		}
		firsts, lasts = append(firsts, f), append(lasts, l)
	}
	return result.Against(result.ListDeep, mean(lasts...), "requests/s", mean(firsts...)), nil
}

// walk follows the cursors to the page and returns the cursor of that page.
func (s *site) walk(ctx context.Context, page int) (cursor string, err error) {
	for range page - 1 {
		var answer struct {
			NextCursor string `json:"nextCursor"`
		}
		address := s.APIURL + "/v1/posts"
		if cursor != "" {
			address += "?cursor=" + cursor
		}
		if err := load.Get(ctx, address, s.key, &answer); err != nil {
			return "", err
		}
		if cursor = answer.NextCursor; cursor == "" {
			return "", errors.New("the list ends before the page")
		}
	}
	return cursor, nil
}

// compare measures the service and the bare handler in turn.
func (s *site) compare(ctx context.Context, name string, call load.Call) (result.Row, error) {
	ours, plain := call, call
	ours.URL, ours.Key = s.APIURL+"/v1/posts", s.key
	plain.URL = "http://" + s.plain.Ops + "/v1/posts"
	return inTurn(ctx, s.Lab, name, s.api, ours, plain)
}

func (s *site) round(ctx context.Context, what string, call load.Call) (float64, error) {
	return round(ctx, s.Lab, what, call)
}

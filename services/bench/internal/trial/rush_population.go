package trial

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"time"

	"golang.org/x/sync/errgroup"

	"fencepost.internal/services/bench/internal/lab"
	"fencepost.internal/services/bench/internal/load"
	"fencepost.internal/services/bench/internal/receiver"
	"fencepost.internal/shared/domain/event"
	"fencepost.internal/shared/kernel/ident"
)

// manner is the behavior of an endpoint.
type manner string

const (
	healthy manner = "healthy"
	slow    manner = "slow"    // responds after 1 to 5 s
	refused manner = "refused" // no process listens
	hanging manner = "hanging" // accepts the request and never responds
	failing manner = "500"
)

// manners returns combinations of three endpoints for the workspaces, used in turn.
func manners() [][]manner {
	return [][]manner{
		{healthy, healthy, healthy},
		{healthy, slow, healthy},
		{healthy, healthy, refused},
		{healthy, slow, hanging},
		{healthy, healthy, failing},
	}
}

// customer is a workspace and its API key.
type customer struct {
	lab.Tenant

	key  string
	dead bool // whether one of its endpoints is dead
}

type rushEndpoint struct {
	name     string
	url      string
	manner   manner
	customer customer
}

// rushPost is a post that the API accepted.
type rushPost struct {
	ID      string `json:"id"`
	Content string `json:"content"`
}

const (
	bulkItems   = 50 // the limit of one request
	bulkCallers = 4
	// The first post is due after this estimate of the time until all posts are accepted and Temporal has their
	// workflows.
	rushLead     = 25 * time.Second
	rushLeadEach = 40 * time.Millisecond
	slowest      = 5 * time.Second
	fastest      = time.Second
)

// populate creates workspaces and endpoints, and posts through the API.
func (r *rush) populate(ctx context.Context) error {
	for i := range rushTenants {
		if err := r.join(ctx, manners()[i%len(manners())]); err != nil {
			return err
		}
	}
	begin := r.Clock.Now()
	r.first = begin.Add(rushLead + time.Duration(r.RushPosts)*rushLeadEach).Truncate(time.Second)
	group, making := errgroup.WithContext(ctx)
	group.SetLimit(bulkCallers)
	items := max(1, min(bulkItems, r.RushPosts/rushTenants))
	pages := make([][]rushPost, (r.RushPosts+items-1)/items)
	for i := range pages {
		group.Go(func() (err error) {
			pages[i], err = r.bulk(making, i, min(items, r.RushPosts-i*items))
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	for _, page := range pages {
		r.accepted = append(r.accepted, page...)
	}
	r.made = r.Clock.Now().Sub(begin)
	if err := r.OutboxEmpty(ctx, limit); err != nil {
		return err
	}
	left := r.first.Sub(r.Clock.Now())
	r.Say("rush: %d posts accepted in %.1f s; the outbox was empty %.1f s before the first is due", len(r.accepted),
		r.made.Seconds(), left.Seconds())
	if left < 0 {
		return errors.New("the posts were due before the outbox was empty; the machine is too busy to measure")
	}
	return nil
}

// join creates a workspace with endpoints for events of published and failed posts.
func (r *rush) join(ctx context.Context, endpoints []manner) error {
	t, err := r.Tenant(ctx, "In the rush")
	if err != nil {
		return err
	}
	c := customer{Tenant: t}
	if c.key, err = r.Key(ctx, t); err != nil {
		return err
	}
	for _, m := range endpoints {
		c.dead = c.dead || m == refused || m == hanging || m == failing
	}
	for _, m := range endpoints {
		e := rushEndpoint{name: fmt.Sprintf("endpoint-%d", len(r.endpoints)), manner: m, customer: c}
		e.url = r.target.URL(e.name)
		if m == refused {
			unused, err := lab.FreeAddress(ctx)
			if err != nil {
				return err
			}
			e.url = "http://" + unused + "/" + e.name
		}
		secret, err := r.Endpoint(ctx, t, e.url, event.PostPublished, event.PostFailed)
		if err != nil {
			return err
		}
		r.target.Serve(e.name, behaviour(m, secret))
		r.endpoints = append(r.endpoints, e)
	}
	r.customers = append(r.customers, c)
	return nil
}

func behaviour(m manner, secret string) receiver.Endpoint {
	e := receiver.Endpoint{Secret: secret}
	switch m {
	case slow:
		e.Delay = func() time.Duration { return fastest + rand.N(slowest-fastest) } //nolint:gosec // G404: not a secret
	case hanging:
		e.Hangs = true
	case failing:
		e.Status = http.StatusInternalServerError
	case healthy, refused:
	}
	return e
}

// bulk creates the posts of the i-th request: all in one workspace, at random times within the minute.
func (r *rush) bulk(ctx context.Context, i, n int) ([]rushPost, error) {
	c := r.customers[i%len(r.customers)]
	items := make([]map[string]any, n)
	for k := range items {
		due := r.first.Add(rand.N(rushWindow)).Truncate(time.Millisecond) //nolint:gosec // G404: not a secret
		items[k] = map[string]any{
			"channelIds": []string{c.Channels[k%len(c.Channels)].ID.String()}, "schedule": due.Format(time.RFC3339Nano),
			"content": fmt.Sprintf("Post %d of request %d: what the harbour looks like this morning. %s", k, i,
				ident.New[ident.Post]()),
		}
	}
	body, err := json.Marshal(map[string]any{"posts": items})
	if err != nil {
		return nil, err
	}
	raw, err := r.balancer.Do(ctx, load.Call{
		Method: http.MethodPost, URL: "/v1/posts/bulk", Key: c.key, Body: body, Want: http.StatusOK,
		Idempotency: ident.New[ident.Post]().String(),
	})
	if err != nil {
		return nil, err
	}
	var results []struct {
		Posts []rushPost `json:"posts"`
		Error string     `json:"error"`
	}
	if err := json.Unmarshal(raw, &results); err != nil {
		return nil, err
	}
	var made []rushPost
	for _, one := range results {
		if len(one.Posts) != 1 {
			return nil, fmt.Errorf("an item was rejected: %s", one.Error)
		}
		made = append(made, one.Posts...)
	}
	return made, nil
}

// urls returns the addresses of the endpoints with one of the manners.
func (r *rush) urls(of ...manner) []string {
	var urls []string
	for _, e := range r.endpoints {
		for _, m := range of {
			if e.manner == m {
				urls = append(urls, e.url)
			}
		}
	}
	return urls
}

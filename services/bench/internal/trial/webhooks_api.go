package trial

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strconv"

	"fencepost.internal/services/bench/internal/bare"
	"fencepost.internal/services/bench/internal/lab"
	"fencepost.internal/services/bench/internal/load"
	"fencepost.internal/services/bench/internal/receiver"
	"fencepost.internal/services/bench/internal/result"
	"fencepost.internal/shared/domain/event"
	"fencepost.internal/shared/domain/webhook"
	"fencepost.internal/shared/kernel/ident"
)

const apiEndpoints = 2 // of each workspace

// WebhooksAPI measures webhook deliveries from end to end: drafts are created over the API, and each has an event for
// every endpoint of its workspace. The clock runs from the first request to the last arrival at the receiver. The
// ceiling is a bare program that reads the requests and posts the deliveries.
func WebhooksAPI(ctx context.Context, l *lab.Lab) ([]result.Row, error) {
	w, closeAll, err := openWebhooksAPI(ctx, l)
	defer closeAll()
	if err != nil {
		return nil, err
	}
	if err := w.startBare(ctx); err != nil {
		return nil, err
	}
	defer w.plain.Stop()
	if _, err := w.ceiling(ctx, w.warmUp()); err != nil {
		return nil, err
	}
	row, err := sandwich(l, result.WebhooksAPI, "deliveries/s",
		func() (float64, error) { return w.ceiling(ctx, w.each) },
		func() (float64, error) { return w.ours(ctx, w.each) })
	return []result.Row{row}, err
}

type webhooksAPI struct {
	*delivering

	api   *lab.Process
	plain *lab.Process
	keys  []string // of the tenants
	each  int      // drafts of each tenant
}

// openWebhooksAPI starts the service and the receiver, creates the workspaces and sends a few deliveries. closeAll closes
// what was opened, also after an error.
func openWebhooksAPI(ctx context.Context, l *lab.Lab) (w *webhooksAPI, closeAll func(), err error) {
	started, closeAll, err := startAll(ctx, l, "worker", "api")
	if err != nil {
		return nil, closeAll, err
	}
	target, err := receiver.New(ctx, l.Clock)
	if err != nil {
		return nil, closeAll, err
	}
	stop := closeAll
	closeAll = func() {
		stop()
		_ = target.Close()
	}
	w = &webhooksAPI{delivering: &delivering{Lab: l, target: target, worker: started[0]}, api: started[1]}
	w.each = max(1, min(deliverEach, l.Backlog/deliverTenants))
	if err := w.prepare(ctx); err != nil {
		return nil, closeAll, err
	}
	_, err = w.ours(ctx, w.warmUp())
	return w, closeAll, err
}

// warmUp returns the number of drafts of each tenant before the measurement.
func (w *webhooksAPI) warmUp() int { return min(deliverWarmUp, w.each) }

// prepare creates the workspaces with their keys and endpoints.
func (w *webhooksAPI) prepare(ctx context.Context) error {
	if err := w.register(ctx, func(int) int { return apiEndpoints }); err != nil {
		return err
	}
	for _, t := range w.tenants {
		key, err := w.Key(ctx, t)
		if err != nil {
			return err
		}
		w.keys = append(w.keys, key)
	}
	return nil
}

// startBare starts the bare program, which sends an event of the service to endpoints of its own.
func (w *webhooksAPI) startBare(ctx context.Context) error {
	_, body, err := w.event(ctx)
	if err != nil {
		return err
	}
	path := filepath.Join(w.Folder, "delivery.json")
	const mode = 0o600
	if err := os.WriteFile(path, body, mode); err != nil {
		return err
	}
	for i := range w.tenants {
		for k := range apiEndpoints {
			w.target.Serve(bare.HookName(strconv.Itoa(i), k), receiver.Endpoint{})
		}
	}
	address, err := lab.FreeAddress(ctx)
	if err != nil {
		return err
	}
	w.plain, err = w.StartSelf(ctx, "bare-hooks", address,
		"bare-hooks", "-address", address, "-receiver", w.target.URL(""), "-endpoints", strconv.Itoa(apiEndpoints),
		"-places", strconv.Itoa(webhook.MaxInFlight), "-file", path)
	return err
}

// event returns an event of the service: the id that receivers see, and the body.
func (w *webhooksAPI) event(ctx context.Context) (id string, body []byte, err error) {
	const query = `SELECT id::text, body FROM event WHERE workspace_id = $1 LIMIT 1`
	if err := w.SQL.QueryRow(ctx, query, w.tenants[0].ID.String()).Scan(&id, &body); err != nil {
		return "", nil, err
	}
	parsed, err := ident.Parse[ident.Event](id)
	return event.ExternalID(parsed), body, err
}

// ours returns the service's rate for a number of drafts of each tenant.
func (w *webhooksAPI) ours(ctx context.Context, each int) (float64, error) {
	calls, err := w.drafts(each)
	if err != nil {
		return 0, err
	}
	if each == w.each {
		defer w.Profile(ctx, "webhooks-api", profileFor, w.worker, w.api)()
	}
	begin := w.Clock.Now()
	rate, err := w.send(ctx, "ours", calls)
	if err != nil {
		return 0, err
	}
	if err := w.settled(ctx); err != nil {
		return 0, err
	}
	return rate, w.verify(ctx, begin)
}

// ceiling returns the bare program's rate for the same requests.
func (w *webhooksAPI) ceiling(ctx context.Context, each int) (float64, error) {
	calls, err := w.drafts(each)
	if err != nil {
		return 0, err
	}
	for i := range calls {
		calls[i].URL, calls[i].Key = "http://"+w.plain.Ops+"/"+strconv.Itoa(i%len(w.tenants)), ""
	}
	return w.send(ctx, "ceiling", calls)
}

// drafts returns requests that create drafts of the tenants in turn.
func (w *webhooksAPI) drafts(each int) ([]load.Call, error) {
	calls := make([]load.Call, 0, each*len(w.tenants))
	for n := range each {
		for i, t := range w.tenants {
			body, err := json.Marshal(map[string]any{
				"channelIds": []string{t.Channels[n%len(t.Channels)].ID.String()},
				"content":    "What the harbour looks like this morning.", "schedule": "draft",
			})
			if err != nil {
				return nil, err
			}
			calls = append(calls, load.Call{
				Method: http.MethodPost, URL: w.APIURL + "/v1/posts", Key: w.keys[i], Body: body, Want: http.StatusCreated,
			})
		}
	}
	return calls, nil
}

// send makes the calls and returns the rate of their deliveries, from the first call to the last arrival.
func (w *webhooksAPI) send(ctx context.Context, side string, calls []load.Call) (float64, error) {
	w.target.Reset()
	want := len(calls) * apiEndpoints
	before, begin := w.CPU(), w.Clock.Now()
	if err := load.All(ctx, calls); err != nil {
		return 0, err
	}
	responded := w.Clock.Now().Sub(begin)
	last, err := w.arrive(ctx, want)
	if err != nil {
		return 0, err
	}
	w.Say("webhooks_api: %s: %d requests in %.1f s, %d deliveries in %.1f s, %s", side, len(calls), responded.Seconds(),
		want, last.Sub(begin).Seconds(), w.PerItem(before, want))
	return perSecond(want, last.Sub(begin)), nil
}

package trial

import (
	"net/http"
	"strconv"
	"time"

	vegeta "github.com/tsenart/vegeta/v12/lib"

	"fencepost.internal/services/bench/internal/lab"
	"fencepost.internal/shared/domain/webhook"
)

const apiEndpoints = 2 // of each workspace

// measureWebhooksAPI measures webhook deliveries from end to end: drafts are created over the API, and each has an event
// for every endpoint of its workspace. The clock runs from the first request to the last arrival at the receiver. The
// ceiling is a program that reads the requests and posts the deliveries.
func measureWebhooksAPI(r *lab.Run) []Row {
	w := newWebhooksAPI(r)
	url := startBaseline(r, Baseline{
		Receiver: w.target.URL(""), Endpoints: apiEndpoints, Places: webhook.MaxInFlight, Delivery: w.event(),
	})
	for i := range w.tenants {
		for k := range apiEndpoints {
			w.target.Serve(hookName(strconv.Itoa(i), k), lab.Endpoint{})
		}
	}
	ceiling := func(each int) float64 {
		requests := w.drafts(each)
		for i := range requests {
			requests[i].URL = url + "/hooks/" + strconv.Itoa(i%len(w.tenants))
		}
		return w.send("ceiling", requests)
	}
	ceiling(deliverWarmUp)
	row := compare(r, "webhooks_api", "deliveries/s",
		func() float64 { return ceiling(w.each) }, func() float64 { return w.service(w.each) })
	return []Row{row.MinValue(500)}
}

type webhooksAPI struct {
	*delivering

	each int // drafts of each tenant
}

// newWebhooksAPI starts the service and the receiver, creates the workspaces and sends a few deliveries.
func newWebhooksAPI(r *lab.Run) *webhooksAPI {
	r.Start("api")
	each := max(1, min(deliverEach, r.Backlog/deliverTenants))
	w := &webhooksAPI{delivering: newDelivering(r, apiEndpoints), each: each}
	w.service(deliverWarmUp)
	return w
}

// event returns the body of an event of the service.
func (w *webhooksAPI) event() []byte {
	return lab.Value[[]byte](w.Run, `SELECT body FROM event WHERE workspace_id = $1 LIMIT 1`, w.tenants[0].ID.String())
}

// service returns the service's rate for a number of drafts of each tenant.
func (w *webhooksAPI) service(each int) float64 {
	requests := w.drafts(each)
	begin := time.Now()
	rate := w.send("service", requests)
	w.verify(begin)
	return rate
}

// drafts returns requests that create drafts of the tenants in turn.
func (w *webhooksAPI) drafts(each int) []vegeta.Target {
	requests := make([]vegeta.Target, 0, each*len(w.tenants))
	for n := range each {
		for _, t := range w.tenants {
			requests = append(requests, newPost(w.Run, t, lab.Content, "draft", n))
		}
	}
	return requests
}

// newPost returns a request that creates a post, or a set of posts, in channels of the tenant, in turn by these numbers.
func newPost(r *lab.Run, t lab.Tenant, content, schedule string, channels ...int) vegeta.Target {
	ids := make([]string, len(channels))
	for i, number := range channels {
		ids[i] = t.Channels[number%len(t.Channels)].ID.String()
	}
	return r.Request(http.MethodPost, r.APIURL+"/v1/posts", t.Key, map[string]any{
		"channelIds": ids, "content": content, "schedule": schedule,
	})
}

// send makes the requests and returns the rate of their deliveries, from the first request to the last arrival.
func (w *webhooksAPI) send(side string, requests []vegeta.Target) float64 {
	w.target.Reset()
	before, begin := w.CPU(), time.Now()
	w.CallAll(requests)
	responded, n := time.Since(begin), len(requests)*apiEndpoints
	elapsed := w.arrived(n).Sub(begin)
	w.Logf("webhooks_api: %s: %d requests in %.1f s, %d deliveries in %.1f s, %s", side, len(requests), responded.Seconds(),
		n, elapsed.Seconds(), w.PerItem(before, n))
	return perSecond(n, elapsed)
}

package result

import (
	"fmt"
	"strings"
)

// Names of the rows with a goal.
const (
	Publish = "publish"
	Deliver = "deliver"
	// WebhookP50 and WebhookP99 are latencies of single events, the Published ones those of publications.
	WebhookP50          = "webhook_p50"
	WebhookP99          = "webhook_p99"
	WebhookPublishedP50 = "webhook_published_p50"
	WebhookPublishedP99 = "webhook_published_p99"

	// DeliverOne is the delivery rate of one endpoint.
	DeliverOne = "deliver_one"

	Create     = "create"
	CreateOnce = "create_once"
	List       = "list"
	ListDeep   = "list_deep"
	Pages      = "pages"
	// PagesApp is the rate of a page of the application, PagesAppP95 the response time of the slowest one.
	PagesApp    = "pages_app"
	PagesAppP95 = "pages_app_p95"
	Tools       = "tools"
	Thumbnails  = "thumbnails"
	Lateness1k  = "lateness_1k"
	Lateness20k = "lateness_20k"
	// LatenessInsights is the lateness of posts while the metrics of many channels are collected.
	LatenessInsights = "lateness_insights"
	// Burst and BurstP50 are latenesses of posts that are due while many others are being scheduled, BurstPosts is the
	// rate of those schedules, and NowInBurst the latency of posts with schedule "now" meanwhile.
	Burst      = "burst"
	BurstP50   = "burst_p50"
	BurstPosts = "burst_posts"
	NowInBurst = "now_in_burst"
	// Relays is the rate of five relays that drain a backlog, and Relays2 that of two.
	Relays  = "relays"
	Relays2 = "relays_2"
	// Neighbour is the lateness of a workspace's posts beside many of another one, and NeighbourMany that of the others.
	Neighbour     = "neighbour"
	NeighbourMany = "neighbour_many"
	// WebhooksAPI is the delivery rate of the events of drafts that are created over the API.
	WebhooksAPI = "webhooks_api"
	// WebhooksOutpost is the same rate beside that of Outpost, which takes the place of the ceiling, and
	// WebhooksOutpostIdle that after a pause.
	WebhooksOutpost     = "webhooks_outpost"
	WebhooksOutpostIdle = "webhooks_outpost_idle"
	// ImportMemory is the growth of the worker's memory while it imports 1 GiB.
	ImportMemory = "import_memory"
	// DiskWithin and DiskBeyond are the disk space of a sleeping post within and beyond the horizon, DiskService,
	// DiskTemporal and DiskVisibility the parts of the former.
	DiskWithin     = "disk_within"
	DiskBeyond     = "disk_beyond"
	DiskService    = "disk_service"
	DiskTemporal   = "disk_temporal"
	DiskVisibility = "disk_visibility"

	// SerialEvents is the rate of events of one workspace, and SerialQueue that of posts queued in one channel.
	SerialEvents = "serial_events"
	SerialQueue  = "serial_queue"

	RSSTotal  = "rss_total"
	RSSPrefix = "rss_"
)

// goal holds the limits for a row. A zero field is no limit.
type goal struct {
	minRatio, maxRatio, minValue, maxValue float64
}

func goalOf(name string) (goal, bool) {
	switch name {
	case Publish, Deliver, Pages:
		return goal{minRatio: 0.8}, true
	case WebhookP50, WebhookPublishedP50:
		return goal{maxValue: 100, maxRatio: 3}, true
	case WebhookP99, WebhookPublishedP99:
		return goal{maxValue: 250, maxRatio: 3}, true
	case Create, List, Tools:
		return goal{minRatio: 0.5}, true
	case PagesApp:
		return goal{minRatio: 0.3}, true
	case PagesAppP95:
		return goal{maxValue: 50}, true
	case CreateOnce:
		return goal{minRatio: 0.25}, true
	case DiskWithin:
		return goal{maxValue: 10}, true
	case DiskBeyond:
		return goal{maxValue: 3}, true
	case ListDeep: // at most 1.2 times as slow as the first page
		return goal{minRatio: 0.83}, true
	case Lateness1k:
		return goal{maxValue: 1}, true
	case Lateness20k, LatenessInsights:
		return goal{maxValue: 1, maxRatio: 1.2}, true
	case Burst, NowInBurst:
		return goal{maxValue: 2}, true
	case Neighbour:
		return goal{maxValue: 1}, true
	case Relays: // more relays are not slower
		return goal{minValue: 200, minRatio: 0.95}, true
	case Relays2:
		return goal{minValue: 200}, true
	case WebhooksAPI:
		return goal{minValue: 500}, true
	case WebhooksOutpost, WebhooksOutpostIdle: // at least as fast
		return goal{minRatio: 1}, true
	case Thumbnails:
		return goal{minRatio: 0.7}, true
	case ImportMemory:
		return goal{maxValue: 64}, true
	case RSSTotal:
		return goal{maxValue: 250}, true
	default:
		return goal{}, false
	}
}

// Goal returns the row's goal in words and whether the row meets it. Both are empty for a row without a goal.
func (r Row) Goal() (text, verdict string) {
	g, has := goalOf(r.Name)
	if !has {
		return "", ""
	}
	var parts []string
	met := true
	for _, limit := range []struct {
		value  float64
		text   string
		passes bool
	}{
		{g.minValue, fmt.Sprintf("≥ %g %s", g.minValue, r.Unit), r.Value >= g.minValue},
		{g.maxValue, fmt.Sprintf("≤ %g %s", g.maxValue, r.Unit), r.Value <= g.maxValue},
		{g.minRatio, fmt.Sprintf("ratio ≥ %g", g.minRatio), r.Ratio != nil && *r.Ratio >= g.minRatio},
		{g.maxRatio, fmt.Sprintf("ratio ≤ %g", g.maxRatio), r.Ratio != nil && *r.Ratio <= g.maxRatio},
	} {
		if limit.value > 0 {
			parts, met = append(parts, limit.text), met && limit.passes
		}
	}
	text = strings.Join(parts, ", ")
	if met {
		return text, "met"
	}
	return text, "missed"
}

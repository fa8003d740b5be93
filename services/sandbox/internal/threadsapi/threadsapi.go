// Package threadsapi is the sandbox's Threads API: containers and the posts made from them.
package threadsapi

import (
	"net/http"

	"fencepost.internal/services/sandbox/internal/fault"
	"fencepost.internal/services/sandbox/internal/metaapi"
	"fencepost.internal/services/sandbox/internal/stage"
	"fencepost.internal/shared/domain/channel"
)

const network = string(channel.NetworkThreads)

// Prefix is the prefix of container ids.
const Prefix = "179"

// API serves Threads' calls.
type API struct {
	metaapi.Door

	containers *metaapi.Containers
}

// register adds the calls under /threads.
func register(mux *http.ServeMux, s *stage.Stage, containers *metaapi.Containers) {
	const limited = 4
	door := metaapi.Door{
		Stage: s, Network: channel.NetworkThreads, ErrorType: "THApiException", LimitCode: limited, Grant: "th_refresh_token",
		Denied: 10, Posts: quotaTotal,
	}
	a := &API{Door: door, containers: containers}
	mux.HandleFunc("POST /threads/{version}/{user}/threads", a.As(fault.StepCreate, publishing(), a.create))
	mux.HandleFunc("POST /threads/{version}/{user}/threads_publish", a.As(fault.StepCommit, publishing(), a.publish))
	mux.HandleFunc("GET /threads/{version}/{user}/threads",
		a.As(fault.StepStatus, reading(), a.Fields(mediaNode(), a.list)))
	mux.HandleFunc("GET /threads/{version}/{user}/threads_publishing_limit",
		a.As(fault.StepStatus, publishing(), a.Fields(metaapi.LimitNode("ThreadsPublishingLimit"), a.Quota)))
	mux.HandleFunc("GET /threads/{version}/{user}/threads_insights",
		a.As(fault.StepStatus, measuring(), a.Fields(metaapi.InsightsNode().Plus("link_total_values"), a.accountInsights)))
	mux.HandleFunc("GET /threads/{version}/{id}/insights",
		a.As(fault.StepStatus, measuring(), a.Fields(metaapi.InsightsNode(), a.postInsights)))
	mux.HandleFunc("GET /threads/{version}/{id}", a.As(fault.StepStatus, reading(), a.read))
	mux.HandleFunc("DELETE /threads/{version}/{id}", a.As(fault.StepOther, deleting(), a.remove))
	mux.HandleFunc("GET /threads/refresh_access_token", a.Refresh)
	a.Consents(mux, "/threads", "th_exchange_token", scopeBasic, scopePublish, scopeInsights, scopeDelete)
	mux.HandleFunc("/threads/", a.Unknown)
}

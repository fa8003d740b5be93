package developers

import (
	"net/url"
	"slices"
	"strings"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/services/internal/problem"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// maxRequestID is the maximum length of a request ID.
const maxRequestID = 128

// outcome is a choice of the filter by status.
type outcome struct {
	Value, Title string
	from, to     int
}

func outcomes() []outcome {
	return []outcome{
		{Title: "All responses"},
		{"ok", "Successful", 200, 399},
		{"failed", "Failed", 400, 599},
		{"client", "Refused (4xx)", 400, 499},
		{"server", "Server errors (5xx)", 500, 599},
	}
}

// requestItem is a request in the list.
type requestItem struct {
	credential.Request

	From    app.Requester
	Tone    string
	Millis  int64
	Help    string // address of the page of the problem; empty: none
	Details string // address of the page of the operation; empty: none
}

// requestsPage is the data of the log of requests.
type requestsPage struct {
	Requests   []requestItem
	From       []app.Requester
	Outcomes   []outcome
	Credential string
	Outcome    string
	RequestID  string
	Filtered   bool
	Next       string
	First      string
}

// requests shows the requests of the last 30 days of all API keys and programs, or of one, newest first.
func (d *developers) requests(v *frame.Visit) error {
	page := requestsPage{Outcomes: outcomes(), RequestID: strings.TrimSpace(v.Query("request"))}
	if len(page.RequestID) > maxRequestID {
		page.RequestID = page.RequestID[:maxRequestID]
	}
	page.RequestID = strings.ToValidUTF8(strings.ReplaceAll(page.RequestID, "\x00", ""), "")
	filter := postgres.RequestFilter{RequestID: page.RequestID, Limit: perPage + 1}
	query := url.Values{}
	if text := v.Query("credential"); text != "" {
		id, err := ident.Parse[ident.Credential](text)
		if err != nil {
			return apperr.New(apperr.NotFound, "There is no such API key or program.")
		}
		page.Credential, filter.Credential = id.String(), id
		query.Set("credential", page.Credential)
	}
	for _, one := range page.Outcomes {
		if one.Value != "" && one.Value == v.Query("status") {
			page.Outcome, filter.From, filter.To = one.Value, one.from, one.to
			query.Set("status", one.Value)
		}
	}
	if page.RequestID != "" {
		query.Set("request", page.RequestID)
	}
	page.Filtered = len(query) > 0
	if before, err := ident.Parse[ident.Request](v.Query("before")); err == nil {
		filter.Before = before
		page.First = v.Path("/developers/requests") + "?" + query.Encode()
	}
	found, known, err := d.app.Requests(v.Request.Context(), v.Principal, filter)
	if err != nil {
		return err
	}
	if len(found) > perPage {
		found = found[:perPage]
		query.Set("before", found[perPage-1].ID.String())
		page.Next = v.Path("/developers/requests") + "?" + query.Encode()
	}
	page.From = known
	for _, r := range found {
		page.Requests = append(page.Requests, d.requestItem(r, known))
	}
	return v.Page(frame.Page{Name: "developers/requests", Title: "Requests", Tabs: tabs("Requests"), Data: page})
}

func (d *developers) requestItem(r credential.Request, known []app.Requester) requestItem {
	const failed, broken = 400, 500
	item := requestItem{Request: r, Tone: "good", Millis: r.Duration.Milliseconds()}
	switch {
	case r.Status >= broken:
		item.Tone = "bad"
	case r.Status >= failed:
		item.Tone = "warn"
	}
	if at := slices.IndexFunc(known, func(k app.Requester) bool { return k.ID == r.Credential }); at >= 0 {
		item.From = known[at]
	}
	if r.Code != "" {
		item.Help = d.baseURL + problem.Path + problem.KindOf(apperr.Code(r.Code)).Slug()
	}
	if strings.HasPrefix(r.Path, "/v1/") {
		item.Details = d.baseURL + "/docs/reference/" + r.Operation
	}
	return item
}

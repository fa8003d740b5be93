// Package googlebusinessapi is the sandbox's Google Business Profile API: the text posts of a location, and Google's
// tokens.
//
// A location is named accounts/{account}/locations/{location}. Its token is that of the last part, for any account. Unlike
// Google's other APIs, this one does not accept "-" for any account.
package googlebusinessapi

import (
	"cmp"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"fencepost.internal/services/sandbox/internal/figures"
	"fencepost.internal/services/sandbox/internal/ledger"
	"fencepost.internal/services/sandbox/internal/stage"
	"fencepost.internal/shared/domain/analytics"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/media"
)

const (
	network     = string(channel.NetworkGoogleBusiness)
	scopeManage = "https://www.googleapis.com/auth/business.manage"

	stateProcessing = "PROCESSING"
	stateLive       = "LIVE"
	stateRejected   = "REJECTED"
	// detailTopic is the detail with the topic of a post.
	detailTopic = "topicType"
)

// Network declares Google Business Profiles.
func Network() stage.Network {
	return stage.Network{
		ID: channel.NetworkGoogleBusiness, Tokens: stage.GoogleTokens(scopeManage), Reviews: stage.ReviewEnds(),
		Limits: []stage.Limit{
			{Calls: 300, Window: time.Minute, Shared: true}, {Step: stage.StepCommit, Calls: 10, Window: time.Minute},
		},
		Mount: stage.Stateless(mount),
	}
}

// api serves Google's calls.
type api struct {
	*stage.Service

	board stage.Board
}

func mount(mux *http.ServeMux, s *stage.Stage) {
	unavailable := refuse(http.StatusServiceUnavailable, "UNAVAILABLE", "The service is currently unavailable.")
	a := &api{Service: &stage.Service{
		Stage: s, Network: channel.NetworkGoogleBusiness, Prefix: "/googlebusiness", Account: named, Check: check,
		Broken:  unavailable,
		Missing: refuse(http.StatusNotFound, "NOT_FOUND", "The sandbox does not have this call."),
		Words: stage.Words{
			Rejected: invalid("summary", "The text is not accepted"), Unavailable: unavailable,
			Unauthorized: refuse(http.StatusUnauthorized, "UNAUTHENTICATED",
				"Request had invalid authentication credentials. Expected OAuth 2 access token."),
			Scope: refuse(http.StatusForbidden, "PERMISSION_DENIED", "Request had insufficient authentication scopes.",
				stage.Object{
					"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "ACCESS_TOKEN_SCOPE_INSUFFICIENT",
					"domain": "googleapis.com", "metadata": map[string]string{"service": "mybusiness.googleapis.com"},
				}),
			Wait: func(_ stage.Response, seconds int) stage.Response {
				return refuse(http.StatusTooManyRequests, "RESOURCE_EXHAUSTED",
					"Quota exceeded for quota metric 'Requests' and limit 'Requests per minute'.",
					stage.Object{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": fmt.Sprintf("%ds", seconds)})
			},
		},
	}}
	const posts = " /v4/accounts/{account}/locations/{location}/localPosts"
	calls := append(a.reviewCalls(), []stage.Route{
		{Pattern: "POST" + posts, Step: stage.StepCommit, Scopes: scopeManage, Serve: a.create},
		{Pattern: "GET" + posts, Step: stage.StepStatus, Scopes: scopeManage, Serve: a.list},
		{Pattern: "GET" + posts + "/{id}", Step: stage.StepStatus, Scopes: scopeManage, Serve: a.one},
		{Pattern: "DELETE" + posts + "/{id}", Step: stage.StepOther, Scopes: scopeManage, Serve: a.remove},
	}...)
	for _, call := range calls {
		mux.HandleFunc(strings.NewReplacer("{account}", "-", " ", " /googlebusiness").Replace(call.Pattern), noPage)
	}
	a.Handle(mux, append(calls, []stage.Route{
		{Pattern: "GET /performance/v1/locations/{call}", Step: stage.StepStatus, Scopes: scopeManage, Serve: a.performance},
		{Pattern: "GET /v1/accounts", Scopes: scopeManage, Serve: accounts},
		{Pattern: "GET /v1/accounts/{account}/locations", Scopes: scopeManage, Serve: locations},
	}...))
	s.AuthorizationServer(mux, stage.Google(channel.NetworkGoogleBusiness, "/googlebusiness", "the locations"))
}

// named returns the full name of the location that a call is about, which is that of its account in the ledger. The calls
// about metrics do not name the account: it is the one of all locations that the sandbox's accounts are seeded with.
func named(r stage.Request) string {
	location := r.PathValue("location")
	switch {
	case r.PathValue("call") != "":
		return "accounts/1/locations/" + r.Grant.Account
	case location != "" && stage.Owns(r.Grant.Account, location):
		return "accounts/" + r.PathValue("account") + "/locations/" + location
	default:
		return r.Grant.Account
	}
}

// check checks that the token is that of the location.
func check(r stage.Request) (stage.Request, stage.Rule[stage.Response]) {
	location := r.PathValue("location")
	return r, stage.If(location != "" && !stage.Owns(r.Grant.Account, location), denied())
}

// noPage writes Google's response to a path that it does not route to the API: a page, not an error in JSON.
func noPage(w http.ResponseWriter, r *http.Request) {
	stage.Refuse(http.StatusNotFound, fmt.Appendf(nil, "<!DOCTYPE html>\n<html lang=en>\n"+
		"<title>Error 404 (Not Found)!!1</title>\n<p><b>404.</b> <ins>That’s an error.</ins>\n"+
		"<p>The requested URL <code>%s</code> was not found on this server. <ins>That’s all we know.</ins>\n",
		html.EscapeString(r.URL.Path))).With("Content-Type", "text/html; charset=UTF-8").Write(w)
}

func denied() stage.Response {
	return refuse(http.StatusForbidden, "PERMISSION_DENIED", "The caller does not have permission")
}

func missing() stage.Response {
	return refuse(http.StatusNotFound, "NOT_FOUND", "Requested entity was not found.")
}

// invalid returns a validation error that names the invalid field.
func invalid(field, message string) stage.Response {
	return refuse(http.StatusBadRequest, "INVALID_ARGUMENT", "Request contains an invalid argument.", stage.Object{
		"@type":        "type.googleapis.com/google.mybusiness.v4.ValidationError",
		"errorDetails": []stage.Object{{"code": 3, "field": field, "message": message}},
	})
}

// refuse returns Google's error shape.
func refuse(code int, status, message string, details ...stage.Object) stage.Response {
	body := stage.Object{"code": code, "message": message, "status": status}
	if len(details) > 0 {
		body["details"] = details
	}
	return stage.Refuse(code, stage.Object{"error": body})
}

// accounts lists the person's accounts: a personal one and that of a group, each on a page of its own.
func accounts(r stage.Request) stage.Response {
	if r.Values.Get("pageToken") == "" {
		return stage.OK(stage.Object{
			"accounts":      []stage.Object{{"name": "accounts/1", "accountName": "Personal", "type": "PERSONAL"}},
			"nextPageToken": "2",
		})
	}
	return stage.OK(stage.Object{
		"accounts": []stage.Object{{"name": "accounts/2", "accountName": "Group", "type": "LOCATION_GROUP"}},
	})
}

// locations lists the locations of an account of the person: one of the person's own name, NAME-harbor in the group, and
// NAME-kiosk, which Google has not verified.
func locations(r stage.Request) stage.Response {
	if r.Values.Get("readMask") == "" {
		return refuse(http.StatusBadRequest, "INVALID_ARGUMENT", "Request contains an invalid argument.")
	}
	location := func(suffix, locality string, verified bool) stage.Object {
		return stage.Object{
			"name": "locations/" + r.Grant.Account + suffix, "title": r.Grant.Account + suffix,
			"storefrontAddress": stage.Object{"locality": locality, "addressLines": []string{"1 Main Street"}},
			"metadata":          stage.Object{"hasVoiceOfMerchant": verified},
		}
	}
	found := []stage.Object{location("", "Lund", true), location("-kiosk", "Lund", false)}
	if r.PathValue("account") == "2" {
		found = []stage.Object{location("-harbor", "Malmö", true)}
	}
	return stage.OK(stage.Object{"locations": found})
}

// phoneNumber matches only unambiguous phone numbers. Google forbids all phone numbers.
var phoneNumber = regexp.MustCompile(`\+[1-9][0-9]{0,2}[ -][0-9][0-9 -]{6,}[0-9]`)

// create publishes a post. A post that breaks Google's policy is accepted too, but gets the state REJECTED and is never
// shown.
func (a *api) create(r stage.Request) stage.Response {
	var requested localPost
	if err := stage.Strict(r.Body, &requested); err != nil {
		return refuse(http.StatusBadRequest, "INVALID_ARGUMENT", "Invalid JSON payload received. "+err.Error())
	}
	if wrong := requested.check(); wrong.field != "" {
		return invalid(wrong.field, wrong.message)
	}
	if len(requested.Media) > 0 && requested.Media[0].MediaFormat == formatVideo {
		return refuse(http.StatusInternalServerError, "INTERNAL", "Internal error encountered.")
	}
	draft := a.Draft(r)
	draft.Author, draft.Text, draft.Details = r.PathValue("location"), requested.Summary, requested.details()
	photo := true
	if len(requested.Media) > 0 {
		draft.Media, photo = a.fetch(r, requested.Media[0].SourceURL)
	}
	if !photo || phoneNumber.MatchString(requested.Summary) {
		now := a.Stage.Clock.Now()
		shown := a.present(r, ledger.Post{
			ID: strconv.FormatInt(ledger.IDAt("190", now), 10), Text: draft.Text, CreatedAt: now, Details: draft.Details,
		})
		shown["state"] = stateRejected
		delete(shown, "searchUrl")
		return stage.OK(shown)
	}
	return a.Publish(draft, func(post ledger.Post) stage.Response { return stage.OK(a.present(r, post)) })
}

// fetch fetches the photo of a post. It returns false if there is none at the address, or a wrong one. Google does so
// while it reviews the post, and rejects it later.
func (a *api) fetch(r stage.Request, address string) ([]ledger.Media, bool) {
	const smallest, largest = 10 << 10, 5 << 20
	item, err := a.Stage.Media.Fetch(r.Context(), address, largest)
	picture := item.ContentType == media.ContentTypeJPEG || item.ContentType == media.ContentTypePNG
	return []ledger.Media{item.Media("1", "")}, err == nil && item.Size >= smallest && picture
}

// present returns a post in Google's JSON. It is in review for two seconds, unless a review was set.
func (a *api) present(r stage.Request, post ledger.Post) stage.Object {
	state := stateLive
	if a.Stage.Clock.Now().Before(post.CreatedAt.Add(2 * time.Second)) {
		state = stateProcessing
	}
	if end, set := a.Stage.Reviewed(network, r.Account, post.CreatedAt); set {
		state = map[stage.ReviewEnd]string{
			stage.ReviewNever: stateProcessing, stage.ReviewShown: stateLive, stage.ReviewRefused: stateRejected,
		}[end]
	}
	at := post.CreatedAt.UTC().Format("2006-01-02T15:04:05.000Z")
	shown := stage.Object{
		"name": r.Account + "/localPosts/" + post.ID, "languageCode": "en", "summary": strings.TrimSpace(post.Text),
		"topicType": cmp.Or(post.Details[detailTopic], topicStandard), "state": state, "createTime": at, "updateTime": at,
		"searchUrl": a.Stage.Base(r.Request) + stage.Page(post),
	}
	for name, text := range post.Details {
		if name != detailTopic {
			shown[name] = json.RawMessage(text)
		}
	}
	if len(post.Media) > 0 {
		shown["media"] = []map[string]string{{
			"name": r.Account + "/media/localPosts/" + post.Media[0].ID, "mediaFormat": "PHOTO",
			"googleUrl": a.Stage.Base(r.Request) + stage.MediaPath(post.Media[0].SHA256),
		}}
	}
	return shown
}

// list returns one page of the location's posts, newest first. Google's APIs omit empty members.
func (a *api) list(r stage.Request) stage.Response {
	size, sizeOK := r.Int("pageSize", 20, 1, 100)
	before, err := strconv.ParseUint("0"+r.Values.Get("pageToken"), 10, 64)
	rule := stage.If(!sizeOK, invalid("page_size", "Must be from 1 to 100")).
		Or(err != nil, invalid("page_token", "Is not a token of this list"))
	if rule.Broken {
		return rule.Fault
	}
	posts, next := a.Stage.Page(ledger.Filter{Platform: network, Account: r.Account, Before: before}, size)
	body := stage.Object{}
	if next != "" {
		body["nextPageToken"] = next
	}
	if len(posts) > 0 {
		body["localPosts"] = stage.Each(posts, func(post ledger.Post) stage.Object { return a.present(r, post) })
	}
	return stage.OK(body)
}

func (a *api) one(r stage.Request) stage.Response {
	return a.Show(r, r.PathValue("id"), missing(), func(post ledger.Post) stage.Object { return a.present(r, post) })
}

func (a *api) remove(r stage.Request) stage.Response {
	return a.Delete(r, r.PathValue("id"), missing(), stage.OK(stage.Object{}))
}

// metric returns the value of one of Google's metrics of a day. It returns false for another name.
func metric(name string, d figures.Day) (int64, bool) {
	const impressions = "BUSINESS_IMPRESSIONS_"
	value, ok := map[string]int64{
		impressions + "DESKTOP_MAPS": d.Impressions / 10, impressions + "DESKTOP_SEARCH": d.Impressions / 5,
		impressions + "MOBILE_MAPS":   d.Impressions / 5,
		impressions + "MOBILE_SEARCH": d.Impressions - d.Impressions/10 - 2*(d.Impressions/5),
		"CALL_CLICKS":                 d.Clicks, "BUSINESS_DIRECTION_REQUESTS": d.Likes, "BUSINESS_CONVERSATIONS": d.Comments,
		"BUSINESS_BOOKINGS": d.Shares, "BUSINESS_FOOD_ORDERS": 0, "BUSINESS_FOOD_MENU_CLICKS": 0,
		"WEBSITE_CLICKS": d.WebsiteClicks,
	}[name]
	return value, ok
}

// performance returns the location's metrics per day, as text. Google reports a day three days later, and its APIs omit
// values of zero.
func (a *api) performance(r stage.Request) stage.Response {
	location, method, _ := strings.Cut(r.PathValue("call"), ":")
	since, sinceOK := dateOf(r, "startDate")
	until, untilOK := dateOf(r, "endDate")
	rule := stage.If(method != "fetchMultiDailyMetricsTimeSeries", a.Missing).
		Or(location != r.Grant.Account, denied()).
		Or(!sinceOK || !untilOK || until.Before(since), invalid("daily_range", "Must be a range of dates"))
	if newest := a.Stage.Today().Add(-3); until.After(newest) {
		until = newest
	}
	all := []stage.Object{}
	for _, name := range r.Values["dailyMetrics"] {
		_, known := metric(name, figures.Day{})
		rule = rule.Or(!known, invalid("daily_metrics", "Is not a metric"))
		values := []stage.Object{}
		for date, day := range figures.Of(network, r.Grant.Account).Days(since, until, a.Stage.Clock.Now()) {
			one := stage.Object{"date": map[string]int{"year": date.Year, "month": int(date.Month), "day": date.Day}}
			if value, _ := metric(name, day); value > 0 {
				one["value"] = strconv.FormatInt(value, 10)
			}
			values = append(values, one)
		}
		all = append(all, stage.Object{"dailyMetric": name, "timeSeries": stage.Object{"datedValues": values}})
	}
	series := []stage.Object{{"dailyMetricTimeSeries": all}}
	return rule.Else(stage.OK(stage.Object{"multiDailyMetricTimeSeries": series}))
}

func dateOf(r stage.Request, name string) (analytics.Date, bool) {
	part := func(of string) int {
		number, _ := strconv.Atoi(r.Values.Get("dailyRange." + name + "." + of)) // on error zero, which is no valid date
		return number
	}
	date := analytics.Date{Year: part("year"), Month: time.Month(part("month")), Day: part("day")}
	return date, date.Year > 2000 && date.Add(0) == date
}

package googlebusinessapi

import (
	"bytes"
	"encoding/json"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"socialpub.internal/services/sandbox/internal/count"
	"socialpub.internal/services/sandbox/internal/ledger"
	"socialpub.internal/services/sandbox/internal/stage"
)

const (
	textLimit = 1500
	// moderation is the time that a post is in review before it is shown.
	moderation = 2 * time.Second
)

// The states of a post.
const (
	stateProcessing = "PROCESSING"
	stateLive       = "LIVE"
	stateRejected   = "REJECTED"
)

// wanted is the request body of create with every member of a local post. The sandbox accepts only those of a text
// post.
type wanted struct {
	LanguageCode   string          `json:"languageCode"`
	Summary        string          `json:"summary"`
	TopicType      string          `json:"topicType"`
	AlertType      json.RawMessage `json:"alertType"`
	CallToAction   json.RawMessage `json:"callToAction"`
	Event          json.RawMessage `json:"event"`
	Media          json.RawMessage `json:"media"`
	Offer          json.RawMessage `json:"offer"`
	RecurrenceInfo json.RawMessage `json:"recurrenceInfo"`
	ScheduledTime  json.RawMessage `json:"scheduledTime"`
}

// check returns the first invalid member. The field is empty if all are valid.
func (d wanted) check() (field, message string) {
	for name, raw := range map[string]json.RawMessage{
		"alertType": d.AlertType, "callToAction": d.CallToAction, "event": d.Event, "media": d.Media, "offer": d.Offer,
		"recurrenceInfo": d.RecurrenceInfo, "scheduledTime": d.ScheduledTime,
	} {
		if raw != nil {
			return name, "The sandbox accepts only text"
		}
	}
	switch {
	case d.TopicType != "STANDARD":
		return "topicType", "The sandbox accepts only posts of the type STANDARD"
	case strings.TrimSpace(d.Summary) == "":
		return "summary", "Must not be empty"
	case count.Characters(d.Summary) > textLimit:
		return "summary", "Must be at most 1500 characters"
	default:
		return "", ""
	}
}

// phoneNumber matches only unambiguous phone numbers. Google forbids all phone numbers.
var phoneNumber = regexp.MustCompile(`\+[1-9][0-9]{0,2}[ -][0-9][0-9 -]{6,}[0-9]`)

// create publishes a post. A post that breaks Google's policy is accepted too, but gets the state REJECTED and is never
// shown.
func (a *API) create(w http.ResponseWriter, r request) {
	var draft wanted
	decoder := json.NewDecoder(bytes.NewReader(r.body))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&draft); err != nil {
		apiError(w, http.StatusBadRequest, "INVALID_ARGUMENT", "Invalid JSON payload received. "+err.Error())
		return
	}
	if field, message := draft.check(); field != "" {
		invalid(w, field, message)
		return
	}
	if phoneNumber.MatchString(draft.Summary) {
		now := a.stage.Clock.Now()
		hidden := ledger.Post{ID: strconv.FormatInt(ledger.IDAt("190", now), 10), Text: draft.Summary, CreatedAt: now}
		shown := a.present(r, hidden)
		shown["state"] = stateRejected
		delete(shown, "searchUrl")
		r.answer(w, shown)
		return
	}
	post, err := a.stage.Ledger.Publish(ledger.Draft{
		Platform: network, Account: r.account, Author: r.PathValue("location"), Text: draft.Summary,
		RequestID: stage.RequestID(r.Request),
	})
	if err != nil {
		dialect{}.Unavailable(w)
		return
	}
	r.answer(w, a.present(r, post))
}

// present returns a post in Google's JSON.
func (a *API) present(r request, post ledger.Post) map[string]any {
	state := stateLive
	if a.stage.Clock.Now().Before(post.CreatedAt.Add(moderation)) {
		state = stateProcessing
	}
	at := post.CreatedAt.UTC().Format("2006-01-02T15:04:05.000Z")
	return map[string]any{
		"name": r.place + "/localPosts/" + post.ID, "languageCode": "en", "summary": strings.TrimSpace(post.Text),
		"topicType": "STANDARD", "state": state, "createTime": at, "updateTime": at,
		"searchUrl": a.stage.Base(r.Request) + stage.Page(post),
	}
}

// list returns one page of the location's posts, newest first. Google's APIs omit empty members.
func (a *API) list(w http.ResponseWriter, r request) {
	const usual, most = 20, 100
	query, size := r.URL.Query(), usual
	filter := ledger.Filter{Platform: network, Account: r.account}
	if text := query.Get("pageSize"); text != "" {
		number, err := strconv.Atoi(text)
		if size = number; err != nil || size < 1 || size > most {
			invalid(w, "page_size", "Must be from 1 to 100")
			return
		}
	}
	if page := query.Get("pageToken"); page != "" {
		var err error
		if filter.Before, err = strconv.ParseUint(page, 10, 64); err != nil {
			invalid(w, "page_token", "Is not a token of this list")
			return
		}
	}
	filter.Limit = size + 1
	posts := a.stage.Ledger.List(filter)
	answer := map[string]any{}
	if len(posts) > size {
		posts = posts[:size]
		answer["nextPageToken"] = strconv.FormatUint(posts[size-1].Seq, 10)
	}
	shown := make([]map[string]any, 0, len(posts))
	for _, post := range posts {
		shown = append(shown, a.present(r, post))
	}
	if len(shown) > 0 {
		answer["localPosts"] = shown
	}
	r.answer(w, answer)
}

func (a *API) one(w http.ResponseWriter, r request) {
	post, ok := a.stage.Ledger.Get(network, r.PathValue("id"))
	if !ok || post.Account != r.account {
		missing(w)
		return
	}
	r.answer(w, a.present(r, post))
}

func (a *API) remove(w http.ResponseWriter, r request) {
	id := r.PathValue("id")
	post, ok := a.stage.Ledger.Get(network, id)
	if !ok || post.Account != r.account {
		missing(w)
		return
	}
	if _, err := a.stage.Ledger.Delete(network, id); err != nil {
		dialect{}.Unavailable(w)
		return
	}
	r.answer(w, map[string]any{})
}

package googlebusinessapi

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"time"

	"fencepost.internal/services/sandbox/internal/count"
)

// The topics of a post.
const (
	topicStandard = "STANDARD"
	topicEvent    = "EVENT"
	topicOffer    = "OFFER"
)

// Limits of a post.
const (
	textLimit  = 1500
	titleLimit = 58
)

// wanted is the request body of create with every member of a local post.
type wanted struct {
	LanguageCode   string          `json:"languageCode"`
	Summary        string          `json:"summary"`
	TopicType      string          `json:"topicType"`
	AlertType      json.RawMessage `json:"alertType"`
	CallToAction   *action         `json:"callToAction"`
	Event          *event          `json:"event"`
	Media          []photo         `json:"media"`
	Offer          *offer          `json:"offer"`
	RecurrenceInfo json.RawMessage `json:"recurrenceInfo"`
	ScheduledTime  json.RawMessage `json:"scheduledTime"`
}

type action struct {
	ActionType string `json:"actionType"`
	URL        string `json:"url,omitempty"`
}

type event struct {
	Title    string   `json:"title"`
	Schedule schedule `json:"schedule"`
}

type schedule struct {
	StartDate *date  `json:"startDate"`
	StartTime *clock `json:"startTime"`
	EndDate   *date  `json:"endDate"`
	EndTime   *clock `json:"endTime"`
}

type date struct {
	Year  int `json:"year"`
	Month int `json:"month"`
	Day   int `json:"day"`
}

type clock struct {
	Hours   int `json:"hours"`
	Minutes int `json:"minutes"`
}

type photo struct {
	MediaFormat string `json:"mediaFormat"`
	SourceURL   string `json:"sourceUrl"`
}

type offer struct {
	CouponCode      string `json:"couponCode"`
	RedeemOnlineURL string `json:"redeemOnlineUrl"`
	TermsConditions string `json:"termsConditions"`
}

// check returns the first invalid member. The field is empty if all are valid.
func (d wanted) check() (field, message string) {
	for name, raw := range map[string]json.RawMessage{
		"alertType": d.AlertType, "recurrenceInfo": d.RecurrenceInfo, "scheduledTime": d.ScheduledTime,
	} {
		if raw != nil {
			return name, "The sandbox does not show it"
		}
	}
	for _, check := range []func() (string, string){d.checkText, d.checkEvent, d.checkAction, d.checkMedia} {
		if field, message := check(); field != "" {
			return field, message
		}
	}
	return "", ""
}

func (d wanted) checkText() (field, message string) {
	switch {
	case !slices.Contains([]string{topicStandard, topicEvent, topicOffer}, d.TopicType):
		return "topicType", "Topic type is required"
	case strings.TrimSpace(d.Summary) == "" && len(d.Media) == 0:
		return "summary", "Must not be empty"
	case count.Characters(d.Summary) > textLimit:
		return "summary", "Must be at most 1500 characters"
	default:
		return "", ""
	}
}

func (d wanted) checkEvent() (field, message string) {
	timed := d.TopicType != topicStandard
	switch {
	case timed && d.Event == nil:
		return "event", "Event is required"
	case !timed && d.Event != nil:
		return "event", "Event is not allowed for this topic type"
	case d.Offer != nil && d.TopicType != topicOffer:
		return "offer", "Offer is not allowed for this topic type"
	case d.Event == nil:
		return "", ""
	case strings.TrimSpace(d.Event.Title) == "" || count.Characters(d.Event.Title) > titleLimit:
		return "event.title", "Must be 1 to 58 characters"
	case !d.Event.Schedule.valid():
		return "event.schedule", "Start and end must have a date and a time, and the end must be after the start"
	case d.Offer != nil && d.Offer.RedeemOnlineURL != "" && !isURL(d.Offer.RedeemOnlineURL):
		return "offer.redeemOnlineUrl", "Is not a URL"
	default:
		return "", ""
	}
}

func (s schedule) valid() bool {
	if s.StartDate == nil || s.StartTime == nil || s.EndDate == nil || s.EndTime == nil {
		return false
	}
	start, startOK := instant(*s.StartDate, *s.StartTime)
	end, endOK := instant(*s.EndDate, *s.EndTime)
	return startOK && endOK && end.After(start)
}

// instant returns the time of a date and a clock. It returns false if they do not exist.
func instant(d date, c clock) (time.Time, bool) {
	at := time.Date(d.Year, time.Month(d.Month), d.Day, c.Hours, c.Minutes, 0, 0, time.UTC)
	same := at.Year() == d.Year && int(at.Month()) == d.Month && at.Day() == d.Day && at.Hour() == c.Hours &&
		at.Minute() == c.Minutes
	return at, same && d.Year > 2000
}

func (d wanted) checkAction() (field, message string) {
	known := []string{"BOOK", "ORDER", "SHOP", "LEARN_MORE", "SIGN_UP", "CALL"}
	switch a := d.CallToAction; {
	case a == nil:
		return "", ""
	case d.TopicType == topicOffer:
		return "callToAction", "Call to action is not allowed for this topic type"
	case !slices.Contains(known, a.ActionType):
		return "callToAction.actionType", "Unknown action type"
	case a.ActionType == "CALL" && a.URL != "":
		return "callToAction.url", "Must be empty for CALL"
	case a.ActionType != "CALL" && !isURL(a.URL):
		return "callToAction.url", "Is not a URL"
	default:
		return "", ""
	}
}

func (d wanted) checkMedia() (field, message string) {
	switch {
	case len(d.Media) == 0:
		return "", ""
	case len(d.Media) > 1:
		return "media", "At most one photo is allowed"
	case !isURL(d.Media[0].SourceURL):
		return "media.sourceUrl", "Is not a URL"
	case d.Media[0].MediaFormat != "PHOTO" && d.Media[0].MediaFormat != formatVideo:
		return "media.mediaFormat", "Unknown media format"
	default:
		return "", ""
	}
}

// formatVideo is a format that Google documents, and answers with an internal error.
const formatVideo = "VIDEO"

func isURL(text string) bool {
	parsed, err := url.Parse(text)
	return err == nil && parsed.Hostname() != "" && (parsed.Scheme == "https" || parsed.Scheme == "http")
}

// details returns the further properties of the post, as they are stored.
func (d wanted) details() map[string]string {
	shown := map[string]string{detailTopic: d.TopicType}
	for name, value := range map[string]any{"callToAction": d.CallToAction, "event": d.Event, "offer": d.Offer} {
		if text, err := json.Marshal(value); err == nil && string(text) != "null" {
			shown[name] = string(text)
		}
	}
	return shown
}

// detailTopic is the detail with the topic of a post.
const detailTopic = "topicType"

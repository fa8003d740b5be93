package googlebusinessapi

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"time"

	"fencepost.internal/services/sandbox/internal/figures"
	"fencepost.internal/services/sandbox/internal/stage"
)

const (
	topicStandard = "STANDARD"
	topicOffer    = "OFFER"
	// formatVideo is a format that Google documents, and responds with an internal error.
	formatVideo = "VIDEO"
)

// localPost is the request body of create with every member of a local post.
type localPost struct {
	LanguageCode string          `json:"languageCode"`
	Summary      string          `json:"summary"`
	TopicType    string          `json:"topicType"`
	AlertType    json.RawMessage `json:"alertType"`
	CallToAction *struct {
		ActionType string `json:"actionType"`
		URL        string `json:"url,omitempty"`
	} `json:"callToAction"`
	Event *struct {
		Title    string   `json:"title"`
		Schedule schedule `json:"schedule"`
	} `json:"event"`
	Media []struct {
		MediaFormat string `json:"mediaFormat"`
		SourceURL   string `json:"sourceUrl"`
	} `json:"media"`
	Offer *struct {
		CouponCode      string `json:"couponCode"`
		RedeemOnlineURL string `json:"redeemOnlineUrl"`
		TermsConditions string `json:"termsConditions"`
	} `json:"offer"`
	RecurrenceInfo json.RawMessage `json:"recurrenceInfo"`
	ScheduledTime  json.RawMessage `json:"scheduledTime"`
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

// wrong is an invalid member, and what is wrong with it.
type wrong struct{ field, message string }

// check returns the first invalid member. The field is empty if all are valid.
func (d localPost) check() wrong {
	const unshown = "The sandbox does not show it"
	rule := stage.If(d.AlertType != nil, wrong{"alertType", unshown}).
		Or(d.RecurrenceInfo != nil, wrong{"recurrenceInfo", unshown}).
		Or(d.ScheduledTime != nil, wrong{"scheduledTime", unshown}).
		Or(!slices.Contains([]string{topicStandard, "EVENT", topicOffer}, d.TopicType),
			wrong{"topicType", "Topic type is required"}).
		Or(strings.TrimSpace(d.Summary) == "" && len(d.Media) == 0, wrong{"summary", "Must not be empty"}).
		Or(figures.Characters(d.Summary) > 1500, wrong{"summary", "Must be at most 1500 characters"})
	for _, check := range []func() wrong{d.checkEvent, d.checkAction, d.checkMedia} {
		next := check()
		rule = rule.Or(next.field != "", next)
	}
	return rule.Fault
}

func (d localPost) checkEvent() wrong {
	timed := d.TopicType != topicStandard
	rule := stage.If(timed && d.Event == nil, wrong{"event", "Event is required"}).
		Or(!timed && d.Event != nil, wrong{"event", "Event is not allowed for this topic type"}).
		Or(d.Offer != nil && d.TopicType != topicOffer, wrong{"offer", "Offer is not allowed for this topic type"})
	if rule.Broken || d.Event == nil {
		return rule.Fault
	}
	title := d.Event.Title
	return stage.If(strings.TrimSpace(title) == "" || figures.Characters(title) > 58,
		wrong{"event.title", "Must be 1 to 58 characters"}).
		Or(!d.Event.Schedule.valid(),
			wrong{"event.schedule", "Start and end must have a date and a time, and the end must be after the start"}).
		Or(d.Offer != nil && d.Offer.RedeemOnlineURL != "" && !isURL(d.Offer.RedeemOnlineURL),
			wrong{"offer.redeemOnlineUrl", "Is not a URL"}).Fault
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
	same := date{at.Year(), int(at.Month()), at.Day()} == d && clock{at.Hour(), at.Minute()} == c
	return at, same && d.Year > 2000
}

func (d localPost) checkAction() wrong {
	a := d.CallToAction
	if a == nil {
		return wrong{}
	}
	known := []string{"BOOK", "ORDER", "SHOP", "LEARN_MORE", "SIGN_UP", "CALL"}
	return stage.If(d.TopicType == topicOffer, wrong{"callToAction", "Call to action is not allowed for this topic type"}).
		Or(!slices.Contains(known, a.ActionType), wrong{"callToAction.actionType", "Unknown action type"}).
		Or(a.ActionType == "CALL" && a.URL != "", wrong{"callToAction.url", "Must be empty for CALL"}).
		Or(a.ActionType != "CALL" && !isURL(a.URL), wrong{"callToAction.url", "Is not a URL"}).Fault
}

func (d localPost) checkMedia() wrong {
	if len(d.Media) == 0 {
		return wrong{}
	}
	photo := d.Media[0]
	return stage.If(len(d.Media) > 1, wrong{"media", "At most one photo is allowed"}).
		Or(!isURL(photo.SourceURL), wrong{"media.sourceUrl", "Is not a URL"}).
		Or(photo.MediaFormat != "PHOTO" && photo.MediaFormat != formatVideo,
			wrong{"media.mediaFormat", "Unknown media format"}).Fault
}

func isURL(text string) bool {
	parsed, err := url.Parse(text)
	return err == nil && parsed.Hostname() != "" && (parsed.Scheme == "https" || parsed.Scheme == "http")
}

// details returns the further properties of the post, as they are stored.
func (d localPost) details() map[string]string {
	shown := map[string]string{detailTopic: d.TopicType}
	for name, value := range map[string]any{"callToAction": d.CallToAction, "event": d.Event, "offer": d.Offer} {
		if text, err := json.Marshal(value); err == nil && string(text) != "null" {
			shown[name] = string(text)
		}
	}
	return shown
}

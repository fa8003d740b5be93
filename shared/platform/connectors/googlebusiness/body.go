package googlebusiness

import (
	"cmp"
	"context"
	"time"

	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/rules"
)

// The topics of a post.
const (
	topicStandard = "STANDARD"
	topicEvent    = "EVENT"
	topicOffer    = "OFFER"
)

// actionCall is the kind of button that calls the location. It has no URL.
const actionCall = "CALL"

// createBody is the body of the irrevocable call (My Business API v4, LocalPost).
type createBody struct {
	LanguageCode string      `json:"languageCode"`
	Summary      string      `json:"summary,omitempty"`
	TopicType    string      `json:"topicType"`
	Media        []mediaItem `json:"media,omitempty"`
	CallToAction *callAction `json:"callToAction,omitempty"`
	Event        *eventBody  `json:"event,omitempty"`
	Offer        *offerBody  `json:"offer,omitempty"`
}

// mediaItem is a photo, which Google fetches after the call.
type mediaItem struct {
	Format string `json:"mediaFormat"`
	URL    string `json:"sourceUrl"`
}

type callAction struct {
	Type string `json:"actionType"`
	URL  string `json:"url,omitempty"`
}

type eventBody struct {
	Title    string   `json:"title"`
	Schedule schedule `json:"schedule"`
}

// schedule has no zone: it is that of the location.
type schedule struct {
	StartDate day       `json:"startDate"`
	StartTime timeOfDay `json:"startTime"`
	EndDate   day       `json:"endDate"`
	EndTime   timeOfDay `json:"endTime"`
}

type day struct {
	Year  int `json:"year"`
	Month int `json:"month"`
	Day   int `json:"day"`
}

type timeOfDay struct {
	Hours   int `json:"hours"`
	Minutes int `json:"minutes"`
}

type offerBody struct {
	CouponCode string `json:"couponCode,omitempty"`
	RedeemURL  string `json:"redeemOnlineUrl,omitempty"`
	Terms      string `json:"termsConditions,omitempty"`
}

// body returns the body for the content. The URL of the photo is valid for a day, because Google fetches it while it
// reviews the post. The error is that of the service's own file.
func body(ctx context.Context, content platform.Content) (createBody, error) {
	o := content.Options
	b := createBody{LanguageCode: language, Summary: content.Text, TopicType: topicOf(o)}
	for _, asset := range content.Media {
		if content.Files == nil {
			return createBody{}, errNoFiles
		}
		link, err := content.Files.Link(ctx, asset)
		if err != nil {
			return createBody{}, err
		}
		b.Media = append(b.Media, mediaItem{Format: "PHOTO", URL: link})
	}
	if o.CallToAction != "" {
		b.CallToAction = &callAction{Type: o.CallToAction, URL: o.ActionURL}
	}
	if b.TopicType != topicStandard {
		b.Event = &eventBody{Title: o.EventTitle, Schedule: scheduleOf(o)}
	}
	if b.TopicType == topicOffer {
		b.Offer = &offerBody{CouponCode: o.CouponCode, RedeemURL: o.RedeemURL, Terms: o.Terms}
	}
	return b, nil
}

// topicOf returns the topic of a post with the options.
func topicOf(o post.Options) string { return cmp.Or(o.TopicType, topicStandard) }

// scheduleOf returns the schedule of an event. Google requires both times. A start without one is the beginning of its
// day, and an end without one is the last minute.
func scheduleOf(o post.Options) schedule {
	start, _, _ := rules.ParseLocalTime(o.EventStart)
	end := endOf(o)
	return schedule{
		StartDate: dayOf(start), StartTime: timeOf(start), EndDate: dayOf(end), EndTime: timeOf(end),
	}
}

func endOf(o post.Options) time.Time {
	end, timed, _ := rules.ParseLocalTime(o.EventEnd)
	if !timed {
		end = end.Add(24*time.Hour - time.Minute)
	}
	return end
}

func dayOf(at time.Time) day { return day{at.Year(), int(at.Month()), at.Day()} }

func timeOf(at time.Time) timeOfDay { return timeOfDay{at.Hour(), at.Minute()} }

// optionFaults returns the faults of options that do not fit each other.
func optionFaults(o post.Options) map[string]string {
	faults, topic := make(map[string]string), topicOf(o)
	need := func(name, value, why string) {
		if value == "" {
			faults[name] = "A post " + why + " needs " + name + "; add it."
		}
	}
	useless := func(name, value, why string) {
		if value != "" {
			faults[name] = name + " " + why + "; remove it."
		}
	}
	if topic == topicEvent || topic == topicOffer {
		why := "of topicType " + topic
		need("eventTitle", o.EventTitle, why)
		need("eventStart", o.EventStart, why)
		need("eventEnd", o.EventEnd, why)
	} else {
		const why = "applies to topicType EVENT and OFFER only"
		useless("eventTitle", o.EventTitle, why)
		useless("eventStart", o.EventStart, why)
		useless("eventEnd", o.EventEnd, why)
	}
	start, _, started := rules.ParseLocalTime(o.EventStart)
	if _, _, ended := rules.ParseLocalTime(o.EventEnd); started && ended && !endOf(o).After(start) {
		faults["eventEnd"] = "eventEnd must be after eventStart."
	}
	if topic != topicOffer {
		const why = "applies to topicType OFFER only"
		useless("couponCode", o.CouponCode, why)
		useless("redeemUrl", o.RedeemURL, why)
		useless("terms", o.Terms, why)
	} else {
		useless("callToAction", o.CallToAction, "does not apply to topicType OFFER")
	}
	switch o.CallToAction {
	case "", actionCall:
		useless("actionUrl", o.ActionURL, "applies to a callToAction other than CALL only")
	default:
		need("actionUrl", o.ActionURL, "with callToAction "+o.CallToAction)
	}
	return faults
}

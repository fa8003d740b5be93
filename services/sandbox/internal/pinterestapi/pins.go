package pinterestapi

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"time"
	"unicode/utf8"

	"fencepost.internal/services/sandbox/internal/figures"
	"fencepost.internal/services/sandbox/internal/ledger"
	"fencepost.internal/services/sandbox/internal/stage"
	"fencepost.internal/shared/domain/analytics"
	"fencepost.internal/shared/domain/media"
)

const (
	fewestImages, mostImages = 2, 5
	largestImage             = 20 << 20
	// largestPin is the largest request body: five images in base64, and their texts.
	largestPin = mostImages*largestImage*4/3 + 1<<20
)

// pin is the request body of create.
type pin struct {
	BoardID     string     `json:"board_id"`
	SectionID   string     `json:"board_section_id"`
	Title       string     `json:"title"`
	Description string     `json:"description"`
	Link        string     `json:"link"`
	AltText     string     `json:"alt_text"`
	Source      *pinSource `json:"media_source"`
}

type pinSource struct {
	Type string `json:"source_type"`
	pinImage
	Items       []pinImage `json:"items"`
	Index       int        `json:"index"`
	MediaID     string     `json:"media_id"`
	CoverURL    string     `json:"cover_image_url"`
	CoverType   string     `json:"cover_image_content_type"`
	CoverData   string     `json:"cover_image_data"`
	CoverMoment *float64   `json:"cover_image_key_frame_time"`
}

type pinImage struct {
	URL         string `json:"url"`
	ContentType string `json:"content_type"`
	Data        string `json:"data"`
	Title       string `json:"title"`
	Description string `json:"description"`
	Link        string `json:"link"`
}

var digits = regexp.MustCompile(`^\d+$`)

// create publishes a pin.
func (a *api) create(r stage.Request) stage.Response {
	var body pin
	if err := r.JSON(&body); err != nil {
		return invalid("The request body is not valid: " + err.Error())
	}
	if fault := body.fault(); fault != "" {
		return invalid(fault)
	}
	if message := boardFault(r.Account, body.BoardID, body.SectionID); message != "" {
		return noBoard(message)
	}
	files, kind, fault := a.media(r, body.Source)
	if fault != "" {
		return invalid(fault)
	}
	for i := range files {
		files[i].AltText = body.AltText
	}
	draft := a.Draft(r)
	draft.Text, draft.Title, draft.Link, draft.Media = body.Description, body.Title, body.Link, files
	draft.Details = map[string]string{"Board": body.BoardID, "Kind": kind}
	if body.SectionID != "" {
		draft.Details["Section"] = body.SectionID
	}
	return a.Publish(draft, func(post ledger.Post) stage.Response { return stage.Created(present(post)) })
}

// fault returns what Pinterest rejects in the members beside the media, or an empty string.
func (p pin) fault() string {
	long := func(text string, most int) bool { return utf8.RuneCountInString(text) > most }
	link, err := url.Parse(p.Link)
	wrong := p.Link != "" && (err != nil || link.Scheme != "http" && link.Scheme != "https" || link.Host == "")
	return stage.If(!digits.MatchString(p.BoardID), fmt.Sprintf("%q does not match '^\\\\d+$'", p.BoardID)).
		Or(p.SectionID != "" && !digits.MatchString(p.SectionID), fmt.Sprintf("%q does not match '^\\\\d+$'", p.SectionID)).
		Or(long(p.Title, 100), "'title' is too long").
		Or(long(p.Description, 800), "'description' is too long").
		Or(long(p.AltText, 500), "'alt_text' is too long").
		Or(long(p.Link, 2048), "'link' is too long").
		Or(p.Source == nil, "'media_source' is a required property").
		Or(wrong, "'link' is not a valid URL").Fault
}

// media returns the files of a pin and Pinterest's kind of them, or what Pinterest rejects.
func (a *api) media(r stage.Request, s *pinSource) (files []ledger.Media, kind, fault string) {
	images, inline := []pinImage{s.pinImage}, s.Type == "image_base64" || s.Type == "multiple_image_base64"
	switch s.Type {
	case "image_base64", "image_url":
		kind = "image"
	case "multiple_image_base64", "multiple_image_urls":
		images, kind = s.Items, "multiple_images"
		if len(images) < fewestImages || len(images) > mostImages || s.Index < 0 || s.Index >= len(images) {
			return nil, "", fmt.Sprintf("'items' must have %d to %d images, and 'index' one of them", fewestImages, mostImages)
		}
	case "video_id":
		found, fault := a.ready(r.Account, s)
		if fault == "" && s.CoverURL != "" {
			_, fault = a.image(r, pinImage{URL: s.CoverURL}, false, 1)
		}
		return []ledger.Media{found.Media}, "video", fault
	default:
		return nil, "", "'source_type' is not one of the known ones"
	}
	for i, image := range images {
		file, fault := a.image(r, image, inline, i+1)
		if fault != "" {
			return nil, "", fault
		}
		files = append(files, file)
	}
	other := func(f ledger.Media) bool { return f.Width != files[0].Width || f.Height != files[0].Height }
	if slices.ContainsFunc(files, other) {
		return nil, "", "The images of a carousel must have the same size."
	}
	return files, kind, ""
}

// image stores one image, from its bytes or from its address.
func (a *api) image(r stage.Request, image pinImage, inline bool, n int) (ledger.Media, string) {
	const unusable = "The image is invalid or too large"
	id := fmt.Sprintf("image-%d", n)
	if !inline {
		item, err := a.Stage.Media.Fetch(r.Context(), image.URL, largestImage)
		return item.Media(id, ""), stage.If(err != nil, "Sorry! Unable to reach the URL. Please check and try again").
			Or(item.Type != media.Image && item.Type != media.GIF, unusable).Fault
	}
	raw, err := base64.StdEncoding.DecodeString(image.Data)
	if err != nil || image.ContentType != media.ContentTypeJPEG && image.ContentType != media.ContentTypePNG {
		return ledger.Media{}, "'content_type' is not one of ['image/jpeg', 'image/png'], or 'data' is not base64"
	}
	item, ok, err := a.Stage.Media.Check(r.Context(), bytes.NewReader(raw), largestImage, image.ContentType)
	return item.Media(id, ""), stage.If(err != nil || !ok, unusable).Fault
}

// present returns a pin in Pinterest's JSON. Its time has no zone, and empty texts are null.
func present(post ledger.Post) stage.Object {
	nullable := func(text string) any {
		if text == "" {
			return nil
		}
		return text
	}
	alt := ""
	if len(post.Media) > 0 {
		alt = post.Media[0].AltText
	}
	return stage.Object{
		"id": post.ID, "created_at": post.CreatedAt.UTC().Format("2006-01-02T15:04:05"), "title": nullable(post.Title),
		"description": nullable(post.Text), "link": nullable(post.Link), "alt_text": nullable(alt),
		"board_id": post.Details["Board"], "board_section_id": nullable(post.Details["Section"]),
		"creative_type": "REGULAR", "is_owner": true, "parent_pin_id": nil,
		"board_owner": map[string]string{"username": stage.Username(post.Account)},
		"media":       stage.Object{"media_type": post.Details["Kind"]},
	}
}

// list returns the pins of a board, or of a section of it, newest first.
func (a *api) list(r stage.Request) stage.Response {
	board, section := r.PathValue("board"), r.PathValue("section")
	if message := boardFault(r.Account, board, section); message != "" {
		return noBoard(message)
	}
	own := a.Stage.Ledger.List(ledger.Filter{Platform: network, Account: r.Account})
	own = slices.DeleteFunc(own, func(p ledger.Post) bool {
		return p.Details["Board"] != board || section != "" && p.Details["Section"] != section
	})
	return page(r, stage.Each(own, present))
}

// one returns a pin.
func (a *api) one(r stage.Request) stage.Response {
	return a.Show(r, r.PathValue("id"), noPin(), present)
}

// remove deletes a pin.
func (a *api) remove(r stage.Request) stage.Response {
	return a.Delete(r, r.PathValue("id"), noPin(), stage.Empty(http.StatusNoContent))
}

// account returns the account.
func (a *api) account(r stage.Request) stage.Response {
	followers := figures.Of(network, r.Account).Followers(a.Stage.Clock.Now())
	return stage.OK(stage.Object{
		"account_type": "BUSINESS", "username": stage.Username(r.Account), "profile_image": a.Stage.Avatar(r.Request, r.Account), "website_url": "",
		"follower_count": followers, "following_count": 0, "monthly_views": followers * 8,
	})
}

// accountAnalytics returns the account's metrics per day.
func (a *api) accountAnalytics(r stage.Request) stage.Response {
	known := []string{"IMPRESSION", "ENGAGEMENT", "PIN_CLICK", "OUTBOUND_CLICK", "SAVE"}
	now := a.Stage.Clock.Now()
	return a.report(r, known, nil, func(date analytics.Date) (map[string]int64, string) {
		day, ok := figures.Of(network, r.Account).Day(date, now)
		if !ok {
			return nil, "BEFORE_BUSINESS_CREATED"
		}
		return map[string]int64{
			"IMPRESSION": day.Impressions, "ENGAGEMENT": day.Engagements(), "PIN_CLICK": day.Clicks,
			"OUTBOUND_CLICK": day.WebsiteClicks, "SAVE": day.Saves,
		}, "READY"
	})
}

// severalPins refuses: the call is in beta and not available to all applications.
func severalPins(stage.Request) stage.Response {
	return refuse(http.StatusForbidden, 29, "You are not permitted to access that resource.")
}

// pinAnalytics returns the metrics of a pin. Only reactions and comments are reported as lifetime metrics.
func (a *api) pinAnalytics(r stage.Request) stage.Response {
	known := []string{
		"IMPRESSION", "OUTBOUND_CLICK", "PIN_CLICK", "SAVE", "TOTAL_COMMENTS", "TOTAL_REACTIONS", "VIDEO_MRC_VIEW",
	}
	post, ok := a.Post(r, r.PathValue("id"))
	now := a.Stage.Clock.Now()
	at := func(when time.Time) map[string]int64 {
		so := figures.OfPost(post, when)
		return map[string]int64{
			"IMPRESSION": so.Impressions, "OUTBOUND_CLICK": so.Clicks / 2, "PIN_CLICK": so.Clicks - so.Clicks/2,
			"SAVE": so.Saves, "VIDEO_MRC_VIEW": so.VideoViews,
		}
	}
	so := figures.OfPost(post, now)
	lifetime := map[string]int64{"TOTAL_REACTIONS": so.Likes, "TOTAL_COMMENTS": so.Comments}
	reported := a.report(r, known, lifetime, func(date analytics.Date) (map[string]int64, string) {
		if date.Before(analytics.DateOf(post.CreatedAt.UTC())) {
			return nil, "BEFORE_PIN_CREATED"
		}
		end := date.Next().Start(time.UTC)
		if end.After(now) {
			end = now
		}
		came := at(end)
		for name, before := range at(date.Start(time.UTC)) {
			came[name] -= before
		}
		return came, "READY"
	})
	if !ok && !reported.Refused {
		return noPin()
	}
	return reported
}

// report returns the requested metrics per day and their sum. The latest day is still being processed: it has no metrics,
// but its values are part of the sum.
func (a *api) report(
	r stage.Request, known []string, lifetime map[string]int64, metric func(analytics.Date) (map[string]int64, string),
) stage.Response {
	const mostDays = 90
	since, until, ok := r.Days("start_date", "end_date", a.Stage.Today())
	metrics, newest := r.List("metric_types"), a.Stage.Today().Add(-1)
	unknown := func(name string) bool { return !slices.Contains(known, name) }
	rule := stage.If(!ok || a.Stage.Today().DaysSince(since) > mostDays,
		"Parameters 'start_date' and 'end_date' must be dates of the last 90 days.").
		Or(slices.ContainsFunc(metrics, unknown), "Parameter 'metric_types' is not valid.")
	if rule.Broken {
		return invalid(rule.Fault)
	}
	daily, summary := []stage.Object{}, make(map[string]int64)
	for date := range analytics.DaysFrom(since, until) {
		values, status := metric(date)
		shown := stage.Pick(metrics, values)
		for name, value := range shown {
			summary[name] += value
		}
		if date.After(newest) && status == "READY" {
			shown, status = map[string]int64{}, "PROCESSING"
		}
		daily = append(daily, stage.Object{"date": date.String(), "data_status": status, "metrics": shown})
	}
	all := stage.Object{"daily_metrics": daily, "summary_metrics": summary}
	if lifetime != nil {
		all["lifetime_metrics"] = lifetime
	}
	return stage.OK(stage.Object{"all": all})
}

package calendar

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"time"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/console/internal/poststate"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/kernel/wallclock"
)

// mostMoved is the number of posts that move together: those of the largest set.
const mostMoved = 100

// local is the format of a wall-clock time in forms.
const local = "2006-01-02T15:04"

// movePage is the data of the page that moves posts.
type movePage struct {
	Posts      []post.Post
	Set        []sibling // those of a set, of which a person chooses; empty for a single post
	Words      string
	At         time.Time // the present time; zero for drafts without one
	From       time.Time // the time that the visitor saw
	Day, Clock string    // what the person chose
	City, Back string
	Fault      string
}

// backOf returns the page from which posts are moved.
func backOf(v *frame.Visit) string {
	for _, page := range []string{"/posts", "/today"} {
		if address := v.Back(page); address == cmp.Or(v.Form("back"), v.Query("back")) {
			return address
		}
	}
	return v.Back("/calendar")
}

// sibling is a post of a set.
type sibling struct {
	ID      ident.Post
	Channel channel.Channel
	Chosen  bool
}

// moving reads the posts that an address or a form names; NOT_FOUND for one that the workspace does not have.
func (c *calendar) moving(v *frame.Visit, ids []string) (movePage, error) {
	page := movePage{City: frame.City(v.Workspace.Timezone), Back: backOf(v)}
	if len(ids) == 0 || len(ids) > mostMoved {
		return page, apperr.New(apperr.NotFound, "This page does not exist.")
	}
	for _, text := range ids {
		id, err := ident.Parse[ident.Post](text)
		if err != nil {
			return page, apperr.New(apperr.NotFound, "This page does not exist.")
		}
		found, err := c.app.Post(v.Request.Context(), v.Principal, id)
		if err != nil {
			return page, err
		}
		page.Posts = append(page.Posts, found)
	}
	if err := c.set(v, &page); err != nil {
		return page, err
	}
	page.Words = poststate.Words(page.Posts[0])
	page.From = page.Posts[0].ScheduledAt
	if from, err := time.Parse(time.RFC3339, cmp.Or(v.Form("from"), v.Query("from"))); err == nil {
		page.From = from
	}
	if at := page.Posts[0].ScheduledAt; !at.IsZero() {
		page.At = at.In(v.Zone())
		page.Day, page.Clock = page.At.Format(time.DateOnly), page.At.Format("15:04")
	}
	return page, nil
}

// set completes the page of several posts: all are chosen, or those of the form.
func (c *calendar) set(v *frame.Visit, page *movePage) error {
	if len(page.Posts) < 2 { //nolint:mnd // several
		return nil
	}
	channels, err := c.app.Channels(v.Request.Context(), v.Principal)
	byID := channel.ByID(channels)
	for _, p := range page.Posts {
		chosen := !v.Fields().Has("of") || slices.Contains(v.Fields()["post"], p.ID.String())
		page.Set = append(page.Set, sibling{p.ID, byID[p.ChannelID], chosen})
	}
	return err
}

func (c *calendar) askToMove(v *frame.Visit) error {
	if !v.Request.URL.Query().Has("post") {
		v.Redirect(backOf(v))
		return nil
	}
	page, err := c.moving(v, v.Request.URL.Query()["post"])
	if err != nil {
		return err
	}
	return v.Page(frame.Page{Name: "calendar/move", Title: "Move", Styles: []string{"sheet.css", "calendar.css"}, Data: page})
}

// move gives posts another time, all or none. A script gets the reason of a refusal as text, and shows it where the person
// dropped the posts.
func (c *calendar) move(v *frame.Visit) error {
	ids := v.Fields()["of"]
	if len(ids) == 0 {
		ids = v.Fields()["post"]
	}
	page, err := c.moving(v, ids)
	if err != nil {
		return err
	}
	at, fault := page.chosen(v)
	if fault == "" {
		if fault, err = c.update(v, page, at); err != nil {
			return err
		}
	}
	script := v.Request.Header.Get("Hx-Request") != ""
	switch {
	case fault != "" && script:
		v.Out.Header().Set("Content-Type", "text/plain; charset=utf-8")
		v.Out.WriteHeader(http.StatusUnprocessableEntity)
		_, _ = v.Out.Write([]byte(fault)) // an error concerns only the client's connection
		return nil
	case fault != "":
		page.Fault, page.Day, page.Clock = fault, cmp.Or(v.Form("day"), page.Day), cmp.Or(v.Form("clock"), page.Clock)
		return v.Page(frame.Page{
			Name: "calendar/move", Title: "Move", Status: http.StatusUnprocessableEntity, Styles: []string{"sheet.css", "calendar.css"}, Data: page,
		})
	case script:
		v.Out.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = v.Out.Write([]byte(at.UTC().Format(time.RFC3339))) // as above
		return nil
	default:
		return v.Done(page.Back, "Moved to "+at.In(v.Zone()).Format("Mon 2 January, 15:04")+".")
	}
}

// chosen returns the time of a form: a day and a time of day, a number of days to add, or one wall-clock time.
func (p movePage) chosen(v *frame.Visit) (at time.Time, fault string) {
	text := v.Form("at")
	if text == "" && v.Form("day") != "" && v.Form("clock") != "" {
		text = v.Form("day") + "T" + v.Form("clock")
	}
	if days := map[string]int{"day": 1, "week": daysOfWeek}[v.Form("later")]; days > 0 && !p.At.IsZero() {
		text = p.At.AddDate(0, 0, days).Format(local)
	}
	wanted, err := time.Parse(local, text)
	if err != nil {
		return time.Time{}, "Choose a day and a time."
	}
	return wallclock.In(v.Zone(), wanted), ""
}

// update moves posts, all or none, and returns why they cannot be moved. Posts that someone else moved since the visitor saw
// them stay.
func (c *calendar) update(v *frame.Visit, page movePage, at time.Time) (fault string, err error) {
	var moves []app.PostMove
	for i, p := range page.Posts {
		if len(page.Set) == 0 || page.Set[i].Chosen {
			moves = append(moves, app.PostMove{ID: p.ID, From: page.From, To: at})
		}
	}
	if len(moves) == 0 {
		return "Choose at least one post.", nil
	}
	results, err := c.app.MovePosts(v.Request.Context(), v.Principal, moves)
	if err != nil {
		return "", err
	}
	return poststate.Refusal(results)
}

// moveAddress returns the address of the page that moves the posts of a slip.
func moveAddress(base string, s slip, back string) string {
	values := url.Values{"back": {back}, "from": {s.At.UTC().Format(time.RFC3339)}}
	for _, p := range s.Posts {
		values.Add("post", p.ID.String())
	}
	return base + "/calendar/move?" + values.Encode()
}

package plan

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"slices"
	"strings"
	"time"

	ics "github.com/arran4/golang-ical"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/console/internal/poststate"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/domain/workspace"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/ratelimit"
	"fencepost.internal/shared/kernel/apperr"
)

// makeFeed makes the visitor's feed, and shows its address, which is not stored.
func (f *feature) makeFeed(v *frame.Visit) error {
	secret, err := f.app.MakeFeed(v.Request.Context(), v.Principal)
	if err != nil {
		return err
	}
	return f.startPage(v, http.StatusCreated, func(p *startPage) { p.Secret = f.appURL + "/calendar/" + secret + suffix })
}

func (f *feature) revokeFeed(v *frame.Visit) error {
	if err := f.app.RevokeFeed(v.Request.Context(), v.Principal); err != nil {
		return err
	}
	return v.Done(v.Path(Path), "Calendar address revoked.")
}

const (
	suffix = ".ics"
	// Calendar programs read every quarter of an hour at most; some read for many people from one network.
	readsOfPlace = 300 // a minute
	readsOfFeed  = 20  // a minute
	// The posts of a feed are those from some weeks ago to a year ahead.
	past, ahead = -30, 366
	shownFor    = 15 * time.Minute // of an event: a post is an instant
	longestLine = 120              // characters of a post in the title of its event
)

// calendar responds to calendar programs, which have no session. It does not say why there is no calendar.
func (f *feature) calendar(v *frame.Visit) error {
	h := v.Out.Header()
	h.Del("Set-Cookie")
	h.Set("X-Robots-Tag", "noindex, nofollow")
	if !f.admits(v, "calendar-from:"+v.Place(), readsOfPlace) {
		return nil
	}
	secret, ok := strings.CutSuffix(v.Request.PathValue("file"), suffix)
	principal, of, err := f.app.ReadFeed(v.Request.Context(), secret)
	if !ok || apperr.Is(err, apperr.NotFound) {
		_ = v.Plain(http.StatusNotFound, "There is no such calendar.\n")
		return nil
	}
	if err != nil {
		return err
	}
	if !f.admits(v, "calendar:"+digest(secret), readsOfFeed) {
		return nil
	}
	v.Principal = principal
	content, err := f.events(v, of)
	if err != nil {
		return err
	}
	tag := `"` + digest(string(content)) + `"`
	h.Set("ETag", tag)
	h.Set("Cache-Control", "private, no-cache")
	h.Set("Content-Type", "text/calendar; charset=utf-8")
	h.Set("Content-Disposition", `inline; filename="plan.ics"`)
	if slices.Contains(strings.Split(strings.ReplaceAll(v.Request.Header.Get("If-None-Match"), " ", ""), ","), tag) {
		v.Out.WriteHeader(http.StatusNotModified)
		return nil
	}
	_, _ = v.Out.Write(content) // an error concerns only the client's connection
	return nil
}

// admits reports whether another request may be made within a minute. It responds if not.
func (f *feature) admits(v *frame.Visit, key string, perMinute int) bool {
	limit := ratelimit.Limit{PerMinute: perMinute, Burst: perMinute}
	if f.limiter.Take(v.Request.Context(), key, limit).Allowed {
		return true
	}
	v.Out.Header().Set("Retry-After", "60")
	_ = v.Plain(http.StatusTooManyRequests, "Too many requests. Try again in a minute.\n")
	return false
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return base64.RawURLEncoding.EncodeToString(sum[:16])
}

// events returns the calendar of a workspace (RFC 5545). The same posts give the same bytes.
func (f *feature) events(v *frame.Visit, of workspace.Workspace) ([]byte, error) {
	ctx, now := v.Request.Context(), v.Now()
	planned, _, err := f.app.Planned(ctx, v.Principal, now.AddDate(0, 0, past), now.AddDate(0, 0, ahead), postgres.PostFilter{})
	if err != nil {
		return nil, err
	}
	channels, err := f.app.Channels(ctx, v.Principal)
	if err != nil {
		return nil, err
	}
	byID := channel.ByID(channels)
	name := of.Name
	if of.IsTest() {
		name += " (test)"
	}
	cal := ics.NewCalendarFor("Fencepost")
	cal.SetProductId("-//Fencepost//Plan//EN")
	cal.SetCalscale("GREGORIAN")
	cal.SetMethod(ics.MethodPublish)
	cal.SetName(line(name))
	cal.SetXWRCalName(line(name))
	cal.SetRefreshInterval("PT15M", ics.WithValue(string(ics.ValueDataTypeDuration)))
	cal.SetXPublishedTTL("PT15M")
	for _, p := range planned {
		if p.Status != post.Archived {
			f.addEvent(cal, of, p, byID[p.ChannelID])
		}
	}
	var out bytes.Buffer
	if err := cal.SerializeTo(&out, ics.WithNewLine("\r\n")); err != nil {
		return nil, err //nolint:wrapcheck // writes to memory
	}
	return out.Bytes(), nil
}

// addEvent adds the event of a post.
func (f *feature) addEvent(cal *ics.Calendar, of workspace.Workspace, p post.Post, c channel.Channel) {
	sign := poststate.Of(p, c, false)
	address := f.appURL + "/w/" + of.ID.String() + "/posts/" + p.ID.String()
	e := cal.AddEvent(p.ID.String() + "@fencepost")
	e.SetDtStampTime(p.UpdatedAt)
	e.SetCreatedTime(p.CreatedAt)
	e.SetLastModifiedAt(p.UpdatedAt)
	e.SetStartAt(p.ScheduledAt)
	e.SetEndAt(p.ScheduledAt.Add(shownFor))
	e.SetSummary(line(sign.Text + ": " + poststate.Clipped(cmp.Or(p.Title, p.Content, "Post without a text"), longestLine) + " · " + label(c)))
	e.SetDescription(strings.TrimSpace(lines(p.Content) + "\n\n" + address))
	e.SetURL(address)
	e.SetTimeTransparency(ics.TransparencyTransparent)
	for _, name := range p.Labels {
		e.AddProperty(ics.ComponentPropertyCategories, line(name))
	}
}

// line returns a text in one line, without characters that a calendar may not have.
func line(text string) string { return strings.Join(strings.Fields(lines(text)), " ") }

// lines returns a text without control characters.
func lines(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || r == 0x7f {
			return -1
		}
		return r
	}, text)
}

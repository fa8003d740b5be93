package medialib

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// trimmer is the form that makes a file of a part of a video.
type trimmer struct {
	Whole      string // length of the video, in seconds
	Start, End string // what the person typed, in seconds
	Limits     []limit
	Faults     map[string]string
}

// limit is a length that a network of the workspace does not exceed.
type limit struct {
	Seconds string // the end of the part
	Text    string // 1:00
	Forms   string // the networks, and the forms of their posts
}

// part is a part of a video that is being made, or was not made.
type part struct {
	Name   string
	Of     string // address of the video
	Reason string // why it was not made; empty while it is being made
}

// trimmer returns the form of a video; nil for a file that cannot be trimmed.
func (l *library) trimmer(v *frame.Visit, of *file) (*trimmer, error) {
	whole := of.Probe.Duration
	if of.Type != media.Video || whole <= media.ShortestTrim {
		return nil, nil //nolint:nilnil // there is nothing to trim
	}
	channels, err := l.app.Channels(v.Request.Context(), v.Principal)
	if err != nil {
		return nil, err
	}
	forms := make(map[time.Duration][]string)
	for _, c := range channels {
		for _, longest := range l.app.LongestVideos(c) {
			text := c.Type.Network().Name() + " " + strings.ToLower(longest.Form)
			if longest.Max < whole && !slices.Contains(forms[longest.Max], text) {
				forms[longest.Max] = append(forms[longest.Max], text)
			}
		}
	}
	form := &trimmer{Whole: decimal(whole), Start: "0", End: decimal(whole)}
	for most, names := range forms {
		form.Limits = append(form.Limits, limit{Seconds: decimal(most), Text: media.Clock(most), Forms: strings.Join(names, ", ")})
	}
	slices.SortFunc(form.Limits, func(a, b limit) int {
		x, y := seconds(a.Seconds), seconds(b.Seconds)
		return int(x - y)
	})
	if len(form.Limits) > 0 {
		form.End = form.Limits[0].Seconds
	}
	return form, nil
}

// decimal writes a time in seconds, rounded down to milliseconds.
func decimal(d time.Duration) string {
	return strconv.FormatFloat(float64(d.Milliseconds())/float64(time.Second/time.Millisecond), 'f', -1, 64)
}

// seconds reads a time in seconds; negative for what is none.
func seconds(text string) time.Duration {
	const most = 1e6
	value, err := strconv.ParseFloat(strings.Replace(text, ",", ".", 1), 64)
	if err != nil || !(value >= 0 && value < most) {
		return -1
	}
	return time.Duration(value*float64(time.Second/time.Millisecond)+1.0/2) * time.Millisecond //nolint:mnd // rounded
}

// trim begins to make a file of a part of a video.
func (l *library) trim(v *frame.Visit) error {
	of, err := l.fileOf(v)
	if err != nil {
		return err
	}
	if of.Trim == nil {
		of.Fault = "Only a video whose length is known can be trimmed."
		return l.show(v, http.StatusUnprocessableEntity, of)
	}
	of.Trim.Start, of.Trim.End = v.Form("start"), v.Form("end")
	chosen := media.Trim{Of: of.ID, Start: seconds(of.Trim.Start), End: seconds(of.Trim.End)}
	of.Trim.Faults = chosen.Faults(of.Probe.Duration)
	for name, value := range map[string]time.Duration{"start": chosen.Start, "end": chosen.End} {
		if value < 0 {
			of.Trim.Faults[name] = fmt.Sprintf("Enter seconds from 0 to %s.", of.Trim.Whole)
		}
	}
	script := v.Form("json") != "" // the composer asks
	if len(of.Trim.Faults) > 0 && script {
		return response(v, nil, apperr.New(apperr.ValidationFailed, "%s", cmp.Or(of.Trim.Faults["start"], of.Trim.Faults["end"])))
	}
	if len(of.Trim.Faults) > 0 {
		return l.show(v, http.StatusUnprocessableEntity, of)
	}
	created, err := l.app.TrimMedia(v.Request.Context(), v.Principal, chosen)
	if script {
		return response(v, map[string]string{"id": created.String()}, err)
	}
	switch apperr.CodeOf(err) { //nolint:exhaustive // the others are failures
	case apperr.QuotaExceeded, apperr.RateLimited, apperr.ValidationFailed:
		reason, err := reasonOf(err)
		if err != nil {
			return err
		}
		of.Fault = reason
		return l.show(v, http.StatusUnprocessableEntity, of)
	}
	if err != nil {
		return err
	}
	return v.Done(queryOf(v).address(v, "/"+created.String()), "")
}

// part returns the part of a video that the address names; NOT_FOUND if there is none.
func (l *library) part(v *frame.Visit) (*part, error) {
	id, err := frame.PathID(v, "media", ident.Parse[ident.Media])
	if err != nil {
		return nil, err
	}
	found, err := l.app.Trimming(v.Request.Context(), v.Principal, id)
	if err != nil {
		return nil, err
	}
	shown := &part{Name: found.Name, Of: queryOf(v).address(v, "/"+found.Trim.Of.String())}
	if found.State == media.ImportFailed {
		shown.Reason = found.ErrorText
	}
	return shown, nil
}

package plan

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/console/internal/sheet"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/services/internal/places"
	"fencepost.internal/shared/domain/credential"
	domain "fencepost.internal/shared/domain/plan"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/kernel/plaintext"
	"fencepost.internal/shared/kernel/rfc3339"
	"fencepost.internal/shared/kernel/wallclock"
)

// Limits of the API that rows must respect too (docs/contract.md, Creating posts).
const (
	longestText  = 100_000
	longestTitle = 500
	mostMedia    = 50
)

func number(n int) string { return strconv.Itoa(n) }

// interpret says what a row would create.
func (r *reading) interpret(one *row) {
	r.channelsOf(one)
	if r.existing(one) {
		planned := row{Row: one.Row, Draft: true} // its faults do not matter any more
		one.At, _ = r.moment(&planned)
		return
	}
	draft, why := r.state(one)
	if one.Draft = draft; why != "" {
		one.State, one.Why = out, why
		return
	}
	in := &one.Posts.Create
	if in.ExternalID = one.Key; !plaintext.OneLine(one.Key) || utf8.RuneCountInString(one.Key) > post.LongestExternalID {
		one.fault(domain.ExternalID, fmt.Sprintf("must be one line of at most %d characters", post.LongestExternalID))
	}
	for _, c := range one.Channels {
		in.ChannelIDs = append(in.ChannelIDs, c.ID)
	}
	r.texts(one)
	r.attachments(one)
	r.time(one)
}

// channelsOf finds the channels of a row.
func (r *reading) channelsOf(one *row) {
	names := namesIn(r.cell(one.Row, domain.Channel), r.find)
	if len(names) == 0 {
		names = []string{""}
	}
	skipped := 0
	for _, name := range names {
		c, m := r.find.find(name)
		switch {
		case m == leftOut:
			skipped++
		case m == found && slices.ContainsFunc(one.Channels, func(d channelOf) bool { return d.ID == c.ID }):
		case m == found:
			one.Channels = append(one.Channels, c)
		case name == "":
			one.fault(domain.Channel, "is missing; choose one above, or write it")
		case m == ambiguous:
			one.fault(domain.Channel, "“"+name+"” can be several; choose one above")
		default:
			one.fault(domain.Channel, "“"+name+"” is not known; choose one above, or correct it")
		}
	}
	if skipped == len(names) {
		one.State, one.Why = out, "You left out this channel."
	}
}

// existing reports whether every post of a row is there already, or the row is left out. Channels that have their post are
// taken from the row.
func (r *reading) existing(one *row) bool {
	one.Existing = r.byKey[one.Key]
	same, whole := r.byID[strings.ToLower(r.cell(one.Row, domain.PostID))]
	if whole {
		one.Existing = []postgres.KnownPost{same}
	}
	has := func(c channelOf) bool {
		return slices.ContainsFunc(one.Existing, func(k postgres.KnownPost) bool { return k.ChannelID == c.ID })
	}
	if len(one.Existing) == 0 {
		return one.State != ""
	}
	remaining := slices.DeleteFunc(slices.Clone(one.Channels), has)
	if whole || len(remaining) == 0 {
		one.State, one.Why, one.Findings = there, "", nil
		if !slices.ContainsFunc(one.Existing, func(k postgres.KnownPost) bool { return k.CreatedAt.Before(r.CreatedAt) }) {
			one.State = imported
		}
		return true
	}
	if len(remaining) < len(one.Channels) {
		one.warn(domain.Channel, "has this post already in part; only the others are created")
	}
	one.Channels = remaining
	return one.State != ""
}

// state reads what becomes of a row. Why says that it is left out.
func (r *reading) state(one *row) (draft bool, why string) {
	given := r.cell(one.Row, domain.State)
	switch strings.ReplaceAll(folded(given), "_", " ") {
	case "":
		draft = !r.Settings.Schedules
	case "draft", "drafts", "idea", "pending approval", "to approve", "for approval":
		draft = true
	case "schedule", "scheduled", "planned", "ready":
	case "published", "failed", "archived", "sent", "posted":
		return false, "Its state is “" + given + "”."
	default:
		one.fault(domain.State, "“"+given+"” is not known; write draft or schedule")
	}
	if draft = draft || r.Settings.Drafts; !draft && !r.may(credential.PostsPublish) {
		one.fault(domain.State, "cannot be schedule, because your role may not schedule; save all as drafts")
	}
	return draft, ""
}

// texts reads the text, the title and the labels.
func (r *reading) texts(one *row) {
	in := &one.Posts.Create
	in.Content, in.Title = r.cell(one.Row, domain.Text), r.cell(one.Row, domain.Title)
	if n := utf8.RuneCountInString(in.Content); n > longestText {
		one.fault(domain.Text, fmt.Sprintf("has %d characters; at most %d are allowed", n, longestText))
	}
	if _, wrong := plaintext.Line(in.Title, longestTitle); wrong != "" {
		one.fault(domain.Title, wrong)
	}
	cell := r.cell(one.Row, domain.Labels)
	separators := ";\n"
	if !strings.ContainsAny(cell, separators) {
		separators = ","
	}
	var faults []apperr.Field
	given := parts(cell, separators)
	if in.Labels, faults = post.ReadLabels(given, "/labels"); len(faults) > 0 {
		one.fault(domain.Labels, faults[0].Message)
	}
	if len(given) > post.MaxLabels {
		one.fault(domain.Labels, fmt.Sprintf("are %d; at most %d are allowed", len(given), post.MaxLabels))
	}
	if in.Content == "" && r.cell(one.Row, domain.Media) == "" {
		one.fault(domain.Text, "is empty; write one, or attach media")
	}
}

// attachments reads the media and their alternative texts.
func (r *reading) attachments(one *row) {
	in := &one.Posts.Create
	names := mediaIn(r.cell(one.Row, domain.Media))
	if len(names) > mostMedia {
		one.fault(domain.Media, fmt.Sprintf("are %d; at most %d are allowed", len(names), mostMedia))
	}
	for _, name := range names {
		id, fault := r.asset(name)
		switch {
		case fault != "":
			one.fault(domain.Media, fault)
		case slices.Contains(in.MediaIDs, id):
			one.fault(domain.Media, "“"+name+"” is there twice")
		default:
			in.MediaIDs = append(in.MediaIDs, id)
		}
	}
	texts := altTextsIn(r.cell(one.Row, domain.AltText), len(names))
	if len(texts) > len(names) {
		one.fault(domain.AltText, fmt.Sprintf("has %d texts for %d media; write one in each line", len(texts), len(names)))
	}
	if len(in.MediaIDs) != len(names) {
		return
	}
	for i, text := range texts[:min(len(texts), len(names))] {
		if text != "" {
			if in.MediaAltTexts == nil {
				in.MediaAltTexts = post.AltTexts{}
			}
			in.MediaAltTexts[in.MediaIDs[i]] = text
		}
	}
}

// time reads when the posts are published, or what their drafts are planned for.
func (r *reading) time(one *row) {
	in := &one.Posts.Create
	at, whole := r.moment(one)
	switch {
	case !whole && !one.Draft && !one.Faulty():
		one.fault(domain.Date, "and time are needed to schedule; write them, or make it a draft")
	case !whole:
	case one.Draft:
		one.Posts.Intended = at
	default:
		in.Schedule = app.Schedule{Kind: app.ScheduleAt, At: at}
	}
	one.At = at
}

// moment returns the instant of a row, and whether it has one.
func (r *reading) moment(one *row) (at time.Time, whole bool) {
	date, clock := r.cell(one.Row, domain.Date), r.cell(one.Row, domain.Time)
	if date == "" {
		if clock != "" {
			one.fault(domain.Date, "is missing beside the time")
		}
		return time.Time{}, false
	}
	m, err := sheet.ParseMoment(date, r.Settings.Order)
	if err != nil {
		one.fault(domain.Date, "“"+date+"” "+err.Error())
		return time.Time{}, false
	}
	if clock != "" {
		if m.Clock, err = sheet.ParseClock(clock); err != nil {
			one.fault(domain.Time, "“"+clock+"” "+err.Error())
			return time.Time{}, false
		}
		m.Timed = true
	}
	zone, ok := r.zoneOf(one)
	switch {
	case !ok:
		return time.Time{}, false
	case !m.Timed && one.Draft:
		one.warn(domain.Time, "is missing, so the draft has no date")
		return time.Time{}, false
	case !m.Timed:
		one.fault(domain.Time, "is missing; write 09:00, or make it a draft")
		return time.Time{}, false
	}
	local := m.Day.Add(time.Duration(m.Clock.Seconds) * time.Second)
	if m.Clock.Offset != "" {
		at, err = rfc3339.Parse(local.Format("2006-01-02T15:04:05") + m.Clock.Offset)
		return at, err == nil
	}
	return wallclock.In(zone, local), true
}

// zoneOf returns the time zone of a row: its own, or that of the workspace.
func (r *reading) zoneOf(one *row) (*time.Location, bool) {
	given := r.cell(one.Row, domain.Zone)
	if given == "" {
		return r.zone, true
	}
	zone, known := places.LoadZone(given)
	if !known {
		text := "“" + given + "” is not a time zone such as Europe/Berlin"
		if near := places.ZonesNear(given); len(near) > 0 {
			text += "; did you mean " + strings.Join(near, " or ") + "?"
		}
		one.fault(domain.Zone, text)
	}
	return zone, known
}

// asset returns the asset that a cell names: an address of the web, an id, or a name in the library.
func (r *reading) asset(name string) (id ident.Media, fault string) {
	if isAddress(name) {
		return r.fetched(name)
	}
	ids := r.media[name]
	if len(ids) == 0 {
		ids = r.media[strings.ToLower(name)] // an id
	}
	switch len(ids) {
	case 0:
		return id, "“" + name + "” is not in the library; upload it, or write its address"
	case 1:
		return ids[0], ""
	default:
		return id, "“" + name + "” is the name of several files in the library; write the id of one"
	}
}

// fetched returns the asset of an address.
func (r *reading) fetched(address string) (id ident.Media, fault string) {
	if err := r.check(address); err != nil {
		refusal, _ := errors.AsType[*apperr.Error](err)
		return id, "“" + address + "”: " + frame.Sentence(refusal.Message)
	}
	if !slices.Contains(r.Addresses, address) {
		r.Addresses = append(r.Addresses, address)
	}
	switch file := r.Files[address]; file.State { //nolint:exhaustive // the only other state is failed
	case "":
		return id, "comes from the web; fetch the files first"
	case running:
		return id, "is being fetched"
	case done:
		return file.ID, ""
	default:
		return id, "“" + address + "” was not fetched. " + file.Fault
	}
}

package composer

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/console/internal/series"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/kernel/wallclock"
)

// timing is the time of a draft's posts.
type timing struct {
	At    time.Time // chosen; zero: none, or it has passed
	In    string    // how long until then
	Where string    // the clock of the times
	Fault string
}

// timing reads the chosen time, which counts for the choices with a time.
func (d draft) timing(v *frame.Visit) timing {
	zone := v.Workspace.Timezone
	t := timing{Where: strings.ReplaceAll(zone[strings.LastIndex(zone, "/")+1:], "_", " ") + " time"}
	if d.When != atTime && d.When != approval {
		return t
	}
	local, err := time.Parse("2006-01-02T15:04", d.Day+"T"+d.Clock)
	switch at := wallclock.In(v.Zone(), local); {
	case d.Day == "" && d.Clock == "" && d.When == approval:
	case err != nil:
		t.Fault = "Choose a day and a time."
	case !at.After(v.Now()):
		t.Fault = "That time has passed. Choose a later one."
	default:
		t.At, t.In = at, until(at.Sub(v.Now()))
	}
	return t
}

// Repeats returns the choices of how new posts repeat.
func (l *look) Repeats() [][2]string { return series.Presets() }

// WhenText says when the posts are published, in a few words.
func (l *look) WhenText() string {
	switch l.draft.When {
	case atOnce:
		return "Now"
	case asDraft:
		return "Draft"
	case asPlanned:
		return "As planned"
	case atSlot:
		return "Next slot"
	case approval:
		if l.Timing.At.IsZero() {
			return "Ask approval"
		}
	case atTime:
		if l.Timing.At.IsZero() {
			return "Choose a time"
		}
	}
	return l.Timing.At.Format("Mon 2 Jan, 15:04")
}

// until says how long it is until a time.
func until(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d < time.Hour:
		return fmt.Sprintf("in %d min", max(1, int(d.Minutes())))
	case d < day:
		return fmt.Sprintf("in %d h %d min", int(d.Hours()), int(d.Minutes())%60) //nolint:mnd // minutes of an hour
	case d < 14*day:
		return fmt.Sprintf("in %s %d h", days(int(d/day)), int(d%day/time.Hour))
	default:
		return "in " + days(int(d/day))
	}
}

func days(n int) string {
	if n == 1 {
		return "1 day"
	}
	return fmt.Sprintf("%d days", n)
}

// schedule returns the schedule of the posts. A time that cannot be used counts as none: its fault is shown beside it.
func (d draft) schedule(t timing) app.Schedule {
	switch {
	case d.When == atSlot:
		return app.Schedule{Kind: app.ScheduleNextSlot}
	case d.When == atOnce:
		return app.Schedule{Kind: app.ScheduleNow}
	case d.When == atTime && !t.At.IsZero():
		return app.Schedule{Kind: app.ScheduleAt, At: t.At}
	default:
		return app.Schedule{Kind: app.ScheduleDraft}
	}
}

// request returns the posts of a draft for some of its channels.
func (l *look) request(channels []ident.Channel) app.CreatePosts {
	d := l.draft
	in := app.CreatePosts{
		ChannelIDs: channels, Content: strings.TrimSpace(d.Text), Title: strings.TrimSpace(d.Title), ContentType: d.Kind,
		MediaIDs: d.Media, MediaAltTexts: l.altTexts(l.attached()), Schedule: d.schedule(l.Timing),
		Thread: l.posted(d.Thread), Comment: d.Comment.stored(),
	}
	in.Labels, _ = d.labels()
	in.CampaignID = d.Campaign
	in.Existing = make(map[ident.Channel]ident.Post, len(l.existing.posts))
	for _, p := range l.existing.posts {
		in.Existing[p.ChannelID] = p.ID
	}
	for _, id := range channels {
		own, differs := d.Own[id.String()]
		chosen, optional := d.Options[id.String()]
		cover, covered := l.Covers[id]
		if !differs && !optional && !covered {
			continue
		}
		variant := app.Variant{ChannelID: id}
		if own.Text != nil {
			text := strings.TrimSpace(*own.Text)
			variant.Content = &text
		}
		if own.Title != nil {
			text := strings.TrimSpace(*own.Title)
			variant.Title = &text
		}
		if own.Kind != "" {
			variant.ContentType = &own.Kind
		}
		if files := d.filesOf(id); covered && !slices.Contains(files, cover.ID) {
			variant.MediaIDs = new(append(slices.Clone(files), cover.ID))
		} else if len(own.Media) > 0 {
			variant.MediaIDs = &own.Media
		}
		if own.Thread != nil {
			variant.Thread = new(l.posted(*own.Thread))
		}
		if own.Comment != nil {
			variant.Comment = new(own.Comment.stored())
		}
		if optional {
			variant.Options = &chosen
		}
		in.Variants = append(in.Variants, variant)
	}
	return in
}

// labels returns the labels of a draft, and the finding about one that cannot be used.
func (d draft) labels() (names []string, found []finding) {
	given := frame.SplitLabels(d.Labels)
	names, faults := post.ReadLabels(given, "")
	for _, f := range faults {
		at, _ := strconv.Atoi(strings.TrimPrefix(f.Pointer, "/"))
		found = append(found, finding{
			Stop: true, Text: frame.Sentence("The label “" + given[at] + "” " + f.Message), Fix: fix{Kind: "labels", Text: "Change"},
		})
	}
	if len(found) > 0 {
		names = nil
	}
	return names, found
}

// altTexts returns the texts of attachments that differ from those of the library.
func (l *look) altTexts(assets []app.DeliveredAsset) post.AltTexts {
	texts := make(post.AltTexts)
	for _, asset := range assets {
		if text, changed := l.draft.Alt[asset.ID.String()]; changed && strings.TrimSpace(text) != asset.AltText {
			texts[asset.ID] = strings.TrimSpace(text)
		}
	}
	if len(texts) == 0 {
		return nil
	}
	return texts
}

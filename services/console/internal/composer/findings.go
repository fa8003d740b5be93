package composer

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/domain/workspace"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform/presentation"
	"fencepost.internal/shared/platform/rules"
)

// finding is a finding as the page shows it.
type finding struct {
	Channels []channel.Channel
	Stop     bool // it prevents publishing
	Text     string
	Fix      fix
	Or       fix // instead of Fix
	place
}

// Fixes returns the changes of which one resolves the finding.
func (f finding) Fixes() []fix { return []fix{f.Fix, f.Or} }

// fix is a change that resolves a finding in one click.
type fix struct {
	Kind    string // what the module does: text, drop, trim, alt, options, when, title, channels, parts; empty: nothing
	Text    string // of the button
	Href    string // of a link instead
	Channel string // ID
	Value   string // the new text, the files to keep, the file to describe, what the dialog of trims needs, or an arrangement
}

// own reports whether the fix concerns one channel only.
func (f fix) own() bool {
	return f.Kind == "text" || f.Kind == "drop" || f.Kind == "options" || f.Kind == "parts"
}

// Networks names the networks of a finding.
func (f finding) Networks() string {
	var names []string
	for _, c := range f.Channels {
		if name := c.Type.Network().Name(); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

// findings returns what is found about the post of a channel, for people.
func (c *composer) findings(v *frame.Visit, l *look, m mark, found app.Forecast) (all []finding) {
	add := func(stop bool, text string, by fix) {
		all = append(all, finding{Channels: []channel.Channel{m.Channel}, Stop: stop, Text: text, Fix: by})
	}
	dropping, left := false, make(map[post.PartKind]bool)
	for _, f := range found.Findings {
		member := memberOf(f)
		place, kind := l.placed(m.ID.String(), f)
		if why := c.app.PartFault(m.Channel, kind); kind != "" && why != "" {
			if !left[kind] {
				all = append(all, refused(m, kind, why))
			}
			left[kind] = true
			continue
		}
		if l.draft.When == asPlanned && (member == "schedule" || member == "channelIds" || member == "channelId") {
			continue // its time and its channel stay as they are
		}
		if member == "title" && f.Warning { // another channel shows it
			continue
		}
		if f.Code == apperr.ApprovalRequired {
			if l.draft.When == atSlot || l.draft.When == atTime || l.draft.When == atOnce {
				add(true, "Another person approves posts here. Choose “Ask approval”.", fix{})
			}
			continue
		}
		by := l.fixOf(v, m, found, f)
		or := fix{}
		if text := found.Length.Unlinked; by.Kind == "text" && text != "" {
			_, links := rules.Unlinked(m.Text)
			or = dropLinks(m, text, links)
		}
		if by.Kind == "drop" && dropping { // one click for all faults of files
			by = fix{}
		}
		dropping = dropping || by.Kind == "drop"
		add(!f.Warning, l.words(v, f), by)
		all[len(all)-1].Or, all[len(all)-1].place = or, place
	}
	all = append(all, l.draft.beyond(m.Channel)...)
	if text, links := rules.Unlinked(m.Text); links > 0 && found.Length.Max > 0 && presentation.PlainLinks(m.Type.Network()) {
		add(false, "People cannot follow links here.", dropLinks(m, text, links))
	}
	undescribed := l.draft.undescribed(found)
	if n := len(undescribed); n > 0 && v.Workspace.AltTexts != workspace.AltTextsOff {
		required, text := v.Workspace.AltTexts == workspace.AltTextsRequired, fmt.Sprintf("%d without description.", n)
		if required {
			text = fmt.Sprintf("%d without description, which this workspace requires.", n)
		}
		add(required, text, fix{Kind: "alt", Text: "Describe", Value: undescribed[0].String()})
	}
	for _, c := range found.Conflicts {
		page := fix{Href: v.Path("/posts/" + c.PostID.String()), Text: "Show"}
		switch c.Kind {
		case postgres.ConflictText:
			add(false, "The same text was published or is planned here.", page)
		case postgres.ConflictTime:
			add(false, "Another post is due at nearly the same time.", page)
		}
	}
	if q := found.Quota; q.Limit > 0 && q.Remaining <= q.Limit/10 { //nolint:mnd // the last tenth
		add(false, fmt.Sprintf("%d of %d posts left in this period.", q.Remaining, q.Limit), fix{})
	}
	return all
}

// undescribed returns the attachments of the draft that a channel's network shows, and that have no description.
func (d draft) undescribed(found app.Forecast) []ident.Media {
	attached := slices.Concat(d.Media, d.partMedia())
	return slices.DeleteFunc(slices.Clone(found.Undescribed), func(id ident.Media) bool { return !slices.Contains(attached, id) })
}

// Parts of texts that are for programs: the ID before the name of a channel, addresses, and times.
var (
	idOfChannel = regexp.MustCompile(`[Cc]hannel [0-9a-f-]{36} \(([^)]*)\)`)
	addresses   = regexp.MustCompile(`:? https?://[^ ]+`)
	instants    = regexp.MustCompile(`\d{4}-\d\d-\d\dT[0-9:.]+Z`)
)

// words returns the text of a finding of the service for people, whose button leads to the address that it names.
func (l *look) words(v *frame.Visit, f app.Finding) string {
	if f.Code == apperr.NoFreeSlot {
		return "No free slot. Choose a time, or add times to the posting schedule."
	}
	if f.Code == apperr.ValidationFailed { // about the content
		return frame.Sentence(f.Message)
	}
	text := addresses.ReplaceAllString(idOfChannel.ReplaceAllString(f.Message, "$1"), "")
	text = instants.ReplaceAllStringFunc(text, func(found string) string {
		at, err := time.Parse(time.RFC3339, found)
		if err != nil {
			return found
		}
		return at.In(v.Zone()).Format("Mon 2 January, 15:04")
	})
	return frame.Sentence(text)
}

// memberOf returns the member of the post that a finding is about.
func memberOf(f app.Finding) string {
	member := f.Member
	if rest, ok := strings.CutPrefix(member, "variants/"); ok {
		_, member, _ = strings.Cut(rest, "/")
	}
	name, _, _ := strings.Cut(member, "/")
	return name
}

// fixOf returns what one click does about a finding of the service.
func (l *look) fixOf(v *frame.Visit, m mark, found app.Forecast, f app.Finding) fix {
	id := m.ID.String()
	switch memberOf(f) {
	case "content":
		if length := found.Length; length.Short != "" && f.Warning == length.Unsure {
			return fix{Kind: "text", Text: "Shorten for " + m.Type.Network().Name(), Channel: id, Value: length.Short}
		}
	case "mediaIds":
		if longest := f.Trim.End; longest > 0 {
			return fix{Kind: "trim", Text: "Trim to " + media.Clock(longest), Value: l.trims(f.Trim)}
		}
		fitting := slices.DeleteFunc(slices.Clone(found.Fitting), func(id ident.Media) bool { return !slices.Contains(l.draft.Media, id) })
		if n := len(fitting); n > 0 && !f.Warning {
			return fix{Kind: "drop", Text: keep(fitting, l.draft.Media), Channel: id, Value: joined(fitting)}
		}
	case "channelIds", "channelId":
		if m.Ready() {
			return fix{Href: v.Path("/channels/" + id), Text: "Open channel"}
		}
		if v.Principal.Allows(credential.ChannelsConnect) {
			return fix{Href: v.Path("/channels/" + id), Text: "Reconnect"}
		}
	case "schedule":
		return fix{Kind: "when", Text: "Choose a time"}
	case "title":
		return fix{Kind: "title", Text: "Write it"}
	case "options":
		return fix{Kind: "options", Text: "Choose", Channel: id}
	}
	return fix{}
}

// dropLinks gives a channel the text without its links.
func dropLinks(m mark, text string, links int) fix {
	words := "Drop link"
	if links > 1 {
		words = fmt.Sprintf("Drop %d links", links)
	}
	return fix{Kind: "text", Text: words, Channel: m.ID.String(), Value: text}
}

// trims returns what the dialog that trims a video needs: its ID, and in seconds the greatest length and the present one.
func (l *look) trims(part media.Trim) string {
	text := part.Of.String()
	at := slices.IndexFunc(l.Assets, func(a app.DeliveredAsset) bool { return a.ID == part.Of })
	for _, length := range []time.Duration{part.End, l.Assets[at].Probe.Duration} {
		text += " " + strconv.FormatFloat(length.Seconds(), 'f', -1, 64)
	}
	return text
}

// keep says which files remain.
func keep(fitting, all []ident.Media) string {
	n := len(fitting)
	switch {
	case n == 1 && fitting[0] == all[0]:
		return "Keep the first"
	case n == 1:
		return "Keep 1 file"
	case slices.Equal(fitting, all[:n]):
		return fmt.Sprintf("Keep the first %d", n)
	default:
		return fmt.Sprintf("Keep %d files", n)
	}
}

func joined(files []ident.Media) string {
	texts := make([]string, len(files))
	for i, id := range files {
		texts[i] = id.String()
	}
	return strings.Join(texts, " ")
}

// merged joins findings that say the same of several channels, those that prevent publishing first.
func merged(all []finding) []finding {
	var together []finding
	for _, f := range all {
		at := slices.IndexFunc(together, func(other finding) bool {
			return other.Text == f.Text && other.Stop == f.Stop && other.place == f.place && !f.Fix.own() && other.Fix.Href == f.Fix.Href
		})
		if at < 0 {
			together = append(together, f)
			continue
		}
		together[at].Channels = append(together[at].Channels, f.Channels...)
	}
	slices.SortStableFunc(together, func(a, b finding) int { return cmp.Compare(rank(a), rank(b)) })
	return together
}

func rank(f finding) int {
	if f.Stop {
		return 0
	}
	return 1
}

package posts

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/console/internal/poststate"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/kernel/wallclock"
)

// selection is the form of an action on selected posts, as it was typed.
type selection struct {
	Do         string
	Checked    []string // the values of the boxes
	By, Unit   string
	Day, Clock string
	Label      string
	Campaign   string
	Fault      string
}

// selectionOf reads the form.
func selectionOf(v *frame.Visit) selection {
	return selection{
		Do: v.Form("do"), Checked: v.Fields()["post"], By: v.Form("by"), Unit: v.Form("unit"), Day: v.Form("day"),
		Clock: v.Form("clock"), Label: v.Form("label"), Campaign: v.Form("campaign"),
	}
}

// ids returns the posts of the checked boxes, each once. Text that is no id is one that no workspace has.
func (s selection) ids() (ids []ident.Post) {
	for _, value := range s.Checked {
		for text := range strings.SplitSeq(value, ",") {
			id, _ := ident.Parse[ident.Post](text)
			if !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
	}
	return ids
}

// operation is an action that a person asked for.
type operation struct {
	app.PostsAction

	done string // of the summary: Moved
	not  string // moved
	copy bool
}

// operation returns the action of the form, or what is wrong with it.
func (s selection) operation(zone *time.Location) (d operation, fault string) {
	switch s.Do {
	case "shift":
		return s.shift()
	case "time":
		return s.moved(zone)
	case "label", "unlabel":
		if s.Label == "" {
			return d, "Enter a label."
		}
		if s.Do == "label" {
			return operation{PostsAction: app.PostsAction{AddLabel: s.Label}, done: "Labelled", not: "labelled"}, ""
		}
		return operation{PostsAction: app.PostsAction{RemoveLabel: s.Label}, done: "Removed the label of", not: "changed"}, ""
	case "campaign":
		id, err := ident.Parse[ident.Campaign](s.Campaign)
		if err != nil && s.Campaign != "" {
			return d, "Choose a campaign of the list."
		}
		return operation{PostsAction: app.PostsAction{Campaign: &id}, done: "Changed the campaign of", not: "changed"}, ""
	case "duplicate":
		return operation{copy: true, done: "Duplicated", not: "duplicated"}, ""
	case "archive":
		return operation{PostsAction: app.PostsAction{Do: post.ActionArchive}, done: "Archived", not: "archived"}, ""
	case "retry":
		return operation{PostsAction: app.PostsAction{Do: post.ActionPublish}, done: "Trying again:", not: "tried again"}, ""
	case "unarchive":
		return operation{PostsAction: app.PostsAction{Do: post.ActionUnarchive}, done: "Restored", not: "restored"}, ""
	case "delete":
		return operation{PostsAction: app.PostsAction{Do: post.ActionDelete}, done: "Deleted", not: "deleted"}, ""
	case "request-approval":
		return operation{
			PostsAction: app.PostsAction{Do: post.ActionRequestApproval}, done: "Sent for approval:", not: "sent for approval",
		}, ""
	default:
		return d, "Choose what to do with the posts."
	}
}

// units returns the units of a shift.
func units() []string { return []string{"minutes", "hours", "days", "weeks"} }

// shift returns the move by a duration.
func (s selection) shift() (d operation, fault string) {
	n, err := strconv.Atoi(s.By)
	var text, sign string
	if n < 0 {
		n, sign = -n, "-"
	}
	switch s.Unit {
	case "minutes":
		text = fmt.Sprintf("%sPT%dM", sign, n)
	case "hours":
		text = fmt.Sprintf("%sPT%dH", sign, n)
	case "weeks":
		text = fmt.Sprintf("%sP%dW", sign, n)
	default:
		text = fmt.Sprintf("%sP%dD", sign, n)
	}
	by, unread := wallclock.ParseShift(text)
	if err != nil || unread != nil {
		return d, "Enter by how much to move the posts, such as 1 or -2."
	}
	return operation{PostsAction: app.PostsAction{ShiftBy: by}, done: "Moved", not: "moved"}, ""
}

// moved returns the move to a day, on which posts keep their time of day if the form has none.
func (s selection) moved(zone *time.Location) (d operation, fault string) {
	day, err := time.Parse(time.DateOnly, s.Day)
	if err != nil {
		return d, "Choose a day."
	}
	clock, err := time.Parse("15:04", cmp.Or(s.Clock, "00:00"))
	if err != nil {
		return d, "Choose a time."
	}
	keep := s.Clock == ""
	return operation{done: "Moved", not: "moved", PostsAction: app.PostsAction{To: func(of post.Post) time.Time {
		at := clock
		if keep && !of.ScheduledAt.IsZero() {
			at = of.ScheduledAt.In(zone)
		}
		return wallclock.In(zone, time.Date(day.Year(), day.Month(), day.Day(), at.Hour(), at.Minute(), at.Second(), 0, time.UTC))
	}}}, ""
}

// act performs an action on the selected posts, and says what was done and what was not.
func (p *posts) actOnSelected(v *frame.Visit) error {
	form := selectionOf(v)
	d, fault := form.operation(v.Zone())
	if fault == "" && len(form.Checked) == 0 {
		fault = "Select at least one post."
	}
	if fault != "" {
		return p.refused(v, form, fault)
	}
	ctx, ids := v.Request.Context(), form.ids()
	var results []app.SetResult
	var err error
	if d.copy {
		results, err = p.app.DuplicatePosts(ctx, v.Principal, ids)
	} else {
		results, err = p.app.ActOnPosts(ctx, v.Principal, ids, d.PostsAction)
	}
	if faults, ok := frame.Faults(err); ok {
		for _, fault := range faults {
			return p.refused(v, form, fault)
		}
	}
	if err != nil {
		return err
	}
	target := p.back(v)
	if d.Do == post.ActionDelete && !isList(v, target) || d.copy && len(results) == 1 && !isList(v, target) {
		target = v.Path("/posts")
		if d.copy && results[0].Err == nil {
			target += "/" + results[0].After.ID.String()
		}
	}
	return v.DoneWith(target, frame.Notice{Text: summary(d, results), Undo: undoOf(d, results).token()})
}

// back returns the page of the section from which the form came: the list as it was shown, or a post.
func (p *posts) back(v *frame.Visit) string {
	if today := v.Path("/today"); v.Form("back") == today {
		return today
	}
	list := v.Path("/posts")
	if rest, ok := strings.CutPrefix(v.Form("back"), list+"/"); ok {
		if id, err := ident.Parse[ident.Post](rest); err == nil {
			return list + "/" + id.String()
		}
	}
	return v.Back("/posts")
}

func isList(v *frame.Visit, address string) bool {
	return !strings.HasPrefix(address, v.Path("/posts/"))
}

// refused shows the page from which the form came, with what was typed and what is wrong with it.
func (p *posts) refused(v *frame.Visit, form selection, fault string) error {
	form.Fault = fault
	target := p.back(v)
	if !isList(v, target) {
		id, err := ident.Parse[ident.Post](strings.TrimPrefix(target, v.Path("/posts/")))
		if err != nil {
			return err
		}
		return p.pageOf(v, id, shown{status: http.StatusUnprocessableEntity, form: form})
	}
	from, err := url.Parse(target)
	if err != nil {
		return apperr.New(apperr.NotFound, "This page does not exist.")
	}
	return p.listPage(v, from.Query(), http.StatusUnprocessableEntity, form)
}

// summary says how many posts an action changed, and which it did not change and why.
func summary(d operation, results []app.SetResult) string {
	done, same := 0, 0
	var reasons []string
	named := make(map[string][]string)
	for _, r := range results {
		switch {
		case r.Err != nil:
			reason := reasonOf(r.Err, d.not)
			if len(named[reason]) == 0 {
				reasons = append(reasons, reason)
			}
			named[reason] = append(named[reason], poststate.Clipped(item{Post: r.Before}.Words(), longestNamed))
		case r.Changed:
			done++
		default:
			same++
		}
	}
	var lines []string
	if done > 0 || len(reasons) == 0 {
		lines = append(lines, strings.TrimSpace(d.done+" "+count(done))+".")
	}
	if same > 0 {
		lines = append(lines, count(same)+" needed no change.")
	}
	for _, reason := range reasons {
		lines = append(lines, listed(named[reason])+": "+reason)
	}
	return strings.Join(lines, "\n")
}

// longestNamed is the number of characters by which a summary names a post, and mostNamed that of posts that it names.
const (
	longestNamed = 40
	mostNamed    = 4
)

// listed names posts: “Ash mugs”, “Bowls” and 3 more.
func listed(names []string) string {
	rest := max(len(names)-mostNamed, 0)
	text := "“" + strings.Join(names[:len(names)-rest], "”, “") + "”"
	if rest > 0 {
		text += fmt.Sprintf(" and %d more", rest)
	}
	return text
}

func count(n int) string {
	if n == 1 {
		return "1 post"
	}
	return strconv.Itoa(n) + " posts"
}

// reasonOf says to the person who acted why a post was not changed.
func reasonOf(failure error, not string) string {
	known, ok := errors.AsType[*apperr.Error](failure)
	if !ok {
		return "not " + not + ", because part of the service did not respond. Try again."
	}
	switch known.Code { //nolint:exhaustive // the others are said in the words of the error
	case apperr.NotFound:
		return "not " + not + ", because it does not exist any more."
	case apperr.InvalidState:
		return "not " + not + ", because it is " + strings.ToLower(frame.Words(known.CurrentStatus)) + "."
	case apperr.PublishInProgress:
		return "not " + not + ", because it is being published."
	case apperr.ScheduledInPast:
		return "not " + not + ", because that time has passed."
	case apperr.Unavailable, apperr.Internal:
		return "not " + not + ", because part of the service did not respond. Try again."
	}
	if len(known.Fields) > 0 {
		f := known.Fields[0]
		if strings.TrimPrefix(f.Pointer, "/") == "shiftBy" {
			return "not " + not + ", because it has no time yet."
		}
		return "not " + not + ". Its " + strings.ToLower(frame.Words(strings.TrimPrefix(f.Pointer, "/"))) + " " + strings.TrimSuffix(f.Message, ".") + "."
	}
	return "not " + not + ". " + frame.Sentence(known.Message)
}

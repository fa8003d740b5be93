package publishing

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"socialpub.internal/shared/flow/postflow"
)

// summaryLimit is the size of a summary in bytes; Temporal takes 400.
const summaryLimit = 390

// pause is a wait of the workflow.
type pause struct {
	why      string
	until    time.Time // zero: without end
	deadline time.Time // when the service gives up; zero: it does not
	next     string    // the activity that follows; empty: none that was taken before
	try      int       // how often that will have been run
}

func (p pause) waiting() *postflow.Waiting {
	return &postflow.Waiting{For: p.why, Until: pointer(p.until), Deadline: pointer(p.deadline)}
}

// summary is the pause on one line.
func (p pause) summary(in postflow.Input) string {
	line := in.Target() + ": " + p.why
	if p.next != "" {
		line += fmt.Sprintf(" %s %d at %s", triesOf(p.next), p.try, instant(p.until))
	}
	if !p.deadline.IsZero() {
		line += ", gives up at " + instant(p.deadline)
	}
	return clip(line)
}

// details is the pause in Markdown.
func (p pause) details(in postflow.Input) string {
	lines := []string{p.why, "", "- Goes to: " + in.Target()}
	if p.next != "" {
		lines = append(lines, fmt.Sprintf("- Next: %s %d at %s", strings.ToLower(triesOf(p.next)), p.try, instant(p.until)))
	} else if !p.until.IsZero() {
		lines = append(lines, "- Until: "+instant(p.until))
	}
	if !p.deadline.IsZero() {
		lines = append(lines, "- Gives up at: "+instant(p.deadline))
	}
	return strings.Join(lines, "\n")
}

// stepWords says what a step does.
func stepWords(activity, target string, n int) string {
	what := "Publish to"
	switch activity {
	case postflow.ActivityCheckProcessing:
		what = "Check whether the post is ready to be published to"
	case postflow.ActivityReconcile:
		what = "Look for the post on"
	}
	return fmt.Sprintf("%s %s (%s %d)", what, target, strings.ToLower(triesOf(activity)), n)
}

// triesOf is the word for one run of an activity.
func triesOf(activity string) string {
	switch activity {
	case postflow.ActivityCheckProcessing:
		return "Check"
	case postflow.ActivityReconcile:
		return "Look"
	default:
		return "Try"
	}
}

// unplanned says why nothing is left to publish.
func unplanned(plan postflow.Plan) string {
	if plan.Signal == postflow.SignalDeleted {
		return plan.Signal.Description()
	}
	return strings.TrimSpace(plan.Signal.Description() + fmt.Sprintf(" Nothing is left to publish: the post is %s.", plan.Status))
}

func instant(at time.Time) string { return at.UTC().Format(time.RFC3339) }

// clip cuts a text to what a summary may hold, between characters.
func clip(text string) string {
	if len(text) <= summaryLimit {
		return text
	}
	cut := summaryLimit - len("…")
	for !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + "…"
}

func pointer(at time.Time) *time.Time {
	if at.IsZero() {
		return nil
	}
	at = at.UTC()
	return &at
}

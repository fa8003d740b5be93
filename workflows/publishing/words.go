package publishing

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/flow/postflow"
)

// summaryLimit is the maximum size of a summary in bytes; Temporal accepts 400.
const summaryLimit = 390

// pause is a wait of the workflow.
type pause struct {
	why      string
	until    time.Time // zero: without a time limit
	wake     time.Time // when the workflow continues, if before until
	deadline time.Time // when the service gives up repeating a step; zero: it does not
	next     string    // the next activity; empty: not a repeated step
	try      int       // the number of that execution
}

func (p pause) waiting() *postflow.Waiting {
	return &postflow.Waiting{For: p.why, Until: pointer(p.until), Deadline: pointer(p.deadline)}
}

// end returns the time at which the workflow continues.
func (p pause) end() time.Time {
	if p.wake.IsZero() {
		return p.until
	}
	return p.wake
}

// isHold reports whether the pause ends with the service giving up, unless a newer plan arrives before.
func (p pause) isHold() bool {
	return !p.deadline.IsZero() && !p.until.Before(p.deadline)
}

// summary returns the pause on one line. The timeline of the Temporal UI cuts long lines, so the reason comes last. No
// wait between two steps is longer than an hour, except a hold, so that other times need no date.
func (p pause) summary(in postflow.Input) string {
	if p.next == "" {
		return clip(in.Target() + ": " + p.why)
	}
	if p.isHold() {
		return clip(fmt.Sprintf("%s: gives up at %s. %s", in.Target(), instant(p.until), p.why))
	}
	line := fmt.Sprintf("%s: %s %d at %s", in.Target(), triesOf(p.next), p.try, timeOfDay(p.until))
	if !p.deadline.IsZero() {
		line += ", gives up at " + timeOfDay(p.deadline)
	}
	return clip(line + ". " + p.why)
}

// details returns the pause in Markdown.
func (p pause) details(in postflow.Input, status post.Status) string {
	lines := []string{standing(status, p.why), "", "- Goes to: " + in.Target()}
	if p.next != "" && !p.until.IsZero() && !p.isHold() {
		lines = append(lines, fmt.Sprintf("- Next: %s %d at %s", triesOf(p.next), p.try, instant(p.until)))
	} else if !p.until.IsZero() && !p.isHold() {
		lines = append(lines, "- Until: "+instant(p.until))
	}
	if !p.deadline.IsZero() {
		lines = append(lines, "- Gives up at: "+instant(p.deadline))
	}
	return strings.Join(lines, "\n")
}

// endDetails returns the end of the run in Markdown. The code is that of a FAILED post.
func endDetails(in postflow.Input, result postflow.Result, code string) string {
	lines := []string{standing(result.Status, result.Note), "", "- Goes to: " + in.Target()}
	if result.URL != "" {
		lines = append(lines, "- URL: "+result.URL)
	}
	if code != "" {
		lines = append(lines, "- Error code: `"+code+"`")
	}
	return strings.Join(lines, "\n")
}

// standing returns the first line of all details: the status and its current meaning.
func standing(status post.Status, text string) string {
	return fmt.Sprintf("**%s**. %s", status, text)
}

// stepWords describes a step.
func stepWords(activity, target string, n int) string {
	what := "Publish to"
	switch activity {
	case postflow.ActivityCheckProcessing:
		what = "Check whether the post is ready to be published to"
	case postflow.ActivityReconcile:
		what = "Look for the post on"
	}
	return fmt.Sprintf("%s %s (%s %d)", what, target, triesOf(activity), n)
}

// triesOf returns the noun for one execution of an activity.
func triesOf(activity string) string {
	switch activity {
	case postflow.ActivityCheckProcessing:
		return "check"
	case postflow.ActivityReconcile:
		return "look"
	default:
		return "try"
	}
}

// unplanned describes why there is nothing to publish.
func unplanned(plan postflow.Plan) string {
	if plan.Signal == postflow.SignalDeleted {
		return plan.Signal.Description()
	}
	return strings.TrimSpace(plan.Signal.Description() + fmt.Sprintf(" Nothing is left to publish: the post is %s.",
		plan.Status))
}

func instant(at time.Time) string { return at.UTC().Format("2006-01-02 15:04:05 UTC") }

func timeOfDay(at time.Time) string { return at.UTC().Format("15:04:05 UTC") }

// clip truncates a text to the size of a summary, between characters.
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

package posts

import (
	"fmt"
	"time"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/console/internal/poststate"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/event"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/infra/postgres"
)

// verdict says in one sentence where a post is, what cannot have happened, and until when it waits. Its texts have times in
// UTC, for Prose.
type verdict struct {
	Kind  string // held, failed or published: the ones with a ground of their own
	Title string
	Text  string
	Proof string // what is known about the network: nothing was sent
	Limit *limit
}

// limit is a wait that ends.
type limit struct {
	Max, Value int // minutes
	Left       string
	End        string // what happens then
}

// verdictOf returns the verdict of a post.
func verdictOf(of item, attempts []postgres.Attempt, now time.Time) verdict {
	network := of.Channel.Type.Network().Name()
	switch p := of.Post; p.Status {
	case post.Draft:
		return draft(p, network)
	case post.PendingApproval:
		v := verdict{Kind: "held", Title: "It waits for approval", Proof: "Nothing was sent."}
		if !p.ScheduledAt.IsZero() {
			v.Text = "Once it is approved, it is published at " + event.FormatTime(p.ScheduledAt) + "."
			if p.ScheduledAt.Before(now) {
				v.Text = "Its time has passed: once it is approved, it is a draft that needs a new time."
			}
		}
		return v
	case post.Scheduled:
		return scheduled(of, attempts, now)
	case post.Published:
		return published(of, network)
	case post.Failed:
		return failed(of, attempts)
	case post.Archived:
		return verdict{Title: "It is archived", Text: "It stays readable, and is left out of the other lists."}
	}
	return verdict{Title: of.Sign.Text}
}

func draft(p post.Post, network string) verdict {
	v := verdict{Title: "It is a draft", Text: "It has not been scheduled yet.", Proof: "Nothing was sent."}
	switch {
	case p.Approval != nil && p.Approval.Status == post.ApprovalRejected:
		v.Kind, v.Title, v.Text = "held", "Changes were requested", "Change it, then ask for approval again."
	case p.Approval != nil && p.Approval.Status == post.ApprovalApproved:
		v.Title, v.Text = "It is approved, and has no time", "Schedule it, and "+network+" gets it then."
	case !p.ScheduledAt.IsZero():
		v.Text = "It is planned for " + event.FormatTime(p.ScheduledAt) + ", but has not been scheduled yet."
	}
	return v
}

// scheduled returns the verdict of a post that is on its way.
func scheduled(of item, attempts []postgres.Attempt, now time.Time) verdict {
	p, network := of.Post, of.Channel.Type.Network().Name()
	v := verdict{Text: of.Wait.Text, Proof: proofOf(attempts, network)}
	w := p.EffectiveWaiting()
	switch {
	case w.Reason == post.WaitReview:
		v.Title, v.Proof = network+" reviews it", ""
	case !p.PublishingSince.IsZero():
		v.Title, v.Text = "It is being sent to "+network, "This takes seconds, a video minutes."
		v.Proof = ""
	case w.Reason == post.WaitReconnect:
		v.Kind, v.Title = "held", "It waits because "+network+" must be reconnected"
		v.Text += " Once you reconnect, it is published within a minute."
		v.Limit = limitOf(p.ScheduledAt, w.Until, now, "It fails at ")
	case of.Glyph == "held":
		v.Kind, v.Title = "held", heldTitle(of)
	case w.Reason == post.WaitRetrying:
		v.Title = network + " did not take it yet"
		v.Limit = limitOf(firstOf(attempts), w.Deadline, now, "It gives up at ")
	case w.Reason == post.WaitRateLimited:
		v.Title = network + " asked to wait"
	case w.Reason == post.WaitProcessing:
		v.Title = network + " prepares it"
	case w.Reason == post.WaitReconciling:
		v.Title = "We look for it on " + network
	case w.Reason != post.WaitTime:
		v.Title = "It waits"
	default:
		v.Title = "Scheduled for " + event.FormatTime(p.ScheduledAt)
		v.Text = "In " + span(p.ScheduledAt.Sub(now)) + ", on " + of.Channel.Name + "."
		if !p.ScheduledAt.After(now) {
			v.Title, v.Text = "It is published now", "On "+of.Channel.Name+"."
		}
	}
	return v
}

// heldTitle says why a scheduled post waits, or will wait, for a person.
func heldTitle(of item) string {
	switch {
	case of.Channel.PublishingStopped && !of.Post.OverridesPause:
		return "It waits because all publishing is stopped"
	case of.Channel.Paused() && !of.Post.OverridesPause:
		return "It waits because " + of.Channel.Name + " is paused"
	default:
		return of.Channel.Type.Network().Name() + " must be reconnected before it can go out"
	}
}

func published(of item, network string) verdict {
	p := of.Post
	v := verdict{Kind: "published", Title: "It is on " + network}
	switch {
	case of.Glyph == "published" && of.Sign.Icon == "trash-2":
		return verdict{Title: "It was deleted from " + network, Text: "It was published at " + event.FormatTime(p.PublishedAt) + "."}
	case p.PartsState == post.PartsInProgress:
		v.Kind, v.Title, v.Text = "", "Its parts are being published", "Each part follows once the one before it is on "+network+"."
	case p.PartsState == post.PartsIncomplete:
		if c := continuationOf(p, of.Channel); c != nil {
			v.Kind, v.Title, v.Text = "failed", c.Title, c.Text
		}
	case p.Confirmed != nil && *p.Confirmed:
		v.Text = "Seen on " + network + " at " + event.FormatTime(p.PublishedAt) + "."
	default:
		v.Title = network + " took it"
		v.Text = "At " + event.FormatTime(p.PublishedAt) + ". " + network + " does not report whether people see it."
	}
	return v
}

func failed(of item, attempts []postgres.Attempt) verdict {
	network := of.Channel.Type.Network().Name()
	v := verdict{Kind: "failed", Title: "It is not on " + network, Proof: proofOf(attempts, network)}
	if p := of.Post; p.Error != nil {
		v.Text = p.Error.Message
		switch p.Error.Code {
		case post.ErrorOutcomeUnknown:
			v.Title = "Is it on " + network + "?"
		case post.ErrorRemoved:
			v.Title, v.Proof = network+" removed it", ""
		case poststate.CodeRefused:
			v.Title = network + " refused it"
		case post.ErrorMissedSchedule:
			v.Title = "It missed its time"
		}
	}
	return v
}

// proofOf says what the attempts prove about the network: that it has no part of the post, or that it may have.
func proofOf(attempts []postgres.Attempt, network string) string {
	sent := false
	for _, a := range attempts {
		switch a.State {
		case post.AttemptSent, post.AttemptUnknown, post.AttemptUndetermined, post.AttemptAbandoned:
			return "It may be on " + network + "."
		case post.AttemptConfirmed:
			return ""
		case post.NoAttempt, post.AttemptPrepared, post.AttemptRejected:
			sent = sent || !a.SentAt.IsZero()
		}
	}
	if sent {
		return network + " did not take it, so it is not there."
	}
	return "Nothing was sent, so nothing can appear twice."
}

func firstOf(attempts []postgres.Attempt) time.Time {
	if len(attempts) == 0 {
		return time.Time{}
	}
	return attempts[0].StartedAt
}

// limitOf returns a wait from one time to another; nil if one of them is unknown or the wait is over.
func limitOf(from, to, now time.Time, end string) *limit {
	if from.IsZero() || to.IsZero() || !to.After(now) || !to.After(from) {
		return nil
	}
	waited := min(max(now.Sub(from), 0), to.Sub(from))
	return &limit{
		Max: max(int(to.Sub(from).Minutes()), 1), Value: int(waited.Minutes()), Left: span(to.Sub(now)) + " left",
		End: end + event.FormatTime(to.Truncate(time.Minute)) + ".",
	}
}

// span writes a duration in the two units that matter: 2 days 3 h, 22 h 36 min, 4 min.
func span(d time.Duration) string {
	const day = 24 * time.Hour
	switch d = d.Round(time.Minute); {
	case d >= 2*day:
		return fmt.Sprintf("%d days %d h", d/day, d%day/time.Hour)
	case d >= time.Hour:
		return fmt.Sprintf("%d h %d min", d/time.Hour, d%time.Hour/time.Minute)
	case d >= time.Minute:
		return fmt.Sprintf("%d min", d/time.Minute)
	default:
		return "less than a minute"
	}
}

// stage is a step on the way of a post.
type stage struct {
	Text  string
	At    time.Time
	Glyph string // of a stage that was reached
	State string // done, now or ahead
}

// trackOf returns the way of a post: what it passed, where it is, what lies ahead.
func trackOf(of item, timeline []post.Entry, attempts []postgres.Attempt) []stage {
	p, network := of.Post, of.Channel.Type.Network().Name()
	last := func(kind post.EntryKind) (at time.Time) {
		for _, e := range timeline {
			if e.Kind == kind {
				at = e.At
			}
		}
		return at
	}
	track := []stage{{Text: "Written", At: p.CreatedAt, Glyph: "published", State: "done"}}
	if approved := last(post.EntryApproved); p.Approval != nil && p.Approval.Status == post.ApprovalApproved && !approved.IsZero() {
		track = append(track, stage{Text: "Approved", At: approved, Glyph: "published", State: "done"})
	} else if p.Status == post.PendingApproval {
		track = append(track, stage{Text: "In review", At: last(post.EntryApprovalRequested), Glyph: "pending", State: "now"})
	}
	track = append(track, due(of))
	sent := stage{Text: "Sent", State: "ahead"}
	for _, a := range attempts {
		if !a.SentAt.IsZero() && a.State.Fenced() {
			sent = stage{Text: "Sent", At: a.SentAt, Glyph: "published", State: "done"}
		}
	}
	seen := stage{Text: "Seen on " + network, State: "ahead"}
	if p.Status == post.Published || p.Status == post.Archived && !p.PublishedAt.IsZero() {
		if sent.At.IsZero() {
			sent = stage{Text: "Sent", At: p.PublishedAt, Glyph: "published", State: "done"}
		}
		seen = stage{Text: "Accepted by " + network, At: p.PublishedAt, Glyph: "published", State: "done"}
		if p.Confirmed != nil && *p.Confirmed {
			seen.Text = "Seen on " + network
		}
	}
	return append(track, sent, seen)
}

// due returns the stage of the time of a post, at which it may wait or have failed.
func due(of item) stage {
	p := of.Post
	switch {
	case p.Status == post.Published || p.Status == post.Archived && !p.PublishedAt.IsZero():
		return stage{Text: "Due", At: p.ScheduledAt, Glyph: "published", State: "done"}
	case p.Status == post.Scheduled || p.Status == post.Failed:
		return stage{Text: of.Sign.Text, At: p.ScheduledAt, Glyph: of.Glyph, State: "now"}
	default:
		return stage{Text: "Due", At: p.ScheduledAt, State: "ahead"}
	}
}

// facts are what is known about one attempt.
type facts struct {
	Title   string
	Step    string
	Said    string // the words of the network
	Code    string
	Sent    string // what was sent, with times in UTC
	Elapsed string
}

// factsOf returns what is known about an attempt.
func factsOf(a postgres.Attempt, of channel.Channel) facts {
	network := of.Type.Network().Name()
	f := facts{Step: "prepare", Said: frame.Sentence(a.Message), Code: a.Code, Elapsed: elapsed(a)}
	if !a.SentAt.IsZero() {
		f.Step = "publish"
		f.Sent = "The post, at " + event.FormatTime(a.SentAt) + ". "
	} else if a.Handle != "" {
		f.Sent = "The content, for " + network + " to prepare. "
	}
	if a.Reconciled > 0 {
		f.Step += ", then looked for it " + times(a.Reconciled)
	}
	outcome := ""
	switch a.State {
	case post.AttemptPrepared:
		outcome, f.Sent = "in preparation", f.Sent+"Nothing is public; no post can exist."
	case post.AttemptRejected:
		switch {
		case !a.SentAt.IsZero():
			outcome, f.Sent = "not taken", f.Sent+"It is not on "+network+"."
		default:
			outcome, f.Sent = "stopped before publishing", f.Sent+"Nothing is public; no post can exist."
		}
	case post.AttemptSent:
		outcome, f.Sent = "being sent", f.Sent+network+" has not responded yet."
	case post.AttemptUnknown:
		outcome, f.Sent = "response lost", f.Sent+"It may be on "+network+": we look for it before anything is sent again."
	case post.AttemptUndetermined, post.AttemptAbandoned:
		outcome, f.Sent = "outcome unknown", f.Sent+"It may be on "+network+"."
	case post.AttemptConfirmed:
		outcome, f.Sent = "taken", f.Sent+network+" has it."
	case post.NoAttempt:
	}
	f.Title = fmt.Sprintf("Attempt %d, %s", a.N, outcome)
	return f
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// elapsed returns how long an attempt took; empty while it goes on.
func elapsed(a postgres.Attempt) string {
	if a.FinishedAt.IsZero() || a.FinishedAt.Before(a.StartedAt) {
		return ""
	}
	d := a.FinishedAt.Sub(a.StartedAt)
	if d >= time.Minute {
		return span(d)
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
}

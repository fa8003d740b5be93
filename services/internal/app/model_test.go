package app_test

import (
	"slices"
	"strings"
	"time"
)

// The model implements the life of posts by the contract (docs/contract.md, Posts, Publishing) a second time. It shares
// no code, names or tables with the code under test.

// refusal is an error as a client sees it. The zero refusal means success.
type refusal struct {
	code   string
	status string // for state conflicts: the current status
}

// accepted lists the states in which each action is accepted. DELETE is accepted in every state but one.
var accepted = map[string]string{
	"schedule":         "DRAFT FAILED SCHEDULED",
	"publish":          "DRAFT FAILED SCHEDULED",
	"unschedule":       "SCHEDULED",
	"request-approval": "DRAFT",
	"approve":          "PENDING_APPROVAL",
	"reject":           "PENDING_APPROVAL",
	"edit":             "DRAFT SCHEDULED FAILED",
	"delete":           "DRAFT PENDING_APPROVAL SCHEDULED FAILED ARCHIVED",
	"archive":          "DRAFT PUBLISHED FAILED",
	"unarchive":        "ARCHIVED",
	"complete":         "SCHEDULED",
	"fail":             "SCHEDULED",
	"remove":           "PUBLISHED",
}

// modelPost is the visible state of a post for clients and operators.
type modelPost struct {
	number    int // sequence number of its creation
	channel   int
	status    string
	before    string // for ARCHIVED: the state to return to
	content   string
	at        time.Time // planned or intended publish time
	published time.Time
	updated   time.Time
	url       string
	failure   map[string]any
	approval  string
	comment   string
	plan      int  // number of decisions about the post
	claimed   bool // a worker is publishing it
	waits     bool // it was tried and will be retried, or was resumed
	resumed   bool // if it waits: the end of a pause gave it a new plan
	waited    int  // the plan of the last wait
	gone      bool
	story     []string // the kinds of its timeline
}

// modelChannel is a channel of X. The first one has two slots a day, the others have none.
type modelChannel struct {
	connected bool
	paused    bool
}

// model is the expected state of a workspace.
type model struct {
	now      time.Time
	posts    []*modelPost
	channels []*modelChannel
	events   []map[string]any // events in order
	signals  []map[string]any // workflow messages in order
	reached  map[string]int   // number of visits of each cell of the table
}

// stop returns the refusal of an action because of the post's state.
func (m *model) stop(p *modelPost, action string) refusal {
	if p.gone {
		return refusal{code: "NOT_FOUND"}
	}
	m.reached[p.status+" "+action]++
	switch {
	case !slices.Contains(strings.Fields(accepted[action]), p.status):
		return refusal{"INVALID_STATE", p.status}
	case p.claimed && action != "complete" && action != "fail":
		return refusal{"PUBLISH_IN_PROGRESS", p.status}
	}
	return refusal{}
}

// publishable returns the refusal of publishing a text on a channel.
func (m *model) publishable(channel int, content string) refusal {
	switch {
	case !m.channels[channel].connected:
		return refusal{code: "CHANNEL_DISCONNECTED"}
	case !sayable(content):
		return refusal{code: "VALIDATION_FAILED"}
	}
	return refusal{}
}

// sayable reports whether X accepts the text: 1 to 280 characters. The texts of the test are plain ASCII.
func sayable(content string) bool { return strings.TrimSpace(content) != "" && len(content) <= 280 }

// data returns the data of every event about the post.
func (m *model) data(p *modelPost) map[string]any {
	d := map[string]any{
		"postId": p.number, "channelId": p.channel, "status": p.status, "publishedAt": nil, "postUrl": nil, "confirmed": nil,
		"error": nil, "channelType": "TWITTER", "scheduledAt": nil, "labels": []any{}, "externalId": nil,
		"metadata": map[string]any{},
	}
	if !p.at.IsZero() {
		d["scheduledAt"] = written(p.at)
	}
	if !p.published.IsZero() {
		d["publishedAt"], d["confirmed"] = written(p.published), true
	}
	if p.url != "" {
		d["postUrl"] = p.url
	}
	if p.failure != nil {
		d["error"] = p.failure
	}
	return d
}

// written formats a time (docs/contract.md, Times).
func written(t time.Time) string { return t.Format("2006-01-02T15:04:05.000") + "Z" }

func (m *model) happened(kind string, at time.Time, data map[string]any) {
	m.events = append(m.events, map[string]any{"type": kind, "createdAt": written(at), "data": data})
}

// signal records a signal to the post's workflow.
func (m *model) signal(p *modelPost, status string) {
	message := map[string]any{"post": p.number, "revision": p.plan, "status": status}
	if !p.at.IsZero() {
		message["scheduledAt"] = p.at
	}
	m.signals = append(m.signals, message)
}

// becomes changes the post's status now, with a new plan.
func (m *model) becomes(p *modelPost, status string, story ...string) {
	p.status, p.updated, p.waits = status, m.now, false
	p.plan++
	p.story = append(p.story, story...)
}

// refused returns the fault of that code that a post for one of the channels has, unless it becomes a draft.
func (m *model) refused(channels []int, content, schedule, code string) refusal {
	for _, c := range channels {
		if r := m.publishable(c, content); schedule != "draft" && r.code == code {
			return r
		}
	}
	return refusal{}
}

func (m *model) create(channels []int, content, schedule string, at time.Time) ([]*modelPost, refusal) {
	if r := m.refused(channels, content, schedule, "CHANNEL_DISCONNECTED"); r != (refusal{}) {
		return nil, r
	}
	invalid := m.refused(channels, content, schedule, "VALIDATION_FAILED")
	if schedule == "at" && !at.After(m.now) && invalid == (refusal{}) { // otherwise one error has both
		return nil, refusal{code: "SCHEDULED_IN_PAST"}
	}
	times := make(map[int]time.Time)
	for _, c := range channels {
		switch schedule {
		case "at":
			times[c] = at
		case "now":
			times[c] = m.now
		case "next_slot":
			next, none := m.nextSlot(c)
			if none != (refusal{}) {
				return nil, none
			}
			times[c] = next
		}
	}
	if invalid != (refusal{}) {
		return nil, invalid
	}
	created := make([]*modelPost, 0, len(channels))
	for _, c := range channels {
		p := &modelPost{
			number: len(m.posts), channel: c, status: "DRAFT", content: content, updated: m.now, plan: 1,
			story: []string{"created"},
		}
		if schedule != "draft" {
			p.status, p.at = "SCHEDULED", times[c]
			m.signal(p, p.status)
		}
		m.posts, created = append(m.posts, p), append(created, p)
		m.happened("post.created", m.now, m.data(p))
		if schedule != "draft" {
			m.happened("post.scheduled", m.now, m.data(p))
		}
	}
	return created, refusal{}
}

// nextSlot returns the first future slot of the channel, 09:00 or 18:00 each day, that no SCHEDULED post holds.
func (m *model) nextSlot(channel int) (time.Time, refusal) {
	switch {
	case m.channels[channel].paused:
		return time.Time{}, refusal{code: "QUEUE_PAUSED"}
	case channel != 0:
		return time.Time{}, refusal{code: "NO_FREE_SLOT"}
	}
	for day := m.now.Truncate(24 * time.Hour); ; day = day.Add(24 * time.Hour) {
		for _, hour := range []time.Duration{9, 18} {
			at := day.Add(hour * time.Hour)
			held := slices.ContainsFunc(m.posts, func(p *modelPost) bool {
				return !p.gone && p.channel == channel && p.status == "SCHEDULED" && p.at.Equal(at)
			})
			if at.After(m.now) && !held {
				return at, refusal{}
			}
		}
	}
}

// past returns the refusal of a past time for a post with this text. If the text has a fault too, one error has both.
func past(content string) refusal {
	if !sayable(content) {
		return refusal{code: "VALIDATION_FAILED"}
	}
	return refusal{code: "SCHEDULED_IN_PAST"}
}

func (m *model) schedule(p *modelPost, at time.Time) refusal {
	if r := m.stop(p, "schedule"); r != (refusal{}) {
		return r
	}
	if !at.After(m.now) {
		return past(p.content)
	}
	return m.plan(p, at, "scheduled")
}

func (m *model) scheduleNext(p *modelPost) refusal {
	if r := m.stop(p, "schedule"); r != (refusal{}) {
		return r
	}
	at, none := m.nextSlot(p.channel)
	if none != (refusal{}) {
		return none
	}
	return m.plan(p, at, "scheduled")
}

func (m *model) publish(p *modelPost) refusal {
	if r := m.stop(p, "publish"); r != (refusal{}) {
		return r
	}
	return m.plan(p, m.now, "publish_requested")
}

func (m *model) plan(p *modelPost, at time.Time, story string) refusal {
	if r := m.publishable(p.channel, p.content); r != (refusal{}) {
		return r
	}
	same := p.status == "SCHEDULED" && p.at.Equal(at)
	m.becomes(p, "SCHEDULED", story)
	p.at, p.failure = at, nil
	if !same {
		m.happened("post.scheduled", m.now, m.data(p))
	}
	m.signal(p, p.status)
	return refusal{}
}

func (m *model) unschedule(p *modelPost) refusal {
	if r := m.stop(p, "unschedule"); r != (refusal{}) {
		return r
	}
	m.becomes(p, "DRAFT", "unscheduled")
	p.at = time.Time{}
	m.happened("post.unscheduled", m.now, m.data(p))
	m.signal(p, p.status)
	return refusal{}
}

func (m *model) requestApproval(p *modelPost) refusal {
	if r := m.stop(p, "request-approval"); r != (refusal{}) {
		return r
	}
	m.becomes(p, "PENDING_APPROVAL", "approval_requested")
	p.approval, p.comment = "PENDING", ""
	m.decided(p, "post.approval_requested")
	return refusal{}
}

func (m *model) approve(p *modelPost, comment string) refusal {
	if r := m.stop(p, "approve"); r != (refusal{}) {
		return r
	}
	if p.at.After(m.now) {
		if r := m.publishable(p.channel, p.content); r != (refusal{}) {
			return r
		}
		m.becomes(p, "SCHEDULED", "approved")
	} else {
		m.becomes(p, "DRAFT", "approved")
		p.at = time.Time{}
	}
	p.approval, p.comment = "APPROVED", comment
	m.decided(p, "post.approved")
	if p.status == "SCHEDULED" {
		m.happened("post.scheduled", m.now, m.data(p))
	}
	return refusal{}
}

func (m *model) reject(p *modelPost, comment string) refusal {
	if r := m.stop(p, "reject"); r != (refusal{}) {
		return r
	}
	m.becomes(p, "DRAFT", "rejected") // the intended time is kept
	p.approval, p.comment = "REJECTED", comment
	m.decided(p, "post.rejected")
	return refusal{}
}

// decided emits an approval event, which includes the comment.
func (m *model) decided(p *modelPost, kind string) {
	data := m.data(p)
	data["comment"] = nil
	if p.comment != "" {
		data["comment"] = p.comment
	}
	m.happened(kind, m.now, data)
	m.signal(p, p.status)
}

// edit changes the content, the time, or both; nil keeps them.
func (m *model) edit(p *modelPost, content *string, at *time.Time) refusal {
	if r := m.stop(p, "edit"); r != (refusal{}) {
		return r
	}
	says := content != nil && *content != p.content
	moves := at != nil && !at.Equal(p.at)
	becomes := p.content
	if says {
		becomes = *content
	}
	switch {
	case moves && p.status == "FAILED", moves && at.IsZero() && p.status == "SCHEDULED":
		return refusal{code: "VALIDATION_FAILED"}
	case moves && !at.IsZero() && !at.After(m.now):
		if p.status == "SCHEDULED" {
			return past(becomes)
		}
		return refusal{code: "SCHEDULED_IN_PAST"}
	case !says && !moves:
		return refusal{} // no change, no event
	}
	if p.status == "SCHEDULED" && moves {
		if r := m.publishable(p.channel, becomes); r != (refusal{}) {
			return r
		}
	}
	if p.status == "SCHEDULED" && !sayable(becomes) {
		return refusal{code: "VALIDATION_FAILED"}
	}
	p.content = becomes
	p.updated = latest(m.now, p.updated.Add(time.Millisecond)) // two edits never have the same time
	p.story = append(p.story, "edited")
	if moves {
		p.at = *at
	}
	if moves && p.status == "SCHEDULED" {
		p.plan++
		p.waits = false
		p.story = append(p.story, "scheduled")
		m.signal(p, p.status)
	}
	m.happened("post.updated", p.updated, m.data(p))
	if moves && p.status == "SCHEDULED" {
		m.happened("post.scheduled", p.updated, m.data(p))
	}
	return refusal{}
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func (m *model) remove(p *modelPost) refusal {
	if r := m.stop(p, "delete"); r != (refusal{}) {
		return r
	}
	m.happened("post.deleted", m.now, m.data(p)) // with its last state
	if p.status == "SCHEDULED" || p.status == "PENDING_APPROVAL" {
		p.plan++
		m.signal(p, "DRAFT") // ends the workflow
	}
	p.gone = true
	return refusal{}
}

func (m *model) archive(p *modelPost) refusal {
	if r := m.stop(p, "archive"); r != (refusal{}) {
		return r
	}
	p.before = p.status
	m.becomes(p, "ARCHIVED", "archived")
	return refusal{}
}

func (m *model) unarchive(p *modelPost) refusal {
	if r := m.stop(p, "unarchive"); r != (refusal{}) {
		return r
	}
	m.becomes(p, p.before, "unarchived")
	p.before = ""
	return refusal{}
}

// conclude records the end of publishing by a worker that has claimed the post.
func (m *model) conclude(p *modelPost, failure map[string]any, url string) {
	if failure != nil {
		m.becomes(p, "FAILED", "failed")
		p.claimed, p.failure = false, failure
		m.happened("post.failed", m.now, m.data(p))
		return
	}
	m.becomes(p, "PUBLISHED", "published")
	p.claimed, p.failure, p.published, p.url = false, nil, m.now, url
	m.happened("post.published", m.now, m.data(p))
}

// takeDown records that the network removed the post after it was published.
func (m *model) takeDown(p *modelPost) {
	if m.stop(p, "remove") != (refusal{}) {
		return
	}
	m.becomes(p, "FAILED", "failed")
	p.published, p.url = time.Time{}, ""
	p.failure = map[string]any{
		"code": "PLATFORM_REMOVED", "message": "X removed the post after it was published: no", "retryable": false,
	}
	m.happened("post.failed", m.now, m.data(p))
}

// postpone releases a claimed post for a retry.
func (m *model) postpone(p *modelPost) {
	p.claimed, p.waits, p.resumed, p.updated = false, true, false, m.now
	if p.waited != p.plan { // repeated waits in one plan share one entry
		p.story = append(p.story, "waiting")
	}
	p.waited = p.plan
}

// resume is the end of a channel's pause, at which every post that is due gets a new plan. By the clock of the database,
// all times of the test are past. It returns the posts in the order of their plans.
func (m *model) resume(channel int) (late []*modelPost) {
	for _, p := range m.posts {
		if p.channel == channel && !p.gone && p.status == "SCHEDULED" && !p.claimed && (!p.waits || p.resumed) {
			late = append(late, p)
		}
	}
	slices.SortStableFunc(late, func(a, b *modelPost) int { return a.at.Compare(b.at) })
	for _, p := range late {
		p.plan++
		p.waits, p.resumed = true, true
		m.signal(p, p.status)
	}
	return late
}

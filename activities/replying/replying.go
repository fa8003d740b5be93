// Package replying sends the answers of the inbox, each at most once.
//
// The order is that of posts (docs/architecture.md, The publish protocol): the intent is committed before the irrevocable
// call, and until it ends no other execution sends. What no network can prove is not sent again without a person.
package replying

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"fencepost.internal/activities/heartbeat"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/inbox"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/flow"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/retry"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/kernel/failpoint"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform"
)

// The crash points of an answer. A test kills the process at each of them.
const (
	FailBeforeClaim  = "replying.before_claim"
	FailBeforeIntent = "replying.before_intent"
	FailAfterIntent  = "replying.after_intent"
	FailAfterSend    = "replying.after_send"
	FailAfterRecord  = "replying.after_record"
)

// Codes of answers that were not sent, or may not have been.
const (
	CodeWindowClosed = "WINDOW_CLOSED"
	CodeUnanswerable = "CHANNEL_DISCONNECTED"
	CodeUnknown      = "OUTCOME_UNKNOWN"
	CodeTries        = "NOT_SENT"
	CodeAbsent       = "NOT_RECEIVED" // the network does not have it after a lost response
)

const (
	// firstPause is the wait after the first failed try; it doubles up to longPause.
	firstPause = 2 * time.Second
	longPause  = 5 * time.Minute
	// mostTries is the number of attempts that sent nothing after which an answer fails.
	mostTries = 8
	// reconnectPause is the wait for a channel that must be reconnected, or an operator who must act.
	reconnectPause = 30 * time.Second
	// lookFor is the time for which a network is asked for an answer whose response was lost. Idempotency keys end later.
	lookFor = 30 * time.Minute
	// margin is added to the longest time of a call before another execution takes it as lost.
	margin = 10 * time.Second
	// recordFor is the time for which the end of a call is recorded again while the database does not respond.
	recordFor = 2 * time.Minute
)

// recordPauses are the pauses between the tries of such a record.
var recordPauses = retry.Pauses{First: 100 * time.Millisecond, Longest: firstPause}

// Store stores answers and attempts; see postgres.Replies.
type Store interface {
	Load(ctx context.Context, id ident.Message) (postgres.ReplyJob, error)
	Intend(ctx context.Context, id ident.Message, window time.Duration) (int, error)
	Record(ctx context.Context, id ident.Message, n int, r postgres.ReplyResult) error
	Refuse(ctx context.Context, id ident.Message, code, message string) error
	Uploaded(ctx context.Context, id ident.Message, handle string) error
	Unprepared(ctx context.Context, id ident.Message, r postgres.ReplyResult) error
}

// Caller calls the network of a channel with valid credentials; see access.Keeper.
type Caller interface {
	Do(ctx context.Context, link platform.Link, c channel.Channel, call func(context.Context, platform.Account) error) error
}

// Config holds the dependencies and settings of Replying.
type Config struct {
	Store      Store
	Access     Caller
	Connectors *platform.Registry
	Files      platform.Files
	Clock      clock.Clock
	Logger     *slog.Logger
	Metrics    *Metrics
	SendWindow time.Duration // from the intent to the first byte of the call
	Timeout    time.Duration // of the call
	RetryScale float64       // factor of the pauses; 1 in production
}

// Replying executes the steps. It is safe for concurrent use.
type Replying struct{ Config }

// New returns a Replying, or an error if cfg is incomplete.
func New(cfg Config) (*Replying, error) {
	if cfg.Store == nil || cfg.Access == nil || cfg.Connectors == nil || cfg.Files == nil || cfg.Clock == nil || cfg.Logger == nil || cfg.Metrics == nil ||
		cfg.SendWindow <= 0 || cfg.Timeout <= 0 || cfg.RetryScale <= 0 {
		return nil, errors.New("replying: every dependency is required, and times must be positive")
	}
	for _, t := range channel.Types() { // a rise from nothing is seen
		link, _ := cfg.Connectors.Link(channel.Channel{Type: t})
		if _, replies := link.(platform.Replier); replies {
			for _, outcome := range []string{"sent", "refused", "delayed", "unknown"} {
				cfg.Metrics.replies.WithLabelValues(string(t.Network()), outcome)
			}
		}
	}
	return &Replying{cfg}, nil
}

// Send takes one step to send an answer.
func (r *Replying) Send(ctx context.Context, in flow.ReplyInput) (flow.ReplyOutcome, error) {
	if err := failpoint.Hit(ctx, FailBeforeClaim); err != nil {
		return flow.ReplyOutcome{}, err
	}
	defer heartbeat.Keep(ctx)()
	job, err := r.Store.Load(ctx, in.MessageID)
	switch {
	case apperr.Is(err, apperr.NotFound):
		return flow.ReplyOutcome{Done: true, Note: "The answer is gone."}, nil
	case err != nil:
		return flow.ReplyOutcome{}, err
	case job.State != inbox.Queued:
		return flow.ReplyOutcome{Done: true, Refused: job.State == inbox.Failed, Note: "The answer is " + string(job.State) + "."}, nil
	}
	link, _ := r.Connectors.Link(job.Channel)
	if job.Attempt.State.Fenced() {
		return r.follow(ctx, job, link)
	}
	replier, ok := link.(platform.Replier)
	replied := inbox.Conversation{LastInAt: job.LastInAt}
	switch {
	case !ok || !job.Channel.IsConnected:
		return r.refuse(ctx, job, CodeUnanswerable, "The channel is disconnected. Connect it again, then send the answer again.")
	case job.Template == nil && !replied.Answerable(job.Channel.Type, r.Clock.Now()):
		return r.refuse(ctx, job, CodeWindowClosed,
			"The time to answer was over: "+job.Channel.Type.Name()+" allows answers within 24 hours of the person’s last message.")
	case !job.Channel.Ready():
		return flow.ReplyOutcome{Wait: r.scaled(reconnectPause), Note: "The answer waits until the channel is connected again."}, nil
	case len(job.Media) < len(job.Files):
		return r.refuse(ctx, job, media.CodeGone, "The file of the answer was deleted from the media library. Send it in a new answer.")
	case job.Attempt.Failed >= mostTries:
		return r.refuse(ctx, job, CodeTries, "The network did not take the answer in "+
			"several tries. Send it again when the network works.")
	}
	return r.attempt(ctx, job, replier)
}

// attempt makes the irrevocable call once.
func (r *Replying) attempt(ctx context.Context, job postgres.ReplyJob, replier platform.Replier) (flow.ReplyOutcome, error) {
	var out flow.ReplyOutcome
	files := platform.KeepFiles(r.Files)
	defer func() { _ = files.Close() }()
	reply := replyOf(job)
	reply.Files = files
	err := r.Access.Do(ctx, replier, job.Channel, func(ctx context.Context, account platform.Account) (err error) {
		if err := r.prepare(ctx, job, replier, account, &reply); err != nil {
			return err
		}
		if err := failpoint.Hit(ctx, FailBeforeIntent); err != nil {
			return err
		}
		// The time is taken before the intent is recorded, so that the sender's window ends before the one others assume.
		sendBy := r.Clock.Now().Add(r.SendWindow)
		n, err := r.Store.Intend(ctx, job.ID, windowOf(job))
		if err != nil {
			return err
		}
		if n == 0 {
			out = flow.ReplyOutcome{Wait: time.Second, Note: "Another execution has the answer, or it is not to be sent."}
			return nil
		}
		if err := failpoint.Hit(ctx, FailAfterIntent); err != nil {
			return err
		}
		out, err = r.send(context.WithoutCancel(ctx), job, n, sendBy, replier, func(ctx context.Context) (string, error) {
			return replier.SendReply(ctx, account, reply)
		})
		return err
	})
	if failure, is := errors.AsType[*platform.Failure](err); is { // before the intent, or of expired credentials
		return r.notSent(ctx, job, failure)
	}
	return out, err
}

// windowOf returns the time in which an answer may be sent; zero: always, as templates.
func windowOf(job postgres.ReplyJob) time.Duration {
	if job.Template != nil {
		return 0
	}
	return inbox.Window(job.Channel.Type)
}

// longest returns the longest time from the intent to the end of the call.
func (r *Replying) longest(job postgres.ReplyJob) time.Duration {
	whole := r.SendWindow + r.Timeout
	for _, file := range job.Media {
		whole += platform.TransferTime(file.Size)
	}
	return whole
}

// send makes the call and records its end. Nothing interrupts it.
func (r *Replying) send(
	ctx context.Context, job postgres.ReplyJob, n int, sendBy time.Time, link platform.Link, call func(context.Context) (string, error),
) (flow.ReplyOutcome, error) {
	limited, cancel := context.WithTimeout(platform.WithSendBy(ctx, sendBy), r.longest(job))
	defer cancel()
	externalID, err := call(limited)
	if hit := failpoint.Hit(ctx, FailAfterSend); hit != nil {
		return flow.ReplyOutcome{}, hit
	}
	if err == nil {
		return r.confirm(ctx, job, n, externalID)
	}
	failure := platform.FailureOf(err)
	result := postgres.ReplyResult{
		State: post.AttemptRejected, Class: string(failure.Class), Code: failure.Code, Message: failure.Message, Reply: inbox.Queued,
	}
	switch failure.Class {
	case platform.ClassTransient, platform.ClassRateLimited, platform.ClassReconnect, platform.ClassRefresh, platform.ClassOperator:
	case platform.ClassRejected, platform.ClassUser:
		result.Reply = inbox.Failed
	case platform.ClassUnknown:
		fallthrough
	default: // nothing is certain
		if _, finds := link.(platform.ReplyFinder); finds {
			return flow.ReplyOutcome{Wait: r.scaled(firstPause), Note: "The network did not respond; looking for the answer."}, nil
		}
		return r.lost(ctx, job, n)
	}
	if err := r.record(ctx, job.ID, n, result); err != nil {
		return flow.ReplyOutcome{}, err
	}
	return flow.ReplyOutcome{}, failure
}

func (r *Replying) confirm(ctx context.Context, job postgres.ReplyJob, n int, externalID string) (flow.ReplyOutcome, error) {
	err := r.record(ctx, job.ID, n, postgres.ReplyResult{State: post.AttemptConfirmed, ExternalID: externalID, Reply: inbox.Sent})
	r.Metrics.count(job.Channel.Type.Network(), "sent")
	r.Metrics.seconds.Observe(max(0, r.Clock.Now().Sub(job.SentAt).Seconds()))
	return flow.ReplyOutcome{Done: true, Note: "Sent."}, err
}

// replyOf returns the answer as connectors take it.
func replyOf(job postgres.ReplyJob) platform.Reply {
	return platform.Reply{
		ID: job.ID, Connection: job.Connection, Thread: job.Thread, Text: job.Text, ReplyTo: job.ReplyTo, Kind: job.Kind, Post: job.Post,
		Username: job.Username, Template: job.Template, Media: job.Media, Handle: job.Handle,
	}
}

// lost records that the network may or may not have the answer. Only a person decides to send it again.
func (r *Replying) lost(ctx context.Context, job postgres.ReplyJob, n int) (flow.ReplyOutcome, error) {
	err := r.record(ctx, job.ID, n, postgres.ReplyResult{
		State: post.AttemptUnknown, Code: CodeUnknown, Reply: inbox.Unknown,
		Message: job.Channel.Type.Network().Name() + " did not confirm the answer, so it may have arrived. Look there before you send it again.",
	})
	r.Metrics.count(job.Channel.Type.Network(), "unknown")
	return flow.ReplyOutcome{Done: true, Refused: err == nil, Note: "The outcome is unknown."}, err
}

// follow follows up an attempt whose end is not recorded. Once its sender cannot be at work any more, a network that can be asked
// is; without a clear response in time, and on other networks, the answer is lost.
func (r *Replying) follow(ctx context.Context, job postgres.ReplyJob, link platform.Link) (flow.ReplyOutcome, error) {
	if job.Attempt.State != post.AttemptSent {
		return flow.ReplyOutcome{Done: true, Note: "The answer was sent before."}, nil
	}
	if wait := r.longest(job) + margin - job.Attempt.Age; wait > 0 {
		return flow.ReplyOutcome{Wait: wait, Note: "Another execution is sending the answer."}, nil
	}
	finder, ok := link.(platform.ReplyFinder)
	if !ok || !job.Channel.IsConnected || job.Attempt.Age > lookFor {
		return r.lost(ctx, job, job.Attempt.N)
	}
	return r.find(ctx, job, finder)
}

// find looks for an answer at the network. One that is certainly absent is sent again.
func (r *Replying) find(ctx context.Context, job postgres.ReplyJob, finder platform.ReplyFinder) (flow.ReplyOutcome, error) {
	var found string
	err := r.Access.Do(ctx, finder, job.Channel, func(ctx context.Context, account platform.Account) (err error) {
		ctx, cancel := context.WithTimeout(ctx, r.Timeout)
		defer cancel()
		found, err = finder.FindReply(ctx, account, replyOf(job), r.Clock.Now().Add(-job.Attempt.Age))
		return err
	})
	switch {
	case err != nil:
		wait := r.scaled(min(max(firstPause, job.Attempt.Age/2), longPause)) //nolint:mnd // as the attempt becomes older
		r.Logger.WarnContext(ctx, "an answer was not looked for; will retry", slog.String("message_id", job.ID.String()),
			slog.Duration("wait", wait), slog.Any("error", err))
		return flow.ReplyOutcome{Wait: wait, Note: "The network does not show whether it has the answer."}, nil
	case found != "":
		return r.confirm(ctx, job, job.Attempt.N, found)
	}
	err = r.record(ctx, job.ID, job.Attempt.N, postgres.ReplyResult{
		State: post.AttemptRejected, Class: string(platform.ClassTransient), Code: CodeAbsent, Reply: inbox.Queued,
	})
	r.Metrics.count(job.Channel.Type.Network(), "delayed")
	return flow.ReplyOutcome{Wait: r.pause(job.Attempt.Failed), Note: "The network does not have the answer."}, err
}

// notSent decides how an answer continues that was certainly not sent.
func (r *Replying) notSent(ctx context.Context, job postgres.ReplyJob, failure *platform.Failure) (flow.ReplyOutcome, error) {
	network := job.Channel.Type.Network()
	out := flow.ReplyOutcome{Note: failure.Code}
	switch failure.Class {
	case platform.ClassRejected, platform.ClassUser:
		r.Metrics.count(network, "refused")
		return r.refuse(ctx, job, failure.Code, failure.Message)
	case platform.ClassReconnect, platform.ClassOperator:
		out.Wait = r.scaled(reconnectPause)
	case platform.ClassRateLimited:
		out.Wait = max(failure.Until.Sub(r.Clock.Now()), r.scaled(firstPause))
	case platform.ClassTransient, platform.ClassRefresh, platform.ClassUnknown:
		out.Wait = r.pause(job.Attempt.Failed)
	}
	r.Metrics.count(network, "delayed")
	r.Logger.WarnContext(ctx, "an answer was not sent; will retry", slog.String("message_id", job.ID.String()),
		slog.String("network", string(network)), slog.String("code", failure.Code), slog.Duration("wait", out.Wait))
	return out, nil
}

func (r *Replying) refuse(ctx context.Context, job postgres.ReplyJob, code, message string) (flow.ReplyOutcome, error) {
	err := r.Store.Refuse(ctx, job.ID, code, message)
	return flow.ReplyOutcome{Done: true, Refused: err == nil, Note: message}, err
}

// record records the end of a call, also while the database does not respond for a time.
func (r *Replying) record(ctx context.Context, id ident.Message, n int, result postgres.ReplyResult) error {
	ctx, cancel := context.WithTimeout(ctx, recordFor)
	defer cancel()
	_, err := retry.Do(ctx, recordPauses, postgres.IsUnavailable, func() (struct{}, error) {
		return struct{}{}, r.Store.Record(ctx, id, n, result)
	})
	if err != nil {
		return err
	}
	return failpoint.Hit(ctx, FailAfterRecord)
}

func (r *Replying) pause(failed int) time.Duration {
	const doublings = 8 // reach the longest pause
	return r.scaled(min(firstPause<<min(failed, doublings), longPause))
}

func (r *Replying) scaled(pause time.Duration) time.Duration {
	return max(time.Duration(float64(pause)*r.RetryScale), time.Millisecond)
}

// Metrics count answers.
type Metrics struct {
	replies *prometheus.CounterVec
	seconds prometheus.Histogram
}

// NewMetrics returns Metrics registered with reg.
func NewMetrics(reg prometheus.Registerer) *Metrics {
	m := &Metrics{
		replies: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "replies_total", Help: "Steps of answers of the inbox, by network and outcome.",
		}, []string{"network", "outcome"}),
		seconds: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "reply_seconds", Help: "Time from a person's answer to the network's response.",
			Buckets: []float64{.1, .25, .5, 1, 2.5, 5, 10, 30, 60, 300, 3600},
		}),
	}
	reg.MustRegister(m.replies, m.seconds)
	return m
}

func (m *Metrics) count(network channel.Network, outcome string) {
	m.replies.WithLabelValues(string(network), outcome).Inc()
}

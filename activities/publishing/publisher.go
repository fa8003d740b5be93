// Package publishing executes the steps of the publish protocol: claim, prepare, intent, send, record, reconcile.
//
// A database row prevents a post from being published twice. Before the one irrevocable call an attempt is committed as
// SENT, and no execution sends while a SENT, UNKNOWN or CONFIRMED attempt exists. Therefore every activity here may be
// repeated, run concurrently, or crash at any instruction. No post is lost either, because each of those states is
// followed up until its result is known (docs/contract.md, Unknown outcomes).
package publishing

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/google/uuid"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/flow/postflow"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/kernel/failpoint"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/access"
	"fencepost.internal/shared/platform/rules"
)

// Crash points of the protocol; a test kills the process at each of them.
const (
	FailAfterClaim     = "publish.after_claim"
	FailAfterPrepare   = "publish.after_prepare"
	FailAfterHandle    = "publish.after_handle"
	FailAfterIntent    = "publish.after_intent"
	FailAfterSend      = "publish.after_send"
	FailAfterRecord    = "publish.after_record"
	FailAfterHold      = "publish.after_hold"
	FailBeforeDiscard  = "publish.before_discard"
	FailBeforeEvidence = "reconcile.after_evidence"
)

// Config holds the dependencies and settings of a Publisher.
type Config struct {
	Attempts   Attempts
	Posts      Posts
	Channels   Channels
	Media      Media
	Files      platform.Files // the attachments
	Renditions Renditions     // the attachments in the forms of networks
	Access     Access
	Connectors *platform.Registry
	Rules      rules.Table // what the networks accept
	Clock      clock.Clock
	Logger     *slog.Logger
	Metrics    *Metrics
	Wake       func()        // notifies the relay of new events
	SendWindow time.Duration // how long after its intent the irrevocable call may still start
	ReadDelay  time.Duration // how long a network may hide an accepted post
	RetryScale float64       // factor applied to the waits between attempts; 1 in production
	// CommitTimeout is the maximum duration of the irrevocable call without the transfer of its attachments. Zero means
	// the longest default of the connectors, one minute.
	CommitTimeout time.Duration
	// NotifyLoss mails people that posts wait for the channel, once until it is connected again.
	NotifyLoss func(ctx context.Context, id ident.Channel, now time.Time) error
}

// defaultCommitTimeout is the longest default timeout of the connectors.
const defaultCommitTimeout = time.Minute

// Publisher executes the steps of the publish protocol. It is safe for concurrent use.
type Publisher struct{ Config }

// NewPublisher returns a Publisher, or an error if cfg is invalid.
func NewPublisher(cfg Config) (*Publisher, error) {
	if cfg.Attempts == nil || cfg.Posts == nil || cfg.Channels == nil || cfg.Media == nil || cfg.Files == nil || cfg.Renditions == nil ||
		cfg.Access == nil ||
		cfg.Connectors == nil || cfg.Rules == nil ||
		cfg.Clock == nil || cfg.Logger == nil || cfg.Metrics == nil || cfg.Wake == nil ||
		cfg.NotifyLoss == nil {
		return nil, errors.New("publishing: every dependency is required")
	}
	if cfg.SendWindow <= 0 || cfg.ReadDelay <= 0 || cfg.RetryScale <= 0 || cfg.CommitTimeout < 0 {
		return nil,
			errors.New("publishing: SendWindow, ReadDelay and RetryScale must be positive, and CommitTimeout not negative")
	}
	cfg.CommitTimeout = cmp.Or(cfg.CommitTimeout, defaultCommitTimeout)
	return &Publisher{Config: cfg}, nil
}

// run is one execution of a step.
type run struct {
	*Publisher
	postgres.Job
	connector platform.Connector
	content   platform.Content
	intent    postgres.Intent
	probing   bool // the channel is rate limited, and this execution checks whether it still is
	lostRace  bool // this execution already lost one race; after another one it postpones the post
	intended  bool // the intent is recorded, so the end of the attempt must be recorded too
	edited    bool // the stored preparation is of other content
}

func (r *run) account() platform.Account {
	return access.AccountOf(r.Channel, r.Credentials)
}

// Publish claims the post and, if nothing prevents it, prepares it, sends it and records the result.
func (p *Publisher) Publish(ctx context.Context, step postflow.Step) (postflow.Outcome, error) {
	job, err := p.Attempts.Claim(ctx, step.PostID, step.Revision)
	if errors.Is(err, postgres.ErrStale) {
		return p.notClaimed(ctx, step)
	}
	if err != nil {
		return postflow.Outcome{}, err
	}
	if err := failpoint.Hit(ctx, FailAfterClaim); err != nil {
		return postflow.Outcome{}, err
	}
	r, err := p.newRun(ctx, job)
	if err != nil {
		return postflow.Outcome{}, err
	}
	if job.Attempt.State.Fenced() {
		return r.followUp(ctx)
	}
	if !r.Post.Cleared() {
		return r.unapproved(ctx)
	}
	if r.Paused {
		return r.holdPaused(ctx)
	}
	if out, decided, err := r.takeTurn(ctx); decided || err != nil {
		return out, err
	}
	if r.unseen() {
		return r.postpone(ctx, pause{
			reason: post.WaitProcessing, until: r.now().Add(unseenWait), deadline: r.Post.ScheduledAt.Add(unseenBudget),
			release: true,
			why:     "The service is processing an attachment of the post.", next: postflow.NextProcessing,
		})
	}
	if failure := r.obstacle(); failure != nil {
		if failure.Code == post.ErrorNeedsReconnect && r.Channel.IsConnected {
			return r.hold(ctx, postgres.AttemptResult{})
		}
		return r.fail(ctx, *failure, r.unsent(failure))
	}
	if job.Limited {
		wait, err := p.Attempts.Turn(ctx, job.Channel.ID, p.lineStep())
		if err != nil {
			return postflow.Outcome{}, err
		}
		if wait > 0 {
			return r.inLine(ctx, wait)
		}
		r.probing = true
	}
	return r.attempt(ctx)
}

const (
	// unseenWait is the poll interval while an attachment is being processed.
	unseenWait = time.Second
	// unseenBudget is the longest such wait after the publish time. After it the post is sent anyway, and the network
	// decides about the properties that could not be checked.
	unseenBudget = 2 * time.Minute
	// notDueLimit is the longest wait when the database reports that a post is not due although its timer has fired.
	notDueLimit = time.Minute
)

// unseen reports whether an attachment is unprocessed, so that the rules cannot be checked in full yet.
func (r *run) unseen() bool {
	return r.Now.Sub(r.Post.ScheduledAt) < unseenBudget &&
		slices.ContainsFunc(r.content.Media, func(a media.Asset) bool { return !a.Processed() })
}

// CheckProcessing checks whether the network has finished preparing the post and, if so, publishes it.
func (p *Publisher) CheckProcessing(ctx context.Context, step postflow.Step) (postflow.Outcome, error) {
	return p.Publish(ctx, step)
}

func (p *Publisher) newRun(ctx context.Context, job postgres.Job) (*run, error) {
	assets, err := p.Media.InOrder(ctx, job.Post.WorkspaceID, job.Post.MediaIDs)
	if err != nil {
		return nil, err
	}
	of := job.Post.With(job.Predecessor.URL)
	r := &run{Publisher: p, Job: job, content: platform.ContentOf(of, assets)}
	if len(assets) > 0 {
		r.content.Files = p.Files
		r.content.Media, err = p.Renditions.Stored(ctx, r.content.Media, p.Rules.Forms(job.Channel.Type, r.content))
		if err != nil {
			return nil, err
		}
	}
	if job.Post.HasParts() {
		attached, err := p.Media.InOrder(ctx, job.Post.WorkspaceID, job.Post.PartMedia())
		if err != nil {
			return nil, err
		}
		r.content = r.content.WithParts(of, attached)
	}
	if of := job.Post.PartOf; !of.IsZero() {
		r.content.ReplyTo = &platform.ReplyTo{Kind: of.Kind, RootID: job.RootExternalID, ParentID: job.ParentExternalID}
	}
	r.connector, _ = p.Connectors.For(job.Channel)
	r.intent = postgres.Intent{N: job.Attempt.N + 1, Marker: marker(r.content), Owner: uuid.New()}
	if job.Post.Refers() && job.Attempt.Marker != r.intent.Marker { // the address has changed, or its post was deleted
		r.Altered = true
	}
	r.takeOver(job.Attempt)
	return r, nil
}

// takeOver continues with the preparation of an earlier attempt, unless the content was edited since. An attempt that
// provably did not arrive passes on its preparation too: if the network knows a handle, sending it again cannot publish
// a second post.
func (r *run) takeOver(a postgres.Attempt) {
	if a.State == post.AttemptPrepared {
		r.intent.N = a.N
	} else if !deferred(a) {
		return
	}
	if r.edited = a.Marker != r.intent.Marker; !r.edited {
		r.intent.Handle = a.Handle
	}
}

// deferred reports whether an attempt was only postponed. Its preparation is still usable, unless the network never
// finished processing it, or lost it. Only rejected attempts have these classes.
func deferred(a postgres.Attempt) bool {
	return a.Code != post.ErrorProcessingTimeout && a.Code != platform.CodePreparationLost &&
		(a.Class == string(platform.ClassTransient) || a.Class == string(platform.ClassRateLimited))
}

// notClaimed finds out why the claim was lost.
func (p *Publisher) notClaimed(ctx context.Context, step postflow.Step) (postflow.Outcome, error) {
	job, err := p.Attempts.Load(ctx, step.PostID)
	if err != nil {
		return p.gone(err)
	}
	switch now := job.Post; {
	case now.Status == post.Published || now.Status == post.Failed:
		return ended(now), nil
	case now.Status != post.Scheduled || now.Revision != step.Revision:
		return postflow.Outcome{Next: postflow.NextSuperseded}, nil
	case now.ScheduledAt.After(job.Now):
		// The timer's clock is ahead of the database's clock, which alone decides whether a post is due. The clock may
		// be corrected at any moment, so the next check is soon.
		wait := min(now.ScheduledAt.Sub(job.Now), time.Duration(float64(notDueLimit)*p.RetryScale))
		return postflow.Outcome{
			Next: postflow.NextPublish, At: p.Clock.Now().Add(wait), Note: "Not yet due by the database's clock.",
		}, nil
	case job.Attempt.State.Fenced() && !now.PublishingSince.IsZero():
		r, err := p.newRun(ctx, job) // another execution has sent it meanwhile
		if err != nil {
			return postflow.Outcome{}, err
		}
		r.lostRace = true
		return r.followUp(ctx)
	case (job.Paused || !now.Cleared()) && !job.Attempt.State.Fenced(): // since before the intent of this execution
		r, err := p.newRun(ctx, job)
		if err != nil {
			return postflow.Outcome{}, err
		}
		if r.lostRace = true; !now.Cleared() {
			return r.unapproved(ctx)
		}
		return r.holdPaused(ctx)
	default:
		// The post has become due or was released since the claim was lost: no execution holds it now.
		return postflow.Outcome{
			Next: postflow.NextPublish, At: p.whenFree(now), Note: "No execution holds the post; claims it again.",
		}, nil
	}
}

// whenFree returns when to check a released post again.
func (p *Publisher) whenFree(now post.Post) time.Time {
	at := p.Clock.Now()
	if now.Waiting != nil {
		return later(at, now.Waiting.Until)
	}
	return at
}

// obstacle returns why an attempt cannot succeed, for the tenant, or nil.
func (r *run) obstacle() *post.Error {
	late := r.Now.Sub(r.Post.DueAt())
	switch {
	case r.connector == nil:
		return &post.Error{
			Code: post.ErrorChannelUnsupported, Retryable: true,
			Message: fmt.Sprintf("This version of the service cannot publish to %s channels.", r.Channel.Type),
		}
	case late > post.MissedAfter && r.FirstTry.IsZero():
		return &post.Error{
			Code: post.ErrorMissedSchedule, Retryable: true,
			Message: fmt.Sprintf(
				"The publish time was missed by %s. Posts are not sent more than 24 hours late. Schedule the post again if it "+
					"is still wanted.", late.Round(time.Minute)),
		}
	case !r.Channel.Ready():
		return needsReconnect()
	case r.content.ReplyTo != nil && (r.content.ReplyTo.RootID == "" || r.content.ReplyTo.ParentID == ""):
		return &post.Error{
			Code:    post.ErrorContentInvalid,
			Message: "The service no longer knows the part before on its network. End the post here, and publish the rest as a post of its own.",
		}
	case len(r.content.Media) != len(r.Post.MediaIDs):
		return &post.Error{
			Code:    post.ErrorContentInvalid,
			Message: "A file of the post no longer exists. Attach another file, then publish the post again.",
		}
	}
	for _, f := range append(r.Rules.Check(r.Channel.Type, r.content), r.Connectors.Gaps(r.Channel, r.content)...) {
		if !f.Warning {
			return &post.Error{Code: cmp.Or(f.Code, post.ErrorContentInvalid), Message: f.Message, Retryable: false}
		}
	}
	return nil
}

// unsent returns the end of an attempt that was prepared and is not sent, so that what it left on the network is deleted.
// It is zero without such an attempt.
func (r *run) unsent(failure *post.Error) postgres.AttemptResult {
	if r.Attempt.State != post.AttemptPrepared {
		return postgres.AttemptResult{}
	}
	return rejected(r.Attempt.N, &platform.Failure{
		Class: platform.ClassUser, Code: failure.Code, Message: failure.Message,
	})
}

func needsReconnect() *post.Error {
	return &post.Error{
		Code: post.ErrorNeedsReconnect, Retryable: true,
		Message: "The channel is disconnected from its network. Reconnect the channel in the application, under Channels, " +
			"then publish the post again.",
	}
}

// ended returns the outcome of a post in a final state.
func ended(p post.Post) postflow.Outcome {
	out := postflow.Outcome{Next: postflow.NextDone, Status: p.Status, URL: p.PostURL}
	switch {
	case p.Error != nil:
		out.Code, out.Note = p.Error.Code, p.Error.Message
	case p.PostURL != "":
		out.Note = "Published at " + p.PostURL
	default:
		out.Note = "Published."
	}
	return out
}

// backoff doubles the time since the first attempt, between base and limit, with ±20 % of jitter.
func (p *Publisher) backoff(first, now time.Time, base, limit time.Duration) time.Duration {
	scaled := func(d time.Duration) time.Duration { return time.Duration(float64(d) * p.RetryScale) }
	wait := scaled(base)
	if !first.IsZero() {
		wait = min(max(wait, now.Sub(first)), scaled(limit))
	}
	return time.Duration(float64(wait) * (0.8 + 0.4*rand.Float64())) //nolint:gosec // G404: jitter needs no secrecy
}

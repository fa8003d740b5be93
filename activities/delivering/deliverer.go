// Package delivering makes webhook delivery attempts: it signs the stored body, sends it, and records the receiver's
// response (docs/contract.md, Webhooks).
package delivering

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode"

	"fencepost.internal/shared/domain/webhook"
	"fencepost.internal/shared/flow"
	"fencepost.internal/shared/infra/egress"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/kernel/failpoint"
)

// Crash points of a delivery.
const (
	FailBeforeSend  = "deliver.before_send"
	FailAfterSend   = "deliver.after_send"
	FailAfterRecord = "deliver.after_record"
)

// maxExcerpt is the number of response bytes kept per attempt (docs/contract.md, Webhooks).
const maxExcerpt = 2 << 10

// Sender sends one request to an untrusted address configured by a tenant.
type Sender interface {
	// Do returns the start of the response. The error is an *egress.Error. If a response is returned together with an
	// error, the response was cut off.
	Do(ctx context.Context, request egress.Request) (*egress.Response, error)
}

// Poll intervals of a redelivery while its endpoint has no free slot. The interval grows with the time waited, so that
// many waiting redeliveries cause little load and no long workflow history. Automatic deliveries wait in the endpoint's
// queue instead. The first interval is also that of a workflow whose delivery the express lane is sending.
const (
	shortTurn = 2 * time.Second
	longTurn  = 30 * time.Second
)

// earliness is the maximum time by which a retry may be made before its scheduled time. An execution that starts
// earlier has lost its timer: the worker died after recording the previous attempt, or Temporal's store was lost and
// every workflow was restarted.
const earliness = time.Second

// Config holds the dependencies and settings of a Deliverer.
type Config struct {
	Deliveries *postgres.Deliveries
	Sender     Sender
	Clock      clock.Clock
	Logger     *slog.Logger
	Metrics    *Metrics
	RetryScale float64 // factor applied to the waits between attempts; 1 in production
	Wake       func()  // notifies the relay that a slot is free; must not block
}

// Deliverer makes delivery attempts. It is safe for concurrent use.
type Deliverer struct {
	Config

	outage *outage
}

// New returns a Deliverer, or an error if cfg is incomplete.
func New(cfg Config) (*Deliverer, error) {
	if cfg.Deliveries == nil || cfg.Sender == nil || cfg.Clock == nil || cfg.Logger == nil || cfg.Metrics == nil ||
		cfg.RetryScale <= 0 || cfg.Wake == nil {
		return nil, errors.New("delivering: every dependency is required, and RetryScale must be positive")
	}
	return &Deliverer{Config: cfg, outage: newOutage(cfg.Clock, cfg.Logger, cfg.Metrics)}, nil
}

// Deliver is the activity: it makes an attempt, and requests the next one as a retry of the activity.
func (d *Deliverer) Deliver(ctx context.Context, in flow.DeliveryInput) (flow.DeliveryOutcome, error) {
	out, err := d.Attempt(ctx, in)
	if out.Wait > 0 {
		return flow.DeliveryOutcome{}, out.Retry()
	}
	return out, err
}

// Attempt makes and records one delivery attempt, and returns the wait before the next one. Repeating it after a crash
// may send the event again: delivery is at least once, and receivers identify an event by its ID.
func (d *Deliverer) Attempt(ctx context.Context, in flow.DeliveryInput) (flow.DeliveryOutcome, error) {
	dispatch, err := d.Deliveries.Load(ctx, in)
	if apperr.Is(err, apperr.NotFound) {
		return flow.DeliveryOutcome{Done: true, Note: "The delivery was deleted."}, nil
	}
	if err != nil {
		return flow.DeliveryOutcome{}, err
	}
	out, ready, err := d.prepare(ctx, in, dispatch)
	if !ready {
		return out, err
	}
	return d.attempt(ctx, dispatch)
}

// prepare reports whether the attempt can be made now. Otherwise it ends or defers the delivery, and returns the
// outcome, or an error.
func (d *Deliverer) prepare(
	ctx context.Context, in flow.DeliveryInput, dispatch postgres.Dispatch,
) (out flow.DeliveryOutcome, ready bool, err error) {
	switch {
	case !dispatch.Due || !dispatch.Active:
		out, err = d.end(ctx, in, dispatch)
		return out, false, err
	case dispatch.Leased > 0:
		return flow.DeliveryOutcome{
			Wait: min(dispatch.Leased, shortTurn), Note: "The express lane is sending the event; waits for its result.",
		}, false, nil
	case dispatch.Early > earliness:
		return flow.DeliveryOutcome{
			Wait: dispatch.Early, Note: "The result of the previous attempt was recorded. Tries again.",
		}, false, nil
	case dispatch.Placed:
		return out, true, nil
	}
	if ready, err = d.Deliveries.TakePlace(ctx, in); err == nil && !ready {
		out, err = d.wait(ctx, in, dispatch)
	}
	return out, ready, err
}

// end finishes a delivery without making an attempt.
func (d *Deliverer) end(
	ctx context.Context, in flow.DeliveryInput, dispatch postgres.Dispatch,
) (flow.DeliveryOutcome, error) {
	note := "Nothing to do: the delivery is " + string(dispatch.Delivery.State) + "."
	if dispatch.Due {
		note = "Cancelled: the endpoint is disabled or deleted."
		if err := d.Deliveries.Cancel(ctx, in); err != nil {
			return flow.DeliveryOutcome{}, err
		}
	}
	if dispatch.Placed {
		if err := d.Deliveries.GiveBack(ctx, in); err != nil {
			return flow.DeliveryOutcome{}, err
		}
		d.Wake()
	}
	return flow.DeliveryOutcome{Done: true, Note: note}, nil
}

// wait defers a delivery until its endpoint has a free slot.
func (d *Deliverer) wait(
	ctx context.Context, in flow.DeliveryInput, dispatch postgres.Dispatch,
) (flow.DeliveryOutcome, error) {
	if !in.RedeliveryID.IsZero() {
		if err := d.Deliveries.Heard(ctx, in.RedeliveryID); err != nil {
			return flow.DeliveryOutcome{}, err
		}
		turn := min(max(d.Clock.Now().Sub(dispatch.RequestedAt)/4, shortTurn), longTurn)
		return flow.DeliveryOutcome{
			Wait: turn, Note: "Other deliveries to this endpoint are in progress; waits for its turn.",
		}, nil
	}
	if err := d.Deliveries.Requeue(ctx, in); err != nil {
		return flow.DeliveryOutcome{}, err
	}
	d.Wake() // a slot may have become free meanwhile
	return flow.DeliveryOutcome{
		Done: true,
		Note: "Other deliveries to this endpoint are in progress. The delivery waits in the endpoint's queue and " +
			"continues in another workflow.",
	}, nil
}

func (d *Deliverer) attempt(ctx context.Context, dispatch postgres.Dispatch) (flow.DeliveryOutcome, error) {
	sent, err := d.send(ctx, dispatch)
	if err != nil {
		return flow.DeliveryOutcome{}, err
	}
	recorded, err := d.Deliveries.Record(context.WithoutCancel(ctx), dispatch, sent.attempt, sent.verdict)
	if err != nil {
		return flow.DeliveryOutcome{}, err
	}
	d.Wake()
	if !recorded {
		return d.again(ctx, dispatch)
	}
	d.report(ctx, dispatch, sent.attempt, sent.verdict)
	if err := failpoint.Hit(ctx, FailAfterRecord); err != nil {
		return flow.DeliveryOutcome{}, err
	}
	return flow.DeliveryOutcome{
		Done: sent.verdict.State != webhook.Pending, Wait: sent.verdict.Wait, Note: sent.note,
	}, nil
}

// sent is an attempt that was made, with its consequences.
type sent struct {
	attempt webhook.Attempt
	verdict postgres.Verdict
	note    string // for the operator
}

// send makes an attempt and decides on its consequences, without recording them. It returns an error if no attempt was
// made.
func (d *Deliverer) send(ctx context.Context, dispatch postgres.Dispatch) (sent, error) {
	if err := failpoint.Hit(ctx, FailBeforeSend); err != nil {
		return sent{}, err
	}
	if dispatch.Sealed != nil {
		return d.sealed(ctx, dispatch), nil //nolint:nilerr // it is the attempt's error
	}
	started := d.Clock.Now()
	out := request(dispatch, started)
	response, err := d.Sender.Do(ctx, out)
	if hit := failpoint.Hit(ctx, FailAfterSend); hit != nil {
		return sent{}, hit
	}
	// The worker is stopping. This is not a receiver failure and not an attempt; another worker repeats it.
	if response == nil && ctx.Err() != nil {
		return sent{}, context.Cause(ctx)
	}
	attempt := webhook.Attempt{
		N: dispatch.Delivery.Attempts + 1, Trigger: trigger(dispatch), StartedAt: started,
		Duration: d.Clock.Now().Sub(started), RequestHeaders: headerLines(out.Header),
	}
	var requested time.Duration
	if response != nil {
		attempt.StatusCode, attempt.Response = response.Status, excerpt(response.Body)
		attempt.ResponseHeaders = headerLines(response.Header)
		requested = retryAfter(response.Header.Get("Retry-After"), d.Clock.Now())
	} else {
		attempt.ErrorClass = string(egress.ClassOf(err))
	}
	ours := d.outage.note(ctx, dispatch.Delivery.WorkspaceID, dispatch.Delivery.WebhookID, err)
	verdict, note := d.judge(dispatch, attempt, requested)
	result := webhook.ResultOf(verdict.State, attempt.Trigger == webhook.Manual)
	if ours && result.Effect(dispatch.Test).Counts {
		verdict.Excused = true
		d.Metrics.excused.Inc()
	}
	if attempt.ErrorClass == "" && verdict.State != webhook.Succeeded {
		attempt.ErrorClass = "status_" + strconv.Itoa(attempt.StatusCode/100) + "xx"
	}
	return sent{attempt: attempt, verdict: verdict, note: note}, nil
}

// errorSealed is the error of an attempt that was not sent, because no key of this installation opens the secret of the
// endpoint. It has retries as any other, so that the delivery ends, and can be made again once the key is back or the
// secret was rotated.
const errorSealed = "secret_unreadable"

// sealed returns the attempt that was not sent. It does not count against the endpoint.
func (d *Deliverer) sealed(ctx context.Context, dispatch postgres.Dispatch) sent {
	d.Logger.ErrorContext(ctx, "the secret of an endpoint cannot be decrypted; rotate it, or restore its key in ENCRYPTION_KEYS",
		slog.String("webhook_id", dispatch.Delivery.WebhookID.String()), slog.Any("error", dispatch.Sealed))
	attempt := webhook.Attempt{
		N: dispatch.Delivery.Attempts + 1, Trigger: trigger(dispatch), StartedAt: d.Clock.Now(), ErrorClass: errorSealed,
	}
	verdict, note := d.judge(dispatch, attempt, 0)
	verdict.Excused = webhook.ResultOf(verdict.State, attempt.Trigger == webhook.Manual).Effect(dispatch.Test).Counts
	return sent{attempt: attempt, verdict: verdict, note: note}
}

// again handles an attempt that another execution has recorded first. The recorded decision applies.
func (d *Deliverer) again(ctx context.Context, created postgres.Dispatch) (flow.DeliveryOutcome, error) {
	now, err := d.Deliveries.Load(ctx, created.Input())
	if err != nil { // includes a deleted delivery: the next attempt detects it
		return flow.DeliveryOutcome{}, err
	}
	const note = "Another execution already recorded this attempt."
	if !now.Due {
		return flow.DeliveryOutcome{Done: true, Note: note}, nil
	}
	return flow.DeliveryOutcome{Wait: max(now.Early, time.Second), Note: note + " Tries again."}, nil
}

func trigger(dispatch postgres.Dispatch) webhook.Trigger {
	switch {
	case !dispatch.Redelivery.IsZero():
		return webhook.Manual
	case dispatch.Test:
		return webhook.Test
	default:
		return webhook.Automatic
	}
}

func request(dispatch postgres.Dispatch, at time.Time) egress.Request {
	header := webhook.Headers(dispatch.ExternalEventID(), dispatch.Delivery.EventType, at, dispatch.Body,
		dispatch.Secrets...)
	header.Set("Content-Type", "application/json")
	return egress.Request{Method: http.MethodPost, URL: dispatch.URL, Body: dispatch.Body, Header: header}
}

// judge decides the outcome of an attempt. The returned note is shown to operators in the workflow.
func (d *Deliverer) judge(
	dispatch postgres.Dispatch, a webhook.Attempt, requested time.Duration,
) (postgres.Verdict, string) {
	outcome := webhook.Retry
	if a.StatusCode != 0 {
		outcome = webhook.Judge(a.StatusCode)
	}
	switch outcome {
	case webhook.Accepted:
		return postgres.Verdict{State: webhook.Succeeded}, fmt.Sprintf("Delivered with attempt %d.", a.N)
	case webhook.Gone:
		return postgres.Verdict{State: webhook.Exhausted, Disable: webhook.ReasonGone},
			"The receiver responded with 410 Gone. The endpoint is disabled."
	case webhook.Retry:
	}
	if a.Trigger == webhook.Manual {
		return postgres.Verdict{State: webhook.Exhausted}, fmt.Sprintf("The redelivery failed (%s).", reason(a))
	}
	try := dispatch.Delivery.Tries + 1
	failed := fmt.Sprintf("Attempt %d of %d failed (%s).", try, webhook.MaxAttempts, reason(a))
	wait, more := webhook.RetryAfter(try, rand.Float64(), requested) //nolint:gosec // G404: jitter needs no secrecy
	if !more {
		return postgres.Verdict{State: webhook.Exhausted}, failed + " No retries are left. The event stays in the event log."
	}
	wait = time.Duration(float64(wait) * d.RetryScale)
	return postgres.Verdict{State: webhook.Pending, Wait: wait}, failed + " Tries again."
}

func reason(a webhook.Attempt) string {
	if a.StatusCode != 0 {
		return "status " + strconv.Itoa(a.StatusCode)
	}
	return a.ErrorClass
}

func (d *Deliverer) report(ctx context.Context, dispatch postgres.Dispatch, a webhook.Attempt, v postgres.Verdict) {
	d.Metrics.attempts.WithLabelValues(outcomeLabel(v, a)).Inc()
	if v.State == webhook.Succeeded {
		d.Metrics.latency.Observe(a.StartedAt.Add(a.Duration).Sub(dispatch.EventAt).Seconds())
	}
	d.Logger.InfoContext(ctx, "webhook attempt",
		slog.String("delivery_id", dispatch.Delivery.ID.String()),
		slog.String("webhook_id", dispatch.Delivery.WebhookID.String()),
		slog.String("workspace_id", dispatch.Delivery.WorkspaceID.String()),
		slog.String("event_type", string(dispatch.Delivery.EventType)),
		slog.String("event_id", dispatch.EventID.String()), slog.Int("attempt", a.N), slog.Int("status", a.StatusCode),
		slog.String("error_class", a.ErrorClass), slog.Int64("duration_ms", a.Duration.Milliseconds()),
		slog.String("state", string(v.State)))
}

func outcomeLabel(v postgres.Verdict, a webhook.Attempt) string {
	if v.State == webhook.Succeeded {
		return outcomeSuccess
	}
	return a.ErrorClass
}

// excerpt returns the start of a response as displayable text: valid UTF-8 without control characters except newline
// and tab.
func excerpt(body []byte) string {
	text := strings.Map(func(c rune) rune {
		if unicode.IsControl(c) && c != '\n' && c != '\t' {
			return -1
		}
		return c
	}, strings.ToValidUTF8(string(body[:min(len(body), maxExcerpt)]), ""))
	return text
}

// retryAfter parses a Retry-After header (RFC 9110, section 10.2.3) in seconds or as a date. It returns 0 if the header
// is missing or invalid.
func retryAfter(value string, now time.Time) time.Duration {
	if seconds, err := strconv.ParseUint(value, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(0, at.Sub(now))
	}
	return 0
}

package relay_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
	"go.temporal.io/api/enums/v1"
	namespacepb "go.temporal.io/api/namespace/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"google.golang.org/grpc"

	"fencepost.internal/services/internal/relay"
	"fencepost.internal/shared/flow/postflow"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/clock"
)

// bundle is a relay with fakes. It runs in a synctest bubble: its clock advances only while every goroutine waits.
type bundle struct {
	*relay.Relay
	outbox   *memoryOutbox
	events   *memoryEvents
	queues   *memoryQueues
	insights *memoryInsights
	temporal *fakeTemporal
	log      *bytes.Buffer
	registry *prometheus.Registry
}

func setup(t *testing.T, messages ...postgres.Message) *bundle {
	t.Helper()
	b := &bundle{
		outbox: &memoryOutbox{ready: messages, locked: make(map[int64]bool), failed: make(map[int64]postgres.Retry)},
		events: new(memoryEvents), queues: new(memoryQueues),
		insights: new(memoryInsights), temporal: newFakeTemporal(), registry: prometheus.NewRegistry(), log: &bytes.Buffer{},
	}
	var err error
	b.Relay, err = relay.New(b.config())
	require.NoError(t, err)
	return b
}

func (b *bundle) config() relay.Config {
	return relay.Config{
		Outbox: b.outbox, Events: b.events, Queues: b.queues, Insights: b.insights, Temporal: b.temporal, Namespace: "test",
		Clock: clock.System(), Logger: slog.New(slog.NewTextHandler(b.log, nil)), Metrics: relay.NewMetrics(b.registry, true),
	}
}

// runFor runs the relay for a duration of the bubble's clock, and waits for its end.
func (b *bundle) runFor(t *testing.T, d time.Duration) {
	t.Helper()
	ctx, end := context.WithTimeout(t.Context(), d)
	defer end()
	b.Run(ctx)
	synctest.Wait()
}

// metric returns the value of a gauge or a counter, or the sum of a vector's counters.
func (b *bundle) metric(t *testing.T, name string) (sum float64) {
	t.Helper()
	families, err := b.registry.Gather()
	require.NoError(t, err)
	for _, family := range families {
		for _, metric := range family.GetMetric() {
			if family.GetName() == name {
				sum += metric.GetGauge().GetValue() + metric.GetCounter().GetValue()
			}
		}
	}
	return sum
}

// memoryOutbox holds messages in memory. Rows of a batch are locked until it ends; other batches skip them. The batches
// of the urgent lane start at the times in at.
type memoryOutbox struct {
	mu      sync.Mutex
	ready   []postgres.Message // of the urgent lane
	patient []postgres.Message

	first, deliveries []postgres.Message

	locked map[int64]bool
	failed map[int64]postgres.Retry
	again  bool // failed messages become ready again after their delay
	at     []time.Time
	sizes  []int
	down   func(round int) error

	depth   int
	oldest  time.Duration
	overdue int
	near    int // posts that came within the horizon
	grace   time.Duration
	limit   int
	stores  []string
	changed bool
	older   bool        // a connected program supports only SignalChanged
	checks  []time.Time // when NamedSignals was called
	fails   error       // of the sweep's calls named in failing
	failing string
}

func (o *memoryOutbox) Batch(
	_ context.Context, lane postgres.Lane, limit int, fn func([]postgres.Message) (done []int64, failed map[int64]postgres.Retry),
) (int, error) {
	batch, err := o.lock(lane, limit)
	if err != nil || len(batch) == 0 {
		return 0, err
	}
	done, failed := fn(batch)
	o.mu.Lock()
	defer o.mu.Unlock()
	settle := func(m postgres.Message) bool {
		retry, refused := failed[m.ID]
		if refused {
			o.failed[m.ID] = retry
			if m.Tries++; o.again {
				time.AfterFunc(retry.After, func() { o.put(lane, m) })
			}
		}
		return refused || slices.Contains(done, m.ID)
	}
	o.ready, o.patient = slices.DeleteFunc(o.ready, settle), slices.DeleteFunc(o.patient, settle)
	o.first, o.deliveries = slices.DeleteFunc(o.first, settle), slices.DeleteFunc(o.deliveries, settle)
	for _, m := range batch {
		delete(o.locked, m.ID)
	}
	return len(batch), nil
}

// put adds a message to a lane.
func (o *memoryOutbox) put(lane postgres.Lane, m postgres.Message) {
	o.mu.Lock()
	defer o.mu.Unlock()
	rows := map[postgres.Lane]*[]postgres.Message{
		postgres.LanePatient: &o.patient, postgres.LaneFirst: &o.first, postgres.LaneDeliveries: &o.deliveries,
		postgres.LaneUrgent: &o.ready,
	}[lane]
	*rows = append(*rows, m)
}

func (o *memoryOutbox) lock(lane postgres.Lane, limit int) ([]postgres.Message, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	rows := o.patient
	switch lane {
	case postgres.LanePatient:
	case postgres.LaneFirst:
		rows = o.first
	case postgres.LaneDeliveries:
		rows = o.deliveries
	case postgres.LaneUrgent:
		rows = o.ready
		o.at = append(o.at, time.Now())
		if o.down != nil {
			if err := o.down(len(o.at)); err != nil {
				return nil, err
			}
		}
	}
	var batch []postgres.Message
	for _, m := range rows {
		if len(batch) < limit && !o.locked[m.ID] {
			o.locked[m.ID] = true
			batch = append(batch, m)
		}
	}
	if len(batch) > 0 {
		o.sizes = append(o.sizes, len(batch))
	}
	return batch, nil
}

func (o *memoryOutbox) add(m postgres.Message) { o.put(postgres.LaneUrgent, m) }

// rounds returns when the rounds started, counted from the first.
func (o *memoryOutbox) rounds() []time.Duration {
	o.mu.Lock()
	defer o.mu.Unlock()
	rounds := make([]time.Duration, len(o.at))
	for i, at := range o.at {
		rounds[i] = at.Sub(o.at[0])
	}
	return rounds
}

// failure returns the error of a call, if it should fail. The caller holds the lock.
func (o *memoryOutbox) failure(call string) error {
	if o.failing == call {
		return o.fails
	}
	return nil
}

// find changes the sweep's findings while the relay runs.
func (o *memoryOutbox) find(overdue, near int, changed bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.overdue, o.near, o.changed = overdue, near, changed
}

func (o *memoryOutbox) Depth(context.Context) (postgres.Depth, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return postgres.Depth{Due: o.depth, Oldest: o.oldest, Patient: o.depth + 1}, o.failure("depth")
}

func (o *memoryOutbox) EnqueueOverdue(_ context.Context, grace time.Duration, limit int) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.grace, o.limit = grace, limit
	found := o.overdue
	o.overdue = 0
	return found, o.failure("overdue")
}

func (o *memoryOutbox) EnqueueNear(_ context.Context, limit int) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	found := min(o.near, limit)
	o.near -= found
	return found, o.failure("near")
}

func (o *memoryOutbox) SeenStore(_ context.Context, namespace, id string) (bool, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.stores = append(o.stores, namespace+"/"+id)
	changed := o.changed
	o.changed = false
	return changed, o.failure("store")
}

func (o *memoryOutbox) NamedSignals(context.Context) (bool, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.checks = append(o.checks, time.Now())
	return !o.older, o.failure("signals")
}

// memoryEvents has events that wait for their number. Each is queued for one endpoint, if there is one.
type memoryEvents struct {
	waiting  int
	endpoint bool
	rounds   int
	at       []time.Duration // when the rounds started, counted from the first
	begin    time.Time
	failing  func(round int) error
	down     error
}

func (e *memoryEvents) FanOut(_ context.Context, limit int) (handled, queued int, err error) {
	if e.rounds++; e.rounds == 1 {
		e.begin = time.Now()
	}
	e.at = append(e.at, time.Since(e.begin))
	if e.failing != nil {
		if err := e.failing(e.rounds); err != nil {
			return 0, 0, err
		}
	}
	handled = min(limit, e.waiting)
	e.waiting -= handled
	if e.endpoint {
		queued = handled
	}
	return handled, queued, e.down
}

// memoryQueues has deliveries that wait for a place.
type memoryQueues struct {
	mu        sync.Mutex
	waiting   int
	admitted  int
	rounds    []time.Time
	keeps     bool  // admits nothing
	down      error // of Admit
	queueDown error // of InLine
}

func (l *memoryQueues) Admit(context.Context) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.rounds = append(l.rounds, time.Now())
	if l.down != nil {
		return 0, l.down
	}
	if l.keeps {
		return 0, nil
	}
	admitted := l.waiting
	l.waiting = 0
	l.admitted += admitted
	return admitted, nil
}

func (l *memoryQueues) InLine(context.Context) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.waiting, l.queueDown
}

// memoryInsights has channels without a schedule.
type memoryInsights struct {
	mu      sync.Mutex
	missing int
	rounds  []time.Time
	down    error
}

// find changes the sweep's findings while the relay runs.
func (i *memoryInsights) find(missing int) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.missing = missing
}

func (i *memoryInsights) EnqueueSchedules(context.Context, time.Duration, int) (int, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.rounds = append(i.rounds, time.Now())
	changed := i.missing
	i.missing = 0
	return changed, i.down
}

var (
	errDown    = errors.New("connection refused")
	errRefused = serviceerror.NewInvalidArgument("refused")
)

// fakeTemporal holds running workflows in memory. TestFakeMatchesTemporal compares it with a real server.
type fakeTemporal struct {
	client.Client // nil: the relay must not need more

	mu      sync.Mutex
	running map[string]started
	starts  int
	signals map[string][]signaled
	holds   map[string]time.Duration                   // how long before their time the first steps start
	refuse  func(ctx context.Context, id string) error // nil: every call succeeds
	store   string
	create  error // of schedules
	creates int   // of schedules
}

// started holds the start parameters of a workflow.
type started struct {
	options  client.StartWorkflowOptions
	workflow string
	input    any
}

// signaled is a signal that was sent to a workflow.
type signaled struct {
	name postflow.Signal
	plan postflow.Plan
}

func newFakeTemporal() *fakeTemporal {
	return &fakeTemporal{
		running: make(map[string]started), signals: make(map[string][]signaled),
		holds: make(map[string]time.Duration), store: "store-1",
	}
}

func (f *fakeTemporal) call(ctx context.Context, id string) error {
	f.mu.Lock()
	refuse := f.refuse
	f.mu.Unlock()
	if refuse == nil {
		return nil
	}
	return refuse(ctx, id)
}

func (f *fakeTemporal) ExecuteWorkflow(
	ctx context.Context, o client.StartWorkflowOptions, workflow any, args ...any,
) (client.WorkflowRun, error) {
	if err := f.call(ctx, o.ID); err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	_, runs := f.running[o.ID]
	if runs && o.WorkflowExecutionErrorWhenAlreadyStarted &&
		o.WorkflowIDConflictPolicy != enums.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING {
		return nil, serviceerror.NewWorkflowExecutionAlreadyStarted("the workflow runs", "", "")
	}
	if !runs {
		f.start(o, workflow, args[0])
	}
	return nil, nil //nolint:nilnil // the relay ignores the run
}

func (f *fakeTemporal) start(o client.StartWorkflowOptions, workflow, input any) {
	name, _ := workflow.(string)
	if in, ok := input.(postflow.Input); ok {
		in.Plan = f.released(o.ID, in.Plan)
		input = in
	}
	f.running[o.ID] = started{options: o, workflow: name, input: input}
	f.starts++
}

// started returns the number of workflows that were started.
func (f *fakeTemporal) started() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.starts
}

func (f *fakeTemporal) SignalWorkflow(ctx context.Context, id, _, signal string, arg any) error {
	if err := f.call(ctx, id); err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, runs := f.running[id]; !runs {
		return serviceerror.NewNotFound("no workflow runs under this id")
	}
	f.signal(id, signal, arg)
	return nil
}

func (f *fakeTemporal) signal(id, signal string, arg any) {
	plan, _ := arg.(postflow.Plan)
	f.signals[id] = append(f.signals[id], signaled{name: postflow.Signal(signal), plan: f.released(id, plan)})
}

// released records how long before its time the plan's first step starts, and returns the plan without it.
func (f *fakeTemporal) released(id string, plan postflow.Plan) postflow.Plan {
	if !plan.HoldFrom.IsZero() {
		f.holds[id] = plan.ScheduledAt.Sub(plan.HoldFrom)
	}
	plan.HoldFrom = time.Time{}
	return plan
}

func (f *fakeTemporal) SignalWithStartWorkflow(
	ctx context.Context, id, signal string, arg any, o client.StartWorkflowOptions, workflow any, args ...any,
) (client.WorkflowRun, error) {
	if err := f.call(ctx, id); err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, runs := f.running[id]; !runs {
		f.start(o, workflow, args[0])
	}
	f.signal(id, signal, arg)
	return nil, nil //nolint:nilnil // the relay ignores the run
}

func (f *fakeTemporal) ScheduleClient() client.ScheduleClient { return refusing{of: f} }

// refusing is a schedule client whose calls all fail; Create fails with the error in create. The fake of
// insights_test.go stores schedules.
type refusing struct {
	client.ScheduleClient

	of *fakeTemporal
}

func (r refusing) Create(context.Context, client.ScheduleOptions) (client.ScheduleHandle, error) {
	r.of.mu.Lock()
	defer r.of.mu.Unlock()
	r.of.creates++
	return nil, r.of.create
}

func (r refusing) GetHandle(context.Context, string) client.ScheduleHandle { return refusingHandle{} }

type refusingHandle struct{ client.ScheduleHandle }

func (refusingHandle) Delete(context.Context) error { return errRefused }

func (refusingHandle) Trigger(context.Context, client.ScheduleTriggerOptions) error {
	return errRefused
}

func (f *fakeTemporal) WorkflowService() workflowservice.WorkflowServiceClient {
	return namespaces{of: f}
}

// namespaces is a workflow service that describes namespaces.
type namespaces struct {
	workflowservice.WorkflowServiceClient

	of *fakeTemporal
}

func (n namespaces) DescribeNamespace(
	ctx context.Context, in *workflowservice.DescribeNamespaceRequest, _ ...grpc.CallOption,
) (*workflowservice.DescribeNamespaceResponse, error) {
	if err := n.of.call(ctx, in.GetNamespace()); err != nil {
		return nil, err
	}
	return &workflowservice.DescribeNamespaceResponse{NamespaceInfo: &namespacepb.NamespaceInfo{Id: n.of.store}}, nil
}

package main

import (
	"context"
	"errors"
	"sync"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/flow"
	"fencepost.internal/shared/flow/postflow"
	"fencepost.internal/workflows/background"
	"fencepost.internal/workflows/publishing"
)

const (
	// far is a wait that does not end during a recording.
	far = 1000 * time.Hour
	// network is that of every channel.
	network = channel.NetworkThreads
)

// scripts holds the outcomes of activities by the ID of their workflow. Each call returns the next one, which may be an
// error. The last one is repeated.
type scripts struct {
	mu       sync.Mutex
	outcomes map[string][]any
}

// hang is the outcome of an activity that does not return: it is running when the history is saved.
type hang struct{}

// act is every activity.
func (s *scripts) act(ctx context.Context, _ any) (any, error) {
	id := activity.GetInfo(ctx).WorkflowExecution.ID
	s.mu.Lock()
	remaining := s.outcomes[id]
	if len(remaining) > 1 {
		s.outcomes[id] = remaining[1:]
	}
	s.mu.Unlock()
	switch next := remaining[0].(type) {
	case hang:
		<-ctx.Done()
		return nil, ctx.Err()
	case error:
		return nil, next
	default:
		return next, nil
	}
}

// fails reports whether the run ends as Failed after the last of the outcomes.
func fails(outcomes []any) bool {
	switch last := outcomes[len(outcomes)-1].(type) {
	case postflow.Outcome:
		return last.Status == post.Failed
	case flow.RenewalOutcome:
		return last.Refused
	case flow.MailOutcome:
		return last.Refused
	case flow.ReplyOutcome:
		return last.Refused
	default:
		return false
	}
}

// kinds are the workflows and the activities of a queue.
type kinds struct {
	workflows  map[string]any
	activities []string
}

// serve runs the real workflows with the scripted activities.
func (s *scripts) serve(c client.Client) (stop func(), err error) {
	var all []worker.Worker
	for queue, has := range map[string]kinds{
		postflow.Queue(network): {
			map[string]any{postflow.Workflow: publishing.Post},
			[]string{postflow.ActivityPublish, postflow.ActivityCheckProcessing, postflow.ActivityReconcile},
		},
		flow.QueueDeliveries: {
			map[string]any{flow.WorkflowDelivery: background.Delivery, flow.WorkflowReplay: background.Replay},
			[]string{flow.ActivityAttempt, flow.ActivityReplay},
		},
		flow.QueueProcess: {
			map[string]any{flow.WorkflowImport: background.ImportFile, flow.WorkflowProcess: background.ProcessFile},
			[]string{flow.ActivityImport, flow.ActivityFailImport, flow.ActivityProcess, flow.ActivityGiveUp},
		},
		flow.QueueInsights: {map[string]any{flow.WorkflowInsights: background.Insights}, []string{flow.ActivityCollect}},
		flow.QueueRenewals: {
			map[string]any{flow.WorkflowRenewalSweep: background.RenewalSweep, flow.WorkflowRenewal: background.Renewal},
			[]string{flow.ActivitySweepRenewals, flow.ActivityRenew},
		},
		flow.QueueReplies(network): {
			map[string]any{flow.WorkflowReply: background.Reply}, []string{flow.ActivitySendReply},
		},
		flow.QueueFollowups: {
			map[string]any{flow.WorkflowFollowup: background.Followup}, []string{flow.ActivityRemind},
		},
		flow.QueueMails: {map[string]any{flow.WorkflowMail: background.Mail}, []string{flow.ActivitySendMail}},
	} {
		w := worker.New(c, queue, worker.Options{})
		for name, run := range has.workflows {
			w.RegisterWorkflowWithOptions(run, workflow.RegisterOptions{Name: name})
		}
		for _, name := range has.activities {
			w.RegisterActivityWithOptions(s.act, activity.RegisterOptions{Name: name})
		}
		all, err = append(all, w), errors.Join(err, w.Start())
	}
	return func() {
		for _, w := range all {
			w.Stop()
		}
	}, err
}

func until(
	ctx context.Context, c client.Client, run client.WorkflowRun, reached func(map[enums.EventType]int) bool,
) error {
	for {
		h, err := read(ctx, c, run)
		if err != nil {
			return err
		}
		kinds := make(map[enums.EventType]int)
		for _, e := range h.GetEvents() {
			kinds[e.GetEventType()]++
		}
		if reached(kinds) {
			return pause(ctx)
		}
		if err := pause(ctx); err != nil {
			return err
		}
	}
}

// searchAttributes registers the search attributes that the post workflow writes.
func searchAttributes(ctx context.Context, c client.Client) error {
	request := &operatorservice.AddSearchAttributesRequest{
		Namespace: client.DefaultNamespace,
		SearchAttributes: map[string]enums.IndexedValueType{
			postflow.AttrPostStatus.GetName():  enums.INDEXED_VALUE_TYPE_KEYWORD,
			postflow.AttrScheduledAt.GetName(): enums.INDEXED_VALUE_TYPE_DATETIME,
			postflow.AttrWorkspaceID.GetName(): enums.INDEXED_VALUE_TYPE_KEYWORD,
			postflow.AttrChannelID.GetName():   enums.INDEXED_VALUE_TYPE_KEYWORD,
			postflow.AttrPlatform.GetName():    enums.INDEXED_VALUE_TYPE_KEYWORD,
		},
	}
	for range 100 { // a server that has just started knows its namespaces only after a delay
		_, err := c.OperatorService().AddSearchAttributes(ctx, request)
		if _, exists := errors.AsType[*serviceerror.AlreadyExists](err); err == nil || exists {
			break
		}
		if err := pause(ctx); err != nil {
			return err
		}
	}
	for {
		known, err := c.OperatorService().ListSearchAttributes(ctx,
			&operatorservice.ListSearchAttributesRequest{Namespace: client.DefaultNamespace})
		if err == nil &&
			known.GetCustomAttributes()[postflow.AttrPlatform.GetName()] != enums.INDEXED_VALUE_TYPE_UNSPECIFIED {
			return nil
		}
		if err := pause(ctx); err != nil {
			return err
		}
	}
}

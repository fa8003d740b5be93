package main

import (
	"context"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"fencepost.internal/shared/flow"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/workflows/background"
)

// fate is the scripted outcome of a file's activities.
type fate string

const (
	fateDone     fate = "done"
	fateFails    fate = "fails"            // the first activity fails permanently
	fateHangs    fate = "hangs"            // the first activity is running when the history is saved
	fateHangsToo fate = "fails, and hangs" // the first activity fails; the one that records the failure is running
)

// file is the scripted activity of a file.
func (a *responses) file(ctx context.Context, in flow.MediaInput) (flow.MediaOutcome, error) {
	a.mu.Lock()
	fate := a.files[in.MediaID]
	a.mu.Unlock()
	name := activity.GetInfo(ctx).ActivityType.Name
	first := name == flow.ActivityImport || name == flow.ActivityProcess
	switch {
	case first && fate == fateHangs, !first && fate == fateHangsToo:
		<-ctx.Done()
		return flow.MediaOutcome{}, ctx.Err()
	case first && fate != fateDone:
		return flow.MediaOutcome{}, temporal.NewNonRetryableApplicationError("storage is down", "Down", nil)
	}
	return flow.MediaOutcome{Note: name}, nil
}

func (a *responses) filesWorker(c client.Client) worker.Worker {
	w := worker.New(c, flow.QueueProcess, worker.Options{})
	w.RegisterWorkflowWithOptions(background.ImportFile, workflow.RegisterOptions{Name: flow.WorkflowImport})
	w.RegisterWorkflowWithOptions(background.ProcessFile, workflow.RegisterOptions{Name: flow.WorkflowProcess})
	for _, name := range []string{
		flow.ActivityImport, flow.ActivityFailImport, flow.ActivityProcess, flow.ActivityGiveUp,
	} {
		w.RegisterActivityWithOptions(a.file, activity.RegisterOptions{Name: name})
	}
	return w
}

func (a *responses) media() []recording {
	return []recording{
		a.fileRecording("imported", flow.WorkflowImport, fateDone),
		a.fileRecording("import_failed", flow.WorkflowImport, fateFails),
		a.fileRecording("open_importing", flow.WorkflowImport, fateHangs),
		a.fileRecording("open_failing_import", flow.WorkflowImport, fateHangsToo),
		a.fileRecording("processed", flow.WorkflowProcess, fateDone),
		a.fileRecording("given_up", flow.WorkflowProcess, fateFails),
		a.fileRecording("open_processing", flow.WorkflowProcess, fateHangs),
		a.fileRecording("open_giving_up", flow.WorkflowProcess, fateHangsToo),
	}
}

func (a *responses) fileRecording(name, kind string, fate fate) recording {
	in := flow.MediaInput{MediaID: ident.New[ident.Media](), WorkspaceID: ident.New[ident.Workspace]()}
	a.files[in.MediaID] = fate
	id, scheduled := flow.ImportID(in.MediaID), 1
	if kind == flow.WorkflowProcess {
		id = flow.ProcessID(in.MediaID)
	}
	if fate == fateHangsToo {
		scheduled++
	}
	return recording{
		module: "background", name: "media_" + name, open: fate == fateHangs || fate == fateHangsToo,
		start: func(ctx context.Context, c client.Client) (client.WorkflowRun, error) {
			return c.ExecuteWorkflow(ctx, client.StartWorkflowOptions{ID: id, TaskQueue: flow.QueueProcess}, kind, in)
		},
		script: func(ctx context.Context, c client.Client, run client.WorkflowRun) error {
			return until(ctx, c, run, func(kinds map[enums.EventType]int) bool {
				return kinds[enums.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED] >= scheduled
			})
		},
	}
}

package main

import (
	"context"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"fencepost.internal/shared/flow/mediaflow"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/workflows/media"
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
func (a *responses) file(ctx context.Context, in mediaflow.Input) (mediaflow.Outcome, error) {
	a.mu.Lock()
	fate := a.files[in.MediaID]
	a.mu.Unlock()
	name := activity.GetInfo(ctx).ActivityType.Name
	first := name == mediaflow.ActivityImport || name == mediaflow.ActivityProcess
	switch {
	case first && fate == fateHangs, !first && fate == fateHangsToo:
		<-ctx.Done()
		return mediaflow.Outcome{}, ctx.Err()
	case first && fate != fateDone:
		return mediaflow.Outcome{}, temporal.NewNonRetryableApplicationError("storage is down", "Down", nil)
	}
	return mediaflow.Outcome{Note: name}, nil
}

func (a *responses) filesWorker(c client.Client) worker.Worker {
	w := worker.New(c, mediaflow.QueueProcess, worker.Options{})
	w.RegisterWorkflowWithOptions(media.Import, workflow.RegisterOptions{Name: mediaflow.WorkflowImport})
	w.RegisterWorkflowWithOptions(media.Process, workflow.RegisterOptions{Name: mediaflow.WorkflowProcess})
	for _, name := range []string{
		mediaflow.ActivityImport, mediaflow.ActivityFailImport, mediaflow.ActivityProcess, mediaflow.ActivityGiveUp,
	} {
		w.RegisterActivityWithOptions(a.file, activity.RegisterOptions{Name: name})
	}
	return w
}

func (a *responses) media() []recording {
	return []recording{
		a.fileRecording("imported", mediaflow.WorkflowImport, fateDone),
		a.fileRecording("import_failed", mediaflow.WorkflowImport, fateFails),
		a.fileRecording("open_importing", mediaflow.WorkflowImport, fateHangs),
		a.fileRecording("open_failing_import", mediaflow.WorkflowImport, fateHangsToo),
		a.fileRecording("processed", mediaflow.WorkflowProcess, fateDone),
		a.fileRecording("given_up", mediaflow.WorkflowProcess, fateFails),
		a.fileRecording("open_processing", mediaflow.WorkflowProcess, fateHangs),
		a.fileRecording("open_giving_up", mediaflow.WorkflowProcess, fateHangsToo),
	}
}

func (a *responses) fileRecording(name, kind string, fate fate) recording {
	in := mediaflow.Input{MediaID: ident.New[ident.Media](), WorkspaceID: ident.New[ident.Workspace]()}
	a.files[in.MediaID] = fate
	id, scheduled := mediaflow.ImportID(in.MediaID), 1
	if kind == mediaflow.WorkflowProcess {
		id = mediaflow.ProcessID(in.MediaID)
	}
	if fate == fateHangsToo {
		scheduled++
	}
	return recording{
		module: "media", name: name, open: fate == fateHangs || fate == fateHangsToo,
		start: func(ctx context.Context, c client.Client) (client.WorkflowRun, error) {
			return c.ExecuteWorkflow(ctx, client.StartWorkflowOptions{ID: id, TaskQueue: mediaflow.QueueProcess}, kind, in)
		},
		script: func(ctx context.Context, c client.Client, run client.WorkflowRun) error {
			return until(ctx, c, run, func(kinds map[enums.EventType]int) bool {
				return kinds[enums.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED] >= scheduled
			})
		},
	}
}

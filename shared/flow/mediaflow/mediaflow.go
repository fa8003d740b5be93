// Package mediaflow defines the typed contract of the media workflows, which import files by URL and process uploaded
// and imported files: names, IDs, queues, payloads.
package mediaflow

import (
	"go.temporal.io/sdk/workflow"

	"fencepost.internal/shared/kernel/ident"
)

const (
	// WorkflowImport copies a file from a URL to storage.
	WorkflowImport = "MediaImport"
	// WorkflowProcess processes a stored file: probe, thumbnail, published form.
	WorkflowProcess = "MediaProcess"
	// QueueImport is the task queue of imports, which mostly wait for remote servers.
	QueueImport = "media.import"
	// QueueProcess is the task queue of processing, which mostly uses the CPU.
	QueueProcess = "media.process"

	importPrefix  = "import/"
	processPrefix = "media/"
)

// Activities. All may be repeated at any time.
const (
	// ActivityImport downloads, checks and stores the file, and records the asset or the reason why there is none.
	ActivityImport = "media.Import"
	// ActivityFailImport records that the import failed because of a failure on our side.
	ActivityFailImport = "media.FailImport"
	// ActivityProcess processes the file and records the results.
	ActivityProcess = "media.Process"
	// ActivityGiveUp records that the file could not be processed because of a failure on our side.
	ActivityGiveUp = "media.GiveUp"
)

// ImportID returns the workflow ID of an import.
func ImportID(id ident.Media) string { return importPrefix + id.String() }

// ProcessID returns the workflow ID of the processing of an asset.
func ProcessID(id ident.Media) string { return processPrefix + id.String() }

// Input starts either workflow, and is the input of their activities.
type Input struct {
	MediaID     ident.Media     `json:"mediaId"`
	WorkspaceID ident.Workspace `json:"workspaceId"`
}

// Outcome is the result of an activity.
type Outcome struct {
	Note string `json:"note,omitempty"` // for the operator
}

// Run runs an activity by name with its typed payloads.
func Run(ctx workflow.Context, activity string, in Input) (Outcome, error) {
	var out Outcome
	err := workflow.ExecuteActivity(ctx, activity, in).Get(ctx, &out)
	return out, err
}

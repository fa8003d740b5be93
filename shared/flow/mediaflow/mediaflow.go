// Package mediaflow is the typed contract of the workflows of media, the import by address and the processing of what has
// arrived: names, ids, queue, payloads.
package mediaflow

import (
	"go.temporal.io/sdk/workflow"

	"socialpub.internal/shared/kernel/ident"
)

const (
	// WorkflowImport brings a file from an address into storage.
	WorkflowImport = "MediaImport"
	// WorkflowProcess looks into a file that has arrived: probe, thumbnail, what is published.
	WorkflowProcess = "MediaProcess"
	// QueueImport is the task queue of imports, which mostly wait for other people's servers.
	QueueImport = "media.import"
	// QueueProcess is the task queue of processing, which keeps our own processors busy.
	QueueProcess = "media.process"

	importPrefix  = "import/"
	processPrefix = "media/"
)

// The activities. All may be run again at any time.
const (
	// ActivityImport downloads, checks and stores the file, and records the asset or why there is none.
	ActivityImport = "media.Import"
	// ActivityFailImport records that the import failed for our own reasons.
	ActivityFailImport = "media.FailImport"
	// ActivityProcess looks into the file and records what it found.
	ActivityProcess = "media.Process"
	// ActivityGiveUp records that the file could not be looked into for our own reasons.
	ActivityGiveUp = "media.GiveUp"
)

// ImportID is the workflow id of an import.
func ImportID(id ident.Media) string { return importPrefix + id.String() }

// ProcessID is the workflow id of the processing of an asset.
func ProcessID(id ident.Media) string { return processPrefix + id.String() }

// Input starts either workflow, and is what their activities get.
type Input struct {
	MediaID     ident.Media     `json:"mediaId"`
	WorkspaceID ident.Workspace `json:"workspaceId"`
}

// Outcome is what an activity came to.
type Outcome struct {
	Note string `json:"note,omitempty"` // for the operator
}

// Run runs an activity by name with its typed payloads.
func Run(ctx workflow.Context, activity string, in Input) (Outcome, error) {
	var out Outcome
	err := workflow.ExecuteActivity(ctx, activity, in).Get(ctx, &out)
	return out, err
}

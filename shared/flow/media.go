package flow

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

// Kinds of messages.
const (
	kindImport  = "import"
	kindProcess = "media"
)

// mediaKinds returns the kinds of messages that start imports and processing.
func mediaKinds() []Kind {
	return []Kind{
		Starts(kindImport, func(in MediaInput) Start {
			return Start{ID: ImportID(in.MediaID), Queue: QueueImport, Workflow: WorkflowImport, Workspace: in.WorkspaceID}
		}),
		Starts(kindProcess, func(in MediaInput) Start {
			return Start{ID: ProcessID(in.MediaID), Queue: QueueProcess, Workflow: WorkflowProcess, Workspace: in.WorkspaceID}
		}),
	}
}

// Import returns the message that starts an import.
func (in MediaInput) Import() Message {
	return Message{Kind: kindImport, Workspace: in.WorkspaceID, Subject: in.MediaID, In: in}
}

// Process returns the message that starts the processing of a stored file.
func (in MediaInput) Process() Message {
	return Message{Kind: kindProcess, Workspace: in.WorkspaceID, Subject: in.MediaID, In: in}
}

// ImportID returns the workflow ID of an import.
func ImportID(id ident.Media) string { return importPrefix + id.String() }

// ProcessID returns the workflow ID of the processing of an asset.
func ProcessID(id ident.Media) string { return processPrefix + id.String() }

// MediaInput starts either workflow, and is the input of their activities.
type MediaInput struct {
	MediaID     ident.Media     `json:"mediaId"`
	WorkspaceID ident.Workspace `json:"workspaceId"`
}

// MediaOutcome is the result of an activity.
type MediaOutcome struct {
	Note string `json:"note,omitempty"` // for the operator
}

// RunMedia runs an activity by name with its typed payloads.
func RunMedia(ctx workflow.Context, activity string, in MediaInput) (MediaOutcome, error) {
	var out MediaOutcome
	err := workflow.ExecuteActivity(ctx, activity, in).Get(ctx, &out)
	return out, err
}

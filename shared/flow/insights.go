package flow

import (
	"encoding/binary"
	"hash/fnv"
	"time"

	"go.temporal.io/sdk/workflow"

	"fencepost.internal/shared/domain/analytics"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/kernel/ident"
)

const (
	// WorkflowInsights is the type name of the workflow that collects the figures of one channel and its posts.
	WorkflowInsights = "Insights"
	// QueueInsights is the task queue of the workflow and its activity. It is used for nothing else, so that publishing never
	// waits for the collection of figures.
	QueueInsights = "insights"
	// ActivityCollect executes one step: it queries the network once and records the response.
	ActivityCollect = "insights.Collect"
	// InsightsInterval is the interval at which a channel's figures are collected.
	InsightsInterval = 24 * time.Hour

	insightsPrefix = "insights/"
)

// InsightsScheduleID returns the ID of a channel's schedule in Temporal. Temporal appends the start time to the IDs of the
// workflows that it starts.
func InsightsScheduleID(id ident.Channel) string { return insightsPrefix + id.String() }

// InsightsOffset returns the time of day at which a channel is collected. It is derived from the channel's ID, so that channels
// are spread over the day and each keeps its time.
func InsightsOffset(id ident.Channel) time.Duration {
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(id.String())) // never returns an error
	const seconds = uint64(InsightsInterval / time.Second)
	return time.Duration(binary.BigEndian.Uint64(hash.Sum(nil))%seconds) * time.Second
}

// KindInsights is the kind of messages about the schedule of a channel, which the database writes. Whether the schedule must
// exist is read at delivery, so that messages may be delivered out of order.
const KindInsights = "insights"

// insightsKinds returns the kind.
func insightsKinds() []Kind { return []Kind{{Name: KindInsights}} }

// InsightsRequest is the payload of such a message.
type InsightsRequest struct {
	Now bool `json:"now,omitempty"` // start a collection at once
}

// InsightsInput starts a collection, and is the input of each of its steps.
type InsightsInput struct {
	WorkspaceID ident.Workspace `json:"workspaceId"`
	ChannelID   ident.Channel   `json:"channelId"`
	Network     channel.Network `json:"network"`
	Step        InsightsStep    `json:"step,omitzero"`
}

// InsightsStep is the position of a collection. The zero InsightsStep starts a collection.
type InsightsStep struct {
	Begun time.Time      `json:"begun,omitzero"` // the start of the collection, which limits its duration
	Since analytics.Date `json:"since,omitzero"` // the first day not requested yet
	Posts bool           `json:"posts,omitempty"`
	After ident.Post     `json:"after,omitzero"` // posts: the last one whose figures were read
	Tries int            `json:"tries,omitempty"`
	Turn  time.Time      `json:"turn,omitzero"` // the start time assigned to this step for its network
}

// InsightsOutcome is the result of a step.
type InsightsOutcome struct {
	Done bool          `json:"done"`
	Wait time.Duration `json:"wait,omitempty"` // if not done: the wait before the next step
	Next InsightsStep  `json:"next,omitzero"`
	Note string        `json:"note,omitempty"` // for the operator
}

// CollectInsights runs the activity.
func CollectInsights(ctx workflow.Context, in InsightsInput) (InsightsOutcome, error) {
	var out InsightsOutcome
	err := workflow.ExecuteActivity(ctx, ActivityCollect, in).Get(ctx, &out)
	return out, err
}

// Package insightsflow defines the typed contract of the collection of figures: names, IDs, queue, payloads, and the
// time of day at which each channel is collected.
package insightsflow

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
	// Workflow is the type name of the workflow that collects the figures of one channel and its posts.
	Workflow = "Insights"
	// Queue is the task queue of the workflow and its activity. It is used for nothing else, so that publishing never
	// waits for the collection of figures.
	Queue = "insights"
	// ActivityCollect executes one step: it queries the network once and records the response.
	ActivityCollect = "insights.Collect"
	// Every is the interval at which a channel's figures are collected.
	Every = 24 * time.Hour

	prefix = "insights/"
)

// ScheduleID returns the ID of a channel's schedule in Temporal. Temporal appends the start time to the IDs of the
// workflows that it starts.
func ScheduleID(id ident.Channel) string { return prefix + id.String() }

// Offset returns the time of day at which a channel is collected. It is derived from the channel's ID, so that channels
// are spread over the day and each keeps its time.
func Offset(id ident.Channel) time.Duration {
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(id.String())) // never returns an error
	const seconds = uint64(Every / time.Second)
	return time.Duration(binary.BigEndian.Uint64(hash.Sum(nil))%seconds) * time.Second
}

// Input starts a collection, and is the input of each of its steps.
type Input struct {
	WorkspaceID ident.Workspace `json:"workspaceId"`
	ChannelID   ident.Channel   `json:"channelId"`
	Network     channel.Network `json:"network"`
	Step        Step            `json:"step,omitzero"`
}

// Step is the position of a collection. The zero Step starts a collection.
type Step struct {
	Begun time.Time      `json:"begun,omitzero"` // the start of the collection, which limits its duration
	Since analytics.Date `json:"since,omitzero"` // the first day not requested yet
	Posts bool           `json:"posts,omitempty"`
	After ident.Post     `json:"after,omitzero"` // posts: the last one whose figures were read
	Tries int            `json:"tries,omitempty"`
	Turn  time.Time      `json:"turn,omitzero"` // the start time assigned to this step for its network
}

// Outcome is the result of a step.
type Outcome struct {
	Done bool          `json:"done"`
	Wait time.Duration `json:"wait,omitempty"` // if not done: the wait before the next step
	Next Step          `json:"next,omitzero"`
	Note string        `json:"note,omitempty"` // for the operator
}

// Collect runs the activity.
func Collect(ctx workflow.Context, in Input) (Outcome, error) {
	var out Outcome
	err := workflow.ExecuteActivity(ctx, ActivityCollect, in).Get(ctx, &out)
	return out, err
}

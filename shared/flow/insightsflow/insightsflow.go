// Package insightsflow is the typed contract of the collection of figures: names, ids, queue, payloads, and when in the day a
// channel has its turn.
package insightsflow

import (
	"encoding/binary"
	"hash/fnv"
	"time"

	"go.temporal.io/sdk/workflow"

	"socialpub.internal/shared/domain/analytics"
	"socialpub.internal/shared/domain/channel"
	"socialpub.internal/shared/kernel/ident"
)

const (
	// Workflow is the type name of the workflow that collects the figures of one channel and its posts.
	Workflow = "Insights"
	// Queue is the task queue of the workflow and its activity. It is nobody else's, so that no publication ever waits behind
	// figures.
	Queue = "insights"
	// ActivityCollect takes one step: it asks the network once and records what it told.
	ActivityCollect = "insights.Collect"
	// Every is how often a channel's figures are collected.
	Every = 24 * time.Hour

	prefix = "insights/"
)

// ScheduleID is the id of a channel's schedule in Temporal. The workflows that it starts have the id followed by their time.
func ScheduleID(id ident.Channel) string { return prefix + id.String() }

// Offset is when in each day a channel has its turn: by its id, so that channels are spread over the day and each keeps its time.
func Offset(id ident.Channel) time.Duration {
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(id.String())) // a hash takes everything
	const seconds = uint64(Every / time.Second)
	return time.Duration(binary.BigEndian.Uint64(hash.Sum(nil))%seconds) * time.Second
}

// Input starts a collection, and is what each of its steps gets.
type Input struct {
	WorkspaceID ident.Workspace `json:"workspaceId"`
	ChannelID   ident.Channel   `json:"channelId"`
	Network     channel.Network `json:"network"`
	Step        Step            `json:"step,omitzero"`
}

// Step says how far a collection has come; the zero Step begins one.
type Step struct {
	Begun time.Time      `json:"begun,omitzero"` // when the collection began; it does not go on for ever
	Since analytics.Date `json:"since,omitzero"` // the first day that the network was not asked for yet
	Posts bool           `json:"posts,omitempty"`
	After ident.Post     `json:"after,omitzero"` // posts: the last one whose figures were read
	Tries int            `json:"tries,omitempty"`
	Turn  time.Time      `json:"turn,omitzero"` // the moment that was given to this step in the network's line
}

// Outcome is what a step came to.
type Outcome struct {
	Done bool          `json:"done"`
	Wait time.Duration `json:"wait,omitempty"` // not done: how long until the next step
	Next Step          `json:"next,omitzero"`
	Note string        `json:"note,omitempty"` // for the operator
}

// Collect runs the activity.
func Collect(ctx workflow.Context, in Input) (Outcome, error) {
	var out Outcome
	err := workflow.ExecuteActivity(ctx, ActivityCollect, in).Get(ctx, &out)
	return out, err
}

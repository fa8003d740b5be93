// Command record writes the histories that the replay tests replay. It runs every workflow on a real Temporal server
// with scripted activities and saves the history of each scenario: of completed runs, and of runs that wait at each
// point where a workflow can wait. Run it with `make record` when a workflow's commands change behind GetVersion.
// Histories are only ever added, because runs recorded by older versions must remain replayable.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/history/v1"
	"go.temporal.io/sdk/client"
	sdklog "go.temporal.io/sdk/log"
	"google.golang.org/protobuf/encoding/protojson"
)

const limit = 5 * time.Minute

func main() {
	address := flag.String("address", os.Getenv("TEST_TEMPORAL_ADDRESS"), "host and port of a Temporal server")
	out := flag.String("out", "workflows", "folder of the workflows module")
	set := flag.String("set", "v1", "name of the set, one per version of the workflows")
	module := flag.String("module", "", "record only the workflows of this module; empty: all")
	flag.Parse()
	if err := run(*address, *out, *set, *module); err != nil {
		_, _ = io.WriteString(os.Stderr, "record: "+err.Error()+"\n")
		os.Exit(1)
	}
}

func run(address, out, set, module string) error {
	if address == "" {
		return errors.New("no Temporal server: run it with `make record`, which starts one")
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	c, err := client.DialContext(ctx, client.Options{
		HostPort: address, Logger: sdklog.NewStructuredLogger(slog.New(slog.DiscardHandler)),
	})
	if err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	defer c.Close()
	if err := searchAttributes(ctx, c); err != nil {
		return err
	}
	s := &scripts{outcomes: make(map[string][]any)}
	recordings := slices.Concat(s.posts(), s.deliveries(), s.media(), s.insights(), s.renewing(), s.mailing(), s.replying(), s.following())
	stop, err := s.serve(c)
	if err != nil {
		return err
	}
	defer stop()
	for _, r := range recordings {
		if module != "" && r.module != module {
			continue
		}
		if err := r.record(ctx, c, filepath.Join(out, r.module, "testdata", "histories", set)); err != nil {
			return fmt.Errorf("%s/%s: %w", r.module, r.name, err)
		}
	}
	return nil
}

// recording is one scenario: how its run starts, what happens to the run, and in which state its history is saved.
type recording struct {
	module string // folder under workflows/
	name   string // has "open_" if the run still waits when its history is saved
	start  func(ctx context.Context, c client.Client) (client.WorkflowRun, error)
	// script drives the run. The history is saved when it returns.
	script func(ctx context.Context, c client.Client, run client.WorkflowRun) error
	failed bool // the run ends as Failed
}

func (r recording) record(ctx context.Context, c client.Client, folder string) error {
	run, err := r.start(ctx, c)
	if err != nil {
		return fmt.Errorf("start: %w", err)
	}
	if r.script != nil {
		if err := r.script(ctx, c, run); err != nil {
			return err
		}
	}
	open := strings.Contains(r.name, "open_")
	if open {
		if err := settled(ctx, c, run); err != nil {
			return err
		}
	} else if err := r.ended(ctx, run); err != nil {
		return err
	}
	saved, err := read(ctx, c, run)
	if err != nil {
		return err
	}
	if open {
		if err := c.TerminateWorkflow(ctx, run.GetID(), run.GetRunID(), "recorded"); err != nil {
			return fmt.Errorf("terminate: %w", err)
		}
	}
	return write(filepath.Join(folder, r.name+".json"), saved)
}

// ended waits for the end of the run and checks the outcome.
func (r recording) ended(ctx context.Context, run client.WorkflowRun) error {
	err := run.Get(ctx, nil)
	switch {
	case err != nil && !r.failed:
		return fmt.Errorf("run: %w", err)
	case err == nil && r.failed:
		return errors.New("the run completed and should have failed")
	}
	return nil
}

// settled waits until the run is idle: its last workflow task is completed.
func settled(ctx context.Context, c client.Client, run client.WorkflowRun) error {
	for {
		h, err := read(ctx, c, run)
		if err != nil {
			return err
		}
		last := h.GetEvents()[len(h.GetEvents())-1].GetEventType()
		switch last {
		case enums.EVENT_TYPE_TIMER_STARTED, enums.EVENT_TYPE_WORKFLOW_TASK_COMPLETED, enums.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED,
			enums.EVENT_TYPE_UPSERT_WORKFLOW_SEARCH_ATTRIBUTES:
			return nil
		default:
		}
		if err := pause(ctx); err != nil {
			return err
		}
	}
}

func pause(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(100 * time.Millisecond):
		return nil
	}
}

func read(ctx context.Context, c client.Client, run client.WorkflowRun) (*history.History, error) {
	var h history.History
	events := c.GetWorkflowHistory(ctx, run.GetID(), run.GetRunID(), false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for events.HasNext() {
		event, err := events.Next()
		if err != nil {
			return nil, fmt.Errorf("read history: %w", err)
		}
		h.Events = append(h.Events, event)
	}
	return &h, nil
}

func write(path string, h *history.History) error {
	raw, err := protojson.MarshalOptions{Multiline: true, Indent: " "}.Marshal(h)
	if err != nil {
		return fmt.Errorf("encode history: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		return err
	}
	return os.WriteFile(path, append(raw, '\n'), 0o600)
}

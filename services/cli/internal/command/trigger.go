package command

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	fencepost "fencepost.internal/sdk/go"
	"fencepost.internal/services/cli/internal/failure"
	"fencepost.internal/services/cli/internal/output"
)

const triggerLong = `trigger sends a sample event of a type to a program on this machine, signed as "fencepost listen" signs. The sample is the
example of the API's document with a new ID. Nothing happens in the workspace.

To send the event webhook.test to a registered webhook, use "fencepost webhooks test".`

func (a *app) trigger() *cobra.Command {
	var target string
	cmd := &cobra.Command{
		ValidArgs: words(eventKinds), Use: "trigger TYPE", Short: "Send a sample event to a program on this machine", Long: triggerLong, Args: exactly("TYPE"),
		Example: "  $ fencepost trigger post.published\n  $ fencepost trigger post.failed --forward-to localhost:3000/webhooks",
		RunE: a.with(func(ctx context.Context, c *fencepost.Client, p *output.Printer, args []string) error {
			state, err := a.state(ctx, c)
			if err != nil {
				return err
			}
			if target == "" {
				target = state.Target
			}
			if target == "" {
				return failure.Misused("there is no program to send to").With(`add --forward-to localhost:3000; without it, the program of the last "fencepost listen" is used`)
			}
			send, err := a.sender(target, state)
			if err != nil {
				return err
			}
			event, body, err := a.sample(ctx, c, args[0])
			if err != nil {
				return err
			}
			status, after, err := send.Once(ctx, event, body)
			if err != nil {
				return err
			}
			if err := state.Save(); err != nil {
				return err
			}
			if err := a.printLine(p, forwarded{
				Time: a.Now().UTC(), ID: event.ID, Type: event.Type, Status: status, DurationMs: after.Milliseconds(),
			}); err != nil {
				return err
			}
			if status < 200 || status > 299 {
				return &failure.Error{Code: failure.Failed, Text: fmt.Sprintf("the program responded with the status %d", status)}
			}
			return nil
		}),
	}
	cmd.Flags().StringVarP(&target, "forward-to", "f", "", "`ADDRESS` of the program (default: that of the last listen)")
	return cmd
}

// sample returns the example of a type of events in the API's document, as a new event.
func (a *app) sample(ctx context.Context, c *fencepost.Client, typ string) (fencepost.Event, json.RawMessage, error) {
	raw, err := c.GetOpenAPI(ctx)
	if err != nil {
		return fencepost.Event{}, nil, err
	}
	var document struct {
		Components struct {
			Schemas map[string]struct {
				Example json.RawMessage `json:"example"`
			} `json:"schemas"`
		} `json:"components"`
	}
	if err := json.Unmarshal(raw, &document); err != nil {
		return fencepost.Event{}, nil, err
	}
	samples := make(map[string]fencepost.Event)
	for name, schema := range document.Components.Schemas {
		var event fencepost.Event
		if strings.HasSuffix(name, "Event") && json.Unmarshal(schema.Example, &event) == nil && event.Data != nil {
			samples[string(event.Type)] = event
		}
	}
	event, known := samples[typ]
	if !known {
		return fencepost.Event{}, nil, failure.Misused("there is no type of events %q; there are: %s", typ,
			strings.Join(slices.Sorted(maps.Keys(samples)), ", "))
	}
	event.ID, event.CreatedAt = "evt_"+uuid.NewString(), a.Now().UTC()
	body, err := json.Marshal(event)
	return event, body, err
}

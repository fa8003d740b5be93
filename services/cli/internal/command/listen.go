package command

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/spf13/cobra"

	fencepost "fencepost.internal/sdk/go"
	"fencepost.internal/services/cli/internal/failure"
	"fencepost.internal/services/cli/internal/forward"
	"fencepost.internal/services/cli/internal/output"
	"fencepost.internal/services/cli/internal/when"
)

const (
	variableSecret = "FENCEPOST_WEBHOOK_SECRET"
	listenPause    = time.Second
	// commitSpan is longer than an event takes from its time to its place in the log.
	commitSpan = time.Minute
)

const listenLong = `listen follows the events of the workspace. With --forward-to it sends each to a program on this machine, signed as the
service signs webhooks, and prints the status of the response. No webhook and no public address is needed.

It stores how far it came, so that the next start continues there, and it waits while the API or the program cannot be reached:
no event is lost. The first start begins with new events. A response other than 2xx is printed and not repeated.

The secret that signs is printed; it stays the same for a workspace. FENCEPOST_WEBHOOK_SECRET replaces it.`

const listenExample = `  $ fencepost listen --forward-to localhost:3000/webhooks
  $ fencepost listen --forward-to 3000 --events post.published,post.failed
  $ fencepost listen --since 2h --once --jq '.type'`

// listenFlags say what to follow.
type listenFlags struct {
	target, since string
	events        []string
	once          bool
}

// forwarded is a line of the output of listen and trigger.
type forwarded struct {
	Time       time.Time           `json:"time"`
	ID         string              `json:"id"`
	Type       fencepost.EventType `json:"type"`
	Sequence   int64               `json:"sequence,omitempty"`
	Status     int                 `json:"status"`
	DurationMs int64               `json:"durationMs"`
}

func (a *app) listen() *cobra.Command {
	var in listenFlags
	cmd := &cobra.Command{
		Use: "listen", Short: "Follow events, and forward them to a program on this machine", Long: listenLong, Example: listenExample,
		Args: exactly(),
		RunE: a.with(func(ctx context.Context, c *fencepost.Client, p *output.Printer, _ []string) error {
			return a.follow(ctx, c, p, in)
		}),
	}
	flags := cmd.Flags()
	flags.StringVarP(&in.target, "forward-to", "f", "", "`ADDRESS` of the program: a port, a host with a port, or a URL")
	flags.StringSliceVarP(&in.events, "events", "e", nil, "only events of these `TYPES`")
	flags.StringVar(&in.since, "since", "", "begin with the events of this `TIME`, such as 2h (two hours ago) or \"today 08:00\"")
	completeWords(cmd, "events", eventKinds...)
	flags.BoolVar(&in.once, "once", false, "end after the events that are in the log now")
	return cmd
}

func (a *app) follow(ctx context.Context, c *fencepost.Client, p *output.Printer, in listenFlags) error {
	state, err := a.state(ctx, c)
	if err != nil {
		return err
	}
	send, err := a.sender(in.target, state)
	if err != nil {
		return err
	}
	last, err := a.position(ctx, c, state, in)
	if err != nil {
		return err
	}
	if send != nil {
		if err := state.Save(); err != nil {
			return err
		}
		a.note("Forwarding events to %s. The signing secret is %s", send.Target, send.Secret)
	}
	if in.once && state.Sequence >= last {
		return nil
	}
	if !in.once {
		a.note("Waiting for events. Ctrl-C ends it.")
	}
	err = a.pass(ctx, c, state, func(followed fencepost.FollowedEvent) (bool, error) {
		event := followed.Event
		if len(in.events) == 0 || slices.Contains(in.events, string(event.Type)) {
			if err := a.handle(ctx, p, send, followed); err != nil {
				return false, err
			}
		}
		state.Sequence = event.Sequence
		if followed.Cursor != "" {
			state.Cursor = followed.Cursor
		}
		if send == nil {
			return !in.once || event.Sequence < last, nil
		}
		return !in.once || event.Sequence < last, state.Save()
	})
	if ctx.Err() != nil && !in.once {
		return nil // how it ends
	}
	return err
}

// pass gives the events after the state to a function until that returns false. A cursor that is no longer valid is
// replaced by the beginning, of which the events that were handled are left out.
func (a *app) pass(
	ctx context.Context, c *fencepost.Client, state *forward.State, handle func(fencepost.FollowedEvent) (bool, error),
) error {
	params := fencepost.ListEventsParams{From: state.From, Cursor: state.Cursor}
	for followed, err := range c.Events.FollowWith(ctx, params, listenPause) {
		failed, isAPI := errors.AsType[*fencepost.Error](err)
		if isAPI && failed.Code == fencepost.ProblemCodeInvalidCursor && params.Cursor != "" {
			state.Cursor = ""
			return a.pass(ctx, c, state, handle)
		}
		if err != nil {
			return err
		}
		if followed.Event.Sequence <= state.Sequence {
			continue
		}
		if more, err := handle(followed); err != nil || !more {
			return err
		}
	}
	return nil
}

// state returns the stored position of the credential's workspace.
func (a *app) state(ctx context.Context, c *fencepost.Client) (*forward.State, error) {
	workspace, err := c.GetWorkspace(ctx)
	if err != nil {
		return nil, err
	}
	folder, err := a.folder("XDG_STATE_HOME", ".local", "state")
	if err != nil {
		return nil, err
	}
	return forward.Load(folder, workspace.ID)
}

// position sets where to begin, and returns the sequence of the last event in the log.
func (a *app) position(ctx context.Context, c *fencepost.Client, state *forward.State, in listenFlags) (last int64, err error) {
	var newest fencepost.Event
	for event, err := range c.Events.List(ctx, fencepost.ListEventsParams{Sort: "-seq", Limit: 1}) {
		if err != nil {
			return 0, err
		}
		newest = event
		break
	}
	switch {
	case in.since != "":
		var from time.Time
		if err := a.bounds(ctx, c, when.Past, bound{"since", in.since, &from}); err != nil {
			return 0, err
		}
		state.Begin(from, 0)
	case !state.Begun || in.target == "":
		if newest.Sequence == 0 {
			state.Begin(time.Time{}, 0)
		} else {
			state.Begin(newest.CreatedAt.Add(-commitSpan), newest.Sequence)
		}
	}
	return newest.Sequence, nil
}

// sender returns what sends to the target; nil without one. The target becomes that of the state.
func (a *app) sender(target string, state *forward.State) (*forward.Sender, error) {
	if target == "" {
		return nil, nil
	}
	address, err := forward.Target(target)
	if err != nil {
		return nil, failure.Misused("--forward-to: %s", err)
	}
	state.Target = address
	if secret := a.Environ[variableSecret]; secret != "" {
		state.Secret = secret
	}
	if err := fencepost.SignWebhook(http.Header{}, fencepost.Event{}, nil, state.Secret, a.Now()); err != nil {
		return nil, failure.Misused("%s is not the secret of a webhook, whsec_ and base64", variableSecret)
	}
	return &forward.Sender{
		Target: address, Secret: state.Secret, HTTP: forward.Client(), Now: a.Now,
		Unreachable: func(err error) { a.note("Waiting for %s: %s", address, err) },
	}, nil
}

// handle sends an event, if there is a target, and prints it.
func (a *app) handle(ctx context.Context, p *output.Printer, send *forward.Sender, followed fencepost.FollowedEvent) error {
	if send == nil && !p.Table() {
		return p.Object(followed.Raw)
	}
	line := forwarded{Time: followed.Event.CreatedAt, ID: followed.Event.ID, Type: followed.Event.Type, Sequence: followed.Event.Sequence}
	if send != nil {
		status, after, err := send.Send(ctx, followed.Event, followed.Raw)
		if err != nil {
			return err
		}
		line.Time, line.Status, line.DurationMs = a.Now().UTC(), status, after.Milliseconds()
	}
	return a.printLine(p, line)
}

func (a *app) printLine(p *output.Printer, line forwarded) error {
	if !p.Table() {
		return p.Object(line)
	}
	result := ""
	if line.Status != 0 {
		result = fmt.Sprintf("  %d %s  %d ms", line.Status, http.StatusText(line.Status), line.DurationMs)
	}
	_, err := fmt.Fprintf(p.Out, "%s  %-24s  %s%s\n", line.Time.Local().Format(time.TimeOnly), line.Type, line.ID, result)
	return err
}

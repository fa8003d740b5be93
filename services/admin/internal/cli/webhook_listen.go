package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"fencepost.internal/services/admin/internal/listen"
	"fencepost.internal/services/admin/internal/operator"
	"fencepost.internal/shared/domain/event"
	"fencepost.internal/shared/domain/webhook"
)

const webhookListenLong = `webhook-listen receives webhooks on this machine, verifies them and prints them, until Ctrl-C. Use it to see events arrive, to
check signatures, and to test the behavior of the service when a receiver fails.

With --workspace it registers its own webhook for the workspace, and deletes it at the end. The worker must be allowed to reach
it: "make run" allows loopback. Otherwise start the worker with EGRESS_ALLOW=127.0.0.1/32, or give the address of a tunnel with
--url.

With --secret-file or --secret-env it needs no database: it listens for deliveries of an existing webhook.

The response to genuine deliveries has the status --response, after --delay; other deliveries get 401. --fail-first 2 responds with
500 to the first two attempts of every event, so the third succeeds after about 10 and 40 seconds. The service waits 15 seconds
for a response, and disables a webhook that responds with 410.

Deliveries go to standard output, everything else to standard error. Color is used on terminals; NO_COLOR disables it.`

const webhookListenExample = `  # all events of a workspace
  admin webhook-listen --workspace WORKSPACE_ID

  # see retries: the third attempt of each event succeeds
  admin webhook-listen --workspace WORKSPACE_ID --events post.published,post.failed --fail-first 2

  # in place of an existing receiver
  WEBHOOK_SECRET=whsec_... admin webhook-listen --secret-env WEBHOOK_SECRET --addr 127.0.0.1:8099

  # one JSON object per line, for programs
  admin webhook-listen --workspace WORKSPACE_ID --format json | jq -r 'select(.duplicate | not) | .type'`

// The output formats of deliveries.
const (
	formatText = "text"
	formatJSON = "json"
)

const (
	defaultListenAddr = "127.0.0.1:8099"
	// listenDescription marks the webhooks that this command created.
	listenDescription = "admin webhook-listen"
)

func (a *app) webhookListen() *cobra.Command {
	var in listenFlags
	cmd := &cobra.Command{
		Use: "webhook-listen", Short: "Receive, verify and print webhooks on this machine", Long: webhookListenLong,
		GroupID: groupOther, Example: webhookListenExample, Args: cobra.NoArgs,
		RunE: a.run(func(cmd *cobra.Command, _ []string) error {
			if a.json {
				in.format = formatJSON
			}
			if err := in.check(cmd.Flags().Changed); err != nil {
				return err
			}
			// With SIGPIPE ignored, a closed output pipe is a write error instead of the end of the process, so that
			// the webhook is still deleted.
			signal.Ignore(syscall.SIGPIPE)
			return a.listen(cmd.Context(), in)
		}),
	}
	in.flags(cmd)
	return cmd
}

// listen receives deliveries until the context ends or the output can no longer be written.
func (a *app) listen(ctx context.Context, in listenFlags) error {
	secret, err := in.secret(a)
	if err != nil {
		return err
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", in.addr)
	if err != nil {
		return fmt.Errorf("%w; choose another address with --%s, such as 127.0.0.1:0 for any free port", err, flagAddr)
	}
	if in.workspace == "" {
		a.note("Listening on http://%s/ for deliveries signed with the given secret. Ctrl-C stops it.", listener.Addr())
		return a.receive(ctx, in, secret, listener, func() error { return nil })
	}
	return errors.Join(a.with(ctx, func(ctx context.Context, op *operator.Operator) error {
		return a.listenRegistered(ctx, op, in, listener)
	}), ignoreClosed(listener.Close()))
}

// listenRegistered listens with a webhook of its own. It deletes the webhook at the end, also after an error.
func (a *app) listenRegistered(
	ctx context.Context, op *operator.Operator, in listenFlags, listener net.Listener,
) error {
	created, secret, err := op.CreateWebhook(ctx, in.newWebhook(in.reachedAt(listener.Addr().String())))
	if err != nil {
		return err
	}
	a.note("Listening on http://%s/ as webhook %s for %s. Ctrl-C stops it and deletes the webhook.", listener.Addr(),
		created.ID, eventsText(created.Events))
	if created.URL != "http://"+listener.Addr().String()+"/" {
		a.note("It is registered as %s", created.URL)
	}
	if in.printSecret {
		a.note("Its secret is %s", secret)
	}
	return a.receive(ctx, in, secret, listener, func() error { return a.unregister(ctx, op, created) })
}

// unregister deletes the webhook, also after the command was interrupted.
func (a *app) unregister(ctx context.Context, op *operator.Operator, created webhook.Endpoint) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopLimit)
	defer cancel()
	if err := op.DeleteWebhook(ctx, created); err != nil {
		a.note("could not delete webhook %s; delete it with DELETE /v1/webhooks/%s, or run the same command again", created.ID,
			created.ID)
		return err
	}
	a.note("Webhook %s is deleted.", created.ID)
	return nil
}

func (a *app) printer(format string) listen.Printer {
	if format == formatJSON {
		return listen.Lines(a.process.Out)
	}
	return listen.Text(a.process.Out, a.colour(a.process.Out))
}

// colour reports whether to use colors: the output is a terminal and colors are not disabled (no-color.org).
func (a *app) colour(out io.Writer) bool {
	in, ok := out.(io.Reader) // files implement both interfaces
	return ok && terminal(in) && a.process.Environ["NO_COLOR"] == "" && a.process.Environ["TERM"] != "dumb"
}

func eventsText(events []string) string {
	if len(events) == 1 && events[0] == webhook.AllEvents {
		return "every event"
	}
	return join(events)
}

func eventNames() []string {
	return append([]string{webhook.AllEvents}, convert(event.Types(), func(t event.Type) string { return string(t) })...)
}

package command

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	fencepost "fencepost.internal/sdk/go"
	"fencepost.internal/services/cli/internal/failure"
	"fencepost.internal/services/cli/internal/output"
	"fencepost.internal/services/cli/internal/when"
)

const argWebhook = "WEBHOOK"

func (a *app) webhooks() *cobra.Command {
	return a.group(&cobra.Command{Use: "webhooks", Aliases: []string{"webhook"}, Short: "Register receivers of events, see and repeat deliveries"},
		a.listWebhooks(), a.createWebhook(), a.getWebhook(), a.editWebhook(), a.deleteWebhook(), a.rotateSecret(), a.testWebhook(),
		a.deliveries(), a.redeliver(), a.replay())
}

func webhookState(active bool, reason *string) string {
	if active {
		return "active"
	}
	if reason != nil {
		return "disabled " + *reason
	}
	return "disabled"
}

func (a *app) listWebhooks() *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the webhooks", Args: exactly(),
		RunE: a.with(func(ctx context.Context, c *fencepost.Client, p *output.Printer, _ []string) error {
			found, err := c.Webhooks.List(ctx)
			if err != nil {
				return err
			}
			return output.All(p, found, []output.Column[fencepost.Webhook]{
				{Head: "ID", Cell: func(w fencepost.Webhook) string { return w.ID }},
				{Head: "STATE", Cell: func(w fencepost.Webhook) string { return webhookState(w.IsActive, w.DisabledReason) }},
				{Head: "URL", Cell: func(w fencepost.Webhook) string { return w.URL }, Wide: true},
				{Head: "EVENTS", Cell: func(w fencepost.Webhook) string { return joined(w.Events) }},
			})
		}),
	}
}

func webhookLines(w fencepost.Webhook) []output.Line {
	return []output.Line{
		{Name: "ID", Text: w.ID},
		{Name: "URL", Text: w.URL},
		{Name: "Description", Text: text(w.Description)},
		{Name: "Events", Text: joined(w.Events)},
		{Name: "Channels", Text: joined(w.ChannelIDs)},
		{Name: "State", Text: webhookState(w.IsActive, w.DisabledReason)},
		{Name: "Failures", Text: strconv.FormatInt(w.ConsecutiveFailures, 10)},
		{Name: "Old secret until", Text: shortTime(w.PreviousSecretExpiresAt)},
	}
}

// webhookFlags describe a webhook.
type webhookFlags struct {
	url, description string
	events, channels []string
	enable, disable  bool
}

func (in *webhookFlags) flags(cmd *cobra.Command) {
	cmd.Flags().StringSliceVar(&in.events, "events", nil, "`TYPES` of events, such as post.published,post.failed; * for all")
	cmd.Flags().StringArrayVar(&in.channels, "channel", nil, "only events of this `CHANNEL`: ID, name, username or network (repeatable)")
	completeWords(cmd, "events", eventKinds...)
	cmd.Flags().StringVar(&in.description, "description", "", "`TEXT` for people")
}

// ids resolves the channels of the flags.
func (in *webhookFlags) ids(ctx context.Context, c *fencepost.Client) ([]string, error) {
	if len(in.channels) == 0 {
		return nil, nil
	}
	names, err := newResolver(ctx, c)
	if err != nil {
		return nil, err
	}
	ids := make([]string, len(in.channels))
	for i, name := range in.channels {
		channel, err := names.find(name)
		if err != nil {
			return nil, err
		}
		ids[i] = channel.ID
	}
	return ids, nil
}

func eventTypes(names []string) []fencepost.EventType {
	types := make([]fencepost.EventType, len(names))
	for i, name := range names {
		types[i] = fencepost.EventType(name)
	}
	return types
}

func (a *app) createWebhook() *cobra.Command {
	var in webhookFlags
	cmd := &cobra.Command{
		Use: "create URL", Short: "Register a receiver", Args: exactly("URL"),
		Long:    "create registers a receiver and prints the secret that signs its deliveries, once.",
		Example: "  $ fencepost webhooks create https://hooks.example.com/social --events post.published,post.failed",
		RunE: a.with(func(ctx context.Context, c *fencepost.Client, p *output.Printer, args []string) error {
			if len(in.events) == 0 {
				in.events = []string{string(fencepost.EventTypeAll)}
			}
			channels, err := in.ids(ctx, c)
			if err != nil {
				return err
			}
			created, err := c.Webhooks.Create(ctx, fencepost.CreateWebhookRequest{
				URL: args[0], Events: eventTypes(in.events), ChannelIDs: channels, Description: in.description,
			})
			if err != nil {
				return err
			}
			return printSecret(p, created)
		}),
	}
	in.flags(cmd)
	return cmd
}

func printSecret(p *output.Printer, created *fencepost.CreatedWebhook) error {
	return output.One(p, *created, []output.Line{
		{Name: "ID", Text: created.ID},
		{Name: "URL", Text: created.URL},
		{Name: "Events", Text: joined(created.Events)},
		{Name: "Secret", Text: created.Secret + "\nIt is not shown again: store it."},
		{Name: "Old secret until", Text: shortTime(created.PreviousSecretExpiresAt)},
	})
}

func (a *app) getWebhook() *cobra.Command {
	return &cobra.Command{
		Use: "get WEBHOOK", Aliases: []string{"view"}, Short: "Show a webhook", Args: exactly(argWebhook),
		RunE: a.with(func(ctx context.Context, c *fencepost.Client, p *output.Printer, args []string) error {
			webhook, err := c.Webhooks.Get(ctx, args[0])
			if err != nil {
				return err
			}
			return output.One(p, *webhook, webhookLines(*webhook))
		}),
	}
}

func (a *app) editWebhook() *cobra.Command {
	var in webhookFlags
	cmd := &cobra.Command{
		Use: "edit WEBHOOK", Short: "Change, enable or disable a webhook", Args: exactly(argWebhook),
		Example: "  $ fencepost webhooks edit 0198f3c5-8a4e-7d31-b5a6-0c9d1e2f3a4b --enable",
	}
	flags := cmd.Flags()
	cmd.RunE = a.with(func(ctx context.Context, c *fencepost.Client, p *output.Printer, args []string) error {
		var body fencepost.UpdateWebhookRequest
		if flags.Changed("events") {
			body.Events = fencepost.Set(eventTypes(in.events))
		}
		if flags.Changed("channel") {
			channels, err := in.ids(ctx, c)
			if err != nil {
				return err
			}
			body.ChannelIDs = fencepost.Set(channels)
		}
		if flags.Changed("url") {
			body.URL = fencepost.Set(in.url)
		}
		switch {
		case flags.Changed("description") && in.description == "":
			body.Description = fencepost.Clear[string]()
		case flags.Changed("description"):
			body.Description = fencepost.Set(in.description)
		}
		if in.enable || in.disable {
			body.IsActive = fencepost.Set(in.enable)
		}
		if flags.NFlag() == 0 {
			return failure.Misused("nothing to change").With("%s", "usage: "+cmd.UseLine())
		}
		webhook, err := c.Webhooks.Update(ctx, args[0], body)
		if err != nil {
			return err
		}
		return output.One(p, *webhook, webhookLines(*webhook))
	})
	in.flags(cmd)
	flags.StringVar(&in.url, "url", "", "new `ADDRESS`")
	flags.BoolVar(&in.enable, "enable", false, "enable it")
	flags.BoolVar(&in.disable, "disable", false, "disable it; its pending deliveries are cancelled")
	cmd.MarkFlagsMutuallyExclusive("enable", "disable")
	return cmd
}

func (a *app) deleteWebhook() *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use: "delete WEBHOOK", Short: "Delete a webhook with its pending deliveries", Args: exactly(argWebhook),
		RunE: a.with(func(ctx context.Context, c *fencepost.Client, _ *output.Printer, args []string) error {
			if err := a.confirm(yes, "Delete the webhook "+args[0]); err != nil {
				return err
			}
			if err := c.Webhooks.Delete(ctx, args[0]); err != nil {
				return err
			}
			a.note("Deleted the webhook %s.", args[0])
			return nil
		}),
	}
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask for a confirmation")
	return cmd
}

func (a *app) rotateSecret() *cobra.Command {
	var hours int64
	var force bool
	cmd := &cobra.Command{
		Use: "rotate-secret WEBHOOK", Short: "Make a new signing secret", Args: exactly(argWebhook),
		Long: "rotate-secret prints a new secret, once. The previous one also signs for --overlap hours.",
		RunE: a.with(func(ctx context.Context, c *fencepost.Client, p *output.Printer, args []string) error {
			created, err := c.Webhooks.RotateSecret(ctx, args[0], fencepost.RotateSecretRequest{OverlapHours: &hours, Force: &force})
			if err != nil {
				return err
			}
			return printSecret(p, created)
		}),
	}
	const defaultHours = 24
	cmd.Flags().Int64Var(&hours, "overlap", defaultHours, "`HOURS` in which both secrets sign; 0: a leaked secret ends at once")
	cmd.Flags().BoolVar(&force, "force", false, "rotate during an overlap")
	return cmd
}

func (a *app) testWebhook() *cobra.Command {
	return &cobra.Command{
		Use: "test WEBHOOK", Short: "Send the event webhook.test", Args: exactly(argWebhook),
		RunE: a.with(func(ctx context.Context, c *fencepost.Client, p *output.Printer, args []string) error {
			test, err := c.Webhooks.Test(ctx, args[0])
			if err != nil {
				return err
			}
			return output.One(p, *test, []output.Line{
				{Name: "Event", Text: test.EventID},
				{Name: "Type", Text: test.Type},
				{Name: "Outcome", Text: "fencepost webhooks deliveries " + test.WebhookID + " --limit 1"},
			})
		}),
	}
}

func (a *app) deliveries() *cobra.Command {
	var status, event string
	var limit int
	cmd := &cobra.Command{
		Use: "deliveries WEBHOOK [DELIVERY]", Short: "List the deliveries to a webhook, or the attempts of one",
		Example: "  $ fencepost webhooks deliveries 0198f3c5-8a4e-7d31-b5a6-0c9d1e2f3a4b --status failed",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 2 {
				return nil
			}
			return exactly(argWebhook)(cmd, args)
		},
		RunE: a.with(func(ctx context.Context, c *fencepost.Client, p *output.Printer, args []string) error {
			if len(args) == 2 {
				return printAttempts(ctx, c, p, args)
			}
			params := fencepost.ListWebhookDeliveriesParams{
				Status: upper[fencepost.DeliveryStatus]([]string{status})[0], EventType: fencepost.EventType(event), Limit: pageSize(limit),
			}
			return output.List(p, limited(c.Webhooks.ListDeliveries(ctx, args[0], params), limit), []output.Column[fencepost.WebhookDelivery]{
				{Head: "ID", Cell: func(d fencepost.WebhookDelivery) string { return d.ID }},
				{Head: "STATUS", Cell: func(d fencepost.WebhookDelivery) string { return string(d.Status) }},
				{Head: "EVENT", Cell: func(d fencepost.WebhookDelivery) string { return d.EventType }},
				{Head: "ATTEMPTS", Cell: func(d fencepost.WebhookDelivery) string { return strconv.FormatInt(d.AttemptCount, 10) }},
				{Head: "CREATED", Cell: func(d fencepost.WebhookDelivery) string { return shortTime(&d.CreatedAt) }},
				{Head: "NEXT", Cell: func(d fencepost.WebhookDelivery) string { return shortTime(d.NextAttemptAt) }},
			})
		}),
	}
	cmd.Flags().StringVar(&status, "status", "", "only deliveries in this `STATE`: pending, succeeded, failed, cancelled, skipped")
	cmd.Flags().StringVar(&event, "event", "", "only deliveries of events of this `TYPE`")
	cmd.Flags().IntVarP(&limit, "limit", "L", defaultLimit, "most `NUMBER` of deliveries; 0: all")
	return cmd
}

func printAttempts(ctx context.Context, c *fencepost.Client, p *output.Printer, args []string) error {
	delivery, err := c.Webhooks.GetDelivery(ctx, args[0], args[1])
	if err != nil {
		return err
	}
	if !p.Table() {
		return output.One(p, *delivery, nil)
	}
	return output.All(p, delivery.Attempts, []output.Column[fencepost.DeliveryAttempt]{
		{Head: "TIME", Cell: func(d fencepost.DeliveryAttempt) string { return d.StartedAt.Local().Format(time.DateTime) }},
		{Head: "TRIGGER", Cell: func(d fencepost.DeliveryAttempt) string { return d.Trigger }},
		{Head: "STATUS", Cell: func(d fencepost.DeliveryAttempt) string {
			if d.StatusCode == nil {
				return text(d.Error)
			}
			return strconv.FormatInt(*d.StatusCode, 10)
		}},
		{Head: "DURATION", Cell: func(d fencepost.DeliveryAttempt) string { return fmt.Sprintf("%d ms", d.DurationMs) }},
		{Head: "RESPONSE", Cell: func(d fencepost.DeliveryAttempt) string { return text(d.Response) }, Wide: true},
	})
}

func (a *app) redeliver() *cobra.Command {
	return &cobra.Command{
		Use: "redeliver WEBHOOK DELIVERY", Short: "Make one more attempt of a delivery", Args: exactly(argWebhook, "DELIVERY"),
		RunE: a.with(func(ctx context.Context, c *fencepost.Client, p *output.Printer, args []string) error {
			delivery, err := c.Webhooks.Redeliver(ctx, args[0], args[1])
			if err != nil {
				return err
			}
			return output.One(p, *delivery, []output.Line{{Name: "Delivery", Text: delivery.ID}, {Name: "Status", Text: string(delivery.Status)}})
		}),
	}
}

func (a *app) replay() *cobra.Command {
	var since, until string
	var all bool
	cmd := &cobra.Command{
		Use: "replay WEBHOOK", Short: "Deliver the events of a time range again", Args: exactly(argWebhook),
		Example: `  $ fencepost webhooks replay 0198f3c5-8a4e-7d31-b5a6-0c9d1e2f3a4b --since "today 08:00"`,
		RunE: a.with(func(ctx context.Context, c *fencepost.Client, p *output.Printer, args []string) error {
			body := fencepost.StartReplayRequest{}
			if all {
				body.Only = "all"
			}
			if err := a.bounds(ctx, c, when.Past, bound{"since", since, &body.Since}, bound{"until", until, &body.Until}); err != nil {
				return err
			}
			replay, err := c.Webhooks.StartReplay(ctx, args[0], body)
			if err != nil {
				return err
			}
			return output.One(p, *replay, []output.Line{
				{Name: "Replay", Text: replay.ID},
				{Name: "Status", Text: replay.Status},
				{Name: "Progress", Text: "fencepost api GET /v1/webhooks/" + args[0] + "/replays/" + replay.ID},
			})
		}),
	}
	cmd.Flags().StringVar(&since, "since", "", "start of the range: a `TIME`, at most 30 days ago")
	cmd.Flags().StringVar(&until, "until", "", "end of the range: a `TIME` (default: now)")
	cmd.Flags().BoolVar(&all, "all", false, "also events that were delivered")
	_ = cmd.MarkFlagRequired("since") // fails only for an undefined flag
	return cmd
}

package insights

import (
	"context"
	"log/slog"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/platform"
)

// facts reads once a day what the account may publish. A network that does not say leaves the facts of the day before.
func (c *Collector) facts(ctx context.Context, found postgres.Collection) error {
	link, _ := c.Networks.Link(found.Channel)
	reader, ok := link.(platform.FactReader)
	if !ok {
		return nil
	}
	var facts channel.Facts
	err := c.ask(ctx, found, func(ctx context.Context, a platform.Account) (err error) {
		facts, err = reader.Facts(ctx, a)
		return err
	})
	if err != nil {
		c.Logger.InfoContext(ctx, "a network did not say what an account may publish",
			slog.String("channel_id", found.Channel.ID.String()), slog.Any("error", err))
		return nil
	}
	return c.Store.SetFacts(context.WithoutCancel(ctx), found.Channel.ID, facts)
}

package command

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	fencepost "fencepost.internal/sdk/go"
	"fencepost.internal/services/cli/internal/failure"
	"fencepost.internal/services/cli/internal/output"
	"fencepost.internal/services/cli/internal/when"
)

// listFlags are the filters of posts.
type listFlags struct {
	status, channels, labels   []string
	query, since, until, order string
	limit                      int
}

func (a *app) listPosts() *cobra.Command {
	var in listFlags
	cmd := &cobra.Command{
		Use: "list", Short: "List posts, newest first", Args: exactly(),
		Example: `  $ fencepost posts list --status scheduled --channel threads
  $ fencepost posts list --status failed --limit 0 --jq 'select(.error.retryable) | .id'`,
		RunE: a.with(func(ctx context.Context, c *fencepost.Client, p *output.Printer, _ []string) error {
			params, err := a.filter(ctx, c, in)
			if err != nil {
				return err
			}
			return printPosts(ctx, c, p, limited(c.Posts.List(ctx, params), in.limit))
		}),
	}
	flags := cmd.Flags()
	flags.StringSliceVar(&in.status, "status", nil, "only posts in these `STATES`: draft, pending_approval, scheduled, published, failed, archived")
	flags.StringArrayVar(&in.channels, "channel", nil, "only posts of this `CHANNEL`: ID, name, username or network (repeatable)")
	flags.StringSliceVar(&in.labels, "label", nil, "only posts with one of these `LABELS`")
	flags.StringVar(&in.query, "search", "", "only posts with these `WORDS`")
	flags.StringVar(&in.since, "since", "", "only posts scheduled at this `TIME` or later")
	flags.StringVar(&in.until, "until", "", "only posts scheduled before this `TIME`")
	flags.StringVar(&in.order, "sort", "", "`ORDER`, such as scheduledAt or -createdAt")
	flags.IntVarP(&in.limit, "limit", "L", defaultLimit, "most `NUMBER` of posts; 0: all")
	a.completeChannels(cmd, "channel")
	completeWords(cmd, "status", postStates...)
	return cmd
}

func (a *app) filter(ctx context.Context, c *fencepost.Client, in listFlags) (fencepost.ListPostsParams, error) {
	params := fencepost.ListPostsParams{
		Status: upper[fencepost.PostStatus](in.status), Label: in.labels, Q: in.query, Sort: fencepost.PostSort(in.order),
		Limit: pageSize(in.limit),
	}
	if len(in.channels) > 0 {
		names, err := newResolver(ctx, c)
		if err != nil {
			return params, err
		}
		for _, name := range in.channels {
			channel, err := names.find(name)
			if err != nil {
				return params, err
			}
			params.ChannelID = append(params.ChannelID, channel.ID)
		}
	}
	return params, a.bounds(ctx, c, when.Parse, bound{"since", in.since, &params.ScheduledFrom}, bound{"until", in.until, &params.ScheduledTo})
}

// bound is the beginning or the end of a range, by its flag.
type bound struct {
	flag, text string
	into       *time.Time
}

// bounds sets the times of the flags that are given.
func (a *app) bounds(ctx context.Context, c *fencepost.Client, parse parser, list ...bound) error {
	for _, b := range list {
		if b.text == "" {
			continue
		}
		at, err := a.moment(ctx, c, parse, b.flag, b.text, "")
		if err != nil {
			return err
		}
		if *b.into, err = time.Parse(time.RFC3339, at); err != nil {
			return err
		}
	}
	return nil
}

// parser is when.Parse or when.Past.
type parser func(text, zone string, now time.Time) (string, error)

// moment parses the time of a flag. Without a time zone it is of the workspace's.
func (a *app) moment(ctx context.Context, c *fencepost.Client, parse parser, flag, text, zone string) (string, error) {
	_, absolute := time.Parse(time.RFC3339, text)
	_, relative := when.Span(text)
	if zone == "" && absolute != nil && relative != nil {
		workspace, err := c.GetWorkspace(ctx)
		if err != nil {
			return "", err
		}
		zone = workspace.Timezone
	}
	at, err := parse(text, zone, a.Now())
	if err != nil {
		return "", failure.Misused("--%s: %s", flag, err)
	}
	return at, nil
}

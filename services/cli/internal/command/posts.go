package command

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"strings"
	"time"

	"github.com/spf13/cobra"

	fencepost "fencepost.internal/sdk/go"
	"fencepost.internal/services/cli/internal/failure"
	"fencepost.internal/services/cli/internal/output"
	"fencepost.internal/services/cli/internal/when"
)

const (
	defaultLimit = 30
	defaultWait  = 5 * time.Minute
	argPost      = "POST"
	argPosts     = "POST…"
)

func (a *app) posts() *cobra.Command {
	return a.group(&cobra.Command{
		Use: "posts", Aliases: []string{"post"}, Short: "Create, move and follow posts",
	}, a.createPosts(), a.listPosts(), a.getPost(), a.editPost(), a.movePost(), a.retryPosts(), a.deletePosts(), a.timeline(), a.openPost())
}

// day is the form of times in tables.
const day = "2006-01-02 15:04"

func shortTime(at *time.Time) string {
	if at == nil {
		return ""
	}
	return at.Local().Format(day)
}

func text[T ~string](of *T) string {
	if of == nil {
		return ""
	}
	return string(*of)
}

// timeOf returns the time that matters in the post's state.
func timeOf(p fencepost.Post) *time.Time {
	if p.PublishedAt != nil {
		return p.PublishedAt
	}
	return p.ScheduledAt
}

// postColumns are those of a table of posts. The resolver names their channels.
func postColumns(names *resolver) []output.Column[fencepost.Post] {
	return []output.Column[fencepost.Post]{
		{Head: "ID", Cell: func(p fencepost.Post) string { return p.ID }},
		{Head: "STATUS", Cell: func(p fencepost.Post) string { return string(p.Status) }},
		{Head: "TIME", Cell: func(p fencepost.Post) string { return shortTime(timeOf(p)) }},
		{Head: "CHANNEL", Cell: func(p fencepost.Post) string { return names.title(p.ChannelID) }},
		{Head: "TEXT", Cell: func(p fencepost.Post) string { return p.Content }, Wide: true},
	}
}

// printPosts prints posts; as a table with the names of their channels.
func printPosts(ctx context.Context, c *fencepost.Client, p *output.Printer, posts iter.Seq2[fencepost.Post, error]) error {
	names := &resolver{}
	if p.Table() {
		var err error
		if names, err = newResolver(ctx, c); err != nil {
			return err
		}
	}
	return output.List(p, posts, postColumns(names))
}

// limited ends a sequence after a number of items; 0: none.
func limited[T any](items iter.Seq2[T, error], most int) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		n := 0
		for item, err := range items {
			if !yield(item, err) {
				return
			}
			if n++; n == most {
				return
			}
		}
	}
}

// pageSize is the size of the pages that a limit needs.
func pageSize(limit int) int64 {
	const most = 100
	if limit <= 0 || limit > most {
		return most
	}
	return int64(limit)
}

func (a *app) getPost() *cobra.Command {
	return &cobra.Command{
		Use: "get POST", Aliases: []string{"view"}, Short: "Show a post", Args: exactly(argPost),
		Example: "  $ fencepost posts get 0198f3c5-8a4e-7d31-b5a6-0c9d1e2f3a4b --json status,postUrl",
		RunE: a.with(func(ctx context.Context, c *fencepost.Client, p *output.Printer, args []string) error {
			post, err := c.Posts.Get(ctx, args[0])
			if err != nil {
				return err
			}
			return printPost(ctx, c, p, post)
		}),
	}
}

func printPost(ctx context.Context, c *fencepost.Client, p *output.Printer, post *fencepost.Post) error {
	names := &resolver{}
	if p.Table() {
		var err error
		if names, err = newResolver(ctx, c); err != nil {
			return err
		}
	}
	lines := []output.Line{
		{Name: "ID", Text: post.ID},
		{Name: "Channel", Text: names.title(post.ChannelID)},
		{Name: "Status", Text: string(post.Status)},
		{Name: "Scheduled", Text: shortTime(post.ScheduledAt)},
		{Name: "Published", Text: shortTime(post.PublishedAt)},
		{Name: "Address", Text: text(post.PostURL)},
		{Name: "Title", Text: text(post.Title)},
		{Name: "Text", Text: post.Content},
		{Name: "Media", Text: strings.Join(post.MediaIDs, ", ")},
		{Name: "Labels", Text: strings.Join(post.Labels, ", ")},
		{Name: "External ID", Text: text(post.ExternalID)},
	}
	if post.Waiting != nil {
		lines = append(lines, output.Line{Name: "Waits for", Text: string(post.Waiting.Reason)})
	}
	if post.Error != nil {
		lines = append(lines, output.Line{Name: "Error", Text: post.Error.Code + ": " + post.Error.Message})
	}
	return output.One(p, *post, lines)
}

// moveFlags say when a post is to be published.
type moveFlags struct {
	by, to, zone string
	nextSlot     bool
}

func (a *app) movePost() *cobra.Command {
	var in moveFlags
	cmd := &cobra.Command{
		Use: "move POST", Aliases: []string{"schedule"}, Short: "Schedule a post for another time", Args: exactly(argPost),
		Example: `  $ fencepost posts move 0198f3c5-8a4e-7d31-b5a6-0c9d1e2f3a4b --by 2h
  $ fencepost posts move 0198f3c5-8a4e-7d31-b5a6-0c9d1e2f3a4b --to "tue 09:00" --tz Europe/Berlin`,
		RunE: a.with(func(ctx context.Context, c *fencepost.Client, p *output.Printer, args []string) error {
			body, options, err := a.moved(ctx, c, args[0], in)
			if err != nil {
				return err
			}
			post, err := c.Posts.Schedule(ctx, args[0], body, options...)
			if err != nil {
				return err
			}
			return printPost(ctx, c, p, post)
		}),
	}
	flags := cmd.Flags()
	flags.StringVar(&in.by, "by", "", "move by this `TIME`: 2h, -30m, 3d, 1w")
	flags.StringVar(&in.to, "to", "", "move to this `TIME`, such as \"tue 09:00\"")
	flags.StringVar(&in.zone, "tz", "", "IANA `ZONE` of the time (default: the workspace's)")
	flags.BoolVar(&in.nextSlot, "next-slot", false, "move to the next free slot of the channel")
	cmd.MarkFlagsOneRequired("by", "to", "next-slot")
	cmd.MarkFlagsMutuallyExclusive("by", "to", "next-slot")
	return cmd
}

// moved returns the new time. A move by a duration is conditional on the version whose time it changes, so that of two
// moves none is lost.
func (a *app) moved(ctx context.Context, c *fencepost.Client, id string, in moveFlags) (
	fencepost.SchedulePostRequest, []fencepost.CallOption, error,
) {
	switch {
	case in.nextSlot:
		return fencepost.SchedulePostRequest{Schedule: "next_slot", Force: fencepost.Ptr(true)}, nil, nil
	case in.to != "":
		at, err := a.moment(ctx, c, when.Parse, "to", in.to, in.zone)
		return fencepost.SchedulePostRequest{ScheduledAt: at}, nil, err
	}
	by, err := when.Span(in.by)
	if err != nil {
		return fencepost.SchedulePostRequest{}, nil, failure.Misused("--by: %s", err)
	}
	var header http.Header
	post, err := c.Posts.Get(ctx, id, fencepost.ResponseHeader(&header))
	switch {
	case err != nil:
		return fencepost.SchedulePostRequest{}, nil, err
	case post.ScheduledAt == nil:
		return fencepost.SchedulePostRequest{}, nil, (&failure.Error{
			Code: failure.Refused, Text: "the post has no time to move from: it is " + string(post.Status),
		}).With("choose a time with --to")
	}
	at := post.ScheduledAt.Add(by).UTC().Format(time.RFC3339)
	return fencepost.SchedulePostRequest{ScheduledAt: at}, []fencepost.CallOption{fencepost.IfMatch(header.Get("ETag"))}, nil
}

func (a *app) retryPosts() *cobra.Command {
	var wait bool
	var timeout time.Duration
	cmd := &cobra.Command{
		Use: "retry POST…", Short: "Publish failed posts again", Args: exactly(argPosts),
		Long: "retry publishes failed posts again, at once. A post whose outcome is unknown may be on the network: look at the account first.",
		RunE: a.with(func(ctx context.Context, c *fencepost.Client, p *output.Printer, args []string) error {
			posts := make([]fencepost.Post, 0, len(args))
			for _, id := range args {
				post, err := c.Posts.Publish(ctx, id)
				if err != nil {
					return errors.Join(printPosts(ctx, c, p, each(posts)), err)
				}
				posts = append(posts, *post)
			}
			return a.finish(ctx, c, p, posts, wait, timeout)
		}),
	}
	waitFlags(cmd, &wait, &timeout)
	return cmd
}

func waitFlags(cmd *cobra.Command, wait *bool, timeout *time.Duration) {
	cmd.Flags().BoolVar(wait, "wait", false, "wait until the posts are published; exit code 6 if one fails")
	cmd.Flags().DurationVar(timeout, "timeout", defaultWait, "longest `TIME` to wait")
}

func each[T any](items []T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, item := range items {
			if !yield(item, nil) {
				return
			}
		}
	}
}

// finish prints posts; after they are published, if that is awaited.
func (a *app) finish(ctx context.Context, c *fencepost.Client, p *output.Printer, posts []fencepost.Post, wait bool, timeout time.Duration) error {
	if !wait {
		return printPosts(ctx, c, p, each(posts))
	}
	done := output.Spinner(a.Err, a.progress(), fmt.Sprintf("waiting for %d posts", len(posts)))
	deadline, failed := a.Now().Add(timeout), 0
	var late error
	for i := range posts {
		post, err := c.Posts.WaitUntilDone(ctx, posts[i].ID, deadline.Sub(a.Now()))
		if post != nil {
			posts[i] = *post
		}
		if posts[i].Status == fencepost.PostStatusFailed {
			failed++
		}
		if late = err; err != nil {
			break
		}
	}
	done()
	if err := printPosts(ctx, c, p, each(posts)); err != nil {
		return err
	}
	if late != nil {
		return late
	}
	if failed > 0 {
		return a.notPublished(posts, failed)
	}
	return nil
}

// notPublished is the error of posts that their networks refused.
func (a *app) notPublished(posts []fencepost.Post, failed int) error {
	lines := []string{fmt.Sprintf("%d of %d posts failed", failed, len(posts))}
	fix := ""
	for _, post := range posts {
		if post.Error == nil {
			continue
		}
		lines = append(lines, fmt.Sprintf("  %s: %s (%s)", post.ID, post.Error.Message, post.Error.Code))
		if post.Error.Retryable {
			fix = "fencepost posts retry " + post.ID
		}
	}
	return &failure.Error{Code: failure.PostFailed, Text: strings.Join(lines, "\n"), Remedy: fix}
}

func (a *app) deletePosts() *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use: "delete POST…", Short: "Delete posts that are not published", Args: exactly(argPosts),
		RunE: a.with(func(ctx context.Context, c *fencepost.Client, _ *output.Printer, args []string) error {
			if err := a.confirm(yes, fmt.Sprintf("Delete %d posts", len(args))); err != nil {
				return err
			}
			for _, id := range args {
				if err := c.Posts.Delete(ctx, id); err != nil {
					return err
				}
				a.note("Deleted the post %s.", id)
			}
			return nil
		}),
	}
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask for a confirmation")
	return cmd
}

func (a *app) timeline() *cobra.Command {
	return &cobra.Command{
		Use: "timeline POST", Short: "Show what happened to a post", Args: exactly(argPost),
		RunE: a.with(func(ctx context.Context, c *fencepost.Client, p *output.Printer, args []string) error {
			timeline, err := c.Posts.GetTimeline(ctx, args[0])
			if err != nil {
				return err
			}
			return output.All(p, timeline.Data, []output.Column[fencepost.TimelineEntry]{
				{Head: "TIME", Cell: func(e fencepost.TimelineEntry) string { return e.At.Local().Format(time.DateTime) }},
				{Head: "ENTRY", Cell: func(e fencepost.TimelineEntry) string { return e.Kind }},
				{Head: "ACTOR", Cell: func(e fencepost.TimelineEntry) string { return e.Actor }},
				{Head: "DETAIL", Cell: func(e fencepost.TimelineEntry) string { return e.Detail }, Wide: true},
			})
		}),
	}
}

func (a *app) openPost() *cobra.Command {
	var onlyPrint bool
	cmd := &cobra.Command{
		Use: "open POST", Short: "Open a published post on its network", Args: exactly(argPost),
		RunE: a.with(func(ctx context.Context, c *fencepost.Client, _ *output.Printer, args []string) error {
			post, err := c.Posts.Get(ctx, args[0])
			if err != nil {
				return err
			}
			if post.PostURL == nil {
				return (&failure.Error{
					Code: failure.Refused, Text: "the post has no address: it is " + string(post.Status),
				}).With("%s", `"fencepost posts timeline `+post.ID+`" shows what happened to it`)
			}
			if !onlyPrint && a.terminal() {
				if err := a.Open(ctx, *post.PostURL); err == nil {
					a.note("Opened %s", *post.PostURL)
					return nil
				}
			}
			_, err = fmt.Fprintln(a.Out, *post.PostURL)
			return err
		}),
	}
	cmd.Flags().BoolVar(&onlyPrint, "print", false, "print the address instead")
	return cmd
}

package command

import (
	"context"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	fencepost "fencepost.internal/sdk/go"
	"fencepost.internal/services/cli/internal/failure"
	"fencepost.internal/services/cli/internal/output"
	"fencepost.internal/services/cli/internal/when"
)

const createLong = `create creates one post for each channel, all or none.

A channel is named by its ID, its name, its username or its network, such as threads. Without a time the posts are drafts.
--text-for gives a channel a text of its own, and --option a setting of its network, for all channels or for one. Files of
--media are uploaded; an address is imported; an ID is a file of the library. --alt describes the file before it.`

const createExample = `  $ fencepost posts create --channel threads --channel x --text "Our new tiles" --at "tue 09:00" --tz Europe/Berlin
  $ fencepost posts create --channel "My page" --text-file post.txt --media tiles.jpg --alt "Blue tiles" --next-slot
  $ fencepost posts create --channel x --channel linkedin --text "New tiles" --text-for x="New!" --now --wait
  $ fencepost posts create --channel tiktok --media clip.mp4 --option privacy=PUBLIC_TO_EVERYONE --dry-run`

// createFlags describe posts.
type createFlags struct {
	channels, textFor, options, labels, metadata []string
	text, textFile, title, contentType           string
	external, campaign                           string
	files                                        attachments
	at, zone                                     string
	nextSlot, now, draft                         bool
	wait, dryRun                                 bool
	timeout                                      time.Duration
	key                                          string
}

func (a *app) createPosts() *cobra.Command {
	var in createFlags
	cmd := &cobra.Command{
		Use: "create", Aliases: []string{"new"}, Short: "Create posts", Long: createLong, Example: createExample, Args: exactly(),
		RunE: a.with(func(ctx context.Context, c *fencepost.Client, p *output.Printer, _ []string) error {
			return a.create(ctx, c, p, in)
		}),
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringArrayVarP(&in.channels, "channel", "c", nil, "`CHANNEL` to publish to: ID, name, username or network (repeatable)")
	flags.StringVarP(&in.text, "text", "t", "", "`TEXT` of the posts; - reads standard input")
	flags.StringVar(&in.textFile, "text-file", "", "`FILE` with the text")
	flags.StringArrayVar(&in.textFor, "text-for", nil, "`CHANNEL=TEXT`: the text of one channel (repeatable)")
	flags.StringVar(&in.title, "title", "", "`TITLE`, for videos")
	in.files.flags(flags)
	flags.StringVar(&in.at, "at", "", "publish at this `TIME`: \"tue 09:00\", \"2026-12-01 09:00\", +2h")
	flags.StringVar(&in.zone, "tz", "", "IANA `ZONE` of the time (default: the workspace's)")
	flags.BoolVar(&in.nextSlot, "next-slot", false, "publish in the next free slot of each channel")
	flags.BoolVar(&in.now, "now", false, "publish at once")
	flags.BoolVar(&in.draft, "draft", false, "create drafts (default)")
	flags.StringArrayVar(&in.options, "option", nil, "`NAME=VALUE` or CHANNEL:NAME=VALUE: a setting of the network, a list as A|B (repeatable)")
	flags.StringVar(&in.contentType, "type", "", "`KIND` of content: post, reel, story, video")
	flags.StringSliceVar(&in.labels, "label", nil, "`LABELS` of the posts")
	flags.StringVar(&in.external, "external-id", "", "`ID` of the posts in your own system")
	flags.StringVar(&in.campaign, "campaign", "", "`ID` of the campaign")
	flags.StringArrayVar(&in.metadata, "metadata", nil, "`NAME=VALUE` to store with the posts (repeatable)")
	flags.StringVar(&in.key, "idempotency-key", "", "`KEY` that makes a repeated command create nothing more")
	flags.BoolVar(&in.dryRun, "dry-run", false, "check the posts and create nothing")
	waitFlags(cmd, &in.wait, &in.timeout)
	a.completeChannels(cmd, "channel")
	completeWords(cmd, "type", fencepost.ContentTypePOST, fencepost.ContentTypeREEL, fencepost.ContentTypeStory, fencepost.ContentTypeVideo)
	cmd.MarkFlagsMutuallyExclusive("at", "next-slot", "now", "draft")
	cmd.MarkFlagsMutuallyExclusive("text", "text-file")
	cmd.MarkFlagsMutuallyExclusive("dry-run", "wait")
	cmd.MarkFlagsMutuallyExclusive("draft", "wait")
	return cmd
}

func (a *app) create(ctx context.Context, c *fencepost.Client, p *output.Printer, in createFlags) error {
	if in.wait && in.at == "" && !in.nextSlot && !in.now {
		return failure.Misused("--wait needs a time of publishing").With("add --now, --at or --next-slot")
	}
	if err := in.files.check(); err != nil {
		return err
	}
	body, err := a.request(ctx, c, in)
	if err != nil {
		return err
	}
	uploaded, err := a.attach(ctx, c, in.files, &body)
	if in.dryRun {
		defer func() { // the check leaves nothing behind
			for _, id := range uploaded {
				_ = c.Media.Delete(context.WithoutCancel(ctx), id)
			}
		}()
	}
	if err != nil {
		return err
	}
	if in.dryRun {
		return a.validate(ctx, c, p, body)
	}
	var options []fencepost.CallOption
	if in.key != "" {
		options = append(options, fencepost.IdempotencyKey(in.key))
	}
	posts, err := c.Posts.Create(ctx, body, options...)
	if err != nil {
		a.keep(uploaded)
		return err
	}
	return a.finish(ctx, c, p, posts, in.wait, in.timeout)
}

// keep names the files that were uploaded for posts that were refused, so that another try need not upload them again.
func (a *app) keep(uploaded []string) {
	if len(uploaded) > 0 {
		a.note("The files are in the library: --media %s", strings.Join(uploaded, " --media "))
	}
}

// request returns the posts without their files.
func (a *app) request(ctx context.Context, c *fencepost.Client, in createFlags) (fencepost.CreatePostsRequest, error) {
	body := fencepost.CreatePostsRequest{
		Title: in.title, Labels: in.labels, ExternalID: in.external, CampaignID: in.campaign, Schedule: "draft",
	}
	if in.contentType != "" {
		body.ContentType = upper[fencepost.ContentType]([]string{in.contentType})[0]
	}
	if len(in.channels) == 0 {
		return body, failure.Misused("a channel is missing").With(`add --channel; "fencepost channels list" shows them`)
	}
	var err error
	if body.Content, err = a.content(in.text, in.textFile); err != nil {
		return body, err
	}
	if body.Metadata, err = pairs("metadata", in.metadata); err != nil {
		return body, err
	}
	names, err := newResolver(ctx, c)
	if err != nil {
		return body, err
	}
	for _, name := range in.channels {
		channel, err := names.find(name)
		if err != nil {
			return body, err
		}
		if !slices.Contains(body.ChannelIDs, channel.ID) {
			body.ChannelIDs = append(body.ChannelIDs, channel.ID)
		}
	}
	if err := variants(&body, names, in); err != nil {
		return body, err
	}
	switch {
	case in.nextSlot:
		body.Schedule = "next_slot"
	case in.now:
		body.Schedule = "now"
	case in.at != "":
		body.Schedule, err = a.moment(ctx, c, when.Parse, "at", in.at, in.zone)
	}
	return body, err
}

// content returns the text of the flags: given, of a file, or of standard input.
func (a *app) content(given, file string) (string, error) {
	var raw []byte
	var err error
	switch {
	case given == "-":
		raw, err = io.ReadAll(a.In)
	case file != "":
		raw, err = os.ReadFile(file)
	default:
		return given, nil
	}
	if err != nil {
		return "", failure.Misused("the text cannot be read: %s", err)
	}
	return strings.TrimSuffix(string(raw), "\n"), nil
}

// pairs parses NAME=VALUE.
func pairs(flag string, list []string) (map[string]string, error) {
	if len(list) == 0 {
		return nil, nil
	}
	out := make(map[string]string, len(list))
	for _, pair := range list {
		name, value, found := strings.Cut(pair, "=")
		if !found || name == "" {
			return nil, failure.Misused("--%s %q is not NAME=VALUE", flag, pair)
		}
		out[name] = value
	}
	return out, nil
}

// variants sets the texts and the settings of single channels, and the settings of all.
func variants(body *fencepost.CreatePostsRequest, names *resolver, in createFlags) error {
	own := make(map[string]*fencepost.Variant)
	of := func(flag, name string) (*fencepost.Variant, error) {
		channel, err := among(names, body.ChannelIDs, flag, name)
		if err != nil {
			return nil, err
		}
		if own[channel] == nil {
			own[channel] = &fencepost.Variant{ChannelID: channel}
		}
		return own[channel], nil
	}
	for _, pair := range in.textFor {
		name, content, found := strings.Cut(pair, "=")
		if !found || name == "" || content == "" {
			return failure.Misused("--text-for %q is not CHANNEL=TEXT", pair)
		}
		variant, err := of("text-for", name)
		if err != nil {
			return err
		}
		variant.Content = content
	}
	common, single, err := settings(in.options)
	if err != nil {
		return err
	}
	if len(common) > 0 {
		body.Options = &fencepost.PostOptions{}
		if err := set(body.Options, common); err != nil {
			return err
		}
	}
	for name, values := range single { // those of a variant replace all of the request
		variant, err := of("option", name)
		if err != nil {
			return err
		}
		variant.Options = &fencepost.VariantOptions{}
		if err := set(variant.Options, merged(common, values)); err != nil {
			return err
		}
	}
	for _, channel := range body.ChannelIDs { // in their order
		if own[channel] != nil {
			body.Variants = append(body.Variants, *own[channel])
		}
	}
	return nil
}

// among returns the channel that a text names among those of the posts, so that "x" is the chosen one of several.
func among(names *resolver, chosen []string, flag, text string) (string, error) {
	few := &resolver{all: slices.DeleteFunc(slices.Clone(names.all), func(c fencepost.Channel) bool {
		return !slices.Contains(chosen, c.ID)
	})}
	channel, err := few.find(text)
	if err != nil {
		return "", failure.Misused("--%s: %s", flag, err).With("name a channel of --channel")
	}
	return channel.ID, nil
}

// checked is the result of a dry run for a channel, as a table shows it.
type checked struct {
	fencepost.ChannelValidation

	name string
}

func (a *app) validate(ctx context.Context, c *fencepost.Client, p *output.Printer, body fencepost.CreatePostsRequest) error {
	validation, err := c.Posts.Validate(ctx, body)
	if err != nil {
		return err
	}
	names := &resolver{}
	if p.Table() {
		if names, err = newResolver(ctx, c); err != nil {
			return err
		}
	}
	results := make([]checked, len(validation.Channels))
	for i, channel := range validation.Channels {
		results[i] = checked{ChannelValidation: channel, name: names.title(channel.ChannelID)}
	}
	if p.Table() {
		err = output.All(p, findings(results), []output.Column[[3]string]{
			{Head: "CHANNEL", Cell: func(r [3]string) string { return r[0] }},
			{Head: "RESULT", Cell: func(r [3]string) string { return r[1] }},
			{Head: "DETAIL", Cell: func(r [3]string) string { return r[2] }, Wide: true},
		})
	} else {
		err = output.All(p, validation.Channels, nil)
	}
	if err == nil && !validation.Valid {
		err = (&failure.Error{Code: failure.Refused, Text: "the posts would be refused"}).With("correct the errors above; nothing was created")
	}
	return err
}

// findings returns a row for each finding, and one for a channel without any.
func findings(results []checked) (rows [][3]string) {
	for _, r := range results {
		if len(r.Errors)+len(r.Warnings) == 0 {
			rows = append(rows, [3]string{r.name, "ok", ""})
		}
		for _, finding := range r.Errors {
			rows = append(rows, [3]string{r.name, "error", finding.Message})
		}
		for _, finding := range r.Warnings {
			rows = append(rows, [3]string{r.name, "warning", finding.Message})
		}
	}
	return rows
}

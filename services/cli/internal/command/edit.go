package command

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	fencepost "fencepost.internal/sdk/go"
	"fencepost.internal/services/cli/internal/failure"
	"fencepost.internal/services/cli/internal/output"
)

// editFlags are the changes of a post.
type editFlags struct {
	text, textFile, title, external string
	labels, options                 []string
	files                           attachments
	noMedia                         bool
}

func (a *app) editPost() *cobra.Command {
	var in editFlags
	cmd := &cobra.Command{
		Use: "edit POST", Short: "Change a post that is not published", Args: exactly(argPost),
		Long: "edit changes what the flags name. The files of --media replace the present ones.",
		Example: `  $ fencepost posts edit 0198f3c5-8a4e-7d31-b5a6-0c9d1e2f3a4b --text "Our new tiles are here"
  $ fencepost posts edit 0198f3c5-8a4e-7d31-b5a6-0c9d1e2f3a4b --media blue.jpg --alt "Blue tiles"`,
	}
	flags := cmd.Flags()
	cmd.RunE = a.with(func(ctx context.Context, c *fencepost.Client, p *output.Printer, args []string) error {
		if flags.NFlag() == 0 {
			return failure.Misused("nothing to change").With("%s", "usage: "+cmd.UseLine())
		}
		if err := in.files.check(); err != nil {
			return err
		}
		body, err := a.changes(in, flags)
		if err != nil {
			return err
		}
		uploaded, err := a.replaceFiles(ctx, c, in, &body)
		if err != nil {
			return err
		}
		post, err := c.Posts.Edit(ctx, args[0], body)
		if err != nil {
			a.keep(uploaded)
			return err
		}
		return printPost(ctx, c, p, post)
	})
	flags.StringVarP(&in.text, "text", "t", "", "new `TEXT`; - reads standard input")
	flags.StringVar(&in.textFile, "text-file", "", "`FILE` with the new text")
	flags.StringVar(&in.title, "title", "", "new `TITLE`; an empty one removes it")
	flags.StringSliceVar(&in.labels, "label", nil, "all `LABELS` of the post")
	flags.StringVar(&in.external, "external-id", "", "new `ID` in your own system; an empty one removes it")
	flags.StringArrayVar(&in.options, "option", nil, "`NAME=VALUE`: a setting of the network, a list as A|B (repeatable)")
	in.files.flags(flags)
	flags.BoolVar(&in.noMedia, "no-media", false, "remove all files")
	cmd.MarkFlagsMutuallyExclusive("text", "text-file")
	cmd.MarkFlagsMutuallyExclusive("media", "no-media")
	return cmd
}

// changes returns what the flags change, without files.
func (a *app) changes(in editFlags, flags *pflag.FlagSet) (fencepost.EditPostRequest, error) {
	var body fencepost.EditPostRequest
	content, err := a.content(in.text, in.textFile)
	if err != nil {
		return body, err
	}
	if flags.Changed("text") || flags.Changed("text-file") {
		body.Content = fencepost.Set(content)
	}
	for flag, change := range map[string]struct {
		value string
		into  *fencepost.Optional[string]
	}{"title": {in.title, &body.Title}, "external-id": {in.external, &body.ExternalID}} {
		switch {
		case flags.Changed(flag) && change.value == "":
			*change.into = fencepost.Clear[string]()
		case flags.Changed(flag):
			*change.into = fencepost.Set(change.value)
		}
	}
	if flags.Changed("label") {
		body.Labels = fencepost.Set(append([]string{}, in.labels...))
	}
	values, err := pairs("option", in.options)
	if err != nil || len(values) == 0 {
		return body, err
	}
	var options fencepost.EditPostOptions
	if err := set(&options, values); err != nil {
		return body, err
	}
	body.Options = fencepost.Set(options)
	return body, nil
}

// replaceFiles uploads the new files.
func (a *app) replaceFiles(ctx context.Context, c *fencepost.Client, in editFlags, body *fencepost.EditPostRequest) ([]string, error) {
	if in.noMedia {
		body.MediaIDs = fencepost.Set([]string{})
		return nil, nil
	}
	if len(in.files.list) == 0 {
		return nil, nil
	}
	var with fencepost.CreatePostsRequest
	uploaded, err := a.attach(ctx, c, in.files, &with)
	body.MediaIDs = fencepost.Set(with.MediaIDs)
	if len(with.MediaAltTexts) > 0 {
		body.MediaAltTexts = fencepost.Set(with.MediaAltTexts)
	}
	return uploaded, err
}

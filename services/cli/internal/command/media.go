package command

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	fencepost "fencepost.internal/sdk/go"
	"fencepost.internal/services/cli/internal/output"
	"fencepost.internal/services/cli/internal/when"
)

func (a *app) media() *cobra.Command {
	return a.group(&cobra.Command{Use: "media", Short: "Upload and list pictures, videos and documents"},
		a.uploadMedia(), a.importMedia(), a.listMedia(), a.deleteMedia())
}

func mediaColumns() []output.Column[fencepost.Media] {
	return []output.Column[fencepost.Media]{
		{Head: "ID", Cell: func(m fencepost.Media) string { return m.ID }},
		{Head: "TYPE", Cell: func(m fencepost.Media) string { return string(m.Type) }},
		{Head: "SIZE", Cell: func(m fencepost.Media) string { return size(m.Size) }},
		{Head: "CREATED", Cell: func(m fencepost.Media) string { return shortTime(&m.CreatedAt) }},
		{Head: "NAME", Cell: func(m fencepost.Media) string { return m.Name }, Wide: true},
		{Head: "ALT", Cell: func(m fencepost.Media) string { return text(m.AltText) }},
	}
}

// size returns a number of bytes as people read it.
func size(bytes int64) string {
	const unit = 1000
	if bytes < unit {
		return fmt.Sprintf("%d B", bytes)
	}
	value, units := float64(bytes), "kMGT"
	for i := 0; ; i++ {
		if value /= unit; value < unit || i == len(units)-1 {
			return fmt.Sprintf("%.1f %cB", value, units[i])
		}
	}
}

func (a *app) uploadMedia() *cobra.Command {
	var alt, name, contentType string
	cmd := &cobra.Command{
		Use: "upload FILE…", Short: "Upload files", Args: exactly("FILE…"),
		Long: "upload sends files to the library. Large ones are sent in parts; a part that fails is sent again alone.",
		Example: `  $ fencepost media upload sunrise.jpg --alt "Sunrise over the sea"
  $ fencepost posts create --channel x --media $(fencepost media upload a.jpg --jq .id) --text "New"`,
		RunE: a.with(func(ctx context.Context, c *fencepost.Client, p *output.Printer, args []string) error {
			files := attachments{}
			for _, arg := range args {
				files.list = append(files.list, attachment{source: arg})
			}
			if err := files.check(); err != nil {
				return err
			}
			return output.List(p, func(yield func(fencepost.Media, error) bool) {
				for _, path := range args {
					show, done := output.Bar(a.Err, a.progress(), path)
					media, err := c.Media.UploadFile(ctx, path, fencepost.UploadOptions{
						Name: name, ContentType: contentType, Alt: alt, OnProgress: show,
					})
					done()
					if err != nil {
						yield(fencepost.Media{}, err)
						return
					}
					if !yield(*media, nil) {
						return
					}
				}
			}, mediaColumns())
		}),
	}
	cmd.Flags().StringVar(&alt, "alt", "", "`TEXT` for people who cannot see the file")
	cmd.Flags().StringVar(&name, "name", "", "`NAME` of the file in the library")
	cmd.Flags().StringVar(&contentType, "content-type", "", "MIME `TYPE` (default: that of the name's ending)")
	return cmd
}

func (a *app) importMedia() *cobra.Command {
	var alt, name string
	cmd := &cobra.Command{
		Use: "import URL", Short: "Have the service download a file", Args: exactly("URL"),
		Example: "  $ fencepost media import https://example.com/tiles.jpg --alt \"Blue tiles\"",
		RunE: a.with(func(ctx context.Context, c *fencepost.Client, p *output.Printer, args []string) error {
			done := output.Spinner(a.Err, a.progress(), "importing")
			media, err := c.Media.Import(ctx, fencepost.ImportMediaRequest{URL: args[0], Name: name})
			done()
			if err == nil && alt != "" {
				media, err = c.Media.Edit(ctx, media.ID, fencepost.EditMediaRequest{AltText: fencepost.Set(alt)})
			}
			if err != nil {
				return err
			}
			return output.All(p, []fencepost.Media{*media}, mediaColumns())
		}),
	}
	cmd.Flags().StringVar(&alt, "alt", "", "`TEXT` for people who cannot see the file")
	cmd.Flags().StringVar(&name, "name", "", "`NAME` of the file in the library")
	return cmd
}

func (a *app) listMedia() *cobra.Command {
	var typ, query, since string
	var unused bool
	var limit int
	cmd := &cobra.Command{
		Use: "list", Short: "List the files of the library, newest first", Args: exactly(),
		Example: "  $ fencepost media list --type image --search sunrise",
		RunE: a.with(func(ctx context.Context, c *fencepost.Client, p *output.Printer, _ []string) error {
			params := fencepost.ListMediaParams{Type: upper[fencepost.MediaType]([]string{typ})[0], Q: query, Limit: pageSize(limit)}
			if unused {
				params.Unused = "true"
			}
			if err := a.bounds(ctx, c, when.Past, bound{"since", since, &params.CreatedFrom}); err != nil {
				return err
			}
			return output.List(p, limited(c.Media.List(ctx, params), limit), mediaColumns())
		}),
	}
	cmd.Flags().StringVar(&typ, "type", "", "only files of this `KIND`: image, video, document")
	cmd.Flags().StringVar(&query, "search", "", "only files with these `WORDS`")
	cmd.Flags().StringVar(&since, "since", "", "only files created at this `TIME` or later")
	cmd.Flags().BoolVar(&unused, "unused", false, "only files that nothing refers to")
	cmd.Flags().IntVarP(&limit, "limit", "L", defaultLimit, "most `NUMBER` of files; 0: all")
	return cmd
}

func (a *app) deleteMedia() *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use: "delete MEDIA…", Short: "Delete files that nothing refers to", Args: exactly("MEDIA…"),
		RunE: a.with(func(ctx context.Context, c *fencepost.Client, _ *output.Printer, args []string) error {
			if err := a.confirm(yes, fmt.Sprintf("Delete %d files", len(args))); err != nil {
				return err
			}
			for _, id := range args {
				if err := c.Media.Delete(ctx, id); err != nil {
					return err
				}
				a.note("Deleted the file %s.", id)
			}
			return nil
		}),
	}
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask for a confirmation")
	return cmd
}

package command

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spf13/pflag"

	fencepost "fencepost.internal/sdk/go"
	"fencepost.internal/services/cli/internal/failure"
	"fencepost.internal/services/cli/internal/output"
)

// attachment is a file of a post, in the order of the command line.
type attachment struct{ source, alt string }

// attachments are the values of --media and --alt: a description belongs to the file before it.
type attachments struct {
	list    []attachment
	strayed string // a description before any file
}

// valueFunc is a flag that is set by a function.
type valueFunc struct {
	set  func(text string) error
	kind string
}

// Set implements pflag.Value.
func (v valueFunc) Set(text string) error { return v.set(text) }

// String implements pflag.Value.
func (v valueFunc) String() string { return "" }

// Type implements pflag.Value.
func (v valueFunc) Type() string { return v.kind }

func (l *attachments) flags(flags *pflag.FlagSet) {
	flags.Var(valueFunc{kind: "string", set: func(text string) error {
		l.list = append(l.list, attachment{source: text})
		return nil
	}}, "media", "`FILE`, address or ID of a picture, video or document (repeatable)")
	flags.Var(valueFunc{kind: "string", set: func(text string) error {
		if len(l.list) == 0 {
			l.strayed = text
			return nil
		}
		l.list[len(l.list)-1].alt = text
		return nil
	}}, "alt", "`TEXT` for people who cannot see the file before it")
}

var identifier = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

func (at attachment) id() bool { return identifier.MatchString(at.source) }

func (at attachment) address() bool {
	return strings.HasPrefix(at.source, "https://") || strings.HasPrefix(at.source, "http://")
}

// check refuses files that cannot be uploaded, before anything is.
func (l *attachments) check() error {
	if l.strayed != "" {
		return failure.Misused("--alt %q has no file before it", l.strayed).With("write --media FILE --alt TEXT")
	}
	for _, at := range l.list {
		if at.id() || at.address() {
			continue
		}
		info, err := os.Stat(at.source)
		switch {
		case err != nil:
			return failure.Misused("the file cannot be read: %s", err)
		case !info.Mode().IsRegular():
			return failure.Misused("%s is not a file", at.source)
		}
	}
	return nil
}

// attach uploads or imports the files and adds them to the posts. It returns the IDs of the new ones, also with an error.
func (a *app) attach(ctx context.Context, c *fencepost.Client, files attachments, body *fencepost.CreatePostsRequest) (created []string, err error) {
	for _, at := range files.list {
		id := at.source
		if !at.id() {
			media, err := a.toLibrary(ctx, c, at)
			if err != nil {
				return created, err
			}
			id = media.ID
			created = append(created, id)
		} else if at.alt != "" {
			if body.MediaAltTexts == nil {
				body.MediaAltTexts = make(map[string]string)
			}
			body.MediaAltTexts[id] = at.alt
		}
		body.MediaIDs = append(body.MediaIDs, id)
	}
	return created, nil
}

// toLibrary uploads or imports a file into the library.
func (a *app) toLibrary(ctx context.Context, c *fencepost.Client, at attachment) (*fencepost.Media, error) {
	if at.address() {
		done := output.Spinner(a.Err, a.progress(), "importing "+at.source)
		media, err := c.Media.Import(ctx, fencepost.ImportMediaRequest{URL: at.source})
		done()
		if err != nil || at.alt == "" {
			return media, err
		}
		return c.Media.Edit(ctx, media.ID, fencepost.EditMediaRequest{AltText: fencepost.Set(at.alt)})
	}
	show, done := output.Bar(a.Err, a.progress(), filepath.Base(at.source))
	defer done()
	return c.Media.UploadFile(ctx, at.source, fencepost.UploadOptions{Alt: at.alt, OnProgress: show})
}

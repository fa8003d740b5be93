package telegram

import (
	"context"
	"errors"
	"io"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

// attached is an open file of the post.
type attached struct {
	asset media.Asset
	file  platform.File
}

// attachments holds the open files of a post, in order.
type attachments []attached

var errNoFiles = errors.New("the content has attachments without their files")

// open opens every file of the content, or none.
func (c *Connector) open(ctx context.Context, content platform.Content) (attachments, error) {
	if len(content.Media) > 0 && content.Files == nil {
		return nil, c.client.Unreadable(errNoFiles)
	}
	var opened attachments
	for _, asset := range content.Media {
		file, err := content.Files.Open(ctx, asset)
		if err != nil {
			opened.close()
			return nil, c.client.Unreadable(err)
		}
		opened = append(opened, attached{asset, file})
	}
	return opened, nil
}

func (a attachments) close() {
	for _, attached := range a {
		_ = attached.file.Close()
	}
}

// parts returns the files for one form. Each call reads them from their start. The given field names all parts; if it
// is empty, each part has its own name.
func (a attachments) parts(field string) []httpcall.Part {
	parts := make([]httpcall.Part, len(a))
	for i, attached := range a {
		file := attached.file
		parts[i] = httpcall.Part{
			Field: field, FileName: file.Name(), ContentType: file.ContentType(), Size: file.Size(),
			Open: func() (io.ReadCloser, error) {
				// One byte more than the declared size, so that a longer file is detected.
				return io.NopCloser(io.NewSectionReader(file, 0, file.Size()+1)), nil
			},
		}
		if field == "" {
			parts[i].Field = part(i)
		}
	}
	return parts
}

package mediabox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/infra/mediabox/internal/format"
)

// Side is the length of a thumbnail's longer side, in pixels (docs/contract.md, Formats).
const Side = 640

// Probe describes the content of a file that is within the limits.
type Probe struct {
	// Width and Height are the displayed size, upright and with square pixels: in pixels, for PDF in points.
	Width  int `json:"width"`
	Height int `json:"height"`
	// Duration is the duration of a video or an animated GIF; 0 if there is none or it is unknown.
	Duration time.Duration `json:"duration"`
	// Frames is the number of frames of a GIF or of an animated PNG or WebP, or of pages of a PDF; otherwise 0.
	Frames int `json:"frames"`
	// Turned reports that metadata says how to turn the stored pixels upright.
	Turned bool `json:"turned"`
}

// Thumbnail is a small picture that contains only the pixels of the original.
type Thumbnail struct {
	Data        []byte `json:"data"`
	ContentType string `json:"contentType"` // image/jpeg, or image/png if it has transparency
	Width       int    `json:"width"`
	Height      int    `json:"height"`
}

// Result describes a file.
type Result struct {
	ContentType string // sniffed
	Probe       Probe
	Thumbnail   Thumbnail
	Converted   Converted
}

// Render probes a file and creates its thumbnail. If only the thumbnail fails, the result contains the probe, with a
// Width above zero. Render fails with a *Failure if the file is the cause.
func (b *Box) Render(ctx context.Context, path string) (Result, error) {
	return b.open(ctx, request{Task: taskRender}, path)
}

// Probe returns a file's size and duration. The Result has no Thumbnail. It fails as Render does.
func (b *Box) Probe(ctx context.Context, path string) (Result, error) {
	return b.open(ctx, request{Task: taskProbe}, path)
}

// openRegular opens a regular file.
func openRegular(path string) (*os.File, os.FileInfo, error) {
	file, err := os.Open(path) //nolint:gosec // the caller's own file
	if err != nil {
		return nil, nil, fmt.Errorf("mediabox: %w", err)
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a regular file", path)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("mediabox: %w", errors.Join(err, file.Close()))
	}
	return file, info, nil
}

func (b *Box) open(ctx context.Context, requested request, path string, output ...*os.File) (Result, error) {
	file, info, err := openRegular(path)
	if err != nil {
		return Result{}, err
	}
	defer file.Close()
	contentType, err := sniff(file)
	if err != nil {
		return Result{}, err
	}
	result := Result{ContentType: contentType}
	if err := b.needed(contentType, requested.Target.ContentType); err != nil {
		return result, err
	}
	if err := readable(file, info); err != nil {
		return result, err
	}
	requested.ContentType, requested.Size = contentType, info.Size()
	response, err := b.run(ctx, requested, append([]*os.File{file}, output...)...)
	if response.Probe != nil {
		result.Probe = *response.Probe
	}
	if err != nil {
		return result, err
	}
	switch requested.Task {
	case taskRender:
		result.Thumbnail, err = checked(response.Thumbnail)
	case taskConvert:
		result.Converted, err = requested.Target.checked(response.Converted, output[0])
	case taskStrip, taskTrim:
		result.Converted, err = sameType(response.Converted, contentType, output[0])
	}
	return result, err
}

// sniff determines the type from the bytes. The caller's content type and the file's name are ignored.
func sniff(file io.ReaderAt) (string, error) {
	head := make([]byte, media.HeadSize)
	n, err := file.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("mediabox: %w", err)
	}
	if n == 0 {
		return "", format.Fail(format.Broken, "the file is empty")
	}
	_, contentType, ok := media.Sniff(head[:n])
	if !ok {
		return "", format.Fail(format.Unsupported, "the content is not a supported media type")
	}
	return contentType, nil
}

// needed fails if a program for the type is missing, before a child is started for nothing.
func (b *Box) needed(contentType, target string) error {
	var paths []string
	if target == media.ContentTypeMP4 {
		paths = []string{b.config.Tools.FFmpeg}
	}
	switch contentType {
	case media.ContentTypeHEIC, media.ContentTypeAVIF:
		paths = []string{b.config.Tools.HEIFInfo, b.config.Tools.HEIFConvert}
	case media.ContentTypeMP4, media.ContentTypeMOV, media.ContentTypeWebM:
		paths = []string{b.config.Tools.FFprobe, b.config.Tools.FFmpeg}
	case media.ContentTypePDF:
		paths = []string{b.config.Tools.PDFInfo, b.config.Tools.PDFToPPM}
	}
	for _, path := range paths {
		if !installed(path) {
			return format.Fail(format.ToolMissing, "%s is not installed", path)
		}
	}
	return nil
}

// readable lets the child read the file. When started by root, the child runs as another user. Its open descriptor
// bypasses the rights of the folders above, so that a private folder still keeps out other users.
func readable(file *os.File, info os.FileInfo) error {
	const others = 0o004
	if os.Geteuid() != 0 || info.Mode()&others != 0 {
		return nil
	}
	if err := file.Chmod(info.Mode().Perm() | others); err != nil {
		return fmt.Errorf("mediabox: grant the child access to the file: %w", err)
	}
	return nil
}

// checked validates the child's output as untrusted data.
func checked(thumbnail *Thumbnail) (Thumbnail, error) {
	if thumbnail == nil {
		return Thumbnail{}, errors.New("mediabox: the child created no thumbnail")
	}
	_, contentType, ok := media.Sniff(thumbnail.Data)
	small := thumbnail.Width > 0 && thumbnail.Height > 0 && thumbnail.Width <= Side && thumbnail.Height <= Side
	if !ok || contentType != thumbnail.ContentType || !small ||
		(contentType != media.ContentTypeJPEG && contentType != media.ContentTypePNG) {
		return Thumbnail{}, format.Fail(format.Broken, "the child's thumbnail is not an image")
	}
	return *thumbnail, nil
}

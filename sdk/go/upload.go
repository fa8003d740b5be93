package fencepost

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
)

// UploadOptions describe a file.
type UploadOptions struct {
	// Name of the file. UploadFile takes it from the path.
	Name string
	// ContentType is the MIME type. Default: that of the name's ending.
	ContentType string
	// Alt is the alternative text, for people who cannot see the file.
	Alt string
	// OnProgress is called with the bytes sent so far. A part that is sent again counts again.
	OnProgress func(sent, total int64)
}

// contentTypes are the types of files that the service takes (docs/media.md).
var contentTypes = map[string]string{
	".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".png": "image/png", ".webp": "image/webp", ".gif": "image/gif",
	".heic": "image/heic", ".avif": "image/avif", ".mp4": "video/mp4", ".mov": "video/quicktime", ".webm": "video/webm",
	".pdf": "application/pdf", ".doc": "application/msword", ".ppt": "application/vnd.ms-powerpoint",
	".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
	".pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
}

// UploadFile uploads a file from the disk.
func (m MediaFiles) UploadFile(ctx context.Context, path string, options UploadOptions) (*Media, error) {
	file, err := os.Open(path) //nolint:gosec // the caller's own file
	if err != nil {
		return nil, &Error{Kind: KindValidation, Detail: "the file cannot be opened", cause: err}
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, &Error{Kind: KindValidation, Detail: "the file cannot be read", cause: err}
	}
	if options.Name == "" {
		options.Name = filepath.Base(path)
	}
	return m.Upload(ctx, file, info.Size(), options)
}

// UploadBytes uploads a file from memory.
func (m MediaFiles) UploadBytes(ctx context.Context, content []byte, options UploadOptions) (*Media, error) {
	return m.Upload(ctx, bytes.NewReader(content), int64(len(content)), options)
}

// Upload uploads a file: whole, or in parts if it is large. A part that fails is sent again alone.
func (m MediaFiles) Upload(ctx context.Context, file io.ReaderAt, size int64, options UploadOptions) (*Media, error) {
	if options.ContentType == "" {
		options.ContentType = contentTypes[strings.ToLower(filepath.Ext(options.Name))]
	}
	if options.ContentType == "" {
		return nil, &Error{Kind: KindValidation, Detail: "the type of the file " + options.Name + " is unknown: set ContentType"}
	}
	target, err := m.StartUpload(ctx, StartUploadRequest{FileName: options.Name, ContentType: options.ContentType, SizeBytes: size})
	if err != nil {
		return nil, err
	}
	media, err := m.transfer(ctx, target, file, size, options.OnProgress)
	if err != nil || options.Alt == "" {
		return media, err
	}
	return m.Edit(ctx, target.MediaID, EditMediaRequest{AltText: Set(options.Alt)})
}

// transfer sends the bytes and completes the upload. If the service lacks bytes, they are sent once more.
func (m MediaFiles) transfer(
	ctx context.Context, target *MediaUpload, file io.ReaderAt, size int64, progress func(sent, total int64),
) (*Media, error) {
	for again := false; ; again = true {
		if err := m.sendParts(ctx, target, file, size, progress); err != nil {
			return nil, err
		}
		media, err := m.CompleteUpload(ctx, target.MediaID)
		var failed *Error
		if err == nil || again || !errors.As(err, &failed) || failed.Code != ProblemCodeUploadNotReceived {
			return media, err
		}
	}
}

func (m MediaFiles) sendParts(
	ctx context.Context, target *MediaUpload, file io.ReaderAt, size int64, progress func(sent, total int64),
) error {
	parts := target.Parts
	if len(parts) == 0 {
		parts = []UploadPart{{URL: target.UploadURL, SizeBytes: size}}
	}
	header := http.Header{} // without the API key: the address is that of the store
	for name, value := range target.Headers {
		header.Set(name, value)
	}
	for _, part := range parts {
		_, err := m.c.send(ctx, request{
			method: target.Method, url: part.URL, header: header, size: part.SizeBytes, repeatable: true,
			body: func() io.Reader {
				section := io.NewSectionReader(file, part.Offset, part.SizeBytes)
				return &countingReader{from: section, sent: part.Offset, total: size, progress: progress}
			},
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// countingReader reports how much of the file is sent.
type countingReader struct {
	from        io.Reader
	sent, total int64
	progress    func(sent, total int64)
}

func (c *countingReader) Read(into []byte) (int, error) {
	n, err := c.from.Read(into)
	if c.sent += int64(n); n > 0 && c.progress != nil {
		c.progress(c.sent, c.total)
	}
	return n, err
}

package pinterest

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

// image is one image of a pin: its bytes, or the address at which Pinterest fetches them.
type image struct {
	file platform.File
	link string
}

type images []image

// open opens the images of a pin. Pinterest accepts JPEG and PNG within the call. It fetches other formats, and then
// every image of the pin.
func (c *Connector) open(ctx context.Context, content platform.Content) (images, error) {
	inline := true
	for _, asset := range content.Media {
		inline = inline && (asset.ContentType == media.ContentTypeJPEG || asset.ContentType == media.ContentTypePNG)
	}
	var all images
	for _, asset := range content.Media {
		var one image
		var err error
		if inline {
			one.file, err = content.Files.Open(ctx, asset)
		} else {
			one.link, err = content.Files.Link(ctx, asset)
		}
		if err != nil {
			all.close()
			return nil, err
		}
		all = append(all, one)
	}
	return all, nil
}

func (all images) close() {
	for _, one := range all {
		if one.file != nil {
			_ = one.file.Close()
		}
	}
}

// source returns the media source of the pin. It has marks in place of the bytes of the images.
func (all images) source() mediaSource {
	kind := "image_base64"
	if all[0].file == nil {
		kind = "image_url"
	}
	if len(all) == 1 {
		return mediaSource{Type: kind, imageItem: all[0].item()}
	}
	several := mediaSource{Type: "multiple_" + kind, Index: new(int)}
	if all[0].file == nil {
		several.Type += "s"
	}
	for _, one := range all {
		several.Items = append(several.Items, one.item())
	}
	return several
}

func (one image) item() imageItem {
	if one.file == nil {
		return imageItem{URL: one.link}
	}
	return imageItem{ContentType: one.file.ContentType(), Data: bytesMark}
}

// bytesMark replaces the bytes of an image in the JSON of a pin. It is a private-use character, which is removed from
// the pin's other members.
const bytesMark = "\uE000"

// body returns the pin as JSON that is streamed, because the images together have up to 100 MB.
func (all images) body(pin createBody) (*httpcall.Body, error) {
	pin.escapeMarks()
	encoded, err := json.Marshal(pin)
	if err != nil {
		return nil, err
	}
	pieces := strings.Split(string(encoded), bytesMark)
	size := int64(len(encoded) - (len(pieces)-1)*len(bytesMark))
	for _, one := range all {
		if one.file != nil {
			size += int64(base64.StdEncoding.EncodedLen(int(one.file.Size())))
		}
	}
	return &httpcall.Body{Size: size, ContentType: "application/json", Reader: func() (io.ReadCloser, error) {
		readers := []io.Reader{strings.NewReader(pieces[0])}
		for i, piece := range pieces[1:] {
			file := all[i].file
			readers = append(readers, &encoder{from: io.NewSectionReader(file, 0, file.Size())}, strings.NewReader(piece))
		}
		return io.NopCloser(io.MultiReader(readers...)), nil
	}}, nil
}

// encoder reads the base64 form of a reader.
type encoder struct {
	from  io.Reader
	ready bytes.Reader
	err   error
}

// Read encodes the next bytes of the source.
func (e *encoder) Read(into []byte) (int, error) {
	const group = 3 << 10 // a multiple of three, so that only the last group is padded
	for e.ready.Len() == 0 {
		if e.err != nil {
			return 0, e.err
		}
		var raw [group]byte
		n, err := io.ReadFull(e.from, raw[:])
		if errors.Is(err, io.ErrUnexpectedEOF) {
			err = io.EOF
		}
		e.err = err
		e.ready.Reset([]byte(base64.StdEncoding.EncodeToString(raw[:n])))
	}
	return e.ready.Read(into)
}

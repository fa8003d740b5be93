package platformtest

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"image"
	"image/color"
	"image/color/palette"
	"image/gif"
	"image/jpeg"
	"io"
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/ident"
)

// Attachment is a file for a post and the asset that correctly describes it.
type Attachment struct {
	Asset media.Asset
	Bytes []byte
}

// SHA256 returns the SHA-256 of the bytes in hexadecimal.
func (a Attachment) SHA256() string {
	sum := sha256.Sum256(a.Bytes)
	return hex.EncodeToString(sum[:])
}

// MediaPost is a kind of post with attachments that a network accepts.
type MediaPost struct {
	Name        string           // the test's name, in lower case
	ContentType post.ContentType // post.ContentPost if empty
	Wordless    bool             // the post has no text
	Inline      bool             // the irrevocable call sends the media, although other kinds have a MediaStep
	Attachments []Attachment
}

// Picture returns a JPEG image. Different numbers yield different bytes.
func Picture(t *testing.T, number int) Attachment {
	t.Helper()
	const width, height = 640, 480
	return encoded(t, "photo.jpg", media.ContentTypeJPEG, media.Probe{Width: width, Height: height},
		func(w io.Writer) error {
			return jpeg.Encode(w, checkered(width, height, number), nil)
		})
}

// Pictures returns the images numbered 1 to count.
func Pictures(t *testing.T, count int) []Attachment {
	t.Helper()
	pictures := make([]Attachment, count)
	for i := range pictures {
		pictures[i] = Picture(t, i+1)
	}
	return pictures
}

// Described returns the attachments with alternative texts.
func Described(attachments []Attachment) []Attachment {
	for i := range attachments {
		attachments[i].Asset.AltText = "Squares & more squares, number " + strconv.Itoa(i+1)
	}
	return attachments
}

// GIF returns an animation of three frames.
func GIF(t *testing.T) Attachment {
	t.Helper()
	const width, height, frames, delay = 320, 240, 3, 50
	animation := &gif.GIF{}
	for i := range frames {
		animation.Image, animation.Delay = append(animation.Image, checkered(width, height, i)), append(animation.Delay,
			delay)
	}
	probe := media.Probe{Width: width, Height: height, Frames: frames, Duration: frames * delay * 10 * time.Millisecond}
	return encoded(t, "animation.gif", media.ContentTypeGIF, probe,
		func(w io.Writer) error { return gif.EncodeAll(w, animation) })
}

// Video returns a file of at least media.HeadSize bytes that starts with the header of an MP4 video. It is not
// playable.
func Video(size int) Attachment {
	const header = "\x00\x00\x00\x1cftypisom\x00\x00\x02\x00isomiso2mp41"
	video := make([]byte, max(size, media.HeadSize))
	copy(video, header)
	noise := rand.NewChaCha8(sha256.Sum256([]byte(strconv.Itoa(size))))
	_, _ = noise.Read(video[media.HeadSize:])
	return attachment("video.mp4", media.ContentTypeMP4, media.Probe{Width: 720, Height: 1280, Duration: 12 * time.Second},
		video)
}

// Document returns a PDF document with one empty page.
func Document() Attachment {
	const text = "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count " +
		"1>>endobj\n" +
		"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n"
	return attachment("document.pdf", media.ContentTypePDF, media.Probe{Width: 595, Height: 842, Frames: 1}, []byte(text))
}

// checkered returns an image of squares whose size and color depend on the number.
func checkered(width, height, number int) *image.Paletted {
	picture := image.NewPaletted(image.Rect(0, 0, width, height), palette.Plan9)
	ground, ink := picture.Palette.Index(color.White), picture.Palette.Index(palette.Plan9[(number*37+
		11)%len(palette.Plan9)])
	side := 8 + number%40
	for i := range picture.Pix {
		picture.Pix[i] = uint8(ground) //nolint:gosec // a palette has 256 colors
		if (i%width/side+i/width/side)%2 == 0 {
			picture.Pix[i] = uint8(ink) //nolint:gosec // as above
		}
	}
	return picture
}

func encoded(t *testing.T, name, contentType string, probe media.Probe, encode func(io.Writer) error) Attachment {
	t.Helper()
	var file bytes.Buffer
	require.NoError(t, encode(&file))
	return attachment(name, contentType, probe, file.Bytes())
}

func attachment(name, contentType string, probe media.Probe, file []byte) Attachment {
	kind, _ := media.TypeOf(contentType)
	return Attachment{Bytes: file, Asset: media.Asset{
		ID: ident.New[ident.Media](), Name: name, Type: kind, ContentType: contentType, Size: int64(len(file)), Probe: probe,
	}}
}

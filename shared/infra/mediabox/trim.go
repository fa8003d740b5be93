package mediabox

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/infra/mediabox/internal/format"
)

// Part is a part of a video.
type Part struct {
	Start  time.Duration `json:"start"`
	Length time.Duration `json:"length"`
}

// Trim writes a part of a video into an empty file, without metadata as Strip does. Nothing is encoded again, so the part
// begins at the key frame before its start. It has the length at most. Trim fails with a *Failure if the file is the cause,
// as for a file that is no video, which is Unsupported.
func (b *Box) Trim(ctx context.Context, path string, part Part, into *os.File) (Stripped, error) {
	file, _, err := openRegular(path)
	if err != nil {
		return Stripped{}, err
	}
	contentType, err := sniff(file)
	_ = file.Close()
	if err != nil {
		return Stripped{}, err
	}
	if kind, _ := media.TypeOf(contentType); kind != media.Video {
		return Stripped{}, format.Fail(format.Unsupported, "%s is not a video", contentType)
	}
	stripped := Stripped{ContentType: contentType}
	const (
		tries = 4
		frame = 50 * time.Millisecond
	)
	wanted := part.Length
	for range tries {
		result, err := b.open(ctx, request{Task: taskTrim, Part: part}, path, into)
		if err != nil {
			return stripped, err
		}
		found, err := b.Probe(ctx, fmt.Sprintf("/dev/fd/%d", into.Fd()))
		if err != nil {
			return stripped, err
		}
		excess := found.Probe.Duration - wanted
		if stripped.Size = result.Converted.Size; excess <= 0 {
			return stripped, nil
		}
		part.Length = max(frame, part.Length-excess-frame)
		if err := empty(into); err != nil {
			return stripped, err
		}
	}
	return stripped, format.Fail(format.Broken, "no part has at most %s", wanted)
}

func empty(file *os.File) error {
	err := file.Truncate(0)
	if err == nil {
		_, err = file.Seek(0, io.SeekStart)
	}
	if err != nil {
		return fmt.Errorf("mediabox: %w", err)
	}
	return nil
}

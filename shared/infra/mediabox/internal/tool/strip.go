package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/infra/mediabox/internal/format"
)

// StripVideo copies the pictures and the sound of a video, packet by packet, into a file without metadata and returns it
// open. Its tables come first, so that it plays while it is loaded. MP4 and MOV files stay what they are by their brand:
// FFmpeg's writer of MP4 keeps the description of HDR, and its writer of MOV knows more codecs.
func (r Runner) StripVideo(ctx context.Context, contentType string) (*os.File, error) {
	// Times stay as they are, and so do packets that FFmpeg would drop before the start.
	return r.copyVideo(ctx, contentType, []string{"-copyts"}, nil)
}

// TrimVideo copies a part of a video as StripVideo does. The part begins at the key frame before start, because a copy can
// begin nowhere else. It may be some pictures longer than the given length, because FFmpeg counts in the order of decoding.
func (r Runner) TrimVideo(ctx context.Context, contentType string, start, length time.Duration) (*os.File, error) {
	video, err := r.ProbeVideo(ctx, contentType)
	if err != nil {
		return nil, err
	}
	if start, err = r.keyFrame(ctx, contentType, video, start); err != nil {
		return nil, err
	}
	return r.copyVideo(ctx, contentType, []string{"-ss", decimal(start)}, []string{
		"-t", decimal(length), "-avoid_negative_ts", "make_zero",
	})
}

// keyFrame returns the time of the last key frame up to a time.
func (r Runner) keyFrame(ctx context.Context, contentType string, video Video, at time.Duration) (time.Duration, error) {
	if at == 0 {
		return 0, nil
	}
	options, err := guarded(contentType)
	if err != nil {
		return 0, err
	}
	printed, err := r.run(ctx, r.Paths.FFprobe, append(options, "-print_format", "csv=print_section=0",
		"-select_streams", strings.TrimPrefix(video.track, "0:"), "-show_entries", "packet=pts_time",
		"-read_intervals", decimal(at)+"%+#1", "-i", "file:"+input)...)
	if err != nil {
		return 0, err
	}
	first, _, _ := strings.Cut(strings.TrimSpace(string(printed)), "\n")
	first, _, _ = strings.Cut(first, ",")
	if found := seconds(first); found > 0 {
		return found + time.Millisecond, nil // beyond the frame, whatever the unit of the container rounds to
	}
	return 0, nil
}

// decimal writes a time in seconds.
func decimal(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', 3, 64) }

// copyVideo copies the packets of pictures and sound, with options for the input and for the output.
func (r Runner) copyVideo(ctx context.Context, contentType string, before, after []string) (*os.File, error) {
	formats := [][]string{{"mp4", "-brand", "isom"}, {"mov", "-brand", "isom"}}
	switch contentType {
	case media.ContentTypeMOV:
		formats = [][]string{{"mp4", "-brand", "qt  "}, {"mov"}}
	case media.ContentTypeWebM:
		formats = [][]string{{"webm"}}
	}
	streams, err := r.streams(ctx, contentType)
	if err != nil {
		return nil, err
	}
	const private = 0o600
	target := filepath.Join(r.Folder, "video")
	if err := os.WriteFile(target, nil, private); err != nil {
		return nil, fmt.Errorf("set up the folder: %w", err)
	}
	for _, muxer := range formats {
		if err = r.copyStreams(ctx, contentType, before, slices.Concat(streams, after), muxer, target); !format.IsBroken(err) {
			break
		}
	}
	if err != nil {
		return nil, err
	}
	return os.Open(target) //nolint:gosec // a name chosen here
}

func (r Runner) copyStreams(ctx context.Context, contentType string, before, streams, muxer []string, target string) error {
	options, err := guarded(contentType)
	if err != nil {
		return err
	}
	_, err = r.run(ctx, r.Paths.FFmpeg, slices.Concat([]string{"-nostdin"}, options, before,
		[]string{"-nofind_stream_info", "-i", "file:" + input, "-map_metadata", "-1", "-map_chapters", "-1"}, streams,
		[]string{
			"-c", "copy", "-strict", "unofficial", "-movflags", "+faststart", "-fflags", "+bitexact", "-y", "-f",
		}, muxer, []string{"file:" + target})...)
	return err
}

// streams returns FFmpeg's options that select pictures and sound. Other streams are dropped, because cameras record
// locations in them, and so is sound in a coding that FFmpeg does not know, which phones record beside an ordinary one.
func (r Runner) streams(ctx context.Context, contentType string) ([]string, error) {
	options, err := guarded(contentType)
	if err != nil {
		return nil, err
	}
	printed, err := r.run(ctx, r.Paths.FFprobe, append(options, "-nofind_stream_info", "-print_format", "json",
		"-show_entries", "stream=index,codec_type,codec_name:stream_disposition=attached_pic:stream_tags=language,alpha_mode", "-i", "file:"+input)...)
	if err != nil {
		return nil, err
	}
	var found probed
	if err := json.Unmarshal(printed, &found); err != nil {
		return nil, format.Fail(format.Broken, "ffprobe: %v", err)
	}
	var selected []string
	count := 0
	for _, stream := range found.Streams {
		shown := stream.Type == "video" && stream.Disposition.AttachedPicture == 0
		if stream.Codec == "" || !shown && stream.Type != "audio" {
			continue
		}
		selected = append(selected, "-map", fmt.Sprintf("0:%d", stream.Index))
		for tag, value := range map[string]string{"language": stream.Tags.Language, "alpha_mode": stream.Tags.AlphaMode} {
			if harmless(value) {
				selected = append(selected, fmt.Sprintf("-metadata:s:%d", count), tag+"="+value)
			}
		}
		count++
	}
	if count == 0 {
		return nil, format.Fail(format.Broken, "neither pictures nor sound")
	}
	return selected, nil
}

// harmless reports whether a tag is a code of a language or a flag, which players need.
func harmless(value string) bool { return regexp.MustCompile(`^([a-z]{3}|1)$`).MatchString(value) }

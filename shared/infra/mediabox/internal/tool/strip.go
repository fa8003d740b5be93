package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/infra/mediabox/internal/fault"
)

// StripVideo copies the pictures and the sound of a video, packet by packet, into a file without metadata and returns it
// open. Its tables come first, so that it plays while it is loaded. MP4 and MOV files stay what they are by their brand:
// FFmpeg's writer of MP4 keeps the description of HDR, and its writer of MOV knows more codecs.
func (r Runner) StripVideo(ctx context.Context, contentType string) (*os.File, error) {
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
	for _, format := range formats {
		if err = r.copyStreams(ctx, contentType, streams, format, target); !fault.IsBroken(err) {
			break
		}
	}
	if err != nil {
		return nil, err
	}
	return os.Open(target) //nolint:gosec // a name chosen here
}

func (r Runner) copyStreams(ctx context.Context, contentType string, streams, format []string, target string) error {
	options, err := guarded(contentType)
	if err != nil {
		return err
	}
	_, err = r.run(ctx, r.Paths.FFmpeg, slices.Concat([]string{"-nostdin"}, options,
		[]string{"-nofind_stream_info", "-copyts", "-i", "file:" + input, "-map_metadata", "-1", "-map_chapters", "-1"}, streams,
		[]string{
			"-c", "copy", "-strict", "unofficial", "-movflags", "+faststart", "-fflags", "+bitexact", "-y", "-f",
		}, format, []string{"file:" + target})...)
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
		return nil, fault.New(fault.Broken, "ffprobe: %v", err)
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
		return nil, fault.New(fault.Broken, "neither pictures nor sound")
	}
	return selected, nil
}

// harmless reports whether a tag is a code of a language or a flag, which players need.
func harmless(value string) bool { return regexp.MustCompile(`^([a-z]{3}|1)$`).MatchString(value) }

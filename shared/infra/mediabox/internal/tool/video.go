package tool

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/infra/mediabox/internal/format"
)

// Video describes the picture track of a video file.
type Video struct {
	Width, Height int           // stored pixels of a frame
	Shown         Size          // the displayed size: upright, with square pixels
	Duration      time.Duration // 0 if unknown
	track         string        // FFmpeg's name of the track
}

// Size is a size in pixels.
type Size struct{ Width, Height int }

// Fit scales a size down to side pixels on the longer side, and never enlarges it.
func (s Size) Fit(side int) Size {
	long := max(s.Width, s.Height)
	if long <= side {
		return s
	}
	return Size{max(1, (s.Width*side+long/2)/long), max(1, (s.Height*side+long/2)/long)}
}

// codecs returns the codecs of videos on the web. FFmpeg supports hundreds more, each of which adds attack surface.
func codecs() []string {
	return []string{"h264", "hevc", "vp8", "vp9", "av1", "mpeg4", "mjpeg", "prores", "h263", "mpeg2video"}
}

// guarded returns the options for reading an untrusted file: only this file and nothing that it refers to, in the
// format of its first bytes, on one thread.
func guarded(contentType string) ([]string, error) {
	var demuxer string
	switch contentType {
	case media.ContentTypeMP4, media.ContentTypeMOV:
		demuxer = "mov"
	case media.ContentTypeWebM:
		demuxer = "matroska"
	default:
		return nil, format.Fail(format.Unsupported, "%s is not a video", contentType)
	}
	const formats = "mov,mp4,m4a,3gp,3g2,mj2,matroska,webm"
	options := []string{
		"-hide_banner", "-loglevel", "error",
		"-protocol_whitelist", "file,pipe", "-format_whitelist", formats,
		"-threads", "1", "-f", demuxer,
	}
	if demuxer == "mov" {
		options = append(options, "-enable_drefs", "0", "-use_absolute_path", "0")
	}
	return options, nil
}

// ProbeVideo uses FFmpeg to read the first picture track of a video. It reads the container's header and decodes
// nothing.
func (r Runner) ProbeVideo(ctx context.Context, contentType string) (Video, error) {
	options, err := guarded(contentType)
	if err != nil {
		return Video{}, err
	}
	printed, err := r.run(ctx, r.Paths.FFprobe, append(options, "-nofind_stream_info", "-print_format", "json",
		"-select_streams", "v", "-show_entries",
		"format=duration:stream=index,codec_name,width,height,sample_aspect_ratio,duration:stream_disposition=attached_pic:"+
			"stream_side_data=rotation", "-i", "file:"+input)...)
	if err != nil {
		return Video{}, err
	}
	video, err := readProbe(printed)
	if err == nil && video.Duration == 0 {
		video.Duration = r.measure(ctx, options, video)
	}
	return video, err
}

// measure returns the duration of a video that does not state it, as a browser records it: the end of its last packet. It
// decodes nothing. It returns 0 if the packets cannot be read.
func (r Runner) measure(ctx context.Context, options []string, video Video) time.Duration {
	printed, err := r.run(ctx, r.Paths.FFprobe, append(options, "-print_format", "csv=print_section=0",
		"-select_streams", strings.TrimPrefix(video.track, "0:"), "-show_entries", "packet=pts_time,duration_time",
		"-i", "file:"+input)...)
	if err != nil {
		return 0
	}
	return lastPacket(printed)
}

// lastPacket returns the end of the last packet in lines of start and length. Packets are in the order of decoding.
func lastPacket(printed []byte) (end time.Duration) {
	for line := range bytes.Lines(printed) {
		start, length, _ := strings.Cut(strings.TrimSpace(string(line)), ",")
		length, _, _ = strings.Cut(length, ",")
		end = max(end, seconds(start)+seconds(length))
	}
	return end
}

// probed is FFprobe's output.
type probed struct {
	Streams []struct {
		Index       int    `json:"index"`
		Type        string `json:"codec_type"` //nolint:tagliatelle // FFprobe's names
		Codec       string `json:"codec_name"` //nolint:tagliatelle // FFprobe's names
		Width       int    `json:"width"`
		Height      int    `json:"height"`
		Aspect      string `json:"sample_aspect_ratio"` //nolint:tagliatelle // FFprobe's names
		Duration    string `json:"duration"`
		Disposition struct {
			AttachedPicture int `json:"attached_pic"` //nolint:tagliatelle // FFprobe's names
		} `json:"disposition"`
		Tags struct {
			Language  string `json:"language"`
			AlphaMode string `json:"alpha_mode"` //nolint:tagliatelle // FFprobe's names
		} `json:"tags"`
		SideData []struct {
			Rotation float64 `json:"rotation"`
		} `json:"side_data_list"` //nolint:tagliatelle // FFprobe's names
	} `json:"streams"`
	Format struct {
		Duration string `json:"duration"`
	} `json:"format"`
}

func readProbe(printed []byte) (Video, error) {
	var response probed
	if err := json.Unmarshal(printed, &response); err != nil {
		return Video{}, format.Fail(format.Broken, "ffprobe: %v", err)
	}
	for _, stream := range response.Streams {
		if stream.Disposition.AttachedPicture != 0 {
			continue
		}
		if !slices.Contains(codecs(), stream.Codec) {
			return Video{}, format.Fail(format.Unsupported, "video codec %q", stream.Codec)
		}
		video := Video{
			Width: stream.Width, Height: stream.Height, Duration: seconds(response.Format.Duration),
			Shown: square(stream.Width, stream.Height, stream.Aspect), track: fmt.Sprintf("0:%d", stream.Index),
		}
		if video.Duration == 0 {
			video.Duration = seconds(stream.Duration)
		}
		for _, data := range stream.SideData {
			if int(math.Round(data.Rotation/90))%2 != 0 {
				video.Shown.Width, video.Shown.Height = video.Shown.Height, video.Shown.Width
			}
		}
		return video, nil
	}
	return Video{}, format.Fail(format.Unsupported, "no video track")
}

// square returns the size with square pixels: the width is multiplied by the pixels' aspect ratio, if that is
// plausible.
func square(width, height int, aspect string) Size {
	const extreme = 10
	x, y, _ := strings.Cut(aspect, ":")
	wide, errX := strconv.ParseFloat(x, 64)
	high, errY := strconv.ParseFloat(y, 64)
	if errX != nil || errY != nil || wide <= 0 || high <= 0 || wide/high > extreme || high/wide > extreme {
		return Size{width, height}
	}
	return Size{max(1, int(math.Round(float64(width)*wide/high))), height}
}

// seconds parses a number of seconds; an invalid or implausible number is 0.
func seconds(text string) time.Duration {
	const longest = 1000 * time.Hour
	value, err := strconv.ParseFloat(text, 64)
	if err != nil || !(value > 0 && value < longest.Seconds()) {
		return 0
	}
	return time.Duration(value * float64(time.Second))
}

// Frame returns the frame at one second, or in the middle of a shorter video, as a PNG file of at most side pixels. If
// the file has no frame there, Frame returns its first.
func (r Runner) Frame(ctx context.Context, contentType string, video Video, side int) ([]byte, error) {
	at := time.Second
	if video.Duration > 0 {
		at = min(at, video.Duration/2)
	}
	frame, err := r.frameAt(ctx, contentType, video, video.Shown.Fit(side), at)
	if err == nil && len(bytes.TrimSpace(frame)) == 0 {
		frame, err = r.frameAt(ctx, contentType, video, video.Shown.Fit(side), 0)
	}
	if err == nil && len(frame) == 0 {
		err = format.Fail(format.Broken, "a video without frames")
	}
	return frame, err
}

func (r Runner) frameAt(
	ctx context.Context, contentType string, video Video, size Size, at time.Duration,
) ([]byte, error) {
	options, err := guarded(contentType)
	if err != nil {
		return nil, err
	}
	decoders := append(codecs(), "libdav1d", "libaom-av1", "libvpx", "libvpx-vp9")
	return r.run(ctx, r.Paths.FFmpeg, slices.Concat([]string{"-nostdin"}, options, []string{
		"-codec_whitelist", strings.Join(decoders, ","), "-max_pixels", strconv.FormatInt(r.Pixels, 10), "-ss",
		fmt.Sprintf("%.3f", at.Seconds()), "-i", "file:" + input,
		"-map", video.track, "-an", "-sn", "-dn", "-frames:v", "1", "-threads", "1", "-filter_threads", "1",
		"-vf", fmt.Sprintf("scale=%d:%d:flags=lanczos+accurate_rnd,setsar=1", size.Width, size.Height),
		"-pix_fmt", "rgb24", "-map_metadata", "-1", "-f", "image2pipe", "-c:v", "png", "pipe:1",
	})...)
}

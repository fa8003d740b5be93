package tool

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
)

// Animate encodes a GIF as MP4 of the given size, which must be even, and returns it open. The video shows the animation
// loops times, on white, at 25 frames per second: some networks require 23.
func (r Runner) Animate(ctx context.Context, size Size, loops int) (*os.File, error) {
	const private = 0o600
	target := filepath.Join(r.Folder, "video.mp4")
	if err := os.WriteFile(target, nil, private); err != nil {
		return nil, fmt.Errorf("set up the folder: %w", err)
	}
	graph := fmt.Sprintf("[0:v]fps=25,scale=%d:%d:flags=lanczos+accurate_rnd[a];color=white:s=%dx%d:r=25[b];"+
		"[b][a]overlay=shortest=1,setsar=1,format=yuv420p", size.Width, size.Height, size.Width, size.Height)
	_, err := r.run(ctx, r.Paths.FFmpeg, "-nostdin", "-hide_banner", "-loglevel", "error",
		"-protocol_whitelist", "file,pipe", "-format_whitelist", "gif", "-codec_whitelist", "gif",
		"-max_pixels", strconv.FormatInt(r.Pixels, 10), "-threads", "1", "-ignore_loop", "1",
		"-stream_loop", strconv.Itoa(max(0, loops-1)), "-f", "gif", "-i", "file:"+input,
		"-filter_complex_threads", "1", "-filter_complex", graph, "-threads", "1", "-c:v", "libx264", "-preset", "veryfast",
		"-crf", "20", "-movflags", "+faststart", "-map_metadata", "-1", "-fflags", "+bitexact", "-f", "mp4", "-y",
		"file:"+target)
	if err != nil {
		return nil, err
	}
	return os.Open(target) //nolint:gosec // a name chosen here
}

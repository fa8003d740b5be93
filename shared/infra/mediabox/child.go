package mediabox

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/infra/mediabox/internal/format"
	"fencepost.internal/shared/infra/mediabox/internal/tool"
)

// fileDescriptor is the child's descriptor of the untrusted file.
const fileDescriptor = 3

// outputDescriptor is the child's descriptor of the file for a converted picture.
const outputDescriptor = 4

// openFiles is the maximum number of open files of a child and its programs.
const openFiles = 64

// Main is the child's main function: it drops its rights, runs the request in arguments, prints the response and
// returns the program's exit code. Call it only in a program that was started with Argument, which must run nothing
// else.
func Main(arguments []string, stdout io.Writer) (code int) {
	reply, err := serve(arguments)
	if failure, ok := errors.AsType[*format.Failure](err); ok {
		reply.Failure = failure
	} else if err != nil {
		reply.Fault = err.Error()
	}
	if err := json.NewEncoder(stdout).Encode(reply); err != nil {
		return 1
	}
	return 0
}

func serve(arguments []string) (response, error) {
	if len(arguments) != 1 {
		return response{}, errors.New("this argument is internal to the program")
	}
	var requested request
	if err := json.Unmarshal([]byte(arguments[0]), &requested); err != nil {
		return response{}, fmt.Errorf("read the request: %w", err)
	}
	report, err := tool.Process(tool.Limits{
		Memory: requested.Limits.Memory, CPU: requested.CPU, FileSize: requested.Limits.FileSize, Processes: requested.Processes,
		Files: openFiles,
	})
	reply := response{Report: report}
	if err != nil || requested.Task == taskCheck {
		return reply, err
	}
	file := os.NewFile(fileDescriptor, "media")
	defer file.Close()
	worker := &opener{request: requested, file: file, runner: tool.Runner{
		Paths: requested.Tools, File: file, Folder: requested.Folder, CPU: requested.CPU, Pixels: requested.Limits.Frame,
	}}
	if requested.writes() {
		syscall.CloseOnExec(outputDescriptor) // no program needs it
		worker.output = os.NewFile(outputDescriptor, "output")
		defer worker.output.Close()
	}
	err = worker.open(context.Background())
	reply.Probe, reply.Thumbnail, reply.Converted = worker.probe, worker.thumbnail, worker.converted
	return reply, err
}

// opener opens one file in the child.
type opener struct {
	request request
	file    *os.File
	runner  tool.Runner

	probe     *Probe
	thumbnail *Thumbnail
	converted *Converted
	output    *os.File // for the converted picture
}

func (o *opener) limits() format.Limits {
	return format.Limits{Pixels: o.request.Limits.Pixels, Side: o.request.Limits.Side, Frames: o.request.Limits.Frames}
}

// render reports whether a picture is requested as well.
func (o *opener) render() bool { return o.request.Task != taskProbe }

func (o *opener) open(ctx context.Context) error {
	kind, _ := media.TypeOf(o.request.ContentType)
	if o.request.Task == taskConvert && (kind == media.Video || kind == media.Document) {
		return format.Fail(format.Unsupported, "%s is not a picture", o.request.ContentType)
	}
	switch o.request.ContentType {
	case media.ContentTypeJPEG, media.ContentTypePNG, media.ContentTypeGIF, media.ContentTypeWebP:
		return o.openPicture(ctx)
	case media.ContentTypeHEIC, media.ContentTypeAVIF:
		return o.openHEIC(ctx)
	case media.ContentTypeMP4, media.ContentTypeMOV, media.ContentTypeWebM:
		return o.openVideo(ctx)
	case media.ContentTypePDF:
		return o.openPDF(ctx)
	default:
		return format.Fail(format.Unsupported, "%s", o.request.ContentType)
	}
}

func (o *opener) openPicture(ctx context.Context) error {
	file := format.File{Source: o.file, Size: o.request.Size, ContentType: o.request.ContentType}
	info, err := format.Inspect(file, o.limits())
	if err != nil {
		return err
	}
	o.probe = &Probe{Duration: info.Duration, Frames: info.Frames, Turned: info.Orientation != 1}
	o.probe.Width, o.probe.Height = info.Shown()
	if !o.render() {
		return nil
	}
	if o.request.Task == taskConvert && o.request.Target.ContentType == media.ContentTypeMP4 {
		return o.animate(ctx)
	}
	return o.make(file, info)
}

// animate creates the video of a GIF.
func (o *opener) animate(ctx context.Context) error {
	if o.request.ContentType != media.ContentTypeGIF {
		return format.Fail(format.Unsupported, "%s does not become a video", o.request.ContentType)
	}
	to := o.request.Target
	video, err := o.runner.Animate(ctx, tool.Size{Width: to.Width, Height: to.Height}, to.Loops)
	return o.deliver(video, err, Converted{ContentType: media.ContentTypeMP4, Width: to.Width, Height: to.Height})
}

// deliver copies a program's video to the caller's file.
func (o *opener) deliver(video *os.File, err error, converted Converted) error {
	if err != nil {
		return err
	}
	defer video.Close()
	if converted.Size, err = io.Copy(o.output, video); err != nil {
		return fmt.Errorf("write the video: %w", err)
	}
	o.converted = &converted
	return nil
}

// mostHEIC is the maximum number of pixels of a HEIC or AVIF image. libheif takes 4.6 bytes of memory for each, and reports
// a lack of memory like a damaged file.
const mostHEIC = 120_000_000

func (o *opener) openHEIC(ctx context.Context) error {
	still, err := o.runner.ProbeHEIC(ctx)
	if err != nil {
		return err
	}
	limits := o.limits()
	limits.Pixels = min(limits.Pixels, mostHEIC)
	if err := limits.Check(still.Width, still.Height); err != nil {
		return err
	}
	o.probe = &Probe{Width: still.Width, Height: still.Height}
	if !o.render() {
		return nil
	}
	converted, err := o.runner.Convert(ctx, still)
	if err != nil {
		return err
	}
	defer converted.Close()
	size, err := converted.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	return o.shrink(converted, size, media.ContentTypeJPEG)
}

func (o *opener) openVideo(ctx context.Context) error {
	cut, err := format.CheckVideo(o.file, o.request.Size, o.request.ContentType)
	if err != nil {
		return err
	}
	if o.request.Task == taskStrip {
		video, err := o.runner.StripVideo(ctx, o.request.ContentType)
		return o.deliver(video, err, Converted{ContentType: o.request.ContentType})
	}
	if o.request.Task == taskTrim {
		video, err := o.runner.TrimVideo(ctx, o.request.ContentType, o.request.Part.Start, o.request.Part.Length)
		return o.deliver(video, err, Converted{ContentType: o.request.ContentType})
	}
	video, err := o.runner.ProbeVideo(ctx, o.request.ContentType)
	if err != nil {
		return err
	}
	limits := o.limits()
	limits.Pixels = o.request.Limits.Frame
	if err := limits.Check(video.Width, video.Height); err != nil {
		return err
	}
	o.probe = &Probe{Width: video.Shown.Width, Height: video.Shown.Height, Duration: video.Duration}
	if !o.render() {
		return nil
	}
	frame, err := o.runner.Frame(ctx, o.request.ContentType, video, Side)
	if err != nil {
		return err
	}
	if cut {
		return format.Fail(format.Broken, "the file ends early")
	}
	return o.shrink(bytes.NewReader(frame), int64(len(frame)), media.ContentTypePNG)
}

func (o *opener) openPDF(ctx context.Context) error {
	document, err := o.runner.ProbePDF(ctx)
	if err != nil {
		return err
	}
	o.probe = &Probe{Width: document.Width, Height: document.Height, Frames: document.Pages}
	if !o.render() {
		return nil
	}
	page, err := o.runner.Page(ctx, Side)
	if err != nil {
		return err
	}
	return o.shrink(bytes.NewReader(page), int64(len(page)), media.ContentTypePNG)
}

// shrink creates the picture from a program's output. The program already turned the picture upright, so any
// orientation left in the metadata is ignored.
func (o *opener) shrink(source io.ReaderAt, size int64, contentType string) error {
	file := format.File{Source: source, Size: size, ContentType: contentType}
	info, err := format.Inspect(file, o.limits())
	if err != nil {
		return err
	}
	info.Orientation = 1
	return o.make(file, info)
}

// make creates the requested picture.
func (o *opener) make(file format.File, info format.Info) error {
	if o.request.Task != taskConvert {
		return o.keep(format.Thumbnail(file, info, Side))
	}
	created, err := format.Convert(file, info, format.Target{Width: o.request.Target.Width, Height: o.request.Target.Height, Size: o.request.Target.Size})
	if err != nil {
		return err
	}
	if _, err := o.output.Write(created.Data); err != nil {
		return fmt.Errorf("write the picture: %w", err)
	}
	o.converted = &Converted{
		ContentType: created.ContentType, Width: created.Width, Height: created.Height, Size: int64(len(created.Data)),
	}
	return nil
}

func (o *opener) keep(small format.Encoded, err error) error {
	if err != nil {
		return err
	}
	o.thumbnail = &Thumbnail{Data: small.Data, ContentType: small.ContentType, Width: small.Width, Height: small.Height}
	return nil
}

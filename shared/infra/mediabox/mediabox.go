// Package mediabox opens untrusted media files: it creates thumbnails and returns sizes and durations
// (docs/contract.md, Formats). Each file is opened in its own child process, which has no network, no rights, little
// memory and little time, because decoders have vulnerabilities that files can exploit. An error there is a Failure of
// one file and affects nothing else.
//
// The child is the same program, started again with a hidden argument. So every program that creates a Box must start
// with
//
//	if len(os.Args) > 1 && os.Args[1] == mediabox.Argument {
//		os.Exit(mediabox.Main(os.Args[2:], os.Stdout))
//	}
//
// Pictures are decoded in Go. Videos need FFmpeg, PDF needs Poppler, and HEIC needs libheif's programs: Debian's
// packages ffmpeg, poppler-utils and libheif-examples, and fonts-urw-base35 for PDF files without embedded fonts.
package mediabox

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"time"

	"fencepost.internal/shared/infra/mediabox/internal/tool"
	"fencepost.internal/shared/kernel/clock"
)

// Argument is the first argument of a program that is started as the child.
const Argument = "mediabox-child"

// ErrNoIsolation is returned when a child process cannot be kept from the network on this machine: the program may not
// create namespaces, and the kernel does not filter system calls.
var ErrNoIsolation = errors.New("mediabox: files cannot be opened in isolation on this machine")

// Tools holds the paths of third-party programs. An empty path is looked up by the program's name. If a program is
// missing, its files fail with the class ToolMissing.
type Tools = tool.Paths

// Limits bounds the cost of one file. Zero values use those of DefaultLimits.
type Limits struct {
	Memory    int64         // bytes of a process
	CPU       time.Duration // processor time of a process, in whole seconds
	VideoCPU  time.Duration // the same for videos and for conversions
	Wall      time.Duration // wall-clock time
	VideoWall time.Duration // the same for videos and for conversions
	FileSize  int64         // maximum size of a temporary file, in bytes
	Pixels    int64         // of a picture
	Frame     int64         // pixels of a video's frame
	Side      int           // pixels of the longer side
	Frames    int           // of a GIF
}

// DefaultLimits returns the service's limits, which accept the files of cameras and phones, with 200 megapixels at most.
// A JPEG photograph takes 1.5 bytes of memory per pixel while it is open, one with progressive scans 7.5. What does not
// fit in Memory is TooLarge. The wall-clock times are long, because children have the lowest priority: a busy machine is not
// the file's fault.
func DefaultLimits() Limits {
	return Limits{
		Memory: 1 << 30, CPU: 10 * time.Second, VideoCPU: 30 * time.Second, Wall: time.Minute, VideoWall: 5 * time.Minute,
		FileSize: 64 << 20, Pixels: 200_000_000, Frame: 50_000_000, Side: 16_384, Frames: 500,
	}
}

// Config configures a Box.
type Config struct {
	// Program is the program to start as the child; empty means this program.
	Program string
	// Argument is the hidden argument; empty means Argument.
	Argument string
	// Folder contains a private folder for each running child; empty means the system's folder for temporary files. If
	// this program runs as root, the child runs as another user, so everyone must be able to enter Folder.
	Folder string
	Tools  Tools
	Limits Limits
	// Concurrency is the maximum number of concurrent children, each with up to Limits.Memory; 0 means one per
	// processor.
	Concurrency int
	// AllowUnconfined lets the Box work where a child cannot be kept from the network. Use it only for development.
	AllowUnconfined bool
	Clock           clock.Clock
	Logger          *slog.Logger
}

// Box opens files. It is safe for concurrent use.
type Box struct {
	config    Config
	isolation isolation
	places    chan struct{}
}

// New returns a Box. It starts a child to find the strongest isolation that this machine supports, and fails with
// ErrNoIsolation if the child cannot be kept from the network. Other missing guards and missing tools are logged.
func New(ctx context.Context, config Config) (*Box, error) {
	if config.Clock == nil || config.Logger == nil {
		return nil, errors.New("mediabox: clock and logger are required")
	}
	if config.Concurrency < 0 {
		return nil, errors.New("mediabox: negative concurrency")
	}
	if err := complete(&config); err != nil {
		return nil, err
	}
	if err := checkFolder(config.Folder); err != nil {
		return nil, err
	}
	box := &Box{config: config, places: make(chan struct{}, config.Concurrency)}
	if err := box.sweep(); err != nil {
		return nil, err
	}
	if err := box.isolate(ctx); err != nil {
		return nil, err
	}
	if missing := box.Missing(); len(missing) > 0 {
		config.Logger.WarnContext(ctx, "some media files cannot be opened: programs are not installed", "programs", missing)
	}
	return box, nil
}

// complete fills in defaults.
func complete(config *Config) error {
	config.Argument = cmp.Or(config.Argument, Argument)
	if config.Program == "" {
		program, err := thisProgram()
		if err != nil {
			return fmt.Errorf("mediabox: find this program: %w", err)
		}
		config.Program = program
	}
	if config.Folder == "" {
		config.Folder = os.TempDir()
	}
	if config.Concurrency == 0 {
		config.Concurrency = runtime.GOMAXPROCS(0)
	}
	config.Limits = config.Limits.withDefaults()
	for _, program := range programs(&config.Tools) {
		if *program.path == "" {
			*program.path = find(program.name)
		}
	}
	return nil
}

func (l Limits) withDefaults() Limits {
	standard := DefaultLimits()
	for given, value := range map[*int64]int64{
		&l.Memory: standard.Memory, &l.FileSize: standard.FileSize, &l.Pixels: standard.Pixels,
		&l.Frame: standard.Frame,
	} {
		if *given == 0 {
			*given = value
		}
	}
	for given, value := range map[*time.Duration]time.Duration{
		&l.CPU: standard.CPU, &l.VideoCPU: standard.VideoCPU, &l.Wall: standard.Wall, &l.VideoWall: standard.VideoWall,
	} {
		if *given == 0 {
			*given = value
		}
	}
	for given, value := range map[*int]int{&l.Side: standard.Side, &l.Frames: standard.Frames} {
		if *given == 0 {
			*given = value
		}
	}
	return l
}

type program struct {
	name string
	path *string
}

func programs(tools *Tools) []program {
	return []program{
		{"ffprobe", &tools.FFprobe},
		{"ffmpeg", &tools.FFmpeg},
		{"pdfinfo", &tools.PDFInfo},
		{"pdftoppm", &tools.PDFToPPM},
		{"heif-info", &tools.HEIFInfo},
		{"heif-convert", &tools.HEIFConvert},
	}
}

// find looks up a program, first at Debian's path. If the program is missing, it returns that path.
func find(name string) string {
	usual := "/usr/bin/" + name
	if _, err := os.Stat(usual); err == nil {
		return usual
	}
	if path, err := exec.LookPath(name); err == nil {
		return path
	}
	return usual
}

// Missing returns the names of the programs that are not installed.
func (b *Box) Missing() []string {
	tools, missing := b.config.Tools, []string(nil)
	for _, program := range programs(&tools) {
		if !installed(*program.path) {
			missing = append(missing, program.name)
		}
	}
	return slices.Clip(missing)
}

func installed(path string) bool {
	const executable = 0o111
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode()&executable != 0
}

// isolate selects the strongest isolation under which a child starts.
func (b *Box) isolate(ctx context.Context) error {
	own, err := tool.Network()
	if err != nil {
		return fmt.Errorf("mediabox: %w", err)
	}
	var refused []error
	for _, candidate := range isolations() {
		b.isolation = candidate
		response, err := b.run(ctx, request{Task: taskCheck})
		if err != nil {
			refused = append(refused, fmt.Errorf("%s: %w", candidate.name, err))
			continue
		}
		ownNetwork := response.Report.Network != own
		if !ownNetwork && !response.Report.Filter && !b.config.AllowUnconfined {
			refused = append(refused, fmt.Errorf("%s: the child has a network", candidate.name))
			continue
		}
		b.config.Logger.InfoContext(ctx, "media files are opened in isolation", "means", candidate.name,
			"own_network", ownNetwork, "system_call_filter", response.Report.Filter, "file_rules", response.Report.Files)
		return nil
	}
	return errors.Join(append([]error{ErrNoIsolation}, refused...)...)
}

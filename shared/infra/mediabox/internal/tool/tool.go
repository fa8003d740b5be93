// Package tool opens the formats that Go cannot with third-party programs: videos with FFmpeg, PDF with Poppler, HEIC
// with libheif. It runs in a child process that drops its rights before it opens an untrusted file, which it cannot undo,
// and confines the programs further, to the files that they need.
package tool

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"fencepost.internal/shared/infra/mediabox/internal/format"
)

// Paths holds the paths of the installed programs.
type Paths struct {
	FFprobe     string `json:"ffprobe"`
	FFmpeg      string `json:"ffmpeg"`
	PDFInfo     string `json:"pdfinfo"`
	PDFToPPM    string `json:"pdftoppm"`
	HEIFInfo    string `json:"heifInfo"`
	HEIFConvert string `json:"heifConvert"`
}

// Runner runs programs on one open file.
type Runner struct {
	Paths  Paths
	File   *os.File // the untrusted file
	Folder string   // the only place where a program may write, into existing files
	CPU    time.Duration
	Pixels int64 // limit for a video frame
}

// input is the path under which a program opens the file: its third descriptor. So the program learns no name, and the
// file may be in a folder that the program's user cannot enter.
const input = "/proc/self/fd/3"

// longestOutput bounds the output of a program, in bytes. A PNG picture of 640 pixels takes a tenth of it.
const longestOutput = 16 << 20

// run runs a program and returns its output.
func (r Runner) run(ctx context.Context, program string, arguments ...string) ([]byte, error) {
	type outcome struct {
		printed []byte
		err     error
	}
	done := make(chan outcome, 1)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread stays confined, so it ends with this goroutine
		if err := Files(r.access(program)); err != nil {
			done <- outcome{err: err}
			return
		}
		printed, err := r.output(ctx, program, arguments)
		done <- outcome{printed, err}
	}()
	result := <-done
	return result.printed, result.err
}

func (r Runner) access(program string) Access {
	// Programs, libraries, and fonts that a PDF does not embed.
	folders := []string{
		"/usr", "/lib", "/lib64", "/bin", "/etc/fonts", "/var/cache/fontconfig", "/etc/alternatives", filepath.Dir(program),
	}
	if resolved, err := filepath.EvalSymlinks(program); err == nil {
		folders = append(folders, filepath.Dir(resolved))
	}
	return Access{
		Folders: folders,
		Files:   []string{"/etc/ld.so.cache", "/dev/urandom", "/dev/zero"},
		Write:   []string{r.Folder, os.DevNull},
		Inherit: []int{int(r.File.Fd())},
	}
}

func (r Runner) output(ctx context.Context, program string, arguments []string) ([]byte, error) {
	const longestStderr = 4 << 10
	printed, stderr := &Capped{Limit: longestOutput}, &Capped{Limit: longestStderr, Quiet: true}
	command := exec.CommandContext(ctx, program, arguments...) //nolint:gosec // configured program
	command.Env = environment(r.Folder)
	command.Dir = r.Folder
	command.Stdout, command.Stderr = printed, stderr
	command.ExtraFiles = []*os.File{r.File}
	err := command.Run()
	switch {
	case printed.Exceeded:
		return nil, format.Fail(format.TooLarge, "%s exceeded the output limit", filepath.Base(program))
	case err == nil:
		return printed.Data, nil
	}
	return nil, r.failure(err, filepath.Base(program), command.ProcessState, stderr.Data)
}

// environment returns the complete environment of a program.
func environment(folder string) []string {
	return []string{"PATH=/usr/bin:/bin", "LANG=C.UTF-8", "HOME=" + folder, "TMPDIR=" + folder, "MALLOC_ARENA_MAX=1"}
}

// failure classifies the end of a program.
func (r Runner) failure(err error, name string, state *os.ProcessState, stderr []byte) error {
	text := firstLine(stderr)
	switch {
	case state == nil && (errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) ||
		errors.Is(err, exec.ErrNotFound)):
		return format.Fail(format.ToolMissing, "%v", err)
	case state == nil:
		return err
	}
	status, ok := state.Sys().(syscall.WaitStatus)
	if !ok || !status.Signaled() {
		return format.Fail(format.Broken, "%s: %v: %s", name, err, text)
	}
	signal, busy := status.Signal(), state.UserTime()+state.SystemTime() >= r.CPU-time.Second
	switch {
	case signal == syscall.SIGXCPU, signal == syscall.SIGKILL && busy:
		return format.Fail(format.TimedOut, "%s exceeded the CPU time limit", name)
	case signal == syscall.SIGXFSZ:
		return format.Fail(format.TooLarge, "%s exceeded the file size limit", name)
	case signal == syscall.SIGKILL:
		return format.Fail(format.TooLarge, "%s was killed", name)
	default:
		return format.Fail(format.Broken, "%s crashed: %v: %s", name, err, text)
	}
}

func firstLine(text []byte) string {
	line, _, _ := strings.Cut(strings.TrimSpace(string(text)), "\n")
	return strings.ToValidUTF8(strings.Map(printable, line), "")
}

func printable(r rune) rune {
	if r < ' ' || r == 0x7F {
		return ' '
	}
	return r
}

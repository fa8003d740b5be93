package mediabox

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/infra/mediabox/internal/format"
	"fencepost.internal/shared/infra/mediabox/internal/tool"
)

const (
	// longestOutput bounds a child's output, in bytes: a lossless thumbnail as JSON.
	longestOutput = 4 << 20
	// mostProcesses is the maximum number of processes and threads of a child and its program.
	mostProcesses = 64
	// folderPrefix is the prefix of the children's private folders.
	folderPrefix = "mediabox-"
)

// run runs the request in a child as soon as a place is free.
func (b *Box) run(ctx context.Context, requested request, files ...*os.File) (response, error) {
	select {
	case b.places <- struct{}{}:
		defer func() { <-b.places }()
	case <-ctx.Done():
		return response{}, fmt.Errorf("mediabox: wait for a free slot: %w", ctx.Err())
	}
	folder, err := b.makeFolder()
	if err != nil {
		return response{}, err
	}
	reply, err := b.converse(ctx, requested, folder, files)
	if removal := os.RemoveAll(folder); removal != nil && err == nil {
		err = fmt.Errorf("mediabox: %w", removal)
	}
	return reply, err
}

// makeFolder creates a folder that only the child can enter.
func (b *Box) makeFolder() (string, error) {
	folder, err := os.MkdirTemp(b.config.Folder, folderPrefix)
	if err != nil {
		return "", fmt.Errorf("mediabox: %w", err)
	}
	if user := b.isolation.user; user != 0 {
		if err := os.Chown(folder, user, user); err != nil {
			return "", errors.Join(fmt.Errorf("mediabox: %w", err), os.RemoveAll(folder))
		}
	}
	return folder, nil
}

// sweep removes folders left behind by a program that was killed.
func (b *Box) sweep() error {
	const abandoned = time.Hour
	folders, err := filepath.Glob(filepath.Join(b.config.Folder, folderPrefix+"*"))
	if err != nil {
		return fmt.Errorf("mediabox: %w", err)
	}
	for _, folder := range folders {
		if info, err := os.Lstat(folder); err == nil && info.IsDir() && b.config.Clock.Now().Sub(info.ModTime()) > abandoned {
			if err := os.RemoveAll(folder); err != nil {
				return fmt.Errorf("mediabox: remove files of an earlier run: %w", err)
			}
		}
	}
	return nil
}

// converse starts the child, reads its response and cleans up everything it started.
func (b *Box) converse(ctx context.Context, requested request, folder string, files []*os.File) (response, error) {
	requested.Folder, requested.Tools, requested.Limits = folder, b.config.Tools, b.config.Limits
	requested.CPU, requested.Processes = b.config.Limits.CPU, b.isolation.processes
	wall := b.config.Limits.Wall
	if kind, _ := media.TypeOf(requested.ContentType); kind == media.Video || requested.Task == taskConvert {
		requested.CPU, wall = b.config.Limits.VideoCPU, b.config.Limits.VideoWall
	}
	if requested.copies() { // it copies the whole file
		const copied, stored = 64 << 20, 16 << 20 // bytes per second
		requested.CPU += time.Duration(requested.Size/copied) * time.Second
		wall += time.Duration(requested.Size/stored) * time.Second
		requested.Limits.FileSize += requested.Size
	}
	argument, err := json.Marshal(requested)
	if err != nil {
		return response{}, fmt.Errorf("mediabox: %w", err)
	}
	limited, cancel := context.WithTimeout(ctx, wall)
	defer cancel()
	const longestStderr = 16 << 10
	child := &process{
		printed: tool.Capped{Limit: longestOutput}, stderr: tool.Capped{Limit: longestStderr, Quiet: true},
	}
	child.command = exec.CommandContext(limited, b.config.Program, b.config.Argument, string(argument)) //nolint:gosec // this program
	child.command.Dir, child.command.Env = folder, environment(folder, b.config.Limits)
	child.command.SysProcAttr = b.isolation.attributes()
	child.command.Stdout, child.command.Stderr = &child.printed, &child.stderr
	child.command.ExtraFiles = files
	if err := child.run(); err != nil {
		if ctx.Err() != nil {
			return response{}, fmt.Errorf("mediabox: %w", ctx.Err())
		}
		if len(child.stderr.Data) > 0 {
			b.config.Logger.DebugContext(ctx, "the child wrote to standard error", "text", string(child.stderr.Data))
		}
		return response{}, child.failure(err, limited.Err() != nil, requested.CPU)
	}
	return child.read()
}

// environment returns the complete environment of a child. The memory limit makes it collect garbage before it runs out
// of memory.
func environment(folder string, limits Limits) []string {
	return []string{
		"PATH=/usr/bin:/bin", "LANG=C.UTF-8", "HOME=" + folder, "TMPDIR=" + folder, "GOMAXPROCS=1", "GOTRACEBACK=single",
		"GOMEMLIMIT=" + strconv.FormatInt(limits.Memory/4*3, 10),
	}
}

// process is a child.
type process struct {
	command         *exec.Cmd
	printed, stderr tool.Capped
}

// run starts the child and waits for it, and for everything that it started, to end.
//
// It uses a dedicated thread, which ends with the child. The child inherits the thread's low priority, so that
// publishing takes precedence on a busy machine. The kernel kills a child when its starting thread ends, so that no
// child outlives this program.
func (p *process) run() error {
	p.command.Cancel = func() error { return endGroup(p.command.Process.Pid) }
	const timeout = 5 * time.Second // for pipes that another process still holds open
	p.command.WaitDelay = timeout
	done := make(chan error, 1)
	go func() {
		runtime.LockOSThread() // never unlocked
		lowerPriority()
		if err := p.command.Start(); err != nil {
			done <- &startError{err}
			return
		}
		awaitExit(p.command.Process.Pid)
		_ = endGroup(p.command.Process.Pid) // an empty group is not an error
		err := p.command.Wait()
		reap(p.command.Process.Pid)
		if errors.Is(err, exec.ErrWaitDelay) {
			// The child succeeded, and all that it wrote was read. Another child of this program, between its fork and its
			// exec, has the pipes too; on a busy machine it takes seconds to get there.
			err = nil
		}
		done <- err
	}()
	return <-done
}

// startError means that the child was never started.
type startError struct{ cause error }

func (e *startError) Error() string { return "start the child: " + e.cause.Error() }
func (e *startError) Unwrap() error { return e.cause }

// failure classifies the end of a child that gave no response.
func (p *process) failure(err error, late bool, cpu time.Duration) error {
	if _, ok := errors.AsType[*startError](err); ok {
		return fmt.Errorf("mediabox: %w", err)
	}
	if late {
		return format.Fail(format.TimedOut, "the time limit is exceeded")
	}
	if p.printed.Exceeded {
		return format.Fail(format.TooLarge, "the child exceeded the output limit")
	}
	state := p.command.ProcessState
	if state == nil {
		return fmt.Errorf("mediabox: %w", err)
	}
	status, ok := state.Sys().(syscall.WaitStatus)
	killed := ok && status.Signaled() && status.Signal() == syscall.SIGKILL
	switch {
	case killed && state.UserTime()+state.SystemTime() >= cpu-time.Second:
		return format.Fail(format.TimedOut, "the CPU time limit is exceeded")
	case killed, gaveUp(p.stderr.Data):
		return format.Fail(format.TooLarge, "the memory limit is exceeded")
	default:
		return format.Fail(format.Broken, "the decoder crashed: %v", err)
	}
}

// gaveUp reports whether the child's runtime aborted, almost always for lack of memory. A bug in a decoder is a panic
// instead. Both have the same exit code, so the message decides.
func gaveUp(stderr []byte) bool {
	text := string(stderr)
	return strings.Contains(text, "fatal error: ") || strings.Contains(text, "out of memory")
}

// read decodes the response.
func (p *process) read() (response, error) {
	var reply response
	decoder := json.NewDecoder(bytes.NewReader(p.printed.Data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&reply); err != nil {
		return response{}, fmt.Errorf("mediabox: the program does not support %s: %w", Argument, err)
	}
	if reply.Failure != nil {
		return reply, reply.Failure
	}
	if reply.Fault != "" {
		return reply, fmt.Errorf("mediabox: %s", reply.Fault)
	}
	return reply, nil
}

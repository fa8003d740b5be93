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

	"socialpub.internal/shared/domain/media"
	"socialpub.internal/shared/infra/mediabox/internal/capped"
	"socialpub.internal/shared/infra/mediabox/internal/fault"
)

const (
	// longestAnswer bounds what a child may print, in bytes: a thumbnail without loss, as JSON.
	longestAnswer = 4 << 20
	// mostProcesses are the processes and threads that a child and its program may have.
	mostProcesses = 64
	// folderPrefix begins the names of the children's private folders.
	folderPrefix = "mediabox-"
)

// run has a child do what is asked, when there is a place for one.
func (b *Box) run(ctx context.Context, asked request, file *os.File) (answer, error) {
	select {
	case b.places <- struct{}{}:
		defer func() { <-b.places }()
	case <-ctx.Done():
		return answer{}, fmt.Errorf("mediabox: wait for a place: %w", ctx.Err())
	}
	folder, err := b.makeFolder()
	if err != nil {
		return answer{}, err
	}
	reply, err := b.converse(ctx, asked, folder, file)
	if removal := os.RemoveAll(folder); removal != nil && err == nil {
		err = fmt.Errorf("mediabox: %w", removal)
	}
	return reply, err
}

// makeFolder makes a folder that only the child can enter.
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

// sweep removes folders that a program left behind which was ended in the middle.
func (b *Box) sweep() error {
	const abandoned = time.Hour
	folders, err := filepath.Glob(filepath.Join(b.config.Folder, folderPrefix+"*"))
	if err != nil {
		return fmt.Errorf("mediabox: %w", err)
	}
	for _, folder := range folders {
		if info, err := os.Lstat(folder); err == nil && info.IsDir() && b.config.Clock.Now().Sub(info.ModTime()) > abandoned {
			if err := os.RemoveAll(folder); err != nil {
				return fmt.Errorf("mediabox: remove what an earlier run left: %w", err)
			}
		}
	}
	return nil
}

// converse starts the child, reads its answer and leaves nothing of it.
func (b *Box) converse(ctx context.Context, asked request, folder string, file *os.File) (answer, error) {
	asked.Folder, asked.Tools, asked.Limits = folder, b.config.Tools, b.config.Limits
	asked.CPU, asked.Processes = b.config.Limits.CPU, b.isolation.processes
	wall := b.config.Limits.Wall
	if kind, _ := media.TypeOf(asked.ContentType); kind == media.Video {
		asked.CPU, wall = b.config.Limits.VideoCPU, b.config.Limits.VideoWall
	}
	argument, err := json.Marshal(asked)
	if err != nil {
		return answer{}, fmt.Errorf("mediabox: %w", err)
	}
	limited, cancel := context.WithTimeout(ctx, wall)
	defer cancel()
	const longestComplaint = 16 << 10
	child := &process{printed: capped.Buffer{Limit: longestAnswer}, complaint: capped.Buffer{Limit: longestComplaint, Quiet: true}}
	child.command = exec.CommandContext(limited, b.config.Program, b.config.Argument, string(argument)) //nolint:gosec // our own program
	child.command.Dir, child.command.Env = folder, environment(folder, b.config.Limits)
	child.command.SysProcAttr = b.isolation.attributes()
	child.command.Stdout, child.command.Stderr = &child.printed, &child.complaint
	if file != nil {
		child.command.ExtraFiles = []*os.File{file}
	}
	if err := child.run(); err != nil {
		if ctx.Err() != nil {
			return answer{}, fmt.Errorf("mediabox: %w", ctx.Err())
		}
		if len(child.complaint.Data) > 0 {
			b.config.Logger.DebugContext(ctx, "the child complained", "text", string(child.complaint.Data))
		}
		return answer{}, child.failure(err, limited.Err() != nil, asked.CPU)
	}
	return child.read()
}

// environment is all that a child is told of the machine. It collects garbage before its memory is at an end.
func environment(folder string, limits Limits) []string {
	return []string{
		"PATH=/usr/bin:/bin", "LANG=C.UTF-8", "HOME=" + folder, "TMPDIR=" + folder, "GOMAXPROCS=1", "GOTRACEBACK=single",
		"GOMEMLIMIT=" + strconv.FormatInt(limits.Memory/4*3, 10),
	}
}

// process is a child.
type process struct {
	command            *exec.Cmd
	printed, complaint capped.Buffer
}

// run starts the child and waits for its end, and for the end of everything that it started.
//
// That happens on a thread of its own, which ends with it. The thread's low priority goes to the child, so that a busy
// machine publishes first; and the kernel ends a child whose starting thread has gone, so that none outlives this program.
func (p *process) run() error {
	p.command.Cancel = func() error { return endGroup(p.command.Process.Pid) }
	const patience = 5 * time.Second // for pipes that a program of the child still holds
	p.command.WaitDelay = patience
	done := make(chan error, 1)
	go func() {
		runtime.LockOSThread() // and never unlocked
		lowerPriority()
		if err := p.command.Start(); err != nil {
			done <- &startError{err}
			return
		}
		awaitExit(p.command.Process.Pid)
		_ = endGroup(p.command.Process.Pid) // nobody left is no error
		err := p.command.Wait()
		reap(p.command.Process.Pid)
		done <- err
	}()
	return <-done
}

// startError says that there never was a child.
type startError struct{ cause error }

func (e *startError) Error() string { return "start the child: " + e.cause.Error() }
func (e *startError) Unwrap() error { return e.cause }

// failure says what the end of a child means that gave no answer.
func (p *process) failure(err error, late bool, cpu time.Duration) error {
	if _, ok := errors.AsType[*startError](err); ok {
		return fmt.Errorf("mediabox: %w", err)
	}
	if late {
		return fault.New(fault.TimedOut, "the time by the clock is over")
	}
	if p.printed.Exceeded {
		return fault.New(fault.TooLarge, "the child prints without end")
	}
	state := p.command.ProcessState
	if state == nil {
		return fmt.Errorf("mediabox: %w", err)
	}
	status, ok := state.Sys().(syscall.WaitStatus)
	killed := ok && status.Signaled() && status.Signal() == syscall.SIGKILL
	switch {
	case killed && state.UserTime()+state.SystemTime() >= cpu-time.Second:
		return fault.New(fault.TimedOut, "the processor time is over")
	case killed, gaveUp(p.complaint.Data):
		return fault.New(fault.TooLarge, "the memory is not enough")
	default:
		return fault.New(fault.Broken, "the decoder crashed: %v", err)
	}
}

// gaveUp recognises that the child's runtime could not go on, for want of memory nearly always; a decoder's own fault is a
// panic. The exit codes are the same, so its words decide.
func gaveUp(complaint []byte) bool {
	text := string(complaint)
	return strings.Contains(text, "fatal error: ") || strings.Contains(text, "out of memory")
}

// read understands the answer.
func (p *process) read() (answer, error) {
	var reply answer
	decoder := json.NewDecoder(bytes.NewReader(p.printed.Data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&reply); err != nil {
		return answer{}, fmt.Errorf("mediabox: the program does not answer %s: %w", Argument, err)
	}
	if reply.Failure != nil {
		return reply, reply.Failure
	}
	if reply.Fault != "" {
		return reply, fmt.Errorf("mediabox: %s", reply.Fault)
	}
	return reply, nil
}

package mediabox_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/infra/mediabox"
	"fencepost.internal/shared/infra/mediabox/mediaboxtest"
)

// script returns a program in place of one of the tools, as if a file had taken control of the tool.
func script(t testing.TB, text string) string {
	t.Helper()
	path := filepath.Join(folder(t), "tool")
	// A file open for writing cannot be executed, and a child of another test has all open files of this process until its
	// exec. So this process never opens it.
	write := exec.CommandContext(t.Context(), "/bin/sh", "-c", `cat >"$0" && chmod 755 "$0"`, path)
	write.Stdin = strings.NewReader("#!/bin/bash\n" + text + "\n")
	require.NoError(t, write.Run())
	return path
}

// mark returns a number of seconds that no other process sleeps for.
func mark(t testing.TB) string {
	t.Helper()
	return "7" + strconv.FormatInt(time.Now().UnixNano()%1_000_000_000_000, 10)
}

// overtaken returns a box whose ffprobe is the script.
func overtaken(t testing.TB, text string, change func(*mediabox.Config)) *mediabox.Box {
	t.Helper()
	path := script(t, text)
	return setup(t, func(config *mediabox.Config) {
		config.Tools.FFprobe = path
		if change != nil {
			change(config)
		}
	})
}

// eachIsolation runs a test with every way to start a child that this machine supports.
func eachIsolation(t *testing.T, test func(t *testing.T, isolate func(*mediabox.Box))) {
	t.Helper()
	for i, name := range mediabox.Isolations() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, func(box *mediabox.Box) { box.Isolate(i) })
		})
	}
}

// stderrOf returns the error with the first line that the script wrote to its standard error before it failed.
func stderrOf(t testing.TB, box *mediabox.Box) string {
	t.Helper()
	_, err := box.Render(t.Context(), fixture("video.mp4"))
	requireClass(t, mediabox.Broken, err)
	return err.Error()
}

func TestEveryIsolationOpensFiles(t *testing.T) {
	t.Parallel()
	eachIsolation(t, func(t *testing.T, isolate func(*mediabox.Box)) {
		t.Helper()
		box := setup(t, nil)
		isolate(box)
		for _, name := range []string{"video.mp4", "several.heic", "clear.webp"} {
			_, err := box.Render(t.Context(), fixture(name))
			require.NoError(t, err)
		}
	})
}

func TestChildHasNoNetwork(t *testing.T) {
	t.Parallel()
	eachIsolation(t, func(t *testing.T, isolate func(*mediabox.Box)) {
		t.Helper()
		listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
		require.NoError(t, err)
		t.Cleanup(func() { listener.Close() })
		var calls atomic.Int32
		go func() {
			for {
				connection, err := listener.Accept()
				if err != nil {
					return
				}
				calls.Add(1)
				connection.Close()
			}
		}()
		_, port, err := net.SplitHostPort(listener.Addr().String())
		require.NoError(t, err)
		box := overtaken(t, "exec 3<>/dev/tcp/127.0.0.1/"+port+" && exit 0; echo unreachable >&2; exit 1", nil)
		isolate(box)
		require.Contains(t, stderrOf(t, box), "socket")
		require.Zero(t, calls.Load())
	})
}

// TestForeignSystemCallsAreRefused runs a program for 32-bit processors, whose system calls have other numbers. It exits
// with 7 if its calls are executed.
func TestForeignSystemCallsAreRefused(t *testing.T) {
	t.Parallel()
	program := "\x7fELF\x01\x01\x01" + strings.Repeat("\x00", 9) + "\x02\x00\x03\x00\x01\x00\x00\x00\x54\x80\x04\x08\x34\x00\x00\x00" +
		strings.Repeat("\x00", 8) + "\x34\x00\x20\x00\x01\x00\x00\x00\x00\x00\x00\x00" + // the header
		"\x01\x00\x00\x00\x00\x00\x00\x00\x00\x80\x04\x08\x00\x80\x04\x08\x60\x00\x00\x00\x60\x00\x00\x00\x05\x00\x00\x00\x00\x10\x00\x00" +
		"\xb8\x01\x00\x00\x00\xbb\x07\x00\x00\x00\xcd\x80" // exit(7)
	eachIsolation(t, func(t *testing.T, isolate func(*mediabox.Box)) {
		t.Helper()
		box := overtaken(t, `"${0%/*}/foreign"; echo "code $?" >&2; exit 1`, func(config *mediabox.Config) {
			foreign := filepath.Join(filepath.Dir(config.Tools.FFprobe), "foreign")
			require.NoError(t, os.WriteFile(foreign, []byte(program), 0o600))
			require.NoError(t, exec.CommandContext(t.Context(), "chmod", "755", foreign).Run())
		})
		isolate(box)
		text := stderrOf(t, box)
		require.Regexp(t, "Bad system call|Exec format error|cannot execute", text)
		require.NotContains(t, text, "code 7")
	})
}

func TestChildReadsOnlyItsFile(t *testing.T) {
	t.Parallel()
	secret := filepath.Join(folder(t), "secret")
	require.NoError(t, os.WriteFile(secret, []byte("SECRET"), 0o600))
	require.NoError(t, os.Chmod(secret, 0o644))
	eachIsolation(t, func(t *testing.T, isolate func(*mediabox.Box)) {
		t.Helper()
		for _, path := range []string{secret, "/etc/passwd", "/proc/1/environ", "/proc/$PPID/environ"} {
			box := overtaken(t, `cat "`+path+`" >&2; exit 1`, nil)
			isolate(box)
			require.Contains(t, stderrOf(t, box), "ermission denied", path)
		}
	})
}

func TestChildCannotWriteFiles(t *testing.T) {
	t.Parallel()
	eachIsolation(t, func(t *testing.T, isolate func(*mediabox.Box)) {
		t.Helper()
		for _, command := range []string{
			`echo x > /tmp/mediabox-test-evil`, `echo x > "$TMPDIR/new"`, `mkdir "$TMPDIR/new"`,
			`ln -s /etc/passwd "$TMPDIR/new"`,
			`rm "$0"`, `echo x > "$0"`, `echo x > /proc/self/fd/3`, `chmod 777 "$TMPDIR/.."`,
		} {
			box := overtaken(t, command+`; exit 1`, nil)
			isolate(box)
			require.Regexp(t, "ermission denied|not permitted", stderrOf(t, box), command)
		}
	})
}

func TestChildInheritsNoEnvironmentOrFiles(t *testing.T) {
	t.Parallel()
	text := stderrOf(t,
		overtaken(t, `env | tr '\n' ' ' >&2; ls /proc/self/fd | tr '\n' ' ' >&2; read x; echo "read:$x$?" >&2; exit 1`, nil))
	for _, variable := range []string{"GOPATH", "GOROOT", "GOCACHE", "USER=", "HOME=" + os.Getenv("HOME")} {
		require.NotContains(t, text, variable+" ")
	}
	text = stderrOf(t, overtaken(t, `id >&2; exit 1`, nil))
	require.Contains(t, text, "uid=65534 gid=65534 groups=65534")
	text = stderrOf(t, overtaken(t, `read x; echo "got $?" >&2; exit 1`, nil))
	require.Contains(t, text, "got 1", "standard input is empty")
	text = stderrOf(t, overtaken(t, `echo $(ulimit -c) $(ulimit -n) $(ulimit -f) $(ulimit -u) >&2; exit 1`, nil))
	require.Contains(t, text, ": 0 64 65536 64", "memory images, open files, blocks of a file, processes")
	text = stderrOf(t, overtaken(t, `grep -E 'NoNewPrivs|Seccomp:|CapEff' /proc/self/status | tr '\n\t' '  ' >&2; exit 1`,
		nil))
	require.Contains(t, text, "denied", "not even of itself")
}

// TestChildrenYield checks that the programs that open files have a low priority, and that the parent keeps its own.
func TestChildrenYield(t *testing.T) {
	t.Parallel()
	own := func() int {
		priority, err := syscall.Getpriority(syscall.PRIO_PROCESS, os.Getpid())
		require.NoError(t, err)
		return 20 - priority
	}
	before := own()
	eachIsolation(t, func(t *testing.T, isolate func(*mediabox.Box)) {
		t.Helper()
		box := overtaken(t, `nice >&2; exit 1`, nil)
		isolate(box)
		require.True(t, strings.HasSuffix(stderrOf(t, box), fmt.Sprintf(": %d", max(before, 10))))
	})
	require.Equal(t, before, own())
}

func TestEndlessWorkTimesOut(t *testing.T) {
	t.Parallel()
	eachIsolation(t, func(t *testing.T, isolate func(*mediabox.Box)) {
		t.Helper()
		box := overtaken(t, "while :; do :; done", func(config *mediabox.Config) { config.Limits.VideoCPU = time.Second })
		isolate(box)
		_, err := box.Render(t.Context(), fixture("video.mp4"))
		requireClass(t, mediabox.TimedOut, err)
		require.ErrorContains(t, err, "CPU time")
	})
}

func TestEndlessPictureTimesOut(t *testing.T) {
	t.Parallel()
	box := setup(t, func(config *mediabox.Config) { config.Limits.CPU = time.Second })
	_, err := box.Render(t.Context(), write(t, mediaboxtest.EndlessJPEG(8000, 6000, 20_000)))
	requireClass(t, mediabox.TimedOut, err)
}

func TestTimeoutKillsAllDescendants(t *testing.T) {
	t.Parallel()
	eachIsolation(t, func(t *testing.T, isolate func(*mediabox.Box)) {
		t.Helper()
		seconds := mark(t)
		box := overtaken(t, fmt.Sprintf("(sleep %[1]s &) ; setsid sleep %[1]s & sleep %[1]s & sleep %[1]s", seconds),
			func(config *mediabox.Config) { config.Limits.VideoWall = 4 * time.Second }) // with the start of the child
		isolate(box)
		_, err := box.Render(t.Context(), fixture("video.mp4"))
		requireClass(t, mediabox.TimedOut, err)
		requireRunning(t, false, seconds)
	})
}

// TestBackgroundProcessesAreKilled uses a tool that responds and leaves background processes running.
func TestBackgroundProcessesAreKilled(t *testing.T) {
	t.Parallel()
	eachIsolation(t, func(t *testing.T, isolate func(*mediabox.Box)) {
		t.Helper()
		seconds := mark(t)
		box := overtaken(t, fmt.Sprintf(`exec 1>&- 2>&-; (sleep %[1]s &); setsid sleep %[1]s & exit 0`, seconds), nil)
		isolate(box)
		_, err := box.Render(t.Context(), fixture("video.mp4"))
		requireClass(t, mediabox.Broken, err)
		requireRunning(t, false, seconds)
	})
}

// TestPipesHeldByAnotherProcess leaves a process behind that has the child's output and is not killed with it, as
// another child has until its exec.
func TestPipesHeldByAnotherProcess(t *testing.T) {
	t.Parallel()
	child := program
	if child == "" {
		var err error
		child, err = os.Executable()
		require.NoError(t, err)
		content, err := os.ReadFile(child)
		require.NoError(t, err)
		child = filepath.Join(folder(t), "child")               // the child's user cannot enter the folder of the test's program
		require.NoError(t, os.WriteFile(child, content, 0o755)) //nolint:gosec // G306: another user runs it
	}
	box := setup(t, func(config *mediabox.Config) {
		config.Program = script(t, child+` "$@" || exit; [[ $2 = *'"check"'* ]] && exit
			setsid sleep 20 & until grep -q sleep /proc/$!/comm; do :; done`)
	})
	isolations := mediabox.Isolations()
	box.Isolate(len(isolations) - 1) // a process group; the others end all processes
	_, err := box.Render(t.Context(), fixture("still.webp"))
	require.NoError(t, err)
}

func TestForkBombIsLimited(t *testing.T) {
	t.Parallel()
	seconds := mark(t)
	box := overtaken(t, fmt.Sprintf(`for i in {1..500}; do sleep %s & done 2>/dev/null; jobs -r | wc -l >&2; exit 1`,
		seconds),
		func(config *mediabox.Config) { config.Limits.VideoWall = 3 * time.Second })
	_, err := box.Render(t.Context(), fixture("video.mp4"))
	_, failure := mediabox.ClassOf(err)
	require.True(t, failure, "%v", err)
	require.NotContains(t, err.Error(), ": 500")
	requireRunning(t, false, seconds)
}

func TestMemoryIsLimited(t *testing.T) {
	t.Parallel()
	eachIsolation(t, func(t *testing.T, isolate func(*mediabox.Box)) {
		t.Helper()
		// tail keeps a last line of a gigabyte, if it can.
		box := overtaken(t, `head -c 1G /dev/zero | tail >/dev/null; exit ${PIPESTATUS[1]}`,
			func(config *mediabox.Config) { config.Limits.Memory = 128 << 20 })
		isolate(box)
		require.Contains(t, stderrOf(t, box), "memory exhausted")
	})
}

func TestPictureExceedsMemory(t *testing.T) {
	t.Parallel()
	path := write(t, mediaboxtest.DeepPNG(t, 4000, 3000)) // 96 MB
	box := setup(t, func(config *mediabox.Config) { config.Limits.Memory = 64 << 20 })
	_, err := box.Render(t.Context(), path)
	requireClass(t, mediabox.TooLarge, err)
	_, err = setup(t, nil).Render(t.Context(), path)
	require.NoError(t, err)
}

func TestFullDisk(t *testing.T) {
	t.Parallel()
	eachIsolation(t, func(t *testing.T, isolate func(*mediabox.Box)) {
		t.Helper()
		path := script(t, `for target; do :; done; exec cat /dev/zero > "$target"`)
		box := setup(t, func(config *mediabox.Config) {
			config.Tools.HEIFConvert = path
			config.Limits.FileSize = 1 << 20
		})
		isolate(box)
		_, err := box.Render(t.Context(), fixture("still.heic"))
		requireClass(t, mediabox.TooLarge, err)
		require.ErrorContains(t, err, "the file size limit")
	})
}

func TestEndlessOutput(t *testing.T) {
	t.Parallel()
	_, err := overtaken(t, "exec cat /dev/zero", nil).Render(t.Context(), fixture("video.mp4"))
	requireClass(t, mediabox.TooLarge, err)
}

func TestCrashes(t *testing.T) {
	t.Parallel()
	for _, signal := range []string{"SEGV", "ABRT", "ILL", "BUS"} {
		text := stderrOf(t, overtaken(t, "kill -"+signal+" $$", nil))
		require.Contains(t, text, "crashed")
	}
	// The child itself cannot be killed.
	require.Contains(t, stderrOf(t, overtaken(t, "kill -KILL $PPID; kill -KILL 1; exit 3", nil)), "exit status 3")
}

// TestForgedThumbnailIsRejected checks that a forged thumbnail is rejected.
func TestForgedThumbnailIsRejected(t *testing.T) {
	t.Parallel()
	for response, class := range map[string]mediabox.Class{
		`{"report":{"filter":true},"thumbnail":{"data":"PHN2Zz4=","contentType":"image/svg+xml","width":1,"height":1}}`: mediabox.Broken,
		`{"report":{"filter":true},"thumbnail":{"data":"PHN2Zz4=","contentType":"image/png","width":1,"height":1}}`:     mediabox.Broken,
		`{"report":{"filter":true}}`:               "",
		`{"report":{"filter":true},"thumbnail":5}`: "",
		`{"report":{"filter":true},"more":1}`:      "",
		`nothing`:                                  "",
		``:                                         "",
		`{"report":{"filter":true},"fault":"the disk is on fire"}`: "",
	} {
		path := script(t, `case "$2" in *'"check"'*) echo '{"report":{"filter":true}}';; *) echo '`+response+`';; esac`)
		box := setup(t, func(config *mediabox.Config) { config.Program = path })
		_, err := box.Render(t.Context(), fixture("still.webp"))
		require.Error(t, err, response)
		given, _ := mediabox.ClassOf(err)
		require.Equal(t, class, given, response)
	}
	endless := script(t, `case "$2" in *'"check"'*) echo '{"report":{"filter":true}}';; *) exec cat /dev/zero;; esac`)
	_, err := setup(t, func(config *mediabox.Config) { config.Program = endless }).Render(t.Context(),
		fixture("still.webp"))
	requireClass(t, mediabox.TooLarge, err)
}

func TestCanceledCaller(t *testing.T) {
	t.Parallel()
	seconds := mark(t)
	box := overtaken(t, "sleep "+seconds, func(config *mediabox.Config) { config.Concurrency = 1 })
	ctx, cancel := context.WithCancel(t.Context())
	results := make(chan error)
	const callers = 2 // the second waits for the place of the first
	for range callers {
		go func() {
			_, err := box.Render(ctx, fixture("video.mp4"))
			results <- err
		}()
	}
	requireRunning(t, true, seconds)
	cancel()
	for range callers {
		err := <-results
		require.ErrorIs(t, err, context.Canceled)
		_, failure := mediabox.ClassOf(err)
		require.False(t, failure, "says nothing of the file")
	}
	requireRunning(t, false, seconds)
}

// parent starts the test program as another parent.
func parent(t testing.TB, tools mediabox.Tools, path string, user uint32) *exec.Cmd {
	t.Helper()
	configuration, err := json.Marshal(tools)
	require.NoError(t, err)
	command := exec.CommandContext(t.Context(), cmp.Or(program, "/proc/self/exe"), hostArgument, string(configuration),
		path)
	temporary := folder(t) // a killed parent leaves its child's folder behind
	require.NoError(t, os.Chmod(temporary, 0o777))
	command.Env = []string{"PATH=/usr/bin:/bin", "TMPDIR=" + temporary}
	if user != 0 {
		command.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: user, Gid: user}}
	}
	return command
}

// TestKilledProgramLeavesNoProcesses checks that the processes that it started end too, although their parent is gone.
func TestKilledProgramLeavesNoProcesses(t *testing.T) {
	t.Parallel()
	seconds := mark(t)
	command := parent(t, mediabox.Tools{FFprobe: script(t, "sleep "+seconds)}, fixture("video.mp4"), 0)
	require.NoError(t, command.Start())
	requireRunning(t, true, seconds)
	require.NoError(t, command.Process.Kill())
	require.Error(t, command.Wait())
	requireRunning(t, false, seconds)
}

// TestWithoutRoot checks that a program of an ordinary user isolates too, with a user namespace.
func TestWithoutRoot(t *testing.T) {
	t.Parallel()
	const user = 54321
	for _, name := range []string{"video.mp4", "several.heic", "still.webp"} {
		path := filepath.Join(folder(t), "media")
		require.NoError(t, os.WriteFile(path, read(t, name), 0o600))
		require.NoError(t, os.Chown(path, user, user))
		command := parent(t, mediabox.Tools{}, path, user)
		var stderr strings.Builder
		command.Stderr = &stderr
		printed, err := command.Output()
		require.NoError(t, err, stderr.String())
		require.Contains(t, []string{"320 × 180", "640 × 480"}, string(printed))
		require.Contains(t, stderr.String(), "user namespace")
	}
}

// TestHostileFilesDoNotAffectParent checks that a hundred concurrent hostile files cost the parent no memory, threads or files.
func TestHostileFilesDoNotAffectParent(t *testing.T) { //nolint:paralleltest // other tests use the same heap
	box := setup(t, func(config *mediabox.Config) { config.Limits.CPU = time.Second })
	files := []string{
		write(t, mediaboxtest.HugePNG(7000, 7000)), write(t, mediaboxtest.HugeJPEG(t, 7000, 7000)),
		write(t, mediaboxtest.CrowdedGIF(50_000)), write(t, mediaboxtest.CrowdedGIF(5000)),
		write(t, mediaboxtest.HugePNG(20_000, 20_000)), write(t, mediaboxtest.PDF(10, 10, "")[:60]),
		write(t, read(t, "still.heic")[:3000]), write(t, mediaboxtest.RIFF([]byte("VP8 \xFF\xFF\xFF\xFF        "))),
	}
	slow := []string{ // these use up their CPU time
		write(t, mediaboxtest.EndlessJPEG(4000, 4000, 3000)), write(t, mediaboxtest.CrowdedMP4(read(t, "video.mp4"))),
	}
	heap := func() uint64 {
		runtime.GC()
		var stats runtime.MemStats
		runtime.ReadMemStats(&stats)
		return stats.HeapAlloc
	}
	before := heap()
	const callers = 100
	results := make(chan error)
	for i := range callers {
		path := files[i%len(files)]
		if i < len(slow) {
			path = slow[i]
		}
		go func() {
			_, err := box.Render(t.Context(), path)
			results <- err
		}()
	}
	for range callers {
		err := <-results
		_, failure := mediabox.ClassOf(err)
		require.True(t, failure, "%v", err)
	}
	require.Less(t, heap(), before+64<<20)
}

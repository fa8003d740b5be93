package failpoint_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/kernel/failpoint"
)

var errInjected = errors.New("injected")

func setup(t *testing.T, config failpoint.EngineConfig) *failpoint.Engine {
	t.Helper()

	config.Injected = errInjected
	points, err := failpoint.NewEngine(config)
	require.NoError(t, err)

	return points
}

func read(t *testing.T, path string) string {
	t.Helper()

	text, err := os.ReadFile(path)
	require.NoError(t, err)

	return string(text)
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()

	tests := map[string]string{
		"no action":               "a",
		"empty action":            "a=",
		"unknown action":          "a=explode",
		"no name":                 "=kill",
		"name with a space":       "a b=kill",
		"kill with an argument":   "a=kill(1s)",
		"sleep without duration":  "a=sleep",
		"sleep with no unit":      "a=sleep(200)",
		"negative sleep":          "a=sleep(-1s)",
		"hit zero":                "a=kill#0",
		"negative hit":            "a=kill#-1",
		"hit without number":      "a=kill#",
		"hit beyond any counter":  "a=kill#99999999999999999999",
		"one bad among good ones": "a=kill#1;b=oops;c=error",
	}

	for name, entries := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			_, err := failpoint.NewEngine(failpoint.EngineConfig{Entries: entries, Injected: errInjected})
			require.ErrorIs(t, err, failpoint.ErrSyntax)
		})
	}

	t.Run("no injected error", func(t *testing.T) {
		t.Parallel()

		_, err := failpoint.NewEngine(failpoint.EngineConfig{})
		require.Error(t, err)
	})
}

func TestHit(t *testing.T) {
	t.Parallel()

	tests := map[string]struct {
		entries string
		hits    []string
		acts    []int // indexes of hits that return the injected error
	}{
		"nothing armed":         {entries: "", hits: []string{"a", "a"}},
		"another name":          {entries: "b=error", hits: []string{"a", "a"}},
		"each hit":              {entries: "a=error", hits: []string{"a", "b", "a"}, acts: []int{0, 2}},
		"the second hit only":   {entries: "a=error#2", hits: []string{"a", "b", "a", "a"}, acts: []int{2}},
		"two entries, one name": {entries: "a=error#1;a=error#3", hits: []string{"a", "a", "a", "a"}, acts: []int{0, 2}},
		"spaces and lines": {
			entries: " a=error#1 ;\n\n b.c_d-e/f=error \r\n;", hits: []string{"b.c_d-e/f", "a"}, acts: []int{0, 1},
		},
	}

	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			points := setup(t, failpoint.EngineConfig{Entries: test.entries})

			var acted []int
			for i, hit := range test.hits {
				if err := points.Hit(t.Context(), hit); err != nil {
					require.ErrorIs(t, err, errInjected)
					require.ErrorContains(t, err, hit)
					acted = append(acted, i)
				}
			}

			require.Equal(t, test.acts, acted)
		})
	}
}

func TestSleep(t *testing.T) {
	t.Parallel()

	points := setup(t, failpoint.EngineConfig{Entries: "short=sleep(30ms);long=sleep(1h)"})

	start := time.Now()
	require.NoError(t, points.Hit(t.Context(), "short"))
	require.GreaterOrEqual(t, time.Since(start), 30*time.Millisecond)

	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	require.ErrorIs(t, points.Hit(ctx, "long"), context.DeadlineExceeded)
}

func TestFileArmsRunningProcess(t *testing.T) {
	t.Parallel()

	path := filepath.Join(t.TempDir(), "points")
	points := setup(t, failpoint.EngineConfig{File: path})

	hit := func() error { return points.Hit(t.Context(), "a") }
	arm := func(entries string) {
		require.NoError(t, os.WriteFile(path+".new", []byte(entries), 0o600))
		require.NoError(t, os.Rename(path+".new", path))
	}

	require.NoError(t, hit(), "no file yet")

	arm("a=error#1\n")
	require.ErrorIs(t, hit(), errInjected, "hits before arming do not count")
	require.NoError(t, hit())

	arm("a=error#3\n")
	require.NoError(t, hit())
	arm("a=error#3\nb=error\n")
	require.NoError(t, hit())
	require.ErrorIs(t, hit(), errInjected, "an entry that stays keeps its count")

	arm("a=nonsense")
	require.ErrorIs(t, hit(), failpoint.ErrSyntax)
	require.ErrorIs(t, hit(), failpoint.ErrSyntax, "until it is put right")

	arm("a=error")
	require.ErrorIs(t, hit(), errInjected)

	require.NoError(t, os.Remove(path))
	require.NoError(t, hit())
}

func TestUnreadableFileIsError(t *testing.T) {
	t.Parallel()

	directory := t.TempDir()
	require.Error(t, setup(t, failpoint.EngineConfig{File: directory}).Hit(t.Context(), "a"))
	require.Error(t, setup(t, failpoint.EngineConfig{File: directory + "\x00"}).Hit(t.Context(), "a"))
}

func TestLog(t *testing.T) {
	t.Parallel()

	path := filepath.Join(t.TempDir(), "log")
	first := setup(t, failpoint.EngineConfig{Entries: "a=error#2;b=error", Log: path})
	require.NoError(t, first.Hit(t.Context(), "a"))
	require.ErrorIs(t, first.Hit(t.Context(), "a"), errInjected)
	require.ErrorIs(t, first.Hit(t.Context(), "b"), errInjected)

	require.Regexp(t, `^a \d+ \d{19} error#2\nb \d+ \d{19} error\n$`, read(t, path))

	t.Run("a one-shot in the log does not act again", func(t *testing.T) {
		t.Parallel()

		second := setup(t, failpoint.EngineConfig{Entries: "a=error#2;a=error#3;b=error", Log: path})
		require.NoError(t, second.Hit(t.Context(), "a"))
		require.NoError(t, second.Hit(t.Context(), "a"))
		require.ErrorIs(t, second.Hit(t.Context(), "a"), errInjected, "another entry of the same point does")
		require.ErrorIs(t, second.Hit(t.Context(), "b"), errInjected, "an entry for each hit does")
	})

	t.Run("a log that cannot be written is an error, and nothing acts", func(t *testing.T) {
		t.Parallel()

		broken := setup(t, failpoint.EngineConfig{Entries: "a=kill", Log: t.TempDir()})
		require.Error(t, broken.Hit(t.Context(), "a"))
	})
}

func TestOneShotFiresOnceAcrossEngines(t *testing.T) {
	t.Parallel()

	const engines = 8

	for range 20 {
		path := filepath.Join(t.TempDir(), "log")
		start, results := make(chan struct{}), make(chan error, engines)

		for range engines {
			points := setup(t, failpoint.EngineConfig{Entries: "a=error#1", Log: path})

			go func() {
				<-start
				results <- points.Hit(t.Context(), "a")
			}()
		}

		close(start)

		acted := 0
		for range engines {
			if err := <-results; err != nil {
				require.ErrorIs(t, err, errInjected)
				acted++
			}
		}

		require.Equal(t, 1, acted)
		require.Equal(t, 1, strings.Count(read(t, path), "\n"))
	}
}

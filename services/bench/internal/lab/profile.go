package lab

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"
)

// Profile takes a CPU profile of each process for the duration, while the measurement runs, if profiles are configured.
// The returned function waits for the profiles.
func (l *Lab) Profile(ctx context.Context, phase string, d time.Duration, processes ...*Process) (wait func()) {
	var running sync.WaitGroup
	if l.Profiles == "" {
		return running.Wait
	}
	for _, p := range processes {
		running.Go(func() {
			path := filepath.Join(l.Profiles, phase+"-"+p.Name+".pprof")
			if err := fetchProfile(ctx, p.Ops, path, d); err != nil {
				l.Say("no profile of %s: %v", p.Name, err)
			}
		})
	}
	return running.Wait
}

func fetchProfile(ctx context.Context, ops, path string, d time.Duration) error {
	seconds := strconv.Itoa(max(1, int(d.Seconds())))
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+ops+"/debug/pprof/profile?seconds="+seconds,
		http.NoBody)
	if err != nil {
		return err
	}
	const slack = 15 * time.Second
	answer, err := (&http.Client{Timeout: d + slack}).Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("status %s", answer.Status)
	}
	if err := os.MkdirAll(filepath.Dir(path), folderMode); err != nil {
		return err
	}
	file, err := os.Create(path) //nolint:gosec // G304: the operator's own folder
	if err != nil {
		return err
	}
	if _, err := io.Copy(file, answer.Body); err != nil {
		_ = file.Close()
		return err
	}
	return file.Close()
}

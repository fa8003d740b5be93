package infra

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/kernel/proctest"
)

const (
	accessKey        = "scenario"
	secretKey        = "secret-of-the-scenario"
	storeStartWithin = 60 * time.Second
	storeStopWithin  = 15 * time.Second
)

// Store is an object store.
type Store struct {
	t       testing.TB
	disk    string
	address string
	cmd     *exec.Cmd
}

// StartStore starts an object store on a separate file system of diskMB MiB and makes tests create their buckets in it, so
// call it before the system is created. It requires root, and the MinIO that the development stack built.
func StartStore(t *testing.T, diskMB int) *Store {
	t.Helper()
	s := &Store{t: t, disk: t.TempDir()}
	require.NoError(t, syscall.Mount("tmpfs", s.disk, "tmpfs", 0, fmt.Sprintf("size=%dm,mode=0700", diskMB)),
		"a separate file system requires root")
	t.Cleanup(func() { _ = syscall.Unmount(s.disk, syscall.MNT_DETACH) })
	var err error
	s.address, err = proctest.NewPorts().Address(t.Context())
	require.NoError(t, err)
	s.launch()
	t.Cleanup(s.end)
	s.await()
	t.Setenv("TEST_S3_ENDPOINT", "http://"+s.address)
	t.Setenv("TEST_S3_ACCESS_KEY", accessKey)
	t.Setenv("TEST_S3_SECRET_KEY", secretKey)
	return s
}

func (s *Store) launch() {
	s.t.Helper()
	log, err := os.OpenFile(filepath.Join(s.t.TempDir(), "log"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	require.NoError(s.t, err)
	s.t.Cleanup(func() { _ = log.Close() })
	cmd := exec.CommandContext(context.Background(), program(s.t), "server", "--quiet", "--address", s.address, s.disk)
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + s.disk, "MINIO_ROOT_USER=" + accessKey, "MINIO_ROOT_PASSWORD=" + secretKey,
		"MINIO_BROWSER=off", "MINIO_UPDATE=off", "MINIO_SCANNER_SPEED=slowest",
	}
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	require.NoError(s.t, cmd.Start())
	s.cmd = cmd
}

func (s *Store) await() {
	s.t.Helper()
	require.EventuallyWithT(s.t, func(c *assert.CollectT) {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+s.address+"/minio/health/ready",
			http.NoBody)
		require.NoError(c, err)
		response, err := http.DefaultClient.Do(request) //nolint:forbidigo // a probe on this machine
		require.NoError(c, err)
		defer func() { _ = response.Body.Close() }()
		require.Equal(c, http.StatusOK, response.StatusCode)
	}, storeStartWithin, 100*time.Millisecond)
}

func (s *Store) end() {
	ended := make(chan struct{})
	go func() {
		_ = s.cmd.Wait()
		close(ended)
	}()
	_ = s.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-ended:
	case <-time.After(storeStopWithin):
		_ = s.cmd.Process.Kill()
		<-ended
	}
}

func (s *Store) ballast() string { return filepath.Join(s.disk, ".minio.sys", "tmp", "ballast") }

// Fill fills the disk completely.
func (s *Store) Fill() {
	s.t.Helper()
	fill(s.t, s.ballast())
}

// Free deletes the file that Fill wrote.
func (s *Store) Free() {
	s.t.Helper()
	free(s.t, s.ballast())
}

// program returns the path of MinIO in the folder of built programs next to go.work.
func program(t testing.TB) string {
	t.Helper()
	folder, err := os.Getwd()
	require.NoError(t, err)
	for ; folder != "/"; folder = filepath.Dir(folder) {
		if _, err := os.Stat(filepath.Join(folder, "go.work")); err == nil {
			break
		}
	}
	path := filepath.Join(folder, ".bin", "minio")
	_, err = os.Stat(path)
	require.NoError(t, err, "MinIO is not built: run the tests with `make faults`")
	return path
}

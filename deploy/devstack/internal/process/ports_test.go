package process_test

import (
	"net"
	"os"
	"reflect"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/devstack/internal/process"
)

func TestDefault(t *testing.T) {
	t.Parallel()
	layout := process.Default()
	require.Equal(t, []int{8080, 8081, 8082, 8083, 8084, 8086, 8090, 7233, 8233, 9000, 54320}, []int{
		layout.API, layout.App, layout.MCP, layout.Pages, layout.Files, layout.Inbound, layout.Sandbox,
		layout.Temporal, layout.TemporalUI, layout.MinIO, layout.Postgres,
	})
	require.Equal(t, []int{8180, 8181, 8182, 8183, 8184, 8185, 8186, 8190},
		[]int{
			layout.APIOps, layout.AppOps, layout.MCPOps, layout.PagesOps, layout.WorkerOps, layout.FilesOps, layout.InboundOps, layout.SandboxOps,
		})
}

func TestAt(t *testing.T) {
	t.Parallel()
	layout, err := process.At(20000)
	require.NoError(t, err)
	require.Equal(t, process.Layout{
		API: 20000, App: 20001, MCP: 20002, Pages: 20003, Files: 20004, Inbound: 20005, Sandbox: 20010, SandboxMail: 20011, Temporal: 20020,
		TemporalUI: 20021, MinIO: 20030, Postgres: 20040, APIOps: 20050, WorkerOps: 20051, SandboxOps: 20052,
		AppOps: 20053, MCPOps: 20054, PagesOps: 20055, FilesOps: 20056, InboundOps: 20057, Control: 20060,
	}, layout)
}

func TestPortsAreUnique(t *testing.T) {
	t.Parallel()
	shifted, err := process.At(30000)
	require.NoError(t, err)
	for _, layout := range []process.Layout{process.Default(), shifted} {
		seen := make(map[int]string)
		fields := reflect.ValueOf(layout)
		for i := range fields.NumField() {
			name, port := fields.Type().Field(i).Name, int(fields.Field(i).Int())
			require.NotZero(t, port, name)
			require.Empty(t, seen[port], "%s has the port of %s", name, seen[port])
			seen[port] = name
		}
	}
}

func TestAtRefusesInvalidBase(t *testing.T) {
	t.Parallel()
	for _, base := range []int{-1, 0, 80, 1023, 65476, 70000} {
		_, err := process.At(base)
		require.ErrorContains(t, err, strconv.Itoa(base))
	}
	for _, base := range []int{1024, 65475} {
		_, err := process.At(base)
		require.NoError(t, err)
	}
}

func TestCheckNamesHolderOfTakenPort(t *testing.T) {
	t.Parallel()
	taken, port := listen(t)
	defer func() { require.NoError(t, taken.Close()) }()
	free, err := process.Pick(t.Context(), 1)
	require.NoError(t, err)

	err = (&process.Layout{Postgres: port, MinIO: free[0]}).Check(t.Context())

	require.ErrorIs(t, err, process.ErrTaken)
	require.ErrorContains(t, err, strconv.Itoa(port)+" (PostgreSQL) is used by pid "+strconv.Itoa(os.Getpid()))
	require.NotContains(t, err.Error(), "MinIO")
}

func TestCheckAcceptsFreePorts(t *testing.T) {
	t.Parallel()
	free, err := process.Pick(t.Context(), 2)
	require.NoError(t, err)
	require.NoError(t, (&process.Layout{Postgres: free[0], MinIO: free[1]}).Check(t.Context()))
}

func TestHelpShowsBothLayouts(t *testing.T) {
	t.Parallel()
	for _, want := range []string{"8080", "20000", "54320", "20040", "PostgreSQL"} {
		require.Contains(t, process.Help(), want)
	}
}

func TestPickAvoidsPortsOfOutgoingConnections(t *testing.T) {
	t.Parallel()
	picked, err := process.Pick(t.Context(), 20)
	require.NoError(t, err)
	seen := make(map[int]bool)
	for _, port := range picked {
		require.Less(t, port, 32768)
		require.GreaterOrEqual(t, port, 1024)
		require.False(t, seen[port])
		seen[port] = true
	}
}

func listen(t *testing.T) (net.Listener, int) {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address, ok := listener.Addr().(*net.TCPAddr)
	require.True(t, ok)
	return listener, address.Port
}

package tool

import (
	"fmt"
	"os"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Process confines the process: it limits its resources, makes it the first to be killed when the machine runs out of
// memory, and prevents it and its programs from gaining rights and making dangerous system calls.
//
// If the kernel does not support system call filters, Process returns no error; the report says so, and the caller
// decides.
func Process(limits Limits) (Report, error) {
	runtime.LockOSThread() // the filter is copied from the thread that dropped privileges to all others
	defer runtime.UnlockOSThread()
	if err := limitResources(limits); err != nil {
		return Report{}, err
	}
	if err := os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0); err != nil {
		return Report{}, fmt.Errorf("set oom_score_adj: %w", err)
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return Report{}, fmt.Errorf("set no_new_privs: %w", err)
	}
	network, err := Network()
	if err != nil {
		return Report{}, err
	}
	return Report{Filter: filterSystemCalls() == nil, Files: filesRestricted(), Network: network}, nil
}

// Network identifies the network namespace of the process.
func Network() (string, error) {
	id, err := os.Readlink("/proc/self/ns/net")
	if err != nil {
		return "", fmt.Errorf("read the network namespace: %w", err)
	}
	return id, nil
}

// limitResources sets the limits. Memory is limited twice: RLIMIT_DATA counts private writable memory, which decoders
// use; RLIMIT_AS counts everything that is mapped. Both start from the current usage, because a Go program reserves
// more than a gigabyte of addresses that it never touches.
func limitResources(limits Limits) error {
	mapped, data, err := memory()
	if err != nil {
		return err
	}
	for _, limit := range []struct {
		resource int
		value    int64
		set      bool
	}{
		{unix.RLIMIT_AS, mapped + limits.Memory, true},
		{unix.RLIMIT_DATA, data + limits.Memory, true},
		{unix.RLIMIT_CPU, int64(limits.CPU / time.Second), true},
		{unix.RLIMIT_FSIZE, limits.FileSize, true},
		{unix.RLIMIT_NOFILE, limits.Files, true},
		{unix.RLIMIT_NPROC, limits.Processes, limits.Processes > 0},
		{unix.RLIMIT_CORE, 0, true},
	} {
		if !limit.set {
			continue
		}
		if err := lower(limit.resource, uint64(limit.value)); err != nil { //nolint:gosec // limits and sizes are not negative
			return fmt.Errorf("limit resource %d to %d: %w", limit.resource, limit.value, err)
		}
	}
	return nil
}

// lower sets a limit that can never be raised again. A lower existing limit is kept.
func lower(resource int, value uint64) error {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(resource, &limit); err != nil {
		return err
	}
	limit.Max = min(limit.Max, value)
	limit.Cur = limit.Max
	return syscall.Setrlimit(resource, &limit)
}

// memory returns the process's mapped memory and the private writable part of it, in bytes.
func memory() (mapped, data int64, err error) {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0, 0, fmt.Errorf("read the memory usage: %w", err)
	}
	var resident, shared, code, library int64
	if _, err := fmt.Sscan(string(text), &mapped, &resident, &shared, &code, &library, &data); err != nil {
		return 0, 0, fmt.Errorf("read the memory usage: %w", err)
	}
	page := int64(os.Getpagesize())
	return mapped * page, data * page, nil
}

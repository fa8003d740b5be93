package confine

import (
	"errors"
	"fmt"
	"io/fs"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Files restricts the calling thread, and the programs started from it, to the files in access. The thread must be
// locked to its goroutine and end with it. On a kernel without Landlock, Files only prevents gaining privileges.
func Files(access Access) error {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("set no_new_privs: %w", err)
	}
	version := landlockVersion()
	if version == 0 {
		return nil
	}
	handled := handledRights(version)
	ruleset, err := createRuleset(handled, version)
	if err != nil {
		return err
	}
	defer unix.Close(ruleset)
	const (
		read  = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR
		write = unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE
	)
	if err := errors.Join(
		allowPaths(ruleset, access.Read, read&handled),
		allowPaths(ruleset, access.Write, (read|write)&handled),
		allowOpen(ruleset, access.Inherit),
	); err != nil {
		return err
	}
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, uintptr(ruleset), 0, 0); errno != 0 {
		return fmt.Errorf("confine the thread's files: %w", errno)
	}
	return nil
}

// landlockVersion returns the kernel's Landlock ABI version; 0 if the kernel has no Landlock.
func landlockVersion() int {
	version, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0
	}
	return int(version)
}

// handledRights returns all file rights that this version can restrict.
func handledRights(version int) uint64 {
	rights := uint64(unix.LANDLOCK_ACCESS_FS_MAKE_SYM<<1 - 1)
	for since, right := range map[int]uint64{
		2: unix.LANDLOCK_ACCESS_FS_REFER, 3: unix.LANDLOCK_ACCESS_FS_TRUNCATE, 5: unix.LANDLOCK_ACCESS_FS_IOCTL_DEV,
	} {
		if version >= since {
			rights |= right
		}
	}
	return rights
}

// createRuleset creates a ruleset that allows nothing: no file and, if the kernel supports it, no TCP and no signals to
// outside processes.
func createRuleset(handled uint64, version int) (int, error) {
	const word, networkSince, scopeSince = 8, 4, 6
	attributes := [3]uint64{handled}
	size := word
	if version >= networkSince {
		attributes[1] = unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
		size += word
	}
	if version >= scopeSince {
		attributes[2] = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | unix.LANDLOCK_SCOPE_SIGNAL
		size += word
	}
	ruleset, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET,
		uintptr(unsafe.Pointer(&attributes)), uintptr(size), 0) //nolint:gosec // read by the kernel
	if errno != 0 {
		return 0, fmt.Errorf("create the file rules: %w", errno)
	}
	return int(ruleset), nil
}

func allowPaths(ruleset int, paths []string, rights uint64) error {
	for _, path := range paths {
		descriptor, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return fmt.Errorf("allow %s: %w", path, err)
		}
		err = allow(ruleset, descriptor, rights)
		if closing := unix.Close(descriptor); err == nil {
			err = closing
		}
		if err != nil {
			return fmt.Errorf("allow %s: %w", path, err)
		}
	}
	return nil
}

func allowOpen(ruleset int, descriptors []int) error {
	for _, descriptor := range descriptors {
		if err := allow(ruleset, descriptor, unix.LANDLOCK_ACCESS_FS_READ_FILE); err != nil {
			return fmt.Errorf("allow file %d: %w", descriptor, err)
		}
	}
	return nil
}

// allow adds a rule for a file, or for a folder and everything below. The kernel rejects directory rights for a file,
// so they are cleared.
func allow(ruleset, descriptor int, rights uint64) error {
	var stat unix.Stat_t
	if err := unix.Fstat(descriptor, &stat); err != nil {
		return err
	}
	if stat.Mode&unix.S_IFMT != unix.S_IFDIR {
		rights &^= unix.LANDLOCK_ACCESS_FS_READ_DIR
	}
	rule := unix.LandlockPathBeneathAttr{Allowed_access: rights, Parent_fd: int32(descriptor)} //nolint:gosec // a file descriptor
	_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(ruleset), unix.LANDLOCK_RULE_PATH_BENEATH,
		uintptr(unsafe.Pointer(&rule)), 0, 0, 0) //nolint:gosec // the kernel takes the address of the rule
	if errno != 0 {
		return errno
	}
	return nil
}

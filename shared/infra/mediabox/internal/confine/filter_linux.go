package confine

import (
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// filterSystemCalls makes the kernel reject, for all threads and every program started later, the system calls that no
// media decoder needs but attackers use: sockets of every kind, tracing, mounting, namespaces, kernel interfaces with a
// history of vulnerabilities, memory that no limit counts, and leaving the process group, by which all processes are
// killed.
//
// It is a deny list, as in container engines, because the calls made by a decoder's C library change with its version.
// Rejected calls fail with EPERM, so that a program that does not depend on them continues.
func filterSystemCalls() error {
	program := filterProgram()
	if program == nil {
		return unix.ENOSYS
	}
	header := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]} //nolint:gosec // about 150 instructions
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC,
		uintptr(unsafe.Pointer(&header))) //nolint:gosec // the kernel takes the address of the program
	runtime.KeepAlive(program)
	if errno != 0 {
		return errno
	}
	return nil
}

// filterProgram returns the filter as BPF instructions (seccomp(2)).
func filterProgram() []unix.SockFilter {
	const (
		number, architecture, firstArgument = 0, 4, 16 // offsets in struct seccomp_data

		load       = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS
		ifEqual    = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
		ifAtLeast  = unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K
		ifAnyBit   = unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K
		answer     = unix.BPF_RET | unix.BPF_K
		refuse     = unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)
		unknown    = unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)
		namespaces = unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC |
			unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET | unix.CLONE_NEWTIME
	)
	if auditArchitecture == 0 {
		return nil
	}
	// Each test skips the return instruction after it if it does not match.
	program := []unix.SockFilter{
		{Code: load, K: architecture},
		{Code: ifEqual, Jt: 1, K: auditArchitecture},
		{Code: answer, K: unix.SECCOMP_RET_KILL_PROCESS},
		{Code: load, K: number},
		// Numbers of another calling convention (x32) would bypass the list.
		{Code: ifAtLeast, Jf: 1, K: firstForeignNumber},
		{Code: answer, K: unknown},
		// The flags of clone3 are in memory, which a filter cannot read. Libraries fall back to clone.
		{Code: ifEqual, Jf: 1, K: unix.SYS_CLONE3},
		{Code: answer, K: unknown},
	}
	for _, call := range forbiddenCalls() {
		program = append(program,
			unix.SockFilter{Code: ifEqual, Jf: 1, K: call},
			unix.SockFilter{Code: answer, K: refuse})
	}
	return append(program,
		unix.SockFilter{Code: ifEqual, Jt: 1, K: unix.SYS_CLONE},
		unix.SockFilter{Code: answer, K: unix.SECCOMP_RET_ALLOW},
		unix.SockFilter{Code: load, K: firstArgument},
		unix.SockFilter{Code: ifAnyBit, Jf: 1, K: namespaces},
		unix.SockFilter{Code: answer, K: refuse},
		unix.SockFilter{Code: answer, K: unix.SECCOMP_RET_ALLOW})
}

func forbiddenCalls() []uint32 {
	return append(oldForbiddenCalls(),
		// Communication. io_uring would allow it, and everything else, without passing the filter.
		unix.SYS_SOCKET, unix.SYS_SOCKETPAIR, unix.SYS_CONNECT, unix.SYS_BIND, unix.SYS_LISTEN, unix.SYS_ACCEPT,
		unix.SYS_ACCEPT4,
		unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER,
		// Access to other processes.
		unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_KCMP, unix.SYS_PIDFD_GETFD,
		// Other views of the machine.
		unix.SYS_UNSHARE, unix.SYS_SETNS, unix.SYS_CHROOT, unix.SYS_PIVOT_ROOT, unix.SYS_MOUNT, unix.SYS_UMOUNT2,
		unix.SYS_OPEN_TREE, unix.SYS_MOVE_MOUNT, unix.SYS_FSOPEN, unix.SYS_FSCONFIG, unix.SYS_FSMOUNT, unix.SYS_FSPICK,
		unix.SYS_MOUNT_SETATTR, unix.SYS_NAME_TO_HANDLE_AT, unix.SYS_OPEN_BY_HANDLE_AT,
		// Kernel interfaces that no decoder needs.
		unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD, unix.SYS_KEYCTL, unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY,
		unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE, unix.SYS_KEXEC_LOAD, unix.SYS_REBOOT,
		unix.SYS_SWAPON, unix.SYS_SWAPOFF, unix.SYS_ACCT, unix.SYS_QUOTACTL, unix.SYS_SYSLOG, unix.SYS_VHANGUP,
		unix.SYS_SETTIMEOFDAY, unix.SYS_CLOCK_SETTIME, unix.SYS_ADJTIMEX, unix.SYS_CLOCK_ADJTIME,
		unix.SYS_SETHOSTNAME, unix.SYS_SETDOMAINNAME,
		// Memory that outlives its creator or that no limit counts.
		unix.SYS_SHMGET, unix.SYS_SEMGET, unix.SYS_MSGGET, unix.SYS_MQ_OPEN, unix.SYS_MEMFD_CREATE, unix.SYS_MEMFD_SECRET,
		// Leaving the process group that is killed as a whole.
		unix.SYS_SETSID, unix.SYS_SETPGID)
}

package tool

import (
	"runtime"
	"slices"
	"strings"
	"unsafe"

	seccomp "github.com/elastic/go-seccomp-bpf"
	"github.com/elastic/go-seccomp-bpf/arch"
	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// forbidden are the system calls that no media decoder needs but attackers use.
var forbidden = map[string]string{
	"communication; io_uring would allow it, and everything else, without passing the filter": `socket socketpair connect
		bind listen accept accept4 io_uring_setup io_uring_enter io_uring_register`,
	"access to other processes": `ptrace process_vm_readv process_vm_writev kcmp pidfd_getfd`,
	"other views of the machine": `unshare setns chroot pivot_root mount umount2 open_tree move_mount fsopen fsconfig
		fsmount fspick mount_setattr name_to_handle_at open_by_handle_at`,
	"kernel interfaces that no decoder needs": `bpf perf_event_open userfaultfd keyctl add_key request_key init_module
		finit_module delete_module kexec_load kexec_file_load reboot swapon swapoff acct quotactl syslog vhangup
		settimeofday clock_settime adjtimex clock_adjtime sethostname setdomainname ioperm iopl modify_ldt`,
	"memory that outlives its creator or that no limit counts": `shmget semget msgget mq_open memfd_create memfd_secret`,
	"leaving the process group that is killed as a whole":      `setsid setpgid`,
}

// filterSystemCalls makes the kernel reject, for all threads and every program started later, the system calls that no
// media decoder needs but attackers use.
//
// It is a deny list, as in container engines, because the calls made by a decoder's C library change with its version.
// Rejected calls fail with EPERM, so that a program that does not depend on them continues.
func filterSystemCalls() error {
	machine, err := arch.GetInfo("")
	if err != nil || runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" { // never tested on others
		return unix.ENOSYS
	}
	program, err := filterProgram(machine)
	if err != nil {
		return err
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
func filterProgram(machine *arch.Info) ([]unix.SockFilter, error) {
	const (
		refuse       = seccomp.ActionErrno | seccomp.Action(unix.EPERM)
		unknown      = seccomp.ActionErrno | seccomp.Action(unix.ENOSYS)
		architecture = 4 // offset in struct seccomp_data
		word         = 4
		namespaces   = unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC | unix.CLONE_NEWUSER |
			unix.CLONE_NEWPID | unix.CLONE_NEWNET | unix.CLONE_NEWTIME
	)
	policy := seccomp.Policy{DefaultAction: seccomp.ActionAllow, Syscalls: []seccomp.SyscallGroup{
		// The flags of clone3 are in memory, which a filter cannot read. Libraries fall back to clone.
		{Names: []string{"clone3"}, Action: unknown},
		{Names: forbiddenNames(machine), NamesWithCondtions: []seccomp.NameWithConditions{{
			Name: "clone", Conditions: seccomp.ArgumentConditions{{Operation: seccomp.BitsSet, Value: namespaces}},
		}}, Action: refuse},
	}}
	instructions, err := policy.Assemble()
	if err != nil {
		return nil, err
	}
	// The package lets the calls of other architectures pass, which this machine may run as well.
	raw, err := bpf.Assemble(append([]bpf.Instruction{
		bpf.LoadAbsolute{Off: architecture, Size: word},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: uint32(machine.ID), SkipTrue: 1},
		bpf.RetConstant{Val: unix.SECCOMP_RET_KILL_PROCESS},
	}, instructions...))
	if err != nil {
		return nil, err
	}
	program := make([]unix.SockFilter, len(raw))
	for i, instruction := range raw {
		program[i] = unix.SockFilter{Code: instruction.Op, Jt: instruction.Jt, Jf: instruction.Jf, K: instruction.K}
	}
	return program, nil
}

// forbiddenNames returns the forbidden calls that the machine has.
func forbiddenNames(machine *arch.Info) []string {
	var names []string
	for _, group := range forbidden {
		names = append(names, strings.Fields(group)...)
	}
	slices.Sort(names)
	return slices.DeleteFunc(names, func(name string) bool {
		_, known := machine.SyscallNames[name]
		return !known
	})
}

package mediabox

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// childUser is the unprivileged user ID of a child started by root.
const childUser = 65534

// isolation is a way to start a child.
type isolation struct {
	name      string
	flags     uintptr // namespaces
	user      int     // the child's user; 0 keeps the current user
	processes int64   // limit of processes and threads for the child's user; 0 if they cannot be counted separately
}

// isolations returns the ways to start a child, the strongest first.
//
// In its own namespaces, a child has no network and sees only its own processes, and everything that it started ends
// with it. With a user namespace, any user can create them, and the child's processes are counted separately from all
// others. Container engines and some distributions forbid both; then only the system call filter keeps a child from the
// network.
func isolations() []isolation {
	const namespaces = unix.CLONE_NEWNET | unix.CLONE_NEWPID | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS
	if os.Geteuid() == 0 {
		return []isolation{
			{name: "user namespace", flags: unix.CLONE_NEWUSER | namespaces, user: childUser, processes: mostProcesses},
			{name: "namespaces", flags: namespaces, user: childUser},
			{name: "process group", user: childUser},
		}
	}
	return []isolation{
		{name: "user namespace", flags: unix.CLONE_NEWUSER | namespaces, processes: mostProcesses},
		{name: "process group"},
	}
}

func (i isolation) attributes() *syscall.SysProcAttr {
	attributes := &syscall.SysProcAttr{Cloneflags: i.flags, Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if i.user != 0 {
		// Clear the groups too: root's groups would give the child access to files.
		attributes.Credential = &syscall.Credential{Uid: uint32(i.user), Gid: uint32(i.user)} //nolint:gosec // a constant
	}
	if i.flags&unix.CLONE_NEWUSER != 0 {
		user, group := i.user, i.user
		if i.user == 0 {
			user, group = os.Geteuid(), os.Getegid()
		}
		attributes.UidMappings = []syscall.SysProcIDMap{{ContainerID: user, HostID: user, Size: 1}}
		attributes.GidMappings = []syscall.SysProcIDMap{{ContainerID: group, HostID: group, Size: 1}}
		attributes.GidMappingsEnableSetgroups = i.user != 0
	}
	return attributes
}

// thisProgram returns the path of the running program, which works even if its file was replaced or is inaccessible to
// the child's user.
func thisProgram() (string, error) { return "/proc/self/exe", nil }

// niceness is the nice value of children and their programs, so that serving callers takes precedence.
const niceness = 10

// lowerPriority lowers the priority of the calling thread and of what it starts. It never raises a lower priority.
func lowerPriority() {
	const base = 20 // the system call returns 20 minus the nice value
	if priority, err := syscall.Getpriority(syscall.PRIO_PROCESS, 0); err == nil && base-priority < niceness {
		_ = syscall.Setpriority(syscall.PRIO_PROCESS, 0, niceness) // best effort
	}
}

// awaitExit returns when the process has ended, without reaping it: until then its ID is not reused.
func awaitExit(pid int) {
	for errors.Is(unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil), unix.EINTR) {
	}
}

// endGroup kills the process and its whole group.
func endGroup(pid int) error {
	if err := syscall.Kill(-pid, syscall.SIGKILL); !errors.Is(err, syscall.ESRCH) {
		return err
	}
	return os.ErrProcessDone
}

// reap waits for the group's processes that were reparented to this program when the child ended, which happens if this
// program is the init process of a container. All of them have been killed.
func reap(pid int) {
	for {
		if _, err := syscall.Wait4(-pid, nil, 0, nil); err != nil && !errors.Is(err, syscall.EINTR) {
			return
		}
	}
}

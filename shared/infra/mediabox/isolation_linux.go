package mediabox

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// nobody is the user that a child of root becomes.
const nobody = 65534

// isolation is a way to start a child.
type isolation struct {
	name      string
	flags     uintptr // namespaces
	user      int     // whom the child becomes; 0 leaves it the user that it is
	processes int64   // how many processes and threads the child's user may have; 0 when they cannot be counted apart
}

// isolations are the ways to start a child, the strongest first.
//
// In namespaces of its own a child has no network, sees no process but its own, and everything that it started ends with
// it. A user namespace lets anybody have them, and counts the child's processes apart from all others. Container engines
// and some distributions forbid both; the system call filter alone then stands between a child and the network.
func isolations() []isolation {
	const namespaces = unix.CLONE_NEWNET | unix.CLONE_NEWPID | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS
	if os.Geteuid() == 0 {
		return []isolation{
			{name: "user namespace", flags: unix.CLONE_NEWUSER | namespaces, user: nobody, processes: mostProcesses},
			{name: "namespaces", flags: namespaces, user: nobody},
			{name: "process group", user: nobody},
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
		// No groups either: root's would open files to the child.
		attributes.Credential = &syscall.Credential{Uid: uint32(i.user), Gid: uint32(i.user)} //nolint:gosec // nobody
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

// thisProgram is the running program, even when its file was replaced or lies where the child's user cannot go.
func thisProgram() (string, error) { return "/proc/self/exe", nil }

// kindness is the nice value of children and their programs: what serves callers goes first.
const kindness = 10

// lowerPriority makes the calling thread, and what it starts, yield to others. It never raises what somebody lowered.
func lowerPriority() {
	const base = 20 // the system call counts the other way round
	if priority, err := syscall.Getpriority(syscall.PRIO_PROCESS, 0); err == nil && base-priority < kindness {
		_ = syscall.Setpriority(syscall.PRIO_PROCESS, 0, kindness) // a courtesy
	}
}

// awaitExit returns when the process has ended, and leaves it to be waited for: until then its number is not given away.
func awaitExit(pid int) {
	for errors.Is(unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil), unix.EINTR) {
	}
}

// endGroup ends the process and all of its group.
func endGroup(pid int) error {
	if err := syscall.Kill(-pid, syscall.SIGKILL); !errors.Is(err, syscall.ESRCH) {
		return err
	}
	return os.ErrProcessDone
}

// reap takes leave of the group's processes that became ours when the child ended: they do when this program is the first
// of a container. All of them were ended.
func reap(pid int) {
	for {
		if _, err := syscall.Wait4(-pid, nil, 0, nil); err != nil && !errors.Is(err, syscall.EINTR) {
			return
		}
	}
}

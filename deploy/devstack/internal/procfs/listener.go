package procfs

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// ErrNoListener means that no process listens on the port.
var ErrNoListener = errors.New("nothing listens on this port")

// Listener identifies the holder of a TCP port.
type Listener struct {
	// PID and Command are zero if the holder belongs to another user, whose file descriptors cannot be read.
	PID     int
	Command string
	// UID is the owner of the socket.
	UID int
}

// String describes the holder: "pid 4711 (postgres -D …)".
func (l Listener) String() string {
	const widest = 100
	if l.PID == 0 {
		return fmt.Sprintf("a process of user id %d", l.UID)
	}
	command := l.Command
	if len(command) > widest {
		command = command[:widest] + "…"
	}
	return fmt.Sprintf("pid %d (%s)", l.PID, command)
}

// ListenerOn returns the process that listens on a TCP port, over IPv4 or IPv6. It returns ErrNoListener if there is
// none.
func (f FS) ListenerOn(port int) (Listener, error) {
	for _, table := range []string{"tcp", "tcp6"} {
		raw, err := os.ReadFile(filepath.Join(f.root, "net", table)) //nolint:gosec // the process file system
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(raw)) {
			if socket, ok := parseSocket(line); ok && socket.port == port {
				pid := f.ownerOf(socket.inode)
				return Listener{PID: pid, Command: f.CommandLine(pid), UID: socket.uid}, nil
			}
		}
	}
	return Listener{}, ErrNoListener
}

type socket struct {
	port, uid int
	inode     string
}

// parseSocket parses a line of /proc/net/tcp. ok is true only for a socket in state LISTEN.
func parseSocket(line string) (socket, bool) {
	const (
		localAddress, state, uid, inode = 1, 3, 7, 9
		listening                       = "0A"
	)
	fields := strings.Fields(line)
	if len(fields) <= inode || fields[state] != listening {
		return socket{}, false
	}
	_, hexPort, ok := strings.Cut(fields[localAddress], ":")
	if !ok {
		return socket{}, false
	}
	port, err := strconv.ParseUint(hexPort, 16, 16)
	if err != nil {
		return socket{}, false
	}
	owner, err := strconv.Atoi(fields[uid])
	if err != nil {
		return socket{}, false
	}
	return socket{port: int(port), uid: owner, inode: fields[inode]}, true
}

// ownerOf returns the process that holds the socket open, or 0.
func (f FS) ownerOf(inode string) int {
	want := "socket:[" + inode + "]"
	for _, pid := range f.processes() {
		folder := f.path(pid, "fd")
		descriptors, err := os.ReadDir(folder)
		if err != nil {
			continue
		}
		for _, descriptor := range descriptors {
			if target, err := os.Readlink(filepath.Join(folder, descriptor.Name())); err == nil && target == want {
				return pid
			}
		}
	}
	return 0
}

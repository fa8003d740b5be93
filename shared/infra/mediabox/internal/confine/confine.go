// Package confine takes rights from the running process before it opens a stranger's file, and from the programs that it
// starts for that. Nothing here can be undone by the process itself.
package confine

import "time"

// Limits are resource limits of the process; a program that it starts has them too, counted anew.
type Limits struct {
	Memory    int64         // bytes, on top of what the process has taken already
	CPU       time.Duration // processor time; whole seconds
	FileSize  int64         // bytes of the longest file that can be written
	Processes int64         // processes and threads of the user; 0 leaves them unlimited
	Files     int64         // open files
}

// Report tells which guards hold.
type Report struct {
	// Filter: the kernel refuses system calls that no decoder needs, above all to open a socket.
	Filter bool `json:"filter"`
	// Files: programs that the process starts reach no files but those named to Files.
	Files bool `json:"files"`
	// Network identifies the network that the process is in.
	Network string `json:"network"`
}

// Access says which files a program may reach.
type Access struct {
	Read    []string // files and folders, with all below; what does not exist is left out
	Write   []string // as Read, and existing files below may be written; none can be made, renamed or removed
	Inherit []int    // open file descriptors that may be opened again by their number, for reading
}

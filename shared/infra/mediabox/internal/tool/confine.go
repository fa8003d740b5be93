package tool

import "time"

// Limits are resource limits of the process. A program that it starts has the same limits, counted separately.
type Limits struct {
	Memory    int64         // bytes, in addition to what the process already uses
	CPU       time.Duration // processor time; whole seconds
	FileSize  int64         // maximum size of a file that can be written, in bytes
	Processes int64         // processes and threads of the user; 0 leaves them unlimited
	Files     int64         // number of open files
}

// Report lists the guards that are in effect.
type Report struct {
	// Filter reports that the kernel rejects system calls that no decoder needs, above all opening a socket.
	Filter bool `json:"filter"`
	// Files reports that programs started by the process can access only the files passed to Files.
	Files bool `json:"files"`
	// Network identifies the network namespace of the process.
	Network string `json:"network"`
}

// Access lists the files that a program may access. Missing paths are ignored.
type Access struct {
	Folders []string // to be read, with everything below
	Files   []string // to be read
	Write   []string // files and folders in which existing files may be written; none can be created, renamed or removed
	Inherit []int    // open file descriptors that may be reopened by number, for reading
}

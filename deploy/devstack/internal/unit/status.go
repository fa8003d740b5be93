package unit

import (
	"time"

	"fencepost.internal/devstack/internal/procfs"
)

// Status is the control API's description of a unit.
type Status struct {
	State State `json:"state"`
	// PID is absent unless the unit runs.
	PID int `json:"pid,omitempty"`
	// Since is the time of the last state change.
	Since time.Time `json:"since,omitzero"`
	// ResidentBytes is the memory of the process and its descendants in RAM.
	ResidentBytes int64 `json:"residentBytes,omitempty"`
}

// Status returns the current status. It does not wait for a running start or stop.
func (u *Unit) Status() Status {
	u.mu.Lock()
	status, current := Status{State: u.state, Since: u.since}, u.process
	u.mu.Unlock()
	if current != nil {
		status.PID = current.PID()
	}
	return status
}

// Measured returns Status with the memory. It reads every process of the machine.
func (u *Unit) Measured() Status {
	status := u.Status()
	if status.PID == 0 {
		return status
	}
	system := procfs.New(procfs.Root)
	for _, pid := range append(system.Descendants(status.PID), status.PID) {
		status.ResidentBytes += system.ResidentBytes(pid)
	}
	return status
}

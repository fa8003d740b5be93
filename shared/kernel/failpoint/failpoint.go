// Package failpoint marks the instructions at which a test may crash, freeze, delay or fail a process.
//
// Production code calls Hit with a name that it declares as a constant:
//
//	if err := failpoint.Hit(ctx, "publish.after_intent"); err != nil {
//		return err
//	}
//
// Without the build tag failpoint, Hit is an empty function that the compiler removes. With the tag, three
// environment variables say what happens:
//
//   - FAILPOINTS arms points from the start of the process. It is read once, at the first hit.
//   - FAILPOINTS_FILE names a file with further entries, looked at on every hit, so that a test arms a
//     running process. Write it under another name and rename it, so that no half of it is ever read.
//   - FAILPOINTS_LOG names a file to which every entry that acts appends one line, synced to disk before it
//     acts: name, process id, Unix nanoseconds, action. It outlives the process that was killed.
//
// Entries are separated by semicolons or line ends:
//
//	publish.after_intent=kill#3;relay.before_delete=stop#1;x=sleep(200ms);y=error
//
// The actions are kill (SIGKILL to the own process), stop (SIGSTOP to the own process), sleep(duration)
// and error (Hit returns ErrInjected). "#n" means only the n-th hit since the entry was armed, counted from
// 1 within one process, and at most once per log: a process that restarts with the same environment and
// log does not die a second time. Without "#n" an entry acts at each hit.
package failpoint

import "errors"

// ErrInjected is what Hit returns where the action error is armed.
var ErrInjected = errors.New("failpoint: injected error")

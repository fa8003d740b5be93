// Package failpoint marks the instructions at which a test may crash, freeze, delay or fail a process.
//
// Production code calls Hit with a name that it declares as a constant:
//
//	if err := failpoint.Hit(ctx, "publish.after_intent"); err != nil {
//		return err
//	}
//
// Without the build tag failpoint, Hit is an empty function that the compiler removes. With the tag, three environment
// variables control it:
//
//   - FAILPOINTS arms points from the start of the process. It is read once, at the first hit.
//   - FAILPOINTS_FILE names a file with further entries, checked at every hit, so that a test can arm a running
//     process. Write the file under another name and rename it, so that it is never read half-written.
//   - FAILPOINTS_LOG names a file to which every entry that acts appends one line, synced to disk before it
//     acts: name, process id, Unix nanoseconds, action. The file survives the death of the process.
//
// Entries are separated by semicolons or line ends:
//
//	publish.after_intent=kill#3;relay.before_delete=stop#1;x=sleep(200ms);y=error
//
// The actions are kill (SIGKILL to the own process), stop (SIGSTOP to the own process), sleep(duration) and error (Hit
// returns ErrInjected). "#n" limits an entry to the n-th hit since it was armed, counted from 1 within one process, and
// to one action per log: a process that restarts with the same environment and log does not die a second time. Without
// "#n" an entry acts at each hit.
//
// The Engine executes the actions. Its tests run in every build; nothing refers to it in ordinary builds, so that the linker
// leaves it out.
package failpoint

import "errors"

// ErrInjected is returned by Hit if the action error is armed.
var ErrInjected = errors.New("failpoint: injected error")

package tool

import (
	"fmt"

	"github.com/landlock-lsm/go-landlock/landlock"
	llsyscall "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

// Files restricts the calling thread, and the programs started from it, to the files in access, and denies them network
// connections and signals to outside processes where the kernel can. The thread must be locked to its goroutine and end
// with it. On a kernel without Landlock, Files only prevents gaining privileges.
func Files(access Access) error {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("set no_new_privs: %w", err)
	}
	const (
		write     = llsyscall.AccessFSWriteFile | llsyscall.AccessFSTruncate
		readWrite = llsyscall.AccessFSExecute | llsyscall.AccessFSReadFile | write
	)
	rules := []landlock.Rule{
		landlock.RODirs(access.Folders...).IgnoreIfMissing(),
		landlock.ROFiles(access.Files...).IgnoreIfMissing(),
		landlock.PathAccess(readWrite, access.Write...).IgnoreIfMissing(),
	}
	for _, descriptor := range access.Inherit {
		rules = append(rules, landlock.PathAccess(llsyscall.AccessFSReadFile, fmt.Sprintf("/proc/self/fd/%d", descriptor)))
	}
	// The package would restrict all threads: only its rules are used.
	ruleset, flags, err := landlock.V11.BestEffort().NewRulesetFD(rules...)
	if err != nil || ruleset < 0 {
		return err
	}
	defer unix.Close(ruleset)
	if err := llsyscall.LandlockRestrictSelf(ruleset, flags); err != nil {
		return fmt.Errorf("confine the thread's files: %w", err)
	}
	return nil
}

// filesRestricted reports whether the kernel has Landlock.
func filesRestricted() bool {
	version, err := llsyscall.LandlockGetABIVersion()
	return err == nil && version > 0
}

package servers

import (
	"fmt"
	"hash/fnv"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
)

// serverUser is the account that Debian's package creates. PostgreSQL refuses to run as root.
const serverUser = "postgres"

// account returns the credential of the PostgreSQL process: nil (the current user) unless devstack runs as root.
func account() (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil //nolint:nilnil // nil means "no change of user"
	}
	found, err := user.Lookup(serverUser)
	if err != nil {
		return nil, fmt.Errorf("PostgreSQL cannot run as root and there is no user %q to run it as "+
			"(create one, or run devstack as an ordinary user): %w", serverUser, err)
	}
	uid, _ := strconv.ParseUint(found.Uid, 10, 32) // on Linux, both are numbers
	gid, _ := strconv.ParseUint(found.Gid, 10, 32)
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
}

// PlaceFor creates the data folder, owned by the account, and returns its path: folder itself, or, if the account
// cannot reach it (for example in a checkout under /root), a folder in elsewhere to which folder becomes a symbolic
// link.
func PlaceFor(folder string, as *syscall.Credential, other string) (string, error) {
	const ownerAll = 0o700
	target := folder
	if as != nil && !reachable(filepath.Dir(folder), as) {
		hash := fnv.New32a()
		_, _ = hash.Write([]byte(folder))
		target = filepath.Join(other, fmt.Sprintf("devstack-%08x", hash.Sum32()))
		if existing, err := os.Readlink(folder); err != nil || existing != target {
			if err := os.Symlink(target, folder); err != nil {
				return "", err
			}
		}
	}
	if err := os.MkdirAll(target, ownerAll); err != nil || as == nil {
		return target, err
	}
	return target, os.Chown(target, int(as.Uid), int(as.Gid))
}

// reachable reports whether the account may traverse every folder up to the root.
func reachable(folder string, as *syscall.Credential) bool {
	const others, group, owner = 0o001, 0o010, 0o100
	info, err := os.Stat(folder)
	if err != nil {
		return false
	}
	needed := os.FileMode(others)
	if stat, ok := info.Sys().(*syscall.Stat_t); ok && stat.Uid == as.Uid {
		needed = owner
	} else if ok && stat.Gid == as.Gid {
		needed = group
	}
	return info.Mode()&needed != 0 && (folder == filepath.Dir(folder) || reachable(filepath.Dir(folder), as))
}

// RemovePostgres deletes a data folder, including the target of the link that PlaceFor created.
func RemovePostgres(folder string) error {
	if target, err := os.Readlink(folder); err == nil {
		if err := os.RemoveAll(target); err != nil {
			return err
		}
	}
	return os.RemoveAll(folder)
}

package postgres

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
	uid, err := strconv.ParseUint(found.Uid, 10, 32)
	if err != nil {
		return nil, fmt.Errorf("user id of %s: %w", serverUser, err)
	}
	gid, err := strconv.ParseUint(found.Gid, 10, 32)
	if err != nil {
		return nil, fmt.Errorf("group id of %s: %w", serverUser, err)
	}
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
}

// fallbackParent contains the data of checkouts that the database's user cannot reach.
const fallbackParent = "/var/lib"

// PlaceFor creates the data folder, owned by the account, and returns its path: folder itself, or, if the account
// cannot reach it (for example in a checkout under /root), a folder in elsewhere to which folder becomes a symbolic
// link.
func PlaceFor(folder string, as *syscall.Credential, elsewhere string) (string, error) {
	const ownerAll = 0o700
	target := folder
	if as != nil && !reachable(filepath.Dir(folder), as) {
		hash := fnv.New32a()
		_, _ = hash.Write([]byte(folder))
		target = filepath.Join(elsewhere, fmt.Sprintf("devstack-%08x", hash.Sum32()))
		if err := link(target, folder); err != nil {
			return "", err
		}
	}
	if err := os.MkdirAll(target, ownerAll); err != nil {
		return "", fmt.Errorf("create the database's folder: %w", err)
	}
	if as == nil {
		return target, nil
	}
	if err := os.Chown(target, int(as.Uid), int(as.Gid)); err != nil {
		return "", fmt.Errorf("change the owner of the database's folder to %s: %w", serverUser, err)
	}
	return target, nil
}

func link(target, name string) error {
	if existing, err := os.Readlink(name); err == nil && existing == target {
		return nil
	}
	if err := os.Symlink(target, name); err != nil {
		return fmt.Errorf("link the database's folder: %w", err)
	}
	return nil
}

// reachable reports whether the account may traverse every folder up to the root.
func reachable(folder string, as *syscall.Credential) bool {
	const others, group, owner = 0o001, 0o010, 0o100
	for ; ; folder = filepath.Dir(folder) {
		info, err := os.Stat(folder)
		if err != nil {
			return false
		}
		needed := os.FileMode(others)
		if stat, ok := info.Sys().(*syscall.Stat_t); ok {
			switch {
			case stat.Uid == as.Uid:
				needed = owner
			case stat.Gid == as.Gid:
				needed = group
			}
		}
		if info.Mode()&needed == 0 {
			return false
		}
		if folder == filepath.Dir(folder) {
			return true
		}
	}
}

// Remove deletes a data folder, including the target of the link that PlaceFor created.
func Remove(folder string) error {
	if target, err := os.Readlink(folder); err == nil {
		if err := os.RemoveAll(target); err != nil {
			return fmt.Errorf("remove the database: %w", err)
		}
	}
	if err := os.RemoveAll(folder); err != nil {
		return fmt.Errorf("remove the database: %w", err)
	}
	return nil
}

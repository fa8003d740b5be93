package backup

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"

	"fencepost.internal/shared/infra/postgres"
)

// majorOf is the factor of the major version in PostgreSQL's version numbers.
const majorOf = 10_000

var toolVersion = regexp.MustCompile(`\(PostgreSQL\) (\d+)`)

// dump writes a snapshot of the database.
func dump(ctx context.Context, address string, s postgres.Snapshot, path string) error {
	version, err := tool(ctx, "", "pg_dump", "--version")
	if err != nil {
		return err
	}
	found := toolVersion.FindStringSubmatch(version)
	if found == nil {
		return fmt.Errorf("pg_dump reports no version: %s", version)
	}
	if major, _ := strconv.Atoi(found[1]); major < s.Server.Number/majorOf {
		return fmt.Errorf("pg_dump %d cannot dump a server of version %s; install the client programs of that version", major,
			s.Server.Version)
	}
	_, err = tool(ctx, address, "pg_dump", "--format=custom", "--no-owner", "--no-privileges", "--snapshot="+s.ID,
		"--file="+path)
	return err
}

// restore writes the dump into an empty database, all or nothing.
func restore(ctx context.Context, address, path string) error {
	_, err := tool(ctx, address, "pg_restore", "--no-owner", "--no-privileges", "--single-transaction", "--exit-on-error", path)
	return err
}

// listed checks that the dump can be read to its table of contents.
func listed(ctx context.Context, path string) error {
	_, err := tool(ctx, "", "pg_restore", "--list", path)
	return err
}

// tool runs a client program of PostgreSQL. The password is in its environment, because other users of the machine can
// read the arguments of programs.
func tool(ctx context.Context, address, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)                                           //nolint:gosec // G204: constants of this package
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME"), "LC_ALL=C"} //nolint:forbidigo // of the child
	if address != "" {
		public, password, err := withoutPassword(address)
		if err != nil {
			return "", err
		}
		cmd.Args = append(cmd.Args, "--dbname="+public)
		cmd.Env = append(cmd.Env, "PGPASSWORD="+password)
	}
	var faults strings.Builder
	cmd.Stderr = &faults
	out, err := cmd.Output()
	if errors.Is(err, exec.ErrNotFound) {
		return "", fmt.Errorf("%s is not installed; install PostgreSQL's client programs (Debian: postgresql-client)", name)
	}
	if err != nil {
		return "", fmt.Errorf("%s: %w: %s", name, err, strings.TrimSpace(faults.String()))
	}
	return string(out), nil
}

func withoutPassword(address string) (public, password string, err error) {
	u, err := url.Parse(address)
	if err != nil {
		return "", "", errors.New("DATABASE_URL is not a URL") // the cause would expose the password
	}
	if u.User != nil {
		password, _ = u.User.Password()
		u.User = url.User(u.User.Username())
	}
	return u.String(), password, nil
}

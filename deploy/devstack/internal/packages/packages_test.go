package packages_test

import (
	"context"
	"errors"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"socialpub.internal/devstack/internal/packages"
)

var errBroken = errors.New("broken")

type installation struct {
	commands []string
	fail     string
}

func (i *installation) run(_ context.Context, env []string, name string, args ...string) error {
	command := name + " " + strings.Join(args, " ")
	i.commands = append(i.commands, strings.Join(env, " ")+" "+command)
	if i.fail != "" && strings.Contains(command, i.fail) {
		return errBroken
	}
	return nil
}

func installer(done *installation) packages.Installer {
	return packages.Installer{
		Root: true, LookPath: func(name string) (string, error) { return "/usr/bin/" + name, nil }, Run: done.run, Report: func(string) {},
	}
}

func set() packages.Set {
	return packages.Set{Name: "two programs", Debian: []string{"one", "two"}, Elsewhere: "one and two"}
}

func TestInstall(t *testing.T) {
	t.Parallel()
	var done installation
	prepared, wanted := false, set()
	wanted.Prepare = func() error {
		prepared = true
		require.Empty(t, done.commands)
		return nil
	}
	require.NoError(t, installer(&done).Install(t.Context(), wanted))
	require.True(t, prepared)
	require.Len(t, done.commands, 2)
	require.Contains(t, done.commands[0], "apt-get update")
	require.Contains(t, done.commands[1], "DEBIAN_FRONTEND=noninteractive apt-get install")
	require.Contains(t, done.commands[1], "--no-install-recommends")
	require.True(t, strings.HasSuffix(done.commands[1], " one two"))
}

func TestInstallSaysWhatToDoWhereItCannot(t *testing.T) {
	t.Parallel()
	var done installation
	i := installer(&done)
	i.Root = false
	err := i.Install(t.Context(), set())
	require.ErrorIs(t, err, packages.ErrByHand)
	require.ErrorContains(t, err, "sudo apt-get install -y one two")

	i.LookPath = func(string) (string, error) { return "", exec.ErrNotFound }
	err = i.Install(t.Context(), set())
	require.ErrorIs(t, err, packages.ErrByHand)
	require.ErrorContains(t, err, "one and two, with your package manager")
	require.Empty(t, done.commands)
}

func TestInstallReportsTheStepThatFailed(t *testing.T) {
	t.Parallel()
	for _, step := range []string{"update", "install"} {
		done := installation{fail: step}
		err := installer(&done).Install(t.Context(), set())
		require.ErrorIs(t, err, errBroken)
		require.ErrorContains(t, err, "apt-get "+step)
	}
	wanted := set()
	wanted.Prepare = func() error { return errBroken }
	var done installation
	require.ErrorIs(t, installer(&done).Install(t.Context(), wanted), errBroken)
	require.Empty(t, done.commands)
}

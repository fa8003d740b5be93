package command

import (
	_ "embed"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

//go:embed reference.md
var introduction string

// reference writes docs/reference/cli.md (make generate).
func (a *app) reference() *cobra.Command {
	return &cobra.Command{
		Use: "reference", Hidden: true, Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if _, err := io.WriteString(a.Out, introduction); err != nil {
				return err
			}
			return describeAll(a.Out, cmd.Root())
		},
	}
}

// describeAll writes a section for each command that does something, in the order of the help.
func describeAll(w io.Writer, root *cobra.Command) error {
	for _, cmd := range root.Commands() {
		if cmd.Hidden || cmd.Name() == "help" || cmd.Name() == "completion" {
			continue
		}
		if cmd.HasSubCommands() {
			if err := describeAll(w, cmd); err != nil {
				return err
			}
			continue
		}
		if err := describeOne(w, cmd); err != nil {
			return err
		}
	}
	return nil
}

func describeOne(w io.Writer, cmd *cobra.Command) error {
	var b strings.Builder
	fmt.Fprintf(&b, "\n### %s\n\n%s.\n\n```\n%s\n```\n", cmd.CommandPath(), cmd.Short, cmd.UseLine())
	if cmd.Long != "" {
		fmt.Fprintf(&b, "\n%s\n", cmd.Long)
	}
	var flags []string
	cmd.LocalNonPersistentFlags().VisitAll(func(flag *pflag.Flag) {
		name, usage := pflag.UnquoteUsage(flag)
		line := "- `--" + flag.Name
		if flag.Shorthand != "" {
			line = "- `-" + flag.Shorthand + "`, `--" + flag.Name
		}
		if name != "" && flag.Value.Type() != "bool" {
			line += " " + name
		}
		flags = append(flags, line+"`: "+usage)
	})
	flags = slices.DeleteFunc(flags, func(line string) bool { return strings.Contains(line, "`--help`") })
	if len(flags) > 0 {
		fmt.Fprintf(&b, "\n%s\n", strings.Join(flags, "\n"))
	}
	if cmd.Example != "" {
		lines := strings.Split(cmd.Example, "\n")
		for i, line := range lines {
			lines[i] = strings.TrimPrefix(strings.TrimPrefix(line, "  "), "$ ")
		}
		fmt.Fprintf(&b, "\n```sh\n%s\n```\n", strings.Join(lines, "\n"))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

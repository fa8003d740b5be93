package cli

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"socialpub.internal/services/admin/internal/operator"
)

// ordered are the command's flags, shown in the order in which they are declared.
func ordered(cmd *cobra.Command) *pflag.FlagSet {
	cmd.Flags().SortFlags = false
	return cmd.Flags()
}

func workspaceFlag(cmd *cobra.Command, target *string) {
	cmd.Flags().StringVar(target, operator.MemberWorkspace, "", "`ID` of the workspace (required)")
}

func skipCheckFlag(cmd *cobra.Command, target *bool) {
	cmd.Flags().BoolVar(target, operator.FlagSkipCheck, false, "store the credentials without asking the network about them")
}

// complete lets the shell complete a flag's value.
func complete[S ~string](cmd *cobra.Command, flag string, values []S) {
	words := convert(values, func(v S) string { return string(v) })
	// It fails only for a flag that does not exist; then there is nothing to complete.
	_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
}

func join[S ~string](values []S) string {
	return strings.Join(convert(values, func(v S) string { return string(v) }), ", ")
}

// indented writes the values one a line.
func indented[S ~string](values []S) string {
	return strings.Join(convert(values, func(v S) string { return "\n  " + string(v) }), "")
}

// convert makes a list out of another; never nil, so that JSON shows an empty list.
func convert[A, B any](values []A, to func(A) B) []B {
	out := make([]B, len(values))
	for i, v := range values {
		out[i] = to(v)
	}
	return out
}

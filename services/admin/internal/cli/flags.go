package cli

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"fencepost.internal/services/admin/internal/operator"
)

// ordered returns the command's flags and keeps their declaration order in the help.
func ordered(cmd *cobra.Command) *pflag.FlagSet {
	cmd.Flags().SortFlags = false
	return cmd.Flags()
}

func workspaceFlag(cmd *cobra.Command, target *string) {
	cmd.Flags().StringVar(target, operator.MemberWorkspace, "", "`ID` of the workspace (required)")
}

func skipCheckFlag(cmd *cobra.Command, target *bool) {
	cmd.Flags().BoolVar(target, operator.FlagSkipCheck, false,
		"store the credentials without verifying them with the network")
}

// complete registers shell completion for a flag's values.
func complete[S ~string](cmd *cobra.Command, flag string, values []S) {
	words := convert(values, func(v S) string { return string(v) })
	// The call fails only for an undefined flag, which has no values to complete.
	_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
}

func join[S ~string](values []S) string {
	return strings.Join(convert(values, func(v S) string { return string(v) }), ", ")
}

// indented writes one value per line.
func indented[S ~string](values []S) string {
	return strings.Join(convert(values, func(v S) string { return "\n  " + string(v) }), "")
}

// convert converts each element. It never returns nil, so that JSON contains an empty list.
func convert[A, B any](values []A, to func(A) B) []B {
	out := make([]B, len(values))
	for i, v := range values {
		out[i] = to(v)
	}
	return out
}

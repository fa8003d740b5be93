package cli

import (
	"bufio"
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

// confirm prompts on the terminal and reports whether the input is y or yes. The end of the input counts as no.
func confirm(cmd *cobra.Command, question string) bool {
	cmd.Print(question)
	answer, err := bufio.NewReader(cmd.InOrStdin()).ReadString('\n')
	if err != nil && answer == "" {
		cmd.Println()
		return false
	}
	answer = strings.ToLower(strings.TrimSpace(answer))
	return answer == "y" || answer == "yes"
}

func contextWithTimeout(cmd *cobra.Command, timeout time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(cmd.Context(), timeout)
}

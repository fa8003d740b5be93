package command

import (
	"strings"

	"github.com/spf13/cobra"

	fencepost "fencepost.internal/sdk/go"
)

// completeChannels completes the names of channels, by which the flag takes them.
func (a *app) completeChannels(cmd *cobra.Command, flag string) {
	_ = cmd.RegisterFlagCompletionFunc(flag, func(cmd *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) { // fails only for an undefined flag
		client, err := a.client()
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		names, err := newResolver(cmd.Context(), client)
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		var found []string
		for _, c := range names.all {
			if strings.HasPrefix(strings.ToLower(c.Name), strings.ToLower(begun)) {
				found = append(found, cobra.CompletionWithDesc(c.Name, string(c.Type)))
			}
		}
		return found, cobra.ShellCompDirectiveNoFileComp
	})
}

// completeWords completes the values of an enumeration.
func completeWords[T ~string](cmd *cobra.Command, flag string, values ...T) {
	_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words(values), cobra.ShellCompDirectiveNoFileComp)) // fails only for an undefined flag
}

func words[T ~string](values []T) []string {
	texts := make([]string, len(values))
	for i, value := range values {
		texts[i] = strings.ToLower(string(value))
	}
	return texts
}

// postStates are the states that lists of posts filter by.
var postStates = []fencepost.PostStatus{
	fencepost.PostStatusDraft, fencepost.PostStatusPendingApproval, fencepost.PostStatusScheduled, fencepost.PostStatusPublished,
	fencepost.PostStatusFailed, fencepost.PostStatusArchived,
}

// eventKinds are the types of events.
var eventKinds = []fencepost.EventType{
	fencepost.EventTypePostCreated, fencepost.EventTypePostScheduled, fencepost.EventTypePostUnscheduled, fencepost.EventTypePostUpdated,
	fencepost.EventTypePostPublished, fencepost.EventTypePostFailed, fencepost.EventTypePostDeleted,
	fencepost.EventTypePostApprovalRequested, fencepost.EventTypePostApproved, fencepost.EventTypePostRejected,
	fencepost.EventTypePostCommented, fencepost.EventTypeChannelConnected, fencepost.EventTypeChannelDisconnected,
	fencepost.EventTypeChannelAccessLost, fencepost.EventTypeChannelAccessRestored, fencepost.EventTypeChannelExpiring,
	fencepost.EventTypeMediaReady, fencepost.EventTypeMediaFailed, fencepost.EventTypeLeadCreated, fencepost.EventTypeLeadStageChanged,
}

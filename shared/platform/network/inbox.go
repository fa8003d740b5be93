package network

import "slices"

// The parts of the inbox that an operator turns on by the variable <NETWORK>_INBOX, because networks approve their
// permissions one by one. The value InboxOff alone turns on none.
const (
	InboxComments = "comments"
	InboxMentions = "mentions"
	InboxReviews  = "reviews"
	InboxOff      = "off"
)

// InboxOnSandbox returns the setting on the sandbox network: everything, unless it is set.
func InboxOnSandbox(setting []string) []string {
	if len(setting) > 0 {
		return setting
	}
	return []string{InboxComments, InboxMentions, InboxReviews}
}

// Reads reports whether the setting of the variable has a part.
func Reads(setting []string, part string) bool {
	return slices.Contains(setting, part) && !slices.Contains(setting, InboxOff)
}

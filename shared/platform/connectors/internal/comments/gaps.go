package comments

import (
	"fmt"
	"slices"

	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/platform"
)

// Gaps returns the findings about parts of these kinds on a network, whose permissions connections do not have before the
// operator sets a variable.
func Gaps(content platform.Content, network, variable string, kinds ...post.PartKind) (found []platform.Finding) {
	for _, kind := range kinds {
		is := func(part platform.Content) bool { return part.ReplyTo != nil && part.ReplyTo.Kind == kind }
		if !is(content) && !slices.ContainsFunc(content.Parts, is) {
			continue
		}
		member, what, remedy := post.MemberFirstComment, "First comments", "Remove the first comment."
		if kind == post.PartReply {
			member, what, remedy = post.MemberThread, "Threads", "Write one post."
		}
		found = append(found, platform.Finding{
			Member:  string(member),
			Message: fmt.Sprintf("%s on %s are off, because the operator of this service has not set %s. %s", what, network, variable, remedy),
		})
	}
	return found
}

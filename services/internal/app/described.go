package app

import (
	"fmt"
	"maps"
	"slices"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/domain/workspace"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/platform"
)

// undescribed returns the faults of attachments without alternative texts, if the workspace requires these of people.
func (a *postUseCases) undescribed(p Principal, of channel.Channel, content platform.Content) (faults []apperr.Field) {
	if p.Person.AltTexts != workspace.AltTextsRequired {
		return nil
	}
	for n, one := range append([]platform.Content{content}, content.Parts...) {
		pointer := "/mediaAltTexts"
		if n > 0 {
			pointer = fmt.Sprintf("/thread/%d/mediaAltTexts", n-1)
		}
		for _, i := range a.rules.Undescribed(of.Type, one) {
			faults = append(faults, apperr.Field{Pointer: pointer, Message: fmt.Sprintf(
				"%q needs a description on %s, because this workspace requires it. Edit the post to describe it",
				one.Media[i].Name, of.Name)})
		}
	}
	return faults
}

// described checks a change by which a post will be published or approved, or that changes its attachments after that.
func (a *postUseCases) described(p Principal, change post.Change, of channel.Channel, content platform.Content) error {
	before, after := change.From, change.Post
	if before.Status == after.Status && slices.Equal(before.MediaIDs, after.MediaIDs) &&
		maps.Equal(before.MediaAltTexts, after.MediaAltTexts) && post.EqualThreads(before.Thread, after.Thread) {
		return nil
	}
	return apperr.Invalid(a.undescribed(p, of, content))
}

package post

import (
	"slices"

	"fencepost.internal/shared/kernel/ident"
)

// Member names a member of a post that the posts of a set share, except where a post has its own.
type Member string

// Members that a post of a set may have of its own (docs/contract.md, Sets).
const (
	MemberContent       Member = "content"
	MemberTitle         Member = "title"
	MemberContentType   Member = "contentType"
	MemberMediaIDs      Member = "mediaIds"
	MemberMediaAltTexts Member = "mediaAltTexts"
	MemberOptions       Member = "options"
	MemberThread        Member = "thread"
	MemberFirstComment  Member = "firstComment"
)

// Members lists the members that a post of a set may have of its own.
func Members() []Member {
	return []Member{
		MemberContent, MemberTitle, MemberContentType, MemberMediaIDs, MemberMediaAltTexts, MemberOptions, MemberThread, MemberFirstComment,
	}
}

// InSet reports whether the post was created together with others.
func (p Post) InSet() bool { return !p.GroupID.IsZero() && p.GroupID != ident.Group(p.ID) }

// Base returns the first post of a set that has the content of the set, or the first one if each has its own.
func Base(set []Post) Post {
	at := slices.IndexFunc(set, func(p Post) bool { return !slices.Contains(p.Own, MemberContent) })
	return set[max(at, 0)]
}

// withMember returns the members with another one, in the order of Members.
func withMember(own []Member, name Member) []Member {
	if slices.Contains(own, name) {
		return own
	}
	own = append(slices.Clone(own), name)
	slices.SortFunc(own, func(a, b Member) int { return slices.Index(Members(), a) - slices.Index(Members(), b) })
	return own
}

// without returns the members except some.
func without(own, left []Member) []Member {
	return slices.DeleteFunc(slices.Clone(own), func(name Member) bool { return slices.Contains(left, name) })
}

// OfBase returns the edit of a post that changes the base of its set: without the members that the post has of its own.
func (p Post) OfBase(edit Edit) Edit {
	for name, drop := range map[Member]func(){
		MemberContent: func() { edit.Content = nil }, MemberTitle: func() { edit.Title = nil },
		MemberContentType: func() { edit.ContentType = nil }, MemberMediaIDs: func() { edit.MediaIDs = nil },
		MemberMediaAltTexts: func() { edit.MediaAltTexts = nil }, MemberOptions: func() { edit.Options = nil },
		MemberThread: func() { edit.Thread = nil }, MemberFirstComment: func() { edit.Comment = nil },
	} {
		if slices.Contains(p.Own, name) {
			drop()
		}
	}
	edit.OfBase = true
	return edit
}

// Keeps returns the members of an edit of the base that the post does not follow, because it has its own.
func (p Post) Keeps(edit Edit) []Member {
	sent := map[Member]bool{
		MemberContent: edit.Content != nil, MemberTitle: edit.Title != nil, MemberContentType: edit.ContentType != nil,
		MemberMediaIDs: edit.MediaIDs != nil, MemberMediaAltTexts: edit.MediaAltTexts != nil, MemberOptions: edit.Options != nil,
		MemberThread: edit.Thread != nil, MemberFirstComment: edit.Comment != nil,
	}
	var kept []Member
	for _, name := range p.Own {
		if sent[name] {
			kept = append(kept, name)
		}
	}
	return kept
}

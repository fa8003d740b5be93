package linkpage

import "fencepost.internal/shared/kernel/ident"

// TypePostCard is the type of a post.
const TypePostCard BlockType = "POST_CARD"

// PostCard shows a post of the workspace once it is published.
type PostCard struct {
	PostID  ident.Post `json:"postId"`
	Caption string     `json:"caption"`
}

// Type returns POST_CARD.
func (PostCard) Type() BlockType { return TypePostCard }

// Traits implements Settings.
func (s PostCard) Traits() Traits { return Traits{Label: s.Caption, Post: &s.PostID} }

// Fields implements Settings.
func (s PostCard) Fields() []Field { return postCardFields(&s) }

func postCardFields(s *PostCard) []Field {
	return []Field{
		publication(&s.PostID, Field{
			Name: "postId", Required: true, Doc: "Post of the workspace. It is shown once it is published.",
		}),
		line(&s.Caption, Field{
			Name: "caption", Max: MaxDescription, Example: "From the kiln", Doc: "A line below the post.",
		}),
	}
}

func postCardBlock() Descriptor {
	return describe(Descriptor{
		Name: "Post", Icon: "send",
		Remark: "Shows the post's text, first image and address once it is published",
	}, postCardFields)
}

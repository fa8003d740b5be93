package facebookapi

import (
	"net/http"
	"slices"

	"fencepost.internal/services/sandbox/internal/metaapi"
)

// The types of objects of the Graph API. Only fields that the sandbox serves, and a few others of the documentation, are
// known: a connector that asks for another one is refused as by Facebook.

func postNode() *metaapi.Node {
	counted := metaapi.NewNode("Profile", "name")
	target := metaapi.NewNode("StoryAttachmentTarget", "url")
	sub := metaapi.NewNode("StoryAttachment", "media_type", "title", "type", "url", "description").With("target", target)
	return metaapi.NewNode("Post", "created_time", "is_published", "message", "permalink_url", "updated_time", "status_type",
		fieldShares).
		With("from", counted).With("reactions", counted).With("comments", metaapi.NewNode("Comment", "message")).
		With("attachments", sub.With("subattachments", sub))
}

func videoNode() *metaapi.Node {
	return metaapi.NewNode("Video", "status", "published", "permalink_url", "description", "created_time", "title", "post_id",
		"length")
}

func photoNode() *metaapi.Node {
	return metaapi.NewNode("Photo", "page_story_id", "created_time", "alt_text_custom", "link", "name")
}

func storyNode() *metaapi.Node {
	return metaapi.NewNode("PageStory", "post_id", "status", "creation_time", "media_type", "media_id", "url")
}

// objectNode returns the type of a photo or a video.
func objectNode(of object) *metaapi.Node {
	if of.Kind == kindPhoto {
		return photoNode()
	}
	return videoNode()
}

// known returns the requested fields. If the node does not have one, it writes an error response and returns false.
func known(w http.ResponseWriter, r request, node *metaapi.Node) ([]string, bool) {
	return metaapi.SplitFields(r.values.Get("fields")), !node.Refuses(w, r.values, graphError)
}

// pick returns the wanted members that exist.
func pick(all map[string]any, wanted []string) map[string]any {
	shown := make(map[string]any, len(wanted))
	for _, field := range wanted {
		name := metaapi.FieldName(field)
		if value, ok := all[name]; ok {
			shown[name] = value
		}
	}
	return shown
}

// wants reports whether the field is requested.
func wants(wanted []string, name string) bool {
	return slices.ContainsFunc(wanted, func(field string) bool { return metaapi.FieldName(field) == name })
}

package post

import "reflect"

// Options are a platform's own settings of a post, taken by the platform endpoints and handed to the connector
// (specification, Platform-specific creation endpoints). They are one set of members over all platforms: each platform knows
// some of them, and package rules refuses the others. A pointer that is nil was not said: the network's or the account's own
// setting then holds.
type Options struct {
	// YouTube
	VideoType         string `json:"videoType,omitempty"` // video or short
	Category          string `json:"category,omitempty"`  // YouTube's number of a category
	License           string `json:"license,omitempty"`   // youtube or creativeCommon
	NotifySubscribers *bool  `json:"notifySubscribers,omitempty"`
	AllowEmbedding    *bool  `json:"allowEmbedding,omitempty"`
	MadeForKids       *bool  `json:"madeForKids,omitempty"`

	// YouTube and LinkedIn: who may see the post, in the platform's words.
	Visibility string `json:"visibility,omitempty"`

	// TikTok
	AllowComments *bool `json:"allowComments,omitempty"`
	AllowDuet     *bool `json:"allowDuet,omitempty"`
	AllowStitch   *bool `json:"allowStitch,omitempty"`
	BrandContent  *bool `json:"brandContent,omitempty"`
	BrandOrganic  *bool `json:"brandOrganic,omitempty"`
	UploadToDraft *bool `json:"uploadToDraft,omitempty"`

	// Pinterest
	BoardID string `json:"boardId,omitempty"`
	Link    string `json:"link,omitempty"`
	AltText string `json:"altText,omitempty"`
}

// IsZero reports whether nothing was said.
func (o Options) IsZero() bool { return o == Options{} }

// Equal reports whether the same was said.
func (o Options) Equal(other Options) bool { return reflect.DeepEqual(o, other) }

package post

import "reflect"

// Options holds platform-specific settings of a post, accepted by the platform endpoints and passed to the connector
// (docs/contract.md, Platform endpoints). The fields of all platforms share one struct: each platform supports some of
// them, and package rules refuses the others. A nil pointer means that the field was not given, and the default of the
// network or the account applies.
type Options struct {
	// YouTube
	VideoType         string `json:"videoType,omitempty"` // video or short
	Category          string `json:"category,omitempty"`  // YouTube's category number
	License           string `json:"license,omitempty"`   // youtube or creativeCommon
	NotifySubscribers *bool  `json:"notifySubscribers,omitempty"`
	AllowEmbedding    *bool  `json:"allowEmbedding,omitempty"`
	MadeForKids       *bool  `json:"madeForKids,omitempty"`

	// YouTube and LinkedIn: the visibility of the post, by the platform's names.
	Visibility string `json:"visibility,omitempty"`

	// TikTok
	Privacy       string `json:"privacy,omitempty"` // who may watch, by TikTok's names; empty: everyone
	AllowComments *bool  `json:"allowComments,omitempty"`
	AllowDuet     *bool  `json:"allowDuet,omitempty"`
	AllowStitch   *bool  `json:"allowStitch,omitempty"`
	BrandContent  *bool  `json:"brandContent,omitempty"`
	BrandOrganic  *bool  `json:"brandOrganic,omitempty"`
	UploadToDraft *bool  `json:"uploadToDraft,omitempty"`

	// Pinterest
	BoardID        string `json:"boardId,omitempty"`
	BoardSectionID string `json:"boardSectionId,omitempty"`

	// Pinterest, LinkedIn and Facebook: the target of the pin, or of a card.
	Link string `json:"link,omitempty"`

	// Pinterest
	AltText string `json:"altText,omitempty"`

	// Instagram, and ThumbOffset TikTok and Pinterest
	CoverURL    string `json:"coverUrl,omitempty"`    // of a reel
	ThumbOffset *int64 `json:"thumbOffset,omitempty"` // of the frame that is the cover, in milliseconds
	ShareToFeed *bool  `json:"shareToFeed,omitempty"`

	// X, Telegram and Threads: the network's form for long texts may be used.
	LongText *bool `json:"longText,omitempty"`

	// Google Business
	TopicType    string `json:"topicType,omitempty"`
	CallToAction string `json:"callToAction,omitempty"` // the kind of the button
	ActionURL    string `json:"actionUrl,omitempty"`    // of the button
	EventTitle   string `json:"eventTitle,omitempty"`
	EventStart   string `json:"eventStart,omitempty"` // a date, or a date and a time of the location's clock
	EventEnd     string `json:"eventEnd,omitempty"`
	CouponCode   string `json:"couponCode,omitempty"`
	RedeemURL    string `json:"redeemUrl,omitempty"`
	Terms        string `json:"terms,omitempty"` // of an offer
}

// IsZero reports whether no option is set.
func (o Options) IsZero() bool { return o == Options{} }

// Equal reports whether both have the same options.
func (o Options) Equal(other Options) bool { return reflect.DeepEqual(o, other) }

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

	// YouTube, LinkedIn and Mastodon: the visibility of the post, by the platform's names.
	Visibility string `json:"visibility,omitempty"`

	// TikTok, and BrandContent X
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

	// Pinterest, LinkedIn, Facebook and Threads: the target of the pin, or of a card.
	Link string `json:"link,omitempty"`

	// Pinterest
	AltText string `json:"altText,omitempty"`

	// Instagram, and ThumbOffset TikTok and Pinterest
	CoverURL    string `json:"coverUrl,omitempty"`    // of a reel
	ThumbOffset *int64 `json:"thumbOffset,omitempty"` // of the frame that is the cover, in milliseconds
	ShareToFeed *bool  `json:"shareToFeed,omitempty"`

	// Instagram
	Collaborators []string `json:"collaborators,omitempty"` // user names
	UserTags      []string `json:"userTags,omitempty"`      // user names
	LocationID    string   `json:"locationId,omitempty"`    // of a Facebook Page
	TrialReel     string   `json:"trialReel,omitempty"`     // when followers see it: manual or automatic

	// YouTube
	Tags []string `json:"tags,omitempty"`

	// X, Telegram and Threads: the network's form for long texts may be used.
	LongText *bool `json:"longText,omitempty"`

	// X, Threads and Bluesky: who may reply; empty: everyone.
	Replies string `json:"replies,omitempty"`

	// Mastodon: the text that is shown instead of the post, until a reader opens it.
	ContentWarning string `json:"contentWarning,omitempty"`

	// Mastodon, Threads and Telegram: the attachments are hidden until a reader opens them.
	Sensitive *bool `json:"sensitive,omitempty"`

	// Bluesky: the label of the attachments, by which readers hide them.
	ContentLabel string `json:"contentLabel,omitempty"`

	// Mastodon and Bluesky: the language of the text, as a tag like en or pt-BR.
	Language string `json:"language,omitempty"`

	// X, Threads, Mastodon, LinkedIn and Telegram: a poll below the text. PollQuestion is LinkedIn's.
	PollOptions  []string `json:"pollOptions,omitempty"`
	PollMinutes  *int64   `json:"pollMinutes,omitempty"` // for which the poll is open
	PollMultiple *bool    `json:"pollMultiple,omitempty"`
	PollQuestion string   `json:"pollQuestion,omitempty"`

	// Threads: the topic, without #.
	TopicTag string `json:"topicTag,omitempty"`

	// Telegram
	LinkPreview string `json:"linkPreview,omitempty"` // above, below or none
	Silent      *bool  `json:"silent,omitempty"`      // notifies without a sound
	Protected   *bool  `json:"protected,omitempty"`   // cannot be forwarded or saved

	// X, Instagram, YouTube and TikTok: the post is labelled as AI-generated.
	AIGenerated *bool `json:"aiGenerated,omitempty"`

	// X and Bluesky: the address of the post that is quoted.
	Quote string `json:"quote,omitempty"`

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

// IsZero reports whether no option is set. An empty list is no setting.
func (o Options) IsZero() bool {
	for _, value := range reflect.ValueOf(o).Fields() {
		if !value.IsZero() && (value.Kind() != reflect.Slice || value.Len() > 0) {
			return false
		}
	}
	return true
}

// OfPart returns the options that a later part of the post has too, with or without attachments: a thread has one visibility, one
// language and one warning, but a quote, a poll and who may reply are settings of its first part.
func (o Options) OfPart(attached bool) Options {
	part := Options{
		Visibility: o.Visibility, LongText: o.LongText, ContentWarning: o.ContentWarning, Language: o.Language,
		AIGenerated: o.AIGenerated, BrandContent: o.BrandContent,
	}
	if attached {
		part.Sensitive, part.ContentLabel = o.Sensitive, o.ContentLabel
	}
	return part
}

// Equal reports whether both have the same options.
func (o Options) Equal(other Options) bool { return reflect.DeepEqual(o, other) }

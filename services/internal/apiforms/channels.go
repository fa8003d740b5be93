package apiforms

import (
	"slices"

	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/workspace"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform"
)

// Workspace is the workspace in responses.
type Workspace struct {
	ID             ident.Workspace `json:"id" format:"uuid" example:"0190a3c4-7d21-7c3e-9a51-3f0c2b7e4d10" doc:"ID of the workspace."`
	Name           string          `json:"name" example:"Acme Marketing" doc:"Name of the workspace."`
	Mode           string          `json:"mode" enum:"live,test" example:"live" doc:"Mode of the workspace: live, or test for the workspace of a test key, whose channels reach no network."`
	Plan           Plan            `json:"plan" example:"GROWTH" doc:"Plan of the workspace, which determines its quotas."`
	Timezone       string          `json:"timezone" example:"Europe/Berlin" doc:"IANA time zone of the workspace."`
	CreatedAt      Timestamp       `json:"createdAt" doc:"Time at which the workspace was created."`
	Usage          Usage           `json:"usage" doc:"Usage of the plan."`
	ApprovalPolicy ApprovalPolicy  `json:"approvalPolicy" example:"OPTIONAL" doc:"Approval policy of the workspace."`
	GrantedScopes  []Scope         `json:"grantedScopes" example:"[\"channels:read\",\"posts:write\"]" doc:"Scopes of the credential of this request."`
}

// Usage holds the usage and the limits of a workspace.
type Usage struct {
	Storage           StorageUsage `json:"storage" doc:"Storage used by media."`
	Uploads           UploadUsage  `json:"uploads" doc:"Imports and uploads of media in this calendar month, UTC."`
	Webhooks          CountUsage   `json:"webhooks" doc:"Webhook endpoints."`
	LinkPages         CountUsage   `json:"linkPages" doc:"Link pages."`
	RequestsPerMinute int          `json:"requestsPerMinute" example:"600" doc:"Requests per minute that each credential may send."`
}

// StorageUsage holds the storage usage and its limits.
type StorageUsage struct {
	UsedBytes    int64 `json:"usedBytes" example:"73400320" doc:"Bytes in use."`
	LimitBytes   int64 `json:"limitBytes" example:"107374182400" doc:"Bytes allowed by the plan."`
	MaxFileBytes int64 `json:"maxFileBytes" example:"1073741824" doc:"Bytes allowed by the plan for one file."`
}

// UploadUsage holds the upload usage and its limit.
type UploadUsage struct {
	Used     int64     `json:"used" example:"12" doc:"Imports and uploads started in this month. Deleting media does not reduce the number."`
	Limit    int64     `json:"limit" example:"5000" doc:"Allowed in a month."`
	ResetsAt Timestamp `json:"resetsAt" doc:"Time at which the next month begins."`
}

// CountUsage holds a number of resources and its limit.
type CountUsage struct {
	Used  int `json:"used" example:"2" doc:"Number in use."`
	Limit int `json:"limit" example:"20" doc:"Number allowed by the plan."`
}

func toAPIUsage(u workspace.Usage, l workspace.Limits, perMinute int) Usage {
	return Usage{
		Storage:   StorageUsage{UsedBytes: u.StorageBytes, LimitBytes: l.Storage, MaxFileBytes: l.FileSize},
		Uploads:   UploadUsage{Used: u.Uploads, Limit: l.MonthlyUploads, ResetsAt: Timestamp(u.UploadsResetAt)},
		Webhooks:  CountUsage{Used: u.Webhooks, Limit: l.Webhooks},
		LinkPages: CountUsage{Used: u.LinkPages, Limit: l.LinkPages}, RequestsPerMinute: perMinute,
	}
}

// ToAPIWorkspace converts a workspace for the requesting client, whose rate limit is perMinute.
func ToAPIWorkspace(w app.WorkspaceState, p app.Principal, perMinute int) Workspace {
	scopes := make([]Scope, len(p.Key.Scopes))
	for i, scope := range p.Key.Scopes {
		scopes[i] = Scope(scope)
	}
	return Workspace{
		ID: w.ID, Name: w.Name, Mode: string(w.Mode()), Plan: Plan(w.Plan), Timezone: w.Timezone, CreatedAt: Timestamp(w.CreatedAt),
		ApprovalPolicy: ApprovalPolicy(w.Approval.String()), GrantedScopes: scopes,
		Usage: toAPIUsage(w.Usage, w.Plan.Limits(), perMinute),
	}
}

// Channel is the channel in responses (docs/contract.md, Channels).
type Channel struct {
	ID             ident.Channel  `json:"id" format:"uuid" example:"0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59" doc:"ID of the channel, for the fields channelId and channelIds of other operations."`
	Name           string         `json:"name" example:"Acme News" doc:"Name of the account."`
	Type           ChannelType    `json:"type" example:"TELEGRAM_CHANNEL" doc:"Kind of account. Treat unknown types as a generic channel."`
	Username       string         `json:"username" example:"acme_news" doc:"Name of the account on its network."`
	Avatar         OptionalText   `json:"avatar" example:"https://cdn.example.com/acme_news.jpg" doc:"URL of the account's image."`
	IsConnected    bool           `json:"isConnected" example:"true" doc:"Whether posts can be scheduled for and published to the channel."`
	TokenStatus    TokenStatus    `json:"tokenStatus" example:"HEALTHY" doc:"State of the access to the network. NEEDS_RECONNECT: reconnect the channel in the application, under Channels. EXPIRING: the channel must be reconnected within 7 days. Tolerate new values."`
	IsQueuePaused  bool           `json:"isQueuePaused" example:"false" doc:"Whether the channel is paused, or all publishing of the workspace is stopped: its due posts wait."`
	ApprovalPolicy ApprovalPolicy `json:"approvalPolicy" example:"OPTIONAL" doc:"Approval policy of the channel's posts: the stricter of its own and the workspace's."`
	Timezone       string         `json:"timezone" example:"Europe/Berlin" doc:"IANA time zone of the channel."`
	CreatedAt      Timestamp      `json:"createdAt" doc:"Time at which the channel was first connected."`
	Capabilities   Capabilities   `json:"capabilities" doc:"Capabilities of channels of this type."`
}

// Capabilities are the flags of a channel type.
type Capabilities struct {
	Publish            bool `json:"publish" example:"true" doc:"Whether posts can be created for the channel and published to it."`
	Analytics          bool `json:"analytics" example:"true" doc:"Whether the network provides analytics for the channel."`
	EditAfterPublish   bool `json:"editAfterPublish" example:"true" doc:"Whether the network allows changes to a published post."`
	DeleteAfterPublish bool `json:"deleteAfterPublish" example:"true" doc:"Whether the network allows deleting a published post."`
}

// ToAPIChannel converts a channel.
func ToAPIChannel(c channel.Channel) Channel {
	return Channel{
		ID: c.ID, Name: c.Name, Type: ChannelType(c.Type), Username: c.Username, Avatar: OptionalText(c.AvatarURL),
		IsConnected: c.IsConnected, TokenStatus: TokenStatus(c.TokenStatus), IsQueuePaused: c.Paused(),
		Timezone: c.Timezone, ApprovalPolicy: ApprovalPolicy(c.Approval().String()),
		CreatedAt: Timestamp(c.CreatedAt), Capabilities: Capabilities(c.Type.Capabilities()),
	}
}

// FilterChannels returns the channels of one of the types, and in the state of access; nil and "" mean any.
func FilterChannels(channels []channel.Channel, types []ChannelType, status TokenStatus) []channel.Channel {
	return slices.DeleteFunc(channels, func(c channel.Channel) bool {
		return len(types) > 0 && !slices.Contains(types, ChannelType(c.Type)) ||
			status != "" && status != TokenStatus(c.TokenStatus)
	})
}

// ToAPIChannels converts channels.
func ToAPIChannels(channels []channel.Channel) []Channel {
	return each(channels, ToAPIChannel)
}

// ChannelSchedule is a channel's posting schedule (docs/contract.md, Posting schedule).
type ChannelSchedule struct {
	ChannelID     ident.Channel     `json:"channelId" format:"uuid" example:"0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59" doc:"The channel."`
	Timezone      string            `json:"timezone" example:"Europe/Berlin" doc:"IANA time zone of the slots."`
	IsQueuePaused bool              `json:"isQueuePaused" example:"false" doc:"Whether the channel is paused, or all publishing of the workspace is stopped: its due posts wait, and next_slot is rejected."`
	Slots         []Slot            `json:"slots" doc:"Weekly time slots, starting on Monday."`
	NextSlotAt    OptionalTimestamp `json:"nextSlotAt" doc:"Next free slot; null if there is none."`
	NextSlots     []Timestamp       `json:"nextSlots" doc:"The next free slots within 90 days, at most ten. Empty while the channel is paused."`
}

// Slot is a time of the week.
type Slot struct {
	Weekday string `json:"weekday" enum:"MONDAY,TUESDAY,WEDNESDAY,THURSDAY,FRIDAY,SATURDAY,SUNDAY" example:"MONDAY" doc:"Day of the week."`
	Time    string `json:"time" pattern:"^([01][0-9]|2[0-3]):[0-5][0-9]$" example:"09:00" doc:"Time of day in the channel's time zone. A time skipped by a change to summer time moves to the end of the gap. A time that occurs twice on a day is used once, at its first occurrence."`
}

// ToAPISchedule converts a posting schedule.
func ToAPISchedule(s app.ChannelSchedule) ChannelSchedule {
	out := ChannelSchedule{
		ChannelID: s.Channel.ID, Timezone: s.Channel.Timezone, IsQueuePaused: s.Channel.Paused(),
		Slots: make([]Slot, len(s.Slots)), NextSlotAt: OptionalTimestamp(s.NextAt()), NextSlots: make([]Timestamp, len(s.Free)),
	}
	for i, at := range s.Free {
		out.NextSlots[i] = Timestamp(at)
	}
	for i, at := range s.Slots {
		out.Slots[i] = Slot(at.Text())
	}
	return out
}

// Board is a board of a Pinterest account (docs/contract.md, Boards).
type Board struct {
	ID       string `json:"id" example:"549755885175" doc:"ID of the board, for the field boardId of a pin."`
	Name     string `json:"name" example:"Tiles" doc:"Name of the board."`
	Privacy  string `json:"privacy" example:"PUBLIC" doc:"Visibility of the board on Pinterest: PUBLIC, PROTECTED or SECRET. Tolerate new values."`
	PinCount int    `json:"pinCount" example:"42" doc:"Number of pins on the board."`
}

// BoardSection is a section of a Pinterest board.
type BoardSection struct {
	ID   string `json:"id" example:"5497558851751" doc:"ID of the section, for the field boardSectionId of a pin."`
	Name string `json:"name" example:"Kitchen" doc:"Name of the section."`
}

// ToAPISections converts sections.
func ToAPISections(sections []platform.BoardSection) []BoardSection {
	out := make([]BoardSection, len(sections))
	for i, s := range sections {
		out[i] = BoardSection(s)
	}
	return out
}

// ToAPIBoards converts boards.
func ToAPIBoards(boards []platform.Board) []Board {
	out := make([]Board, len(boards))
	for i, b := range boards {
		out[i] = Board(b)
	}
	return out
}

// CreatorInfo holds the settings that a TikTok account allows (docs/contract.md, Creator info).
type CreatorInfo struct {
	Nickname            string       `json:"nickname" example:"Acme" doc:"Display name of the account."`
	AvatarURL           OptionalText `json:"avatarUrl" example:"https://cdn.example.com/acme.jpg" doc:"URL of the account's image. It expires after some hours."`
	PrivacyLevelOptions []string     `json:"privacyLevelOptions" example:"[\"PUBLIC_TO_EVERYONE\",\"SELF_ONLY\"]" doc:"Visibilities that TikTok offers to the account. Without PUBLIC_TO_EVERYONE the account is private and requires uploadToDraft. Tolerate new values."`
	CommentDisabled     bool         `json:"commentDisabled" example:"false" doc:"Whether the account has disabled comments."`
	DuetDisabled        bool         `json:"duetDisabled" example:"true" doc:"Whether the account has disabled duets."`
	StitchDisabled      bool         `json:"stitchDisabled" example:"false" doc:"Whether the account has disabled stitches."`
	MaxVideoDurationSec int          `json:"maxVideoDurationSec" example:"600" doc:"Maximum duration of a video, in seconds."`
}

// ToAPICreatorInfo converts the settings that an account allows.
func ToAPICreatorInfo(i platform.CreatorInfo) CreatorInfo {
	levels := i.PrivacyLevelOptions
	if levels == nil {
		levels = []string{}
	}
	return CreatorInfo{
		Nickname: i.Nickname, AvatarURL: OptionalText(i.AvatarURL), PrivacyLevelOptions: levels,
		CommentDisabled: i.CommentDisabled,
		DuetDisabled:    i.DuetDisabled, StitchDisabled: i.StitchDisabled, MaxVideoDurationSec: i.MaxVideoDurationSec,
	}
}

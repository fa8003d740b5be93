// Package audit defines the audit log of a workspace: actions on the workspace itself, such as those on members, keys
// and settings. Actions on posts are in the posts' timelines.
package audit

import (
	"time"

	"fencepost.internal/shared/kernel/ident"
)

// Action is the kind of an action.
type Action string

// Actions of the log.
const (
	WorkspaceCreated    Action = "workspace.created"
	WorkspaceChanged    Action = "workspace.changed"
	MemberInvited       Action = "member.invited"
	InvitationRevoked   Action = "invitation.revoked"
	MemberJoined        Action = "member.joined"
	MemberRoleChanged   Action = "member.role_changed"
	MemberRemoved       Action = "member.removed"
	MemberLeft          Action = "member.left"
	KeyCreated          Action = "key.created"
	KeyRevoked          Action = "key.revoked"
	WebhookCreated      Action = "webhook.created"
	WebhookChanged      Action = "webhook.changed"
	WebhookRotated      Action = "webhook.secret_rotated"
	WebhookDeleted      Action = "webhook.deleted"
	ChannelConnected    Action = "channel.connected"
	ChannelReconnected  Action = "channel.reconnected"
	ChannelDisconnected Action = "channel.disconnected"
	ChannelPaused       Action = "channel.paused"
	ChannelResumed      Action = "channel.resumed"
	ScheduleChanged     Action = "channel.schedule_changed"
	ApplicationChanged  Action = "application.changed"
	LabelCreated        Action = "label.created"
	LabelChanged        Action = "label.changed" // its name or its color
	LabelMerged         Action = "label.merged"
	LabelDeleted        Action = "label.deleted"
	CampaignCreated     Action = "campaign.created"
	CampaignChanged     Action = "campaign.changed"
	CampaignDeleted     Action = "campaign.deleted"
	SourceAdded         Action = "feed.added"
	SourceChanged       Action = "feed.changed"
	SourceDeleted       Action = "feed.deleted"
	TextCreated         Action = "text.created" // one of those that a workspace keeps for its posts
	TextChanged         Action = "text.changed"
	TextDeleted         Action = "text.deleted"
	NoticeRouteAdded    Action = "notification_route.added"
	NoticeRouteRemoved  Action = "notification_route.removed"
	LinkRuleChanged     Action = "workspace.link_rule_changed"
)

// Actions on how a person signs in. They are in the log of every workspace of the person.
const (
	AppTurnedOn       Action = "user.authenticator_app_turned_on"
	AppTurnedOff      Action = "user.authenticator_app_turned_off"
	PasskeyAdded      Action = "user.passkey_added"
	PasskeyRemoved    Action = "user.passkey_removed"           //nolint:gosec // a name
	PasskeyCloned     Action = "user.passkey_counter_went_back" //nolint:gosec // a name
	CodesReplaced     Action = "user.recovery_codes_replaced"
	RecoveryCodeUsed  Action = "user.recovery_code_used"
	SecondFactorReset Action = "user.second_factor_reset"
	IdentityLinked    Action = "user.sign_in_provider_linked"
	IdentityUnlinked  Action = "user.sign_in_provider_unlinked"
	AddressRequested  Action = "user.address_change_requested"
)

// Actions on deliveries and on pictures.
const (
	WebhookRedelivered Action = "webhook.redelivered"
	WebhookReplayed    Action = "webhook.replayed"
	LogoChanged        Action = "workspace.logo_changed"
	AvatarChanged      Action = "channel.avatar_changed"
	BrandChanged       Action = "channel.brand_changed"
)

// Actions on all channels.
const (
	MemberLimited     Action = "member.channels_changed"
	PublishingStopped Action = "workspace.publishing_stopped"
	PublishingResumed Action = "workspace.publishing_resumed"
	WorkspaceDeletion Action = "workspace.deletion_requested"
	WorkspaceKept     Action = "workspace.kept"
)

// Actions on approvals. Those on single posts are also in their timelines.
const (
	ApprovalPolicyChanged Action = "approval.policy_changed" // of the channel that is named, or of the workspace
	PostApproved          Action = "approval.approved"
	PostRejected          Action = "approval.rejected"
	ClientLinkCreated     Action = "client_link.created"
	ClientLinkRevoked     Action = "client_link.revoked"
	ClientLinkPostRemoved Action = "client_link.post_removed"
	ClientLinkCommented   Action = "client_link.commented"
)

// Actions on the inbox and on people. They name no person, because the log stays when a person is erased.
const (
	InboxChanged    Action = "inbox.settings_changed"
	PersonMerged    Action = "person.merged"
	PersonSeparated Action = "person.separated"
	PersonErased    Action = "person.erased"
)

// ReportChanged is the action on who gets the monthly report of a workspace.
const ReportChanged Action = "workspace.report_changed"

// Entry is one action. Its names are those at the time of the action.
type Entry struct {
	ID          ident.Audit
	WorkspaceID ident.Workspace
	At          time.Time
	UserID      ident.User // zero if the user was deleted
	Actor       string     // name and address of the person
	Action      Action
	Subject     string // name of the object
	Detail      string
}

package settings

import (
	"regexp"
	"strings"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/shared/domain/audit"
	"fencepost.internal/shared/domain/member"
)

// auditGroup is a choice of the log's filter: the kinds of objects with the same audience.
type auditGroup struct {
	Value, Text string
	kinds       []string
}

func auditGroups() []auditGroup {
	return []auditGroup{
		{"members", "Members", []string{"member", "invitation"}},
		{"keys", "API keys", []string{"key"}},
		{"webhooks", "Webhooks", []string{"webhook"}},
		{"channels", "Channels", []string{"channel"}},
		{"inbox", "Inbox and people", []string{"inbox", "person"}},
		{"signin", "Sign-in", []string{"user"}},
		{"approvals", "Approvals", []string{"approval", "client_link"}},
		{"workspace", "Workspace", []string{"workspace", "application", "label", "text", "campaign", "feed"}},
	}
}

// auditItem is an entry in words.
type auditItem struct {
	audit.Entry

	Title, Note string
}

// bareID matches the IDs that details contain, which say nothing to a reader.
var bareID = regexp.MustCompile(`\b(dlv_|evt_)?[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b`)

func itemOfEntry(e audit.Entry) auditItem {
	item := auditItem{Entry: e, Title: auditTitle(e.Action), Note: e.Detail}
	switch e.Action { //nolint:exhaustive // the details of the others are words
	case audit.LogoChanged, audit.AvatarChanged, audit.BrandChanged:
		item.Note = ""
		if strings.HasSuffix(e.Detail, ": 0") {
			item.Title = strings.Replace(item.Title, "changed", "removed", 1)
		}
	case audit.MemberRoleChanged, audit.MemberInvited, audit.MemberJoined, audit.MemberRemoved, audit.MemberLeft:
		for _, r := range member.Roles() {
			item.Note = strings.ReplaceAll(item.Note, string(r), frame.Words(r))
		}
	case audit.WebhookRedelivered, audit.WebhookReplayed:
		item.Note = strings.TrimSpace(bareID.ReplaceAllString(e.Detail, ""))
	}
	if e.Actor == "operator" {
		item.Actor = "Operator of the installation"
	}
	return item
}

// auditTitle returns an action in words.
func auditTitle(a audit.Action) string {
	switch a { //nolint:exhaustive // the identifiers of the others are words
	case audit.MemberRoleChanged:
		return "Role changed"
	case audit.KeyCreated:
		return "API key created"
	case audit.KeyRevoked:
		return "API key revoked"
	case audit.WebhookRotated:
		return "Webhook secret rotated"
	case audit.WebhookRedelivered:
		return "Delivery sent again"
	case audit.WebhookReplayed:
		return "Past events resent"
	case audit.LogoChanged:
		return "Logo changed"
	case audit.AvatarChanged:
		return "Avatar changed"
	case audit.BrandChanged:
		return "Brand kit changed"
	case audit.ScheduleChanged:
		return "Schedule changed"
	case audit.ApplicationChanged:
		return "Network credentials changed"
	default:
		return frame.Words(strings.TrimPrefix(string(a), "user."))
	}
}

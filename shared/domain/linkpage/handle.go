package linkpage

import (
	"regexp"
	"slices"
	"strings"
)

// How long a handle may be.
const (
	MinHandle = 3
	MaxHandle = 30
)

var handlePattern = regexp.MustCompile(`^[a-z0-9]+([_-][a-z0-9]+)*$`)

// ValidHandle reports whether the text is a handle in its one form: lower case. Reserved names are valid: whoever looks a page
// up finds none under them.
func ValidHandle(text string) bool {
	return len(text) >= MinHandle && len(text) <= MaxHandle && handlePattern.MatchString(text)
}

// FoldHandle is the one form of a handle: two that differ in case are the same address.
func FoldHandle(text string) string { return strings.ToLower(strings.TrimSpace(text)) }

// Reserved are names that no page may have: addresses that the host itself may need, and what would let a page pass for the
// service.
func Reserved() []string {
	return []string{
		"about", "abuse", "account", "accounts", "admin", "administrator", "analytics", "api", "app", "apps", "assets", "auth", "billing", "blog",
		"callback", "cdn", "contact", "dashboard", "dev", "developer", "developers", "dmca", "docs", "download", "error", "explore", "favicon",
		"feed", "files", "health", "healthz", "help", "home", "host", "imprint", "impressum", "index", "info", "internal", "invite", "legal",
		"link", "links", "livez", "localhost", "login", "logout", "mail", "manifest", "mcp", "media", "metrics", "new", "news", "notifications",
		"null", "oauth", "official", "page", "pages", "password", "pay", "payment", "payments", "postmaster", "preview", "pricing", "privacy",
		"profile", "public", "readyz", "register", "report", "robots", "root", "search", "security", "service", "session", "settings", "share",
		"shop", "signin", "signout", "signup", "sitemap", "staff", "static", "status", "store", "support", "system", "team", "terms", "test",
		"trust", "undefined", "update", "upload", "user", "users", "verify", "webhook", "webhooks", "webmaster", "well-known", "www",
	}
}

// handle checks the name of an address and returns its one form.
func (f *faults) handle(at, given string) string {
	folded := FoldHandle(given)
	switch {
	case len(folded) < MinHandle || len(folded) > MaxHandle:
		f.add(at, "must have %d to %d characters", MinHandle, MaxHandle)
	case !handlePattern.MatchString(folded):
		f.add(at, "may have letters a to z and digits, with single hyphens or underscores between them")
	case slices.Contains(Reserved(), folded):
		f.add(at, "is reserved; choose another name")
	default:
		return folded
	}
	return ""
}

package linkpage

import (
	"regexp"
	"slices"
	"strings"
)

// Length of a handle.
const (
	MinHandle = 3
	MaxHandle = 30
)

var handlePattern = regexp.MustCompile(`^[a-z0-9]+([_-][a-z0-9]+)*$`)

// ValidHandle reports whether the text is a handle in its canonical form, lower case. Reserved names are valid, because
// a lookup finds no page under them.
func ValidHandle(text string) bool {
	return len(text) >= MinHandle && len(text) <= MaxHandle && handlePattern.MatchString(text)
}

// FoldHandle returns the canonical form of a handle: two handles that differ only in case are the same URL.
func FoldHandle(text string) string { return strings.ToLower(strings.TrimSpace(text)) }

// Reserved lists the names that no page may use: paths that the host itself may need, and names by which a page could
// impersonate the service.
func Reserved() []string {
	return []string{
		"about", "abuse", "account", "accounts", "admin", "administrator", "analytics", "api", "app", "apps", "assets",
		"auth", "billing", "blog",
		"callback", "cdn", "contact", "dashboard", "dev", "developer", "developers", "dmca", "docs", "download", "error",
		"explore", "favicon",
		"feed", "files", "health", "healthz", "help", "home", "host", "imprint", "impressum", "index", "info", "internal",
		"invite", "legal",
		"link", "links", "livez", "localhost", "login", "logout", "mail", "manifest", "mcp", "media", "metrics", "new",
		"news", "notifications",
		"null", "oauth", "official", "page", "pages", "password", "pay", "payment", "payments", "postmaster", "preview",
		"pricing", "privacy",
		"profile", "public", "readyz", "register", "report", "robots", "root", "search", "security", "service", "session",
		"settings", "share",
		"shop", "signin", "signout", "signup", "sitemap", "staff", "static", "status", "store", "support", "system", "team",
		"terms", "test",
		"trust", "undefined", "update", "upload", "user", "users", "verify", "webhook", "webhooks", "webmaster", "well-known",
		"www",
	}
}

// handle validates a handle and returns its canonical form.
func (f *faults) handle(at, given string) string {
	folded := FoldHandle(given)
	switch {
	case len(folded) < MinHandle || len(folded) > MaxHandle:
		f.add(at, "must have %d to %d characters", MinHandle, MaxHandle)
	case !handlePattern.MatchString(folded):
		f.add(at, "must consist of letters a to z and digits, with single hyphens or underscores between them")
	case slices.Contains(Reserved(), folded):
		f.add(at, "is reserved; choose another name")
	default:
		return folded
	}
	return ""
}

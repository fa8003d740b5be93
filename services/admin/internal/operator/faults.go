package operator

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"fencepost.internal/services/internal/places"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/kernel/plaintext"
)

// Names of inputs in faults. They equal the program's flags and arguments.
const (
	MemberWorkspace    = "workspace"
	MemberName         = "name"
	MemberRole         = "role"
	MemberPlan         = "plan"
	MemberTimezone     = "timezone"
	MemberHold         = "reconnect-hold"
	MemberWorkspaceID  = "WORKSPACE_ID"
	MemberScopes       = "scopes"
	MemberExpires      = "expires"
	MemberKeyID        = "KEY_ID"
	MemberType         = "type"
	MemberUsername     = "username"
	MemberExternalID   = "external-id"
	MemberAccessToken  = "access-token-file"
	MemberRefreshToken = "refresh-token-file"
	MemberExpiresAt    = "expires-at"
	MemberVariant      = "variant"
	MemberApp          = "client-id"
	MemberServer       = "server"
	MemberChannelID    = "CHANNEL_ID"
	MemberPostID       = "POST_ID"
	MemberSlots        = "slots"
	MemberBatch        = "batch"
	MemberContent      = "content"
	MemberBy           = "by"
	MemberHandle       = "HANDLE"
	MemberRedirectURI  = "redirect-uri"
	MemberAuthMethod   = "auth-method"
	MemberClientID     = "CLIENT_ID"
)

// longestText is the maximum length of names, in characters. The database has the same limit.
const longestText = 200

// faults collects the faults of an input, so that all are reported at once.
type faults struct{ fields []apperr.Field }

func (f *faults) add(member, format string, args ...any) {
	f.fields = append(f.fields, apperr.Field{Pointer: member, Message: fmt.Sprintf(format, args...)})
}

// err returns VALIDATION_FAILED with every fault, or nil.
func (f *faults) err() error { return apperr.Invalid(f.fields) }

// text validates a one-line text of 1 to 200 characters after trimming. Control characters are refused, so that no name
// can manipulate the terminal that prints it. It returns "" for an invalid text.
func (f *faults) text(member, given string) string {
	text, fault := plaintext.Line(given, longestText)
	switch {
	case fault != "":
		f.add(member, "%s", fault)
	case text == "":
		f.add(member, "is required")
	}
	return text
}

// timezone validates an IANA name.
func (f *faults) timezone(given string) string {
	name := strings.TrimSpace(given)
	if _, ok := places.LoadZone(name); !ok {
		f.add(MemberTimezone, "%q is not an IANA time zone name, such as UTC or Europe/Berlin (upper and lower case matter)",
			given)
	}
	return name
}

func (f *faults) workspace(given string) ident.Workspace {
	return parseID[ident.Workspace](f, MemberWorkspace, given, "admin workspace list")
}

// parseID parses an identifier. The argument list is the command that lists the existing ones.
func parseID[I ~[16]byte](f *faults, member, given, list string) I {
	text := strings.TrimSpace(given)
	id, err := ident.Parse[I](text)
	switch {
	case text == "":
		f.add(member, "is required; see: %s", list)
	case err != nil:
		f.add(member, "%q is not an id (a UUID of 36 characters); see: %s", given, list)
	}
	return id
}

// instant parses a time in the future: RFC 3339 with an offset. An empty text is the zero time.
func (f *faults) instant(member, given string, now time.Time) time.Time {
	text := strings.TrimSpace(given)
	if text == "" {
		return time.Time{}
	}
	at, err := time.Parse(time.RFC3339, text)
	switch {
	case err != nil:
		f.add(member, "%q is not a time with an offset (RFC 3339), such as 2027-03-01T09:00:00+01:00", given)
	case !at.After(now):
		f.add(member, "%s is in the past (it is %s now)", text, now.Format(time.RFC3339))
	}
	return at.UTC().Truncate(time.Millisecond)
}

// oneOf formats values as "A, B or C".
func oneOf[S ~string](values []S) string {
	names := make([]string, len(values))
	for i, v := range values {
		names[i] = string(v)
	}
	last := len(names) - 1
	if last < 1 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// with adds the faults found by a link page's own rules, and converts the names of its fields to the program's
// flags.
func (f *faults) with(err error) error {
	found, ok := errors.AsType[*apperr.Error](err)
	if err != nil && (!ok || found.Code != apperr.ValidationFailed) {
		return err
	}
	if ok {
		for _, field := range found.Fields {
			flag := strings.ReplaceAll(strings.TrimPrefix(field.Pointer, "/"), "_", "-")
			f.add(flag, "%s", field.Message)
		}
	}
	return f.err()
}

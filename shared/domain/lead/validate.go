package lead

import (
	"cmp"
	"errors"
	"fmt"
	"net/mail"
	"regexp"
	"slices"
	"strings"
	"time"

	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/kernel/plaintext"
)

// Maximum lengths of texts in characters, and of addresses in bytes. Their sum is far below the maximum size of an
// event.
const (
	MaxName     = 200
	MaxHandle   = 200
	MaxURL      = 2048
	MaxInterest = 2000
	MaxEmail    = 254
	MaxPhone    = 40
	MaxReason   = 1000
	MaxNote     = 4000

	MaxScore      = 100
	MaxCaptureKey = 100
)

// New is the input of a new lead. Only the name is required.
type New struct {
	WorkspaceID  ident.Workspace
	PersonID     ident.Person
	Name         string
	Handle       string
	ProfileURL   string // http or https
	Platform     Platform
	Source       Source // MANUAL if empty
	Temperature  Temperature
	Interest     string
	Stage        Stage  // NEW if empty
	Value        string // 1200 or 1200.50, with Currency
	Currency     string // three capital letters (ISO 4217)
	FollowUpAt   time.Time
	ContactEmail string
	ContactPhone string
	LostReason   string // with the stage LOST

	// The following are only in the application.

	OwnerID    ident.User
	FollowUpBy ident.User // the member who plans the follow-up
	Score      int
	CaptureKey string // one capture creates one lead
}

func (n New) check() (Lead, error) {
	var f faults
	var l Lead
	f.describe(&l, n)
	l.WorkspaceID, l.PersonID, l.OwnerID, l.Score, l.CaptureKey = n.WorkspaceID, n.PersonID, n.OwnerID, n.Score, n.CaptureKey
	if l.FollowUpAt = whole(n.FollowUpAt); !l.FollowUpAt.IsZero() {
		l.FollowUpBy = n.FollowUpBy
	}
	l.Source = cmp.Or(n.Source, SourceManual)
	l.Stage = cmp.Or(n.Stage, StageNew)
	oneOf(&f, "source", l.Source, Sources())
	oneOf(&f, "stage", l.Stage, Stages())
	l.LostReason = f.lostReason(n.LostReason, l.Stage)
	if n.Score < 0 || n.Score > MaxScore {
		f.add("score", "must be from 0 to %d", MaxScore)
	}
	if len(n.CaptureKey) > MaxCaptureKey || strings.ContainsFunc(n.CaptureKey, notVisible) {
		f.add("capture_key", "must have at most %d visible ASCII characters", MaxCaptureKey)
	}
	return l, apperr.Invalid(f)
}

// describe sets the fields that describe the lead.
func (f *faults) describe(l *Lead, n New) {
	l.Name, l.Handle = f.line("name", n.Name, MaxName), f.line("handle", n.Handle, MaxHandle)
	l.ProfileURL, l.Interest = f.address(n.ProfileURL), f.text("interest", n.Interest, MaxInterest)
	l.ContactEmail, l.ContactPhone = f.email(n.ContactEmail), f.phone(n.ContactPhone)
	l.Platform, l.Temperature = n.Platform, n.Temperature
	if l.Name == "" && strings.TrimSpace(n.Name) == "" {
		f.add("name", "is required")
	}
	if l.Platform != "" {
		oneOf(f, "platform", l.Platform, Platforms())
	}
	if l.Temperature != "" {
		oneOf(f, "temperature", l.Temperature, Temperatures())
	}
	l.Value, l.Currency = f.money(n.Value, n.Currency)
}

// whole returns a time in whole milliseconds, the precision of stored times.
func whole(at time.Time) time.Time {
	if at.IsZero() {
		return time.Time{}
	}
	return at.UTC().Truncate(time.Millisecond)
}

// faults collects validation errors, so that all are reported at once; pointers refer to the fields of the Lead object.
type faults []apperr.Field

func (f *faults) add(member, format string, args ...any) {
	*f = append(*f, apperr.Field{Pointer: "/" + member, Message: fmt.Sprintf(format, args...)})
}

func oneOf[S ~string](f *faults, member string, given S, known []S) {
	if !slices.Contains(known, given) {
		names := make([]string, len(known))
		for i, k := range known {
			names[i] = string(k)
		}
		f.add(member, "%q is not one of %s", string(given), strings.Join(names, ", "))
	}
}

// text validates a text that may have several lines. It returns "" if the text is invalid.
func (f *faults) text(member, given string, longest int) string {
	text, fault := plaintext.Lines(given, longest)
	return f.taken(member, text, fault)
}

// line is like text for a single-line text.
func (f *faults) line(member, given string, longest int) string {
	text, fault := plaintext.Line(given, longest)
	return f.taken(member, text, fault)
}

func (f *faults) taken(member, text, fault string) string {
	if fault != "" {
		f.add(member, "%s", fault)
	}
	return text
}

// address validates the URL of a profile and returns its normalized form. Receivers display it as a link, so only web
// addresses are allowed.
func (f *faults) address(given string) string {
	const member = "profile_url"
	text := strings.TrimSpace(given)
	if text == "" {
		return ""
	}
	parsed, err := plaintext.ParseURL(text)
	switch {
	case len(text) > MaxURL:
		f.add(member, "has %d bytes; at most %d are allowed", len(text), MaxURL)
	case errors.Is(err, plaintext.ErrUser):
		f.add(member, "contains a user name or a password")
	case errors.Is(err, plaintext.ErrForeign):
		f.add(member, "contains a host name that is not ASCII; use its ASCII form, which begins with xn--")
	case err != nil:
		f.add(member, "must be an http or https URL, for example https://www.instagram.com/name")
	case len(parsed.String()) > MaxURL:
		f.add(member, "has %d bytes after percent-encoding; at most %d are allowed", len(parsed.String()), MaxURL)
	default:
		return parsed.String()
	}
	return ""
}

func (f *faults) email(given string) string {
	const member = "contact_email"
	text := strings.TrimSpace(given)
	if text == "" {
		return ""
	}
	parsed, err := mail.ParseAddress(text)
	switch {
	case len(text) > MaxEmail:
		f.add(member, "has %d bytes; at most %d are allowed", len(text), MaxEmail)
	case err != nil || parsed.Address != text || !strings.Contains(domainOf(text), ".") ||
		strings.ContainsFunc(text, notVisible):
		f.add(member, "is not an email address, such as name@example.com")
	default:
		return text
	}
	return ""
}

func notVisible(r rune) bool { return r <= ' ' || r > '~' }

func domainOf(email string) string { return email[strings.LastIndexByte(email, '@')+1:] }

var phonePattern = regexp.MustCompile(`^\+?[0-9][0-9 ()./-]*$`)

// phone validates a phone number in any notation. Only its writer knows from where it can be dialed.
func (f *faults) phone(given string) string {
	const member, fewestDigits = "contact_phone", 3
	text := strings.TrimSpace(given)
	if text == "" {
		return ""
	}
	digits := 0
	for _, r := range text {
		if r >= '0' && r <= '9' {
			digits++
		}
	}
	if !phonePattern.MatchString(text) || len(text) > MaxPhone || digits < fewestDigits {
		f.add(member, "is not a telephone number, such as +46 70 123 45 67")
		return ""
	}
	return text
}

var currencyPattern = regexp.MustCompile(`^[A-Z]{3}$`)

func (f *faults) money(value, currency string) (Amount, string) {
	value, currency = strings.TrimSpace(value), strings.TrimSpace(currency)
	amount, err := ParseAmount(value)
	if value != "" && err != nil {
		f.add("value", "%q is not an amount, such as 1200 or 1200.50: up to 12 digits before the point and 4 behind it",
			value)
	}
	switch {
	case value == "" && currency != "":
		f.add("currency", "requires a value")
	case value != "" && currency == "":
		f.add("currency", "is required with a value")
	case currency != "" && !currencyPattern.MatchString(currency):
		f.add("currency", "%q is not a currency code, such as EUR (ISO 4217)", currency)
	}
	return amount, currency
}

func (f *faults) lostReason(given string, stage Stage) string {
	const member = "lost_reason"
	reason := f.text(member, given, MaxReason)
	if reason != "" && stage != StageLost {
		f.add(member, "is allowed only in the stage LOST")
	}
	return reason
}

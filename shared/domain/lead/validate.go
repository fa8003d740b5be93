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
}

func (n New) check() (Lead, error) {
	var f faults
	l := Lead{
		WorkspaceID: n.WorkspaceID, PersonID: n.PersonID, FollowUpAt: n.FollowUpAt.UTC().Truncate(time.Millisecond),
		Platform: n.Platform, Source: n.Source, Temperature: n.Temperature, Stage: n.Stage,
		Name: f.line("name", n.Name, MaxName), Handle: f.line("handle", n.Handle, MaxHandle),
		ProfileURL: f.address(n.ProfileURL),
		Interest:   f.text("interest", n.Interest, MaxInterest), ContactEmail: f.email(n.ContactEmail),
		ContactPhone: f.phone(n.ContactPhone),
	}
	if n.FollowUpAt.IsZero() {
		l.FollowUpAt = time.Time{}
	}
	l.Source = cmp.Or(l.Source, SourceManual)
	l.Stage = cmp.Or(l.Stage, StageNew)
	if l.Name == "" && strings.TrimSpace(n.Name) == "" {
		f.add("name", "is required")
	}
	oneOf(&f, "source", l.Source, Sources())
	oneOf(&f, "stage", l.Stage, Stages())
	if l.Platform != "" {
		oneOf(&f, "platform", l.Platform, Platforms())
	}
	if l.Temperature != "" {
		oneOf(&f, "temperature", l.Temperature, Temperatures())
	}
	l.Value, l.Currency = f.money(n.Value, n.Currency)
	l.LostReason = f.lostReason(n.LostReason, l.Stage)
	return l, apperr.Invalid(f)
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

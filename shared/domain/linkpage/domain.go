package linkpage

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strings"
	"time"

	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// Intervals between two checks of a domain.
const (
	RecheckVerified = 6 * time.Hour
	RecheckClaimed  = time.Hour
	// ClaimLife is the time after which a domain that does not point here is no longer checked by itself.
	ClaimLife = 14 * 24 * time.Hour
)

// maxHost is the maximum length of a domain name (RFC 1035).
const maxHost = 253

// Domain is a domain name of a workspace, at which one of its pages is shown once the name is verified: while its records
// lead to the service and prove that the workspace has it. Any workspace can claim a name, but only one can verify it.
type Domain struct {
	PageID      ident.LinkPage
	WorkspaceID ident.Workspace
	Host        string // in lower case
	CreatedAt   time.Time
	VerifiedAt  time.Time // zero: visitors do not get the page there
	CheckedAt   time.Time // zero: not yet
	Fault       string    // what the last check found instead; empty: it found what it should
}

// Verified reports whether visitors get the page at the domain.
func (d Domain) Verified() bool { return !d.VerifiedAt.IsZero() }

// ProofHost returns the name of the TXT record by which the owner of the domain proves the claim.
func (d Domain) ProofHost() string { return "_fencepost." + d.Host }

// Proof returns the value of that record. It differs for each page, so that a domain whose records still lead to the service
// cannot be taken by another workspace.
func (d Domain) Proof() string {
	sum := sha256.Sum256([]byte("link page " + d.PageID.String() + " " + d.Host))
	const length = 16
	return "fencepost-page=" + hex.EncodeToString(sum[:length])
}

// Checked returns the domain after a check at the given time; an empty fault verifies it.
func (d Domain) Checked(fault string, now time.Time) Domain {
	d.CheckedAt, d.Fault = now, fault
	switch {
	case fault != "":
		d.VerifiedAt = time.Time{}
	case d.VerifiedAt.IsZero():
		d.VerifiedAt = now
	}
	return d
}

// NextCheck returns the time of the next check; zero: none follows by itself.
func (d Domain) NextCheck(now time.Time) time.Time {
	switch {
	case d.Verified():
		return now.Add(RecheckVerified)
	case now.Sub(d.CreatedAt) < ClaimLife:
		return now.Add(RecheckClaimed)
	default:
		return time.Time{}
	}
}

var domainPattern = regexp.MustCompile(`^` + hostName + `$`)

// ReadHost returns the domain name that a person entered, in lower case. It returns VALIDATION_FAILED for text that is none,
// and for a name of the service itself, whose own host is given.
func ReadHost(given, own string) (string, error) {
	host := strings.ToLower(strings.TrimSpace(given))
	host = strings.TrimPrefix(strings.TrimPrefix(host, "https://"), "http://")
	host = strings.TrimSuffix(strings.TrimSuffix(host, "/"), ".")
	own = strings.ToLower(own)
	_, parent, _ := strings.Cut(own, ".")
	var f faults
	switch {
	case len(host) > maxHost || !domainPattern.MatchString(host):
		f.add("/host", "is not a domain name, such as links.example.com; write names in other scripts in their ASCII form, which starts with xn--")
	case host == own || strings.HasSuffix(host, "."+own), strings.Contains(parent, ".") && (host == parent || strings.HasSuffix(host, "."+parent)):
		f.add("/host", "belongs to this service; enter a domain of your own")
	}
	return host, apperr.Invalid(f)
}

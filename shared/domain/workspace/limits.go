package workspace

import (
	"fmt"
	"time"

	"fencepost.internal/shared/kernel/apperr"
)

// Sizes in bytes.
const (
	mebibyte = int64(1) << 20
	gibibyte = int64(1) << 30
	tebibyte = int64(1) << 40
)

// MaxWebhooks is the maximum number of webhook endpoints of a workspace, on every plan (docs/contract.md, Plans).
const MaxWebhooks = 20

// Limits holds the limits of a plan.
type Limits struct {
	FileSize          int64 // bytes of one file
	Storage           int64 // bytes of all files
	MonthlyUploads    int64 // imports and uploads in a calendar month, UTC
	Webhooks          int
	RequestsPerMinute int // of one credential
	LinkPages         int
	WhatsAppNumbers   int
	LinkPageAnalytics bool // whether visits of link pages can be read; they are counted on every plan
}

// Limits returns the limits of the plan (docs/contract.md, Plans). A plan that this build does not know has those of
// FREE.
func (p Plan) Limits() Limits {
	l := Limits{Webhooks: MaxWebhooks, RequestsPerMinute: 600, LinkPages: 1, LinkPageAnalytics: p.Known() && p != Free}
	switch p {
	case Creator:
		l.FileSize, l.Storage, l.MonthlyUploads = 250*mebibyte, 25*gibibyte, 1_000
		l.LinkPages, l.WhatsAppNumbers = 5, 1
	case Growth:
		l.FileSize, l.Storage, l.MonthlyUploads = gibibyte, 100*gibibyte, 5_000
		l.LinkPages, l.WhatsAppNumbers = 20, 3
	case Agency:
		l.FileSize, l.Storage, l.MonthlyUploads = 4*gibibyte, tebibyte, 50_000
		l.RequestsPerMinute = 3_000
		l.LinkPages, l.WhatsAppNumbers = 100, 10
	case Free:
		fallthrough
	default:
		l.FileSize, l.Storage, l.MonthlyUploads = 50*mebibyte, gibibyte, 100
	}
	return l
}

// Usage is the usage of a workspace.
type Usage struct {
	StorageBytes   int64
	Uploads        int64 // in the current month
	UploadsResetAt time.Time
	Webhooks       int
	LinkPages      int
}

// CheckFileSize returns QUOTA_EXCEEDED if a file is too large for the plan.
func (l Limits) CheckFileSize(size int64) error {
	if size <= l.FileSize {
		return nil
	}
	return exceeded("The file has %d bytes; the plan allows %d (%s) for one file.", size, l.FileSize, Bytes(l.FileSize))
}

// CheckUpload returns QUOTA_EXCEEDED if a usage, which already includes an upload of the size, exceeds the plan.
func (l Limits) CheckUpload(after Usage, size int64) error {
	switch {
	case after.StorageBytes > l.Storage:
		return exceeded("The workspace uses %s of the %s that the plan allows; another %s exceed the limit. Delete files "+
			"that are no longer needed.",
			Bytes(after.StorageBytes-size), Bytes(l.Storage), Bytes(size))
	case after.Uploads > l.MonthlyUploads:
		return exceeded("The workspace has used its %d uploads of this month (%d allowed); the next month begins at %s.",
			after.Uploads-1, l.MonthlyUploads, after.UploadsResetAt.UTC().Format(time.RFC3339))
	}
	return nil
}

// CheckWebhooks returns QUOTA_EXCEEDED if another webhook would exceed the plan.
func (l Limits) CheckWebhooks(used int) error {
	if used < l.Webhooks {
		return nil
	}
	return exceeded("The workspace has %d webhooks, and %d are allowed. Delete one that is no longer needed.", used,
		l.Webhooks)
}

// CheckLinkPages returns QUOTA_EXCEEDED if another link page would exceed the plan.
func (l Limits) CheckLinkPages(used int) error {
	if used < l.LinkPages {
		return nil
	}
	return exceeded("The workspace has %d of the %d link pages that the plan allows. Delete one that is no longer "+
		"needed, or change to a larger plan.", used, l.LinkPages)
}

// CheckWhatsAppNumbers returns QUOTA_EXCEEDED if another WhatsApp number would exceed the plan.
func (l Limits) CheckWhatsAppNumbers(used int) error {
	if used < l.WhatsAppNumbers {
		return nil
	}
	return exceeded("The workspace has %d of the %d WhatsApp numbers that the plan allows. Disconnect one that is no longer "+
		"needed, or change to a larger plan.", used, l.WhatsAppNumbers)
}

// CheckLinkPageAnalytics returns QUOTA_EXCEEDED if the plan has no analytics of link pages.
func (l Limits) CheckLinkPageAnalytics() error {
	if l.LinkPageAnalytics {
		return nil
	}
	return exceeded("The plan does not include analytics of link pages. Visits are counted, and can be read after a " +
		"change to a larger plan.")
}

func exceeded(format string, args ...any) error {
	return apperr.New(apperr.QuotaExceeded, format, args...)
}

// Bytes formats a size for display, in binary units.
func Bytes(n int64) string {
	units := []struct {
		size int64
		name string
	}{{tebibyte, "TiB"}, {gibibyte, "GiB"}, {mebibyte, "MiB"}, {1 << 10, "KiB"}}
	for _, u := range units {
		if n >= u.size {
			return fmt.Sprintf("%.4g %s", float64(n)/float64(u.size), u.name)
		}
	}
	return fmt.Sprintf("%d bytes", n)
}

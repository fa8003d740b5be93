package workspace_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/workspace"
	"fencepost.internal/shared/kernel/apperr"
)

const (
	mebibyte = int64(1024 * 1024)
	gibibyte = 1024 * mebibyte
)

// TestLimits contains the published numbers (docs/contract.md, Plans), independently written by hand.
func TestLimits(t *testing.T) {
	t.Parallel()
	free := workspace.Limits{
		FileSize: 50 * mebibyte, Storage: gibibyte, MonthlyUploads: 100, Webhooks: 20, RequestsPerMinute: 600, LinkPages: 1,
	}
	for plan, want := range map[workspace.Plan]workspace.Limits{
		workspace.Free: free,
		workspace.Creator: {
			FileSize: 250 * mebibyte, Storage: 25 * gibibyte, MonthlyUploads: 1_000, Webhooks: 20, RequestsPerMinute: 600,
			LinkPages: 5, WhatsAppNumbers: 1, LinkPageAnalytics: true,
		},
		workspace.Growth: {
			FileSize: gibibyte, Storage: 100 * gibibyte, MonthlyUploads: 5_000, Webhooks: 20, RequestsPerMinute: 600,
			LinkPages: 20, WhatsAppNumbers: 3, LinkPageAnalytics: true,
		},
		workspace.Agency: {
			FileSize: 4 * gibibyte, Storage: 1024 * gibibyte, MonthlyUploads: 50_000, Webhooks: 20, RequestsPerMinute: 3_000,
			LinkPages: 100, WhatsAppNumbers: 10, LinkPageAnalytics: true,
		},
		"ENTERPRISE": free, // a plan of a newer version
		"":           free,
	} {
		require.Equal(t, want, plan.Limits(), "%s", plan)
	}
}

func TestLargerPlanNeverAllowsLess(t *testing.T) {
	t.Parallel()
	var before workspace.Limits
	for _, plan := range workspace.Plans() {
		l := plan.Limits()
		require.Greater(t, l.FileSize, before.FileSize)
		require.Greater(t, l.Storage, before.Storage)
		require.Greater(t, l.MonthlyUploads, before.MonthlyUploads)
		require.GreaterOrEqual(t, l.RequestsPerMinute, before.RequestsPerMinute)
		require.Greater(t, l.LinkPages, before.LinkPages)
		require.Less(t, l.FileSize, l.Storage)
		before = l
	}
}

func TestWhatsAppNumbers(t *testing.T) {
	t.Parallel()
	require.NoError(t, workspace.Creator.Limits().CheckWhatsAppNumbers(0))
	require.True(t, apperr.Is(workspace.Creator.Limits().CheckWhatsAppNumbers(1), apperr.QuotaExceeded))
	require.Error(t, workspace.Free.Limits().CheckWhatsAppNumbers(0))
}

func TestLimitsAreInclusive(t *testing.T) {
	t.Parallel()
	l := workspace.Free.Limits()
	reset := time.Date(2026, time.April, 1, 0, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		err  error
		says string // empty: allowed
	}{
		"an empty file":       {l.CheckFileSize(0), ""},
		"a file at the limit": {l.CheckFileSize(50 * mebibyte), ""},
		"a byte more": {
			l.CheckFileSize(50*mebibyte + 1), "The file has 52428801 bytes; the plan allows 52428800 (50 MiB) for one file.",
		},
		"a video": {
			l.CheckFileSize(1536 * mebibyte), "The file has 1610612736 bytes; the plan allows 52428800 (50 MiB) for one file.",
		},
		"storage at the limit": {l.CheckUpload(workspace.Usage{StorageBytes: gibibyte, Uploads: 1}, mebibyte), ""},
		"storage beyond": {
			l.CheckUpload(workspace.Usage{StorageBytes: gibibyte + mebibyte, Uploads: 1}, 2*mebibyte),
			"The workspace uses 1023 MiB of the 1 GiB that the plan allows; another 2 MiB exceed the limit.",
		},
		"the last upload": {l.CheckUpload(workspace.Usage{Uploads: 100}, 1), ""},
		"one upload more": {
			l.CheckUpload(workspace.Usage{Uploads: 101, UploadsResetAt: reset}, 1),
			"has used its 100 uploads of this month (100 allowed); the next month begins at 2026-04-01T00:00:00Z.",
		},
		"the last webhook":          {l.CheckWebhooks(19), ""},
		"one webhook more":          {l.CheckWebhooks(20), "The workspace has 20 webhooks, and 20 are allowed."},
		"the first link page":       {l.CheckLinkPages(0), ""},
		"one link page more":        {l.CheckLinkPages(1), "The workspace has 1 of the 1 link pages that the plan allows."},
		"analytics of link pages":   {l.CheckLinkPageAnalytics(), "The plan does not include analytics of link pages."},
		"analytics of a plan":       {workspace.Creator.Limits().CheckLinkPageAnalytics(), ""},
		"more webhooks than before": {l.CheckWebhooks(21), "The workspace has 21 webhooks, and 20 are allowed."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if c.says == "" {
				require.NoError(t, c.err)
				return
			}
			require.True(t, apperr.Is(c.err, apperr.QuotaExceeded), "%v", c.err)
			require.ErrorContains(t, c.err, c.says)
		})
	}
}

func TestBytes(t *testing.T) {
	t.Parallel()
	for n, want := range map[int64]string{
		0: "0 bytes", 1: "1 bytes", 1023: "1023 bytes", 1024: "1 KiB", 1536: "1.5 KiB", mebibyte - 1: "1024 KiB",
		mebibyte: "1 MiB",
		gibibyte: "1 GiB", 25 * gibibyte: "25 GiB", 1024 * gibibyte: "1 TiB", 3 * gibibyte / 2: "1.5 GiB",
	} {
		require.Equal(t, want, workspace.Bytes(n))
	}
}

package linkpage_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/linkpage"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

func TestReadHost(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"links.mara.test": "links.mara.test", "HTTPS://Links.Mara.Test./": "links.mara.test", "xn--mller-kva.test": "xn--mller-kva.test",
		"http://mara.test": "mara.test",
	} {
		host, err := linkpage.ReadHost(given, "pages.example.com")
		require.NoError(t, err, given)
		require.Equal(t, want, host)
	}
	host, err := linkpage.ReadHost("\t links.mara.test ", "pages.example.com")
	require.NoError(t, err)
	require.Equal(t, "links.mara.test", host)
	for _, given := range []string{
		"", "mara", "müller.test", "192.0.2.1", "a b.test", "mara.test/path", "mara.test:8080", "user@mara.test", "-mara.test", "*.mara.test", "mara..test",
		strings.Repeat("a.", 130) + "test", "pages.example.com", "PAGES.example.com", "x.pages.example.com", "example.com", "api.example.com",
	} {
		_, err := linkpage.ReadHost(given, "pages.example.com")
		require.True(t, apperr.Is(err, apperr.ValidationFailed), given)
	}
	_, err = linkpage.ReadHost("mara.test", "pages.test")
	require.NoError(t, err, "the parent of the host of pages is no domain of the service")
}

func TestDomainsAreChecked(t *testing.T) {
	t.Parallel()
	d := linkpage.Domain{PageID: ident.New[ident.LinkPage](), Host: "links.mara.test", CreatedAt: at}
	require.False(t, d.Verified())
	require.Equal(t, "_fencepost.links.mara.test", d.ProofHost())
	require.Regexp(t, `^fencepost-page=[0-9a-f]{32}$`, d.Proof())
	require.NotEqual(t, d.Proof(), linkpage.Domain{PageID: ident.New[ident.LinkPage](), Host: d.Host}.Proof())
	require.NotEqual(t, d.Proof(), linkpage.Domain{PageID: d.PageID, Host: "other.test"}.Proof())
	require.Equal(t, at.Add(linkpage.RecheckClaimed), d.NextCheck(at))
	require.True(t, d.NextCheck(at.Add(linkpage.ClaimLife)).IsZero())

	later := at.Add(time.Hour)
	d = d.Checked("", later)
	require.Equal(t, later, d.VerifiedAt)
	require.Equal(t, later, d.Checked("", later.Add(time.Hour)).VerifiedAt, "it stays verified")
	require.Equal(t, later.Add(linkpage.ClaimLife+linkpage.RecheckVerified), d.NextCheck(later.Add(linkpage.ClaimLife)))
	d = d.Checked("leads to another host", later.Add(time.Hour))
	require.False(t, d.Verified())
	require.Equal(t, "leads to another host", d.Fault)
	require.Equal(t, later.Add(time.Hour), d.CheckedAt)
}

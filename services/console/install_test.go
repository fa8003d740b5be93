package main

import (
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/member"
)

// TestManifestNamesServedFiles reads the manifest as a browser does that installs the application.
func TestManifestNamesServedFiles(t *testing.T) {
	t.Parallel()
	b := setup(t)
	br := b.browser(t)
	got := br.get(t, "/manifest.webmanifest")
	require.Equal(t, http.StatusOK, got.status)
	require.Equal(t, "application/manifest+json", got.header.Get("Content-Type"))
	var manifest struct {
		Icons []struct{ Src, Sizes, Type string }
		Share struct{ Action, Method, Enctype string } `json:"share_target"` //nolint:tagliatelle // as the manifest names it
	}
	require.NoError(t, json.Unmarshal([]byte(got.body), &manifest))
	require.Len(t, manifest.Icons, 3)
	for _, icon := range manifest.Icons {
		file := br.get(t, icon.Src)
		require.Equal(t, icon.Type, file.header.Get("Content-Type"))
		require.Contains(t, file.body, "PNG")
	}
	require.Equal(t, "/share", manifest.Share.Action)
}

// TestServiceWorkerKeepsShellOnly checks that the worker names files that exist, and no page of a workspace.
func TestServiceWorkerKeepsShellOnly(t *testing.T) {
	t.Parallel()
	b := setup(t)
	br := b.browser(t)
	worker := br.get(t, "/service-worker.js")
	require.Contains(t, worker.header.Get("Content-Type"), "text/javascript")
	list := regexp.MustCompile(`const shell = (\[[^\]]*\]);`).FindStringSubmatch(worker.body)
	require.NotNil(t, list, worker.body)
	var shell []string
	require.NoError(t, json.Unmarshal([]byte(list[1]), &shell))
	require.Contains(t, shell, "/offline")
	for _, path := range shell {
		require.Equal(t, http.StatusOK, br.get(t, path).status, path)
		require.Regexp(t, `^/(offline$|assets/)`, path)
	}
	require.Contains(t, br.get(t, "/offline").body, "You are offline")
}

// TestSharedTextReachesComposer shares a text as another application on a phone does.
func TestSharedTextReachesComposer(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours := b.furnish(t, "Ours")
	br := b.browser(t)
	shared := "/share?" + url.Values{
		"title": {"A kiln"}, "text": {"A kiln <b>& more</b>"}, "url": {"https://example.com/?a=1&b=2"}, "files": {"2"},
	}.Encode()
	require.Contains(t, br.get(t, shared).header.Get("Location"), "/sign-in", "without a session")
	br.signInAs(t, b.membership(t, ours.workspace, member.Owner).Email)
	to, err := url.Parse(br.get(t, shared).header.Get("Location"))
	require.NoError(t, err)
	require.Equal(t, filled("/w/{workspace}/compose", ours.wildcards), to.Path)
	require.Equal(t, "A kiln\nA kiln <b>& more</b>\nhttps://example.com/?a=1&b=2", to.Query().Get("text"))
	require.Equal(t, "2", to.Query().Get("files"))
	require.Equal(t, to.Path, br.get(t, "/compose").header.Get("Location"))
	require.Equal(t, to.Path+"?text=Short", br.post(t, "/share", url.Values{"text": {"Short"}}).header.Get("Location"))
}

func TestFind(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours, theirs := b.furnish(t, "Ours"), b.furnish(t, "Theirs")
	b.scheduled(t, ours, "Forty <i>cups</i> of clay", b.clock.Now().Add(time.Hour))
	b.scheduled(t, theirs, "Forty cups of gold", b.clock.Now().Add(time.Hour))
	owner, viewer := b.browser(t), b.browser(t)
	owner.signInAs(t, b.membership(t, ours.workspace, member.Owner).Email)
	viewer.signInAs(t, b.membership(t, ours.workspace, member.Viewer).Email)
	address := filled("/w/{workspace}/find?q=", ours.wildcards)

	got := owner.visited(t, address+"CUPS+forty").body
	require.Contains(t, got, "Forty &lt;i&gt;cups&lt;/i&gt; of clay")
	require.NotContains(t, got, "gold", "of another workspace")
	require.Contains(t, owner.visited(t, address+"audit").body, "/settings/audit")
	require.NotContains(t, viewer.visited(t, address+"audit").body, "/settings/audit", "a viewer cannot open it")
	require.NotContains(t, viewer.visited(t, address+"new+post").body, "/compose\"")
	require.Contains(t, owner.visited(t, address+"xyzzy").body, "Nothing has these words.")
	require.Contains(t, owner.visited(t, address).body, "Connect a channel", "without a text: what can be begun")
	require.Equal(t, http.StatusNotFound, owner.get(t, filled("/w/{workspace}/find", theirs.wildcards)).status)
}

package frame

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/url"
	"strings"
)

const pathOffline = "/offline"

// installing returns the routes by which browsers install the application: its manifest, the service worker that keeps its
// shell on the device, the page that the worker shows without a connection, and the addresses that the manifest names.
func (f *Frame) installing() []Route {
	return []Route{
		{Pattern: "GET /manifest.webmanifest", Access: Anyone, Handle: f.manifest},
		{Pattern: "GET /service-worker.js", Access: Anyone, Handle: f.serviceWorker},
		{Pattern: "GET " + pathOffline, Access: Anyone, Handle: func(v *Visit) error {
			return v.Page(Page{Name: "frame/offline", Title: "You are offline", Bare: true})
		}},
		{Pattern: "GET /compose", Access: SignedIn, Handle: compose},
		{Pattern: "GET /share", Access: SignedIn, Handle: compose},
		// Only a browser whose service worker does not run sends this.
		{Pattern: "POST /share", Access: SignedIn, Handle: compose},
	}
}

// manifest describes the application to browsers that install it (https://www.w3.org/TR/appmanifest/).
func (f *Frame) manifest(v *Visit) error {
	icon := func(name, sizes, purpose string) map[string]string {
		return map[string]string{"src": f.assets.path(name), "sizes": sizes, "type": "image/png", "purpose": purpose}
	}
	v.Out.Header().Set("Content-Type", "application/manifest+json")
	v.Out.Header().Set("Cache-Control", "no-cache")
	return json.NewEncoder(v.Out).Encode(map[string]any{
		"id": "/", "name": "Fencepost", "short_name": "Fencepost", "start_url": "/", "scope": "/", "display": "standalone",
		"background_color": "#f6f6f9", "theme_color": "#f6f6f9",
		"icons": []any{
			icon("icon-192.png", "192x192", "any"), icon("icon-512.png", "512x512", "any"),
			icon("icon-512.png", "512x512", "maskable"),
		},
		"shortcuts": []any{map[string]string{"name": "New post", "url": "/compose"}},
		"share_target": map[string]any{
			"action": "/share", "method": "POST", "enctype": "multipart/form-data",
			"params": map[string]any{
				"title": "title", "text": "text", "url": "url",
				"files": []any{map[string]any{"name": "files", "accept": []string{"image/*", "video/*"}}},
			},
		},
	})
}

// serviceWorker responds with the worker, which names the files of the shell. It differs if one of them does.
func (f *Frame) serviceWorker(v *Visit) error {
	shell := []string{pathOffline}
	for _, name := range []string{"app.css", typeface, "app.js", "htmx.min.js"} {
		shell = append(shell, f.assets.path(name))
	}
	list, err := json.Marshal(shell)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(list)
	v.Out.Header().Set("Content-Type", "text/javascript; charset=utf-8")
	v.Out.Header().Set("Cache-Control", "no-cache")
	worker := strings.NewReplacer("__SHELL__", string(list), "__VERSION__", hex.EncodeToString(sum[:6]), "__ICON__", f.assets.path("icon-192.png")).Replace(f.assets.worker)
	_, _ = io.WriteString(v.Out, worker) // an error concerns only the client's connection
	return nil
}

// compose leads to the composer of the visitor's first workspace, with the text that another application shared. Files wait
// on the device, where the service worker has put them.
func compose(v *Visit) error {
	memberships, err := v.Memberships()
	if err != nil {
		return err
	}
	if len(memberships) == 0 {
		v.Redirect("/")
		return nil
	}
	var lines []string
	for _, name := range []string{"title", "text", "url"} {
		text := strings.TrimSpace(v.Request.FormValue(name))
		if text != "" && !strings.Contains(strings.Join(lines, "\n"), text) {
			lines = append(lines, text)
		}
	}
	query := url.Values{}
	if len(lines) > 0 {
		query.Set("text", strings.Join(lines, "\n"))
	}
	if files := v.Query("files"); files != "" {
		query.Set("files", files)
	}
	address := "/w/" + memberships[0].Workspace.ID.String() + "/compose"
	if len(query) > 0 {
		address += "?" + query.Encode()
	}
	v.Redirect(address)
	return nil
}

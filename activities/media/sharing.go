package media

import (
	"cmp"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"fencepost.internal/shared/infra/egress"
	"fencepost.internal/shared/kernel/apperr"
)

// The services whose share links lead to the address of the file.
const (
	googleDrive = "Google Drive"
	dropbox     = "Dropbox"
)

// storages are the services whose share links people give as the URL of a file. They lead to a page that shows it.
var storages = []struct{ domain, name string }{
	{"drive.google.com", googleDrive},
	{"docs.google.com", googleDrive},
	{"photos.google.com", "Google Photos"},
	{"photos.app.goo.gl", "Google Photos"},
	{"dropbox.com", dropbox},
	{"db.tt", dropbox},
	{"1drv.ms", "OneDrive"},
	{"onedrive.live.com", "OneDrive"},
	{"sharepoint.com", "SharePoint"},
	{"icloud.com", "iCloud"},
	{"box.com", "Box"},
	{"wetransfer.com", "WeTransfer"},
	{"we.tl", "WeTransfer"},
	{"canva.com", "Canva"},
	{"canva.link", "Canva"},
}

// storage returns the name of the service, or "" if the host is not one of a known service.
func storage(host string) string {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	for _, known := range storages {
		if host == known.domain || strings.HasSuffix(host, "."+known.domain) {
			return known.name
		}
	}
	return ""
}

var driveFile = regexp.MustCompile(`^/file/(?:u/\d+/)?d/([\w-]+)`)

// direct returns the address of the file that a share link shows, or "" for other addresses.
func direct(address string) string {
	shared, err := url.Parse(strings.Trim(address, " "))
	if err != nil {
		return ""
	}
	switch query := shared.Query(); storage(shared.Hostname()) {
	case googleDrive:
		id := query.Get("id") // of /open and /uc
		if found := driveFile.FindStringSubmatch(shared.Path); found != nil {
			id = found[1]
		}
		if id == "" {
			return ""
		}
		// Without the confirmation, a large file is a page that says that it was not scanned for viruses.
		given := url.Values{"id": {id}, "export": {"download"}, "confirm": {"t"}}
		if key := query.Get("resourcekey"); key != "" { // of files shared before September 2021
			given.Set("resourcekey", key)
		}
		return "https://drive.usercontent.google.com/download?" + given.Encode()
	case dropbox:
		file := strings.HasPrefix(shared.Path, "/s/") || strings.HasPrefix(shared.Path, "/scl/fi/") // folders are archives
		if !file || query.Has("raw") {
			return ""
		}
		query.Set("dl", "1")
		shared.RawQuery, shared.Fragment = query.Encode(), ""
		return shared.String()
	}
	return ""
}

// isPage reports whether the response is a web page. Its declared type alone may be wrong.
func isPage(download *egress.Download, head []byte) bool {
	return strings.HasPrefix(http.DetectContentType(head), "text/html") || download.ContentType == "text/html"
}

// page refuses a web page at an address. It names the service of the address that the user knows, or the server that
// returned the page.
func page(address string, download *egress.Download) error {
	name := cmp.Or(storage(download.Host), download.Host)
	if given, err := url.Parse(strings.Trim(address, " ")); err == nil {
		name = cmp.Or(storage(given.Hostname()), name)
	}
	text := "This is a web page of " + name + ", not a file. Give the address of the file itself"
	if name == googleDrive || name == dropbox {
		text += "; a share link works if everyone who has the link may see the file"
	}
	return &refusal{code: apperr.ImportFailed, text: text + "."}
}

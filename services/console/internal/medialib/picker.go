package medialib

import (
	"net/url"
	"slices"
	"strings"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/ident"
)

const perPicker = 24

// pickerPage is the data of the picker.
type pickerPage struct {
	Search string
	Type   media.Type
	Fault  string // of the search
	Files  []offered
	Next   string // address of the next files
	Cover  bool   // a picture is chosen as the cover of a video
}

// offered is a file that can be chosen, or not for the reason.
type offered struct {
	app.DeliveredAsset

	Fault string
}

// pick shows the processed files from which another page chooses, as a part of that page.
func (l *library) pick(v *frame.Visit) error {
	page := pickerPage{Search: strings.TrimSpace(v.Query("q")), Type: typeIn(v)}
	refused := func(media.Asset) string { return "" }
	if text := v.Query("cover"); text != "" { // of a channel's post
		id, _ := ident.Parse[ident.Channel](text)
		of, err := l.app.Channel(v.Request.Context(), v.Principal, id)
		if err != nil {
			return err
		}
		page.Cover, page.Type = true, media.Image
		refused = func(a media.Asset) string { return l.app.CoverFault(of, post.ContentType(v.Query("kind")), a) }
	}
	filter := postgres.MediaFilter{Type: page.Type, Ready: true, Limit: perPicker + 1}
	filter.Search, page.Fault = searchIn(v)
	if before, err := ident.Parse[ident.Media](v.Query("cursor")); err == nil {
		filter.Before = before
	}
	if page.Fault == "" {
		found, err := l.app.MediaList(v.Request.Context(), v.Principal, filter)
		if err != nil {
			return err
		}
		if len(found) > perPicker {
			found = found[:perPicker]
			page.Next = v.Path("/media/picker?") + url.Values{
				"q": {page.Search}, "type": {string(page.Type)}, "cursor": {found[perPicker-1].ID.String()},
			}.Encode()
		}
		for _, one := range found {
			page.Files = append(page.Files, offered{one, refused(one.Asset)})
		}
	}
	return v.Page(frame.Page{Name: "medialib/picker", Title: "Media", Part: "main", Data: page})
}

// typeIn returns the type in the address; empty for none that exists.
func typeIn(v *frame.Visit) media.Type {
	if kind := media.Type(v.Query("type")); slices.Contains(media.Types(), kind) {
		return kind
	}
	return ""
}

// searchIn returns the search in the address, or what is wrong with it.
func searchIn(v *frame.Visit) (search post.Search, fault string) {
	text := strings.TrimSpace(v.Query("q"))
	if text == "" {
		return post.Search{}, ""
	}
	search, message := post.ParseSearch(text)
	if message != "" {
		fault = frame.Sentence("the search " + message)
	}
	return search, fault
}

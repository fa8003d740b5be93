package telegramapi

import (
	"io"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"fencepost.internal/services/sandbox/internal/chats"
	"fencepost.internal/services/sandbox/internal/stage"
	"fencepost.internal/shared/domain/media"
)

// fileLink is the time for which the address of a file is valid, and downloadLimit the size of the largest file that bots get
// (Bot API: getFile).
const (
	fileLink      = time.Hour
	downloadLimit = 20 << 20
)

// fileOf returns a file of a message in Telegram's JSON, and its member.
func fileOf(f chats.File) (kind, any) {
	shown := stage.Object{"file_id": f.ID, "file_unique_id": f.ID[len(f.ID)-16:], "file_size": f.Size}
	switch media.Type(f.Type) { //nolint:exhaustive // the others are documents
	case media.Image:
		shown["width"], shown["height"] = f.Width, f.Height
		return photo, []any{shown}
	case media.Video:
		shown["width"], shown["height"], shown["duration"] = f.Width, f.Height, 1
		shown["mime_type"], shown["file_name"] = f.ContentType, f.Name
		return video, shown
	default:
		shown["mime_type"], shown["file_name"] = f.ContentType, f.Name
		return document, shown
	}
}

// file returns the path of a file that was sent to an account of the bot.
func (a *api) file(r stage.Request) stage.Response {
	id := r.Values.Get("file_id")
	m, ok := a.received(r, func(f chats.File) bool { return f.ID == id && id != "" })
	gone := ok && a.Stage.Faults.TakeOf(a.Network, m.Account, stage.StepFile, stage.FaultGone).Kind != ""
	f := fileIn(m)
	bad := stage.If(!ok || gone, invalid("invalid file_id")).Or(f.Size > downloadLimit, invalid("file is too big"))
	if bad.Broken {
		return bad.Fault
	}
	kind, _ := fileOf(f)
	ends := a.Stage.Clock.Now().Add(fileLink).Unix()
	return result(stage.Object{
		"file_id": f.ID, "file_unique_id": f.ID[len(f.ID)-16:], "file_size": f.Size,
		"file_path": string(kind) + "s/" + f.SHA256 + "_" + strconv.FormatInt(ends, 10) + path.Ext(f.Name),
	})
}

// fileIn returns the file of a message; the zero file if there is none.
func fileIn(m chats.Message) chats.File {
	if m.File == nil {
		return chats.File{}
	}
	return *m.File
}

// received returns the message with a file that was sent to an account of the bot.
func (a *api) received(r stage.Request, is func(chats.File) bool) (chats.Message, bool) {
	all := a.Stage.Chats.List(chats.Filter{Platform: network})
	at := slices.IndexFunc(all, func(m chats.Message) bool {
		return m.File != nil && is(*m.File) && slices.ContainsFunc(a.business.enabled(m.Account), func(c connection) bool {
			return c.Bot == r.Grant.Account
		})
	})
	if at < 0 {
		return chats.Message{}, false
	}
	return all[at], true
}

// download returns the bytes of a file at its path.
func (a *api) download(r stage.Request) stage.Response {
	_, name, _ := strings.Cut(r.PathValue("path"), "/")
	sum, rest, _ := strings.Cut(name, "_")
	ends, _ := strconv.ParseInt(strings.TrimSuffix(rest, path.Ext(rest)), 10, 64)
	m, ok := a.received(r, func(f chats.File) bool { return f.SHA256 == sum })
	f := fileIn(m)
	if !ok || a.Stage.Clock.Now().Unix() > ends {
		return unknown()
	}
	if hostile, is := a.Stage.HostileFile(a.Network, m.Account); is {
		return hostile
	}
	file, _, err := a.Stage.Media.Open(f.SHA256)
	if err != nil {
		return broken()
	}
	defer func() { _ = file.Close() }()
	content, err := io.ReadAll(file)
	return a.After(err, stage.Response{
		Status: http.StatusOK, Body: content, Header: map[string]string{"Content-Type": "application/octet-stream"},
	})
}

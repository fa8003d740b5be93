package whatsappapi

import (
	"cmp"
	"crypto/rand"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"fencepost.internal/services/sandbox/internal/chats"
	"fencepost.internal/services/sandbox/internal/metaapi"
	"fencepost.internal/services/sandbox/internal/stage"
)

// The times of files (WhatsApp: Media): of those that were uploaded, of those that people sent, and of their addresses.
const (
	uploadKept   = 30 * 24 * time.Hour
	receivedKept = 7 * 24 * time.Hour
	addressKept  = 5 * time.Minute
)

// upload stores a file, with which messages of the number can be sent.
func (a *api) upload(r stage.Request) stage.Response {
	file, ok := r.Form.File("file")
	kind, _, _ := strings.Cut(file.Item.ContentType, "/")
	const image, video, document = 5 << 20, 16 << 20, 100 << 20
	limit := cmp.Or(map[string]int64{"image": image, "video": video}[kind], document)
	bad := stage.If(r.Form.Values.Get("messaging_product") != "whatsapp",
		a.refuse(codeParameter, "The parameter messaging_product is required.", "")).
		Or(!ok, a.refuse(codeParameter, "The parameter file is required.", "")).
		Or(file.Err != nil || file.Item.Size > limit || !strings.HasPrefix(file.ContentType, file.Item.ContentType),
			a.refuse(codeMedia, "Media upload error", "The file is too large, or has another type than the request says."))
	if bad.Broken {
		return bad.Fault
	}
	kept := record{
		ID: stable(3e15, rand.Text()), Account: r.Account, SHA256: file.Item.SHA256, ContentType: file.Item.ContentType,
		Size: file.Item.Size, At: a.Stage.Clock.Now(),
	}
	return a.After(a.records.Keep(kept), stage.OK(stage.Object{"id": kept.ID}))
}

// file returns a file of the business that WhatsApp still has.
func (a *api) file(r stage.Request) (record, bool) {
	id, now := r.PathValue("id"), a.Stage.Clock.Now()
	if kept, ok := a.records.Get(id); ok && kept.SHA256 != "" {
		return kept, businessOf(kept.Account) == r.Grant.Account && now.Before(kept.At.Add(uploadKept))
	}
	all := a.Stage.Chats.List(chats.Filter{Platform: network, Origin: chats.FromPerson})
	at := slices.IndexFunc(all, func(m chats.Message) bool { return m.File != nil && m.File.ID == id })
	if at < 0 || businessOf(all[at].Account) != r.Grant.Account || !now.Before(all[at].At.Add(receivedKept)) {
		return record{}, false
	}
	f := all[at].File
	return record{ID: id, Account: all[at].Account, SHA256: f.SHA256, ContentType: f.ContentType, Size: f.Size}, true
}

// read returns a number of the business, or the address of a file.
func (a *api) read(r stage.Request) stage.Response {
	for _, name := range []string{r.Grant.Account, r.Grant.Account + second} {
		if r.PathValue("id") == phoneID(name) {
			fields := cmp.Or(r.Values.Get("fields"), "verified_name,display_phone_number,quality_rating,status")
			return stage.OK(stage.Pick(metaapi.SplitFields("id,"+fields), a.number(name)))
		}
	}
	f, ok := a.file(r)
	gone := ok && a.Stage.Faults.TakeOf(a.Network, f.Account, stage.StepFile, stage.FaultGone).Kind != ""
	if !ok || gone || !r.Grant.Has(messaging) {
		return a.NotFound()
	}
	ends := strconv.FormatInt(a.Stage.Clock.Now().Add(addressKept).Unix(), 10)
	return stage.OK(stage.Object{
		"messaging_product": "whatsapp", "id": f.ID, "mime_type": f.ContentType, "sha256": f.SHA256,
		"file_size": strconv.FormatInt(f.Size, 10),
		"url":       a.Stage.Base(r.Request) + "/whatsapp/" + r.PathValue("version") + "/media/" + f.ID + "/" + ends,
	})
}

// download returns the bytes of a file at its address.
func (a *api) download(r stage.Request) stage.Response {
	f, ok := a.file(r)
	ends, _ := strconv.ParseInt(r.PathValue("ends"), 10, 64)
	if !ok || a.Stage.Clock.Now().Unix() > ends {
		return stage.Refuse(http.StatusNotFound, nil)
	}
	if hostile, is := a.Stage.HostileFile(a.Network, f.Account); is {
		return hostile
	}
	file, _, err := a.Stage.Media.Open(f.SHA256)
	if err != nil {
		return a.Broken
	}
	defer func() { _ = file.Close() }()
	content, err := io.ReadAll(file)
	return a.After(err, stage.Response{
		Status: http.StatusOK, Body: content, Header: map[string]string{"Content-Type": f.ContentType},
	})
}

package linkedinapi

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"fencepost.internal/services/sandbox/internal/ledger"
	"fencepost.internal/services/sandbox/internal/mediastore"
	"fencepost.internal/services/sandbox/internal/stage"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/media"
)

const (
	uploadPath = "/linkedin-dms"
	// urlLife is the time in which the addresses of an upload work.
	urlLife                     = 24 * time.Hour
	partSize                    = 4 << 20
	smallestVideo, largestVideo = 75 << 10, 500 << 20
	largestDocument             = 100 << 20
	mostPixels                  = 36_152_320
)

// assetKind is a kind of media: the name of its resource.
type assetKind string

const (
	kindImage    assetKind = "images"
	kindDocument assetKind = "documents"
	kindVideo    assetKind = "videos"

	stateAvailable = "AVAILABLE"
	stateFailed    = "PROCESSING_FAILED"
)

// word returns the kind's word in URNs and JSON members.
func (k assetKind) word() string { return strings.TrimSuffix(string(k), "s") }

// types returns the content types of the kind, and the largest size of its bytes at one address.
func (k assetKind) types() (types []string, size int64) {
	switch k {
	case kindImage:
		return []string{media.ContentTypeJPEG, media.ContentTypePNG, media.ContentTypeGIF}, 20 << 20
	case kindDocument:
		return []string{
			media.ContentTypePDF, media.ContentTypeDOC, media.ContentTypeDOCX, media.ContentTypePPT, media.ContentTypePPTX,
		}, largestDocument
	case kindVideo:
		return []string{media.ContentTypeMP4}, partSize
	}
	return nil, partSize // of an asset that does not exist
}

// asset is a file that a post can contain.
type asset struct {
	ID        string       `json:"id"` // its URN ends in it
	Kind      assetKind    `json:"kind"`
	Owner     string       `json:"owner"` // URN
	Account   string       `json:"account"`
	Secret    string       `json:"key"`            // of the addresses of its upload
	Size      int64        `json:"size,omitempty"` // bytes of a video, as declared
	CreatedAt time.Time    `json:"createdAt"`
	EndedAt   time.Time    `json:"endedAt"`         // when its bytes were complete; zero before
	ETags     []string     `json:"etags,omitempty"` // of a video's parts; empty for a missing one
	Media     ledger.Media `json:"media"`           // the detected media; zero before
	Failure   string       `json:"failure,omitempty"`
}

// Key returns the id.
func (f asset) Key() string { return f.ID }

func (f asset) urn() string { return "urn:li:" + f.Kind.word() + ":" + f.ID }

func (f asset) state(now time.Time) string {
	return mediastore.Progress{
		Waiting: "WAITING_UPLOAD", Processing: "PROCESSING", Failed: stateFailed, Done: stateAvailable,
		Time: 250 * time.Millisecond,
	}.State(f.EndedAt, now, f.Failure != "")
}

// part returns the first and the last byte of a part of a video.
func (f asset) part(part int) (first, last int64) {
	first = int64(part) * partSize
	return first, min(first+partSize, f.Size) - 1
}

// action starts or finalizes an upload.
func (a *api) action(kind assetKind) func(stage.Request) stage.Response {
	return func(r stage.Request) stage.Response {
		switch action := r.Values.Get("action"); {
		case action == "initializeUpload":
			return a.initialize(r, kind)
		case action == "finalizeUpload" && kind == kindVideo:
			return a.finalize(r)
		default:
			return illegal("Unsupported action for resource " + string(kind))
		}
	}
}

// initialize creates an asset and returns the addresses of its bytes.
func (a *api) initialize(r stage.Request, kind assetKind) stage.Response {
	var body struct {
		Request *struct {
			Owner     string `json:"owner"`
			Size      *int64 `json:"fileSizeBytes"`
			Captions  *bool  `json:"uploadCaptions"`
			Thumbnail *bool  `json:"uploadThumbnail"`
		} `json:"initializeUploadRequest"`
	}
	if err := r.JSON(&body); err != nil || body.Request == nil {
		return invalid("Data Processing Exception while processing fields [/initializeUploadRequest]")
	}
	requested, video, size := body.Request, kind == kindVideo, int64(0)
	if requested.Size != nil {
		size = *requested.Size
	}
	r = actingFor(r, requested.Owner)
	rule := stage.If(!mayPost(r, requested.Owner) || video && strings.Contains(requested.Owner, "contentadmin"),
		denied(string(kind)+".ACTION-initializeUpload as "+requested.Owner)).
		Or(!video && (requested.Size != nil || requested.Captions != nil || requested.Thumbnail != nil),
			invalid("unrecognized field found but not allowed")).
		Or(video && (requested.Size == nil || requested.Captions == nil || requested.Thumbnail == nil),
			invalid("field is required but not found and has no default value")).
		Or(video && (size < smallestVideo || size > largestVideo),
			badRequest("INVALID_VALUE_FOR_FIELD", "fileSizeBytes is out of range"))
	if rule.Broken {
		return rule.Fault
	}
	created := asset{
		ID: "C4E22AQ" + rand.Text(), Secret: rand.Text(), Kind: kind, Owner: requested.Owner, Account: r.Account, Size: size,
		CreatedAt: a.Stage.Clock.Now(), ETags: make([]string, (size+partSize-1)/partSize),
	}
	return a.After(a.assets.Keep(created), stage.OK(stage.Object{"value": created.invitation("http://" + r.Host)}))
}

// invitation returns the addresses that accept the asset's bytes.
func (f asset) invitation(base string) stage.Object {
	address := func(part int) string {
		return base + uploadPath + "/" + f.ID + "/" + strconv.Itoa(part) + "?ca=vector_feedshare&cn=uploads&m=" +
			f.Kind.word() + "&sync=0&v=beta&ut=" + f.Secret
	}
	expires := f.CreatedAt.Add(urlLife).UnixMilli()
	if f.Kind != kindVideo {
		return stage.Object{"uploadUrlExpiresAt": expires, "uploadUrl": address(0), f.Kind.word(): f.urn()}
	}
	parts := make([]stage.Object, len(f.ETags))
	for i := range parts {
		first, last := f.part(i)
		parts[i] = stage.Object{"uploadUrl": address(i), "firstByte": first, "lastByte": last}
	}
	return stage.Object{"uploadUrlsExpireAt": expires, "video": f.urn(), "uploadInstructions": parts, "uploadToken": ""}
}

// receive accepts the bytes of an image or a document, or a part of a video. Bytes for an address that has some already
// replace them. The addresses of videos are signed; the others also need the token.
func (a *api) receive(w http.ResponseWriter, r *http.Request) {
	found, ok := a.assets.Get(r.PathValue("id"))
	_, limit := found.Kind.types()
	body, complete := stage.ReadLargeBody(w, r, limit)
	if !complete {
		return
	}
	part, err := strconv.Atoi(r.PathValue("part"))
	if !ok || err != nil || r.URL.Query().Get("ut") != found.Secret ||
		!a.Stage.Clock.Now().Before(found.CreatedAt.Add(urlLife)) {
		http.Error(w, "Forbidden", http.StatusForbidden)
		return
	}
	call := stage.Call{Network: channel.NetworkLinkedIn, Account: found.Account, Step: stage.StepUpload}
	if found.Kind != kindVideo {
		request, refusal := a.Admit(r, body, "")
		if refusal != nil || request.Account != found.Account {
			a.Words.Unauthorized.Write(w)
			return
		}
		call.Grant = request.Grant
	}
	a.Stage.Perform(w, r, a.Words, func() stage.Response {
		if found.Kind == kindVideo {
			return a.keepPart(found, part, body)
		}
		if part != 0 || len(body) == 0 {
			return stage.Empty(http.StatusBadRequest)
		}
		return a.After(a.complete(r, found, bytes.NewReader(body)), stage.Empty(http.StatusCreated))
	}, call)
}

// keepPart stores a part of a video.
func (a *api) keepPart(of asset, part int, body []byte) stage.Response {
	first, last := of.part(part)
	if part < 0 || part >= len(of.ETags) || !of.EndedAt.IsZero() || int64(len(body)) != last-first+1 {
		return stage.Empty(http.StatusBadRequest)
	}
	sum := sha256.Sum256(body)
	etag := "/ambry-video/signedId/" + hex.EncodeToString(sum[:16])
	err := a.assets.Write(of.ID, first, int64(len(body)), bytes.NewReader(body))
	if err == nil {
		err = a.assets.Change(of.ID, func(stored *asset) {
			stored.ETags = slices.Clone(stored.ETags)
			stored.ETags[part] = etag
		})
	}
	return a.After(err, stage.Empty(http.StatusOK).With("Etag", etag))
}

// complete checks the bytes of an asset, which is then processed.
func (a *api) complete(r *http.Request, of asset, file io.Reader) error {
	types, _ := of.Kind.types()
	item, ok, err := a.Stage.Media.Check(r.Context(), file, largestVideo, types...)
	if err != nil {
		return err
	}
	return a.assets.Change(of.ID, func(stored *asset) {
		stored.EndedAt, stored.Media = a.Stage.Clock.Now(), item.Media(of.urn(), "")
		stored.Failure = stage.If(!ok, "The file is not supported").
			Or(item.Width*item.Height >= mostPixels, "The image has too many pixels").Fault
	})
}

// finalize completes a video whose parts are all there.
func (a *api) finalize(r stage.Request) stage.Response {
	var body struct {
		Request *struct {
			Video string   `json:"video"`
			Token *string  `json:"uploadToken"`
			Parts []string `json:"uploadedPartIds"`
		} `json:"finalizeUploadRequest"`
	}
	if err := r.JSON(&body); err != nil || body.Request == nil || body.Request.Token == nil {
		return invalid("Data Processing Exception while processing fields [/finalizeUploadRequest]")
	}
	found, rule := a.owned(r, kindVideo, body.Request.Video)
	rule = rule.Or(!found.EndedAt.IsZero(), badRequest("UPDATING_ASSET_FAILED", "The upload is finalized already")).
		Or(slices.Contains(found.ETags, ""), badRequest("MEDIA_ASSET_WAITING_UPLOAD", "Media asset is waiting upload")).
		Or(*body.Request.Token != "" || !slices.Equal(body.Request.Parts, found.ETags), badRequest("INVALID_VALUE_FOR_FIELD",
			"uploadedPartIds are not the entity tags of all parts in order"))
	if rule.Broken {
		return rule.Fault
	}
	file := a.assets.Reader(found.ID, found.Size)
	err := errors.Join(a.complete(r.Request, found, file), file.Close(), a.assets.Drop(found.ID))
	return a.After(err, stage.Empty(http.StatusOK))
}

// state returns the state of an asset. The tokens of members cannot read images and documents.
func (a *api) state(kind assetKind) func(stage.Request) stage.Response {
	return func(r stage.Request) stage.Response {
		if kind != kindVideo && r.Grant.Role != roleOrganization {
			return denied(string(kind) + ".GET")
		}
		found, rule := a.owned(r, kind, r.PathValue("urn"))
		shown := stage.Object{"id": found.urn(), "owner": found.Owner, "status": found.state(a.Stage.Clock.Now())}
		if shown["status"] == stateFailed {
			shown["processingFailureReason"] = found.Failure
		}
		return rule.Else(stage.OK(shown))
	}
}

// owned returns the asset of the URN if the caller may use it.
func (a *api) owned(r stage.Request, kind assetKind, urn string) (asset, stage.Rule[stage.Response]) {
	id, isURN := strings.CutPrefix(urn, "urn:li:"+kind.word()+":")
	found, ok := a.assets.Get(id)
	return found, stage.If(!isURN || !ok || found.Kind != kind,
		problem(http.StatusNotFound, 0, "NOT_FOUND", "Could not find entity "+urn)).
		Or(found.Owner != authorOf(actingFor(r, found.Owner)), denied(string(kind)+" of "+found.Owner))
}

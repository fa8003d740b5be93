package linkedinapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"fencepost.internal/services/sandbox/internal/fault"
	"fencepost.internal/services/sandbox/internal/mediastore"
	"fencepost.internal/services/sandbox/internal/stage"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/media"
)

// Limits of media.
const (
	partSize                    = 4 << 20
	smallestVideo, largestVideo = 75 << 10, 500 << 20
	largestImage                = 20 << 20
	largestDocument             = 100 << 20
	mostPixels                  = 36_152_320
	uploadPath                  = "/linkedin-dms"
	invalidRequest              = "INVALID_INPUT"
)

// registerMedia adds the calls about media. Their bytes go to addresses outside of the API.
func (a *API) registerMedia(mux *http.ServeMux) {
	for _, kind := range []assetKind{kindImage, kindDocument, kindVideo} {
		path := "/linkedin/rest/" + string(kind)
		mux.HandleFunc("POST "+path, a.as(fault.StepUpload, nil, a.versioned(a.action(kind))))
		mux.HandleFunc("GET "+path+"/{urn}", a.as(fault.StepStatus, nil, a.versioned(a.state(kind))))
	}
	mux.HandleFunc("PUT "+uploadPath+"/{id}/{part}", a.receive)
}

// action starts or finalizes an upload.
func (a *API) action(kind assetKind) func(http.ResponseWriter, request) {
	return func(w http.ResponseWriter, r request) {
		switch action := r.URL.Query().Get("action"); {
		case action == "initializeUpload":
			a.initialize(w, r, kind)
		case action == "finalizeUpload" && kind == kindVideo:
			a.finalize(w, r)
		default:
			problem(w, http.StatusBadRequest, 0, "ILLEGAL_ARGUMENT", "Unsupported action for resource "+string(kind))
		}
	}
}

// initialize creates an asset and returns the addresses of its bytes.
func (a *API) initialize(w http.ResponseWriter, r request, kind assetKind) {
	var body struct {
		Request *struct {
			Owner     string `json:"owner"`
			Size      *int64 `json:"fileSizeBytes"`
			Captions  *bool  `json:"uploadCaptions"`
			Thumbnail *bool  `json:"uploadThumbnail"`
		} `json:"initializeUploadRequest"`
	}
	if err := r.decode(&body); err != nil || body.Request == nil {
		badMedia(w, invalidRequest, "Data Processing Exception while processing fields [/initializeUploadRequest]")
		return
	}
	asked := body.Request
	r = r.actingFor(asked.Owner)
	if !r.mayPost(asked.Owner) {
		denied(w, string(kind)+".ACTION-initializeUpload as "+asked.Owner)
		return
	}
	if kind == kindVideo && strings.Contains(asked.Owner, "contentadmin") {
		denied(w, string(kind)+".ACTION-initializeUpload as "+asked.Owner)
		return
	}
	asset := Asset{Kind: kind, Owner: asked.Owner, Account: r.account}
	switch given := asked.Size != nil || asked.Captions != nil || asked.Thumbnail != nil; {
	case kind != kindVideo && given:
		badMedia(w, invalidRequest, "unrecognized field found but not allowed")
		return
	case kind == kindVideo && (asked.Size == nil || asked.Captions == nil || asked.Thumbnail == nil):
		badMedia(w, invalidRequest, "field is required but not found and has no default value")
		return
	case kind == kindVideo && (*asked.Size < smallestVideo || *asked.Size > largestVideo):
		badMedia(w, "INVALID_VALUE_FOR_FIELD", "fileSizeBytes is out of range")
		return
	case kind == kindVideo:
		asset.Size, asset.ETags = *asked.Size, make([]string, (*asked.Size+partSize-1)/partSize)
	}
	asset, err := a.assets.Begin(asset)
	if err != nil {
		brokenLedger(w)
		return
	}
	if !r.held.Lost(w, r.Request) {
		stage.JSON(w, http.StatusOK, map[string]any{"value": asset.invitation("http://" + r.Host)})
	}
}

// invitation returns the addresses that accept the asset's bytes.
func (a Asset) invitation(base string) map[string]any {
	address := func(part int) string {
		return base + uploadPath + "/" + a.ID + "/" + strconv.Itoa(part) + "?ca=vector_feedshare&cn=uploads&m=" +
			a.Kind.word() + "&sync=0&v=beta&ut=" + a.Key
	}
	expires := a.CreatedAt.Add(urlLife).UnixMilli()
	if a.Kind != kindVideo {
		return map[string]any{"uploadUrlExpiresAt": expires, "uploadUrl": address(0), a.Kind.word(): a.urn()}
	}
	parts := make([]map[string]any, len(a.ETags))
	for i := range parts {
		first := int64(i) * partSize
		parts[i] = map[string]any{
			"uploadUrl": address(i), "firstByte": first, "lastByte": min(first+partSize, a.Size) - 1,
		}
	}
	return map[string]any{
		"uploadUrlsExpireAt": expires, "video": a.urn(), "uploadInstructions": parts, "uploadToken": a.Token,
	}
}

// receive accepts the bytes of an image or a document, or a part of a video. Bytes for an address that has some already
// replace them. The addresses of videos are signed; the others also need the token.
func (a *API) receive(w http.ResponseWriter, r *http.Request) {
	asset, ok := a.assets.Of(r.PathValue("id"))
	part, err := strconv.Atoi(r.PathValue("part"))
	if !ok || err != nil || r.URL.Query().Get("ut") != asset.Key || !a.now().Before(asset.CreatedAt.Add(urlLife)) {
		http.Error(w, "Forbidden", http.StatusForbidden)
		return
	}
	limit := map[assetKind]int64{kindImage: largestImage, kindDocument: largestDocument, kindVideo: partSize}[asset.Kind]
	body, ok := stage.ReadLargeBody(w, r, limit)
	if !ok {
		return
	}
	call := stage.Call{Network: channel.NetworkLinkedIn, Account: asset.Account, Step: fault.StepUpload}
	if asset.Kind != kindVideo {
		call.Grant, err = a.stage.Tokens.Access(network, stage.Bearer(r))
		if err != nil || call.Grant.Account != asset.Account {
			dialect{}.Unauthorized(w)
			return
		}
	}
	held, ok := a.stage.Enter(w, r, call, dialect{})
	if !ok {
		return
	}
	var etag string
	var status int
	if asset.Kind == kindVideo {
		etag, status = a.keepPart(asset, part, body)
	} else {
		status = a.keepWhole(r.Context(), asset, part, body)
	}
	if held.Lost(w, r) {
		return
	}
	if etag != "" {
		w.Header().Set("Etag", etag)
	}
	w.WriteHeader(status)
}

// keepPart stores a part of a video. It returns the part's entity tag and the status.
func (a *API) keepPart(asset Asset, part int, body []byte) (string, int) {
	if part < 0 || part >= len(asset.ETags) || !asset.EndedAt.IsZero() ||
		int64(len(body)) != min(int64(part+1)*partSize, asset.Size)-int64(part)*partSize {
		return "", http.StatusBadRequest
	}
	etag := "/ambry-video/signedId/" + sum(body)
	err := a.assets.segments.Add(asset.ID, part, body)
	if err == nil {
		err = a.assets.Change(asset.ID, func(stored *Asset) { stored.ETags[part] = etag })
	}
	if err != nil {
		return "", http.StatusInternalServerError
	}
	return etag, http.StatusOK
}

// keepWhole stores an image or a document, which is then processed. It returns the status.
func (a *API) keepWhole(ctx context.Context, asset Asset, part int, body []byte) int {
	if part != 0 || len(body) == 0 {
		return http.StatusBadRequest
	}
	item, err := a.stage.Media.Put(ctx, bytes.NewReader(body), int64(len(body)))
	fault, readable := unusable(asset.Kind, item, err)
	if !readable {
		return http.StatusInternalServerError
	}
	err = a.assets.Change(asset.ID, func(stored *Asset) {
		stored.EndedAt, stored.Failure, stored.Media = a.now(), fault, item.Media(asset.urn(), "")
	})
	if err != nil {
		return http.StatusInternalServerError
	}
	return http.StatusCreated
}

// unusable returns the reason why LinkedIn cannot process the file, or an empty fault. readable is false if the sandbox
// itself failed.
func unusable(kind assetKind, item mediastore.Item, err error) (fault string, readable bool) {
	takes := map[assetKind][]string{
		kindImage: {media.ContentTypeJPEG, media.ContentTypePNG, media.ContentTypeGIF},
		kindDocument: {
			media.ContentTypePDF, media.ContentTypeDOC, media.ContentTypeDOCX, media.ContentTypePPT, media.ContentTypePPTX,
		},
		kindVideo: {media.ContentTypeMP4},
	}[kind]
	switch {
	case errors.Is(err, mediastore.ErrUnsupported), errors.Is(err, mediastore.ErrTooLarge),
		errors.Is(err, mediastore.ErrEmpty):
		return "The file is not supported", true
	case err != nil:
		return "", false
	case !slices.Contains(takes, item.ContentType):
		return "The file is not supported: " + item.ContentType, true
	case item.Width*item.Height >= mostPixels:
		return "The image has too many pixels", true
	default:
		return "", true
	}
}

// finalize completes a video whose parts are all there.
func (a *API) finalize(w http.ResponseWriter, r request) {
	var body struct {
		Request *struct {
			Video string   `json:"video"`
			Token *string  `json:"uploadToken"`
			Parts []string `json:"uploadedPartIds"`
		} `json:"finalizeUploadRequest"`
	}
	if err := r.decode(&body); err != nil || body.Request == nil || body.Request.Token == nil {
		badMedia(w, invalidRequest, "Data Processing Exception while processing fields [/finalizeUploadRequest]")
		return
	}
	asset, ok := a.owned(w, r, kindVideo, body.Request.Video)
	if !ok {
		return
	}
	switch {
	case !asset.EndedAt.IsZero():
		badMedia(w, "UPDATING_ASSET_FAILED", "The upload is finalized already")
		return
	case slices.Contains(asset.ETags, ""):
		badMedia(w, "MEDIA_ASSET_WAITING_UPLOAD", "Media asset is waiting upload")
		return
	case *body.Request.Token != asset.Token, !slices.Equal(body.Request.Parts, asset.ETags):
		badMedia(w, "INVALID_VALUE_FOR_FIELD", "uploadedPartIds are not the entity tags of all parts in order")
		return
	}
	file := a.assets.segments.Join(asset.ID)
	item, err := a.stage.Media.Put(r.Context(), file, largestVideo)
	fault, readable := unusable(kindVideo, item, errors.Join(err, file.Close()))
	if readable {
		err = a.assets.Change(asset.ID, func(stored *Asset) {
			stored.EndedAt, stored.Failure, stored.Media = a.now(), fault, item.Media(asset.urn(), "")
		})
	}
	if err != nil && fault == "" {
		brokenLedger(w)
		return
	}
	_ = a.assets.segments.Drop(asset.ID) // the bytes are in the media store
	if !r.held.Lost(w, r.Request) {
		w.WriteHeader(http.StatusOK)
	}
}

// state returns the state of an asset. The tokens of members cannot read images and documents.
func (a *API) state(kind assetKind) func(http.ResponseWriter, request) {
	return func(w http.ResponseWriter, r request) {
		if kind != kindVideo && r.grant.Role != roleOrganization {
			denied(w, string(kind)+".GET")
			return
		}
		asset, ok := a.owned(w, r, kind, r.PathValue("urn"))
		if !ok {
			return
		}
		shown := map[string]any{"id": asset.urn(), "owner": asset.Owner, "status": asset.state(a.now())}
		if shown["status"] == stateFailed {
			shown["processingFailureReason"] = asset.Failure
		}
		if !r.held.Lost(w, r.Request) {
			stage.JSON(w, http.StatusOK, shown)
		}
	}
}

// owned returns the asset of the URN if the caller may use it. Otherwise it writes an error response.
func (a *API) owned(w http.ResponseWriter, r request, kind assetKind, urn string) (Asset, bool) {
	id, isURN := strings.CutPrefix(urn, "urn:li:"+kind.word()+":")
	asset, ok := a.assets.Of(id)
	switch {
	case !isURN || !ok || asset.Kind != kind:
		problem(w, http.StatusNotFound, 0, "NOT_FOUND", "Could not find entity "+urn)
		return Asset{}, false
	case asset.Owner != r.actingFor(asset.Owner).author():
		denied(w, string(kind)+" of "+asset.Owner)
		return Asset{}, false
	}
	return asset, true
}

// decode parses the body strictly.
func (r request) decode(into any) error {
	if !strings.HasPrefix(r.Header.Get("Content-Type"), "application/json") {
		return errors.New("the content type must be application/json")
	}
	decoder := json.NewDecoder(bytes.NewReader(r.body))
	decoder.DisallowUnknownFields()
	return decoder.Decode(into)
}

// badMedia writes LinkedIn's response to an invalid call about media.
func badMedia(w http.ResponseWriter, code, message string) {
	problem(w, http.StatusBadRequest, 0, code, message)
}

func brokenLedger(w http.ResponseWriter) {
	problem(w, http.StatusInternalServerError, 0, "INTERNAL_SERVER_ERROR", "The sandbox's files cannot be written.")
}

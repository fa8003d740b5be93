package facebookapi

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"fencepost.internal/services/sandbox/internal/fault"
	"fencepost.internal/services/sandbox/internal/metaapi"
	"fencepost.internal/services/sandbox/internal/stage"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/media"
)

// application returns the application of the request's token, which is ID|SECRET or that of a person. If there is none, it
// writes an error response and returns false.
func (a *API) application(w http.ResponseWriter, r *http.Request, values url.Values) (string, bool) {
	text, ok := strings.CutPrefix(r.Header.Get("Authorization"), "OAuth ")
	if !ok {
		text = stage.AccessToken(r, values)
	}
	if grant, err := a.stage.Tokens.Access(network, text); err == nil && grant.Role == metaapi.RoleUser {
		return grant.App, true
	}
	app, secret, ok := strings.Cut(text, "|")
	if !ok || app == "" || secret == "" {
		graphError(w, http.StatusBadRequest, 190, 0, "Invalid OAuth access token - Cannot parse access token")
		return "", false
	}
	return app, true
}

// signature follows the id of an upload session.
const signature = "?sig=ARZsandbox"

// announce starts an upload session of the application.
func (a *API) announce(w http.ResponseWriter, r *http.Request) {
	body, ok := stage.ReadBody(w, r)
	if !ok {
		return
	}
	values := stage.Parameters(r, body)
	app, ok := a.application(w, r, values)
	if !ok {
		return
	}
	held, ok := a.stage.Enter(w, r, stage.Call{Network: channel.NetworkFacebook, Step: fault.StepCreate}, dialect{})
	if !ok {
		return
	}
	total, err := strconv.ParseInt(values.Get("file_length"), 10, 64)
	switch {
	case app != r.PathValue("page"):
		missing(w)
		return
	case err != nil || total < 1 || total > videoLimit || values.Get("file_name") == "":
		graphError(w, http.StatusBadRequest, 100, 0, "(#100) Param file_length or file_name is not valid")
		return
	case values.Get("file_type") != media.ContentTypeMP4:
		graphError(w, http.StatusBadRequest, 100, 0, "(#100) Param file_type must be one of {video/mp4}")
		return
	}
	made, err := a.objects.add(object{Account: app, Kind: kindFile, Total: total})
	if err != nil {
		dialect{}.Unavailable(w)
		return
	}
	if !held.Lost(w, r) {
		stage.JSON(w, http.StatusOK, map[string]string{"id": "upload:" + made.ID + signature})
	}
}

// session returns the upload session of the path. If there is none, it writes an error response and returns false.
func (a *API) session(w http.ResponseWriter, r *http.Request) (object, bool) {
	app, ok := a.application(w, r, r.URL.Query())
	if !ok {
		return object{}, false
	}
	id, ok := strings.CutPrefix(r.PathValue("id"), "upload:")
	found, known := a.objects.of(app, id)
	if !ok || !known || found.Kind != kindFile || "?"+r.URL.RawQuery != signature {
		missing(w)
		return object{}, false
	}
	return found, true
}

// sendFile receives the bytes of an upload session.
func (a *API) sendFile(w http.ResponseWriter, r *http.Request) {
	found, ok := a.session(w, r)
	if !ok {
		return
	}
	call := stage.Call{Network: channel.NetworkFacebook, Step: fault.StepUpload}
	a.take(w, r, call, found, r.Header.Get(offsetHeader), func(w http.ResponseWriter, held stage.Held, of object) {
		if !held.Lost(w, r) {
			stage.JSON(w, http.StatusOK, map[string]string{"h": fileName(of)})
		}
	})
}

// readSession reports how many bytes of a session arrived.
func (a *API) readSession(w http.ResponseWriter, r *http.Request) {
	found, ok := a.session(w, r)
	if !ok {
		return
	}
	call := stage.Call{Network: channel.NetworkFacebook, Step: fault.StepStatus}
	held, ok := a.stage.Enter(w, r, call, dialect{})
	if ok && !held.Lost(w, r) {
		stage.JSON(w, http.StatusOK, map[string]any{"id": "upload:" + found.ID, "file_offset": a.objects.received(found)})
	}
}

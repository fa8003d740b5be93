package linkedin

import (
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"time"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

// sessionVersion is the format version of a handle. Handles of another version are ignored.
const sessionVersion = 1

// assetLife is the time for which an upload is used. LinkedIn publishes no lifetime of media without a post.
const assetLife = 24 * time.Hour

// session is the progress of a post's uploads. Its JSON is the post's handle.
type session struct {
	Version int      `json:"v"`
	Uploads []upload `json:"media"` // one for each attachment, in order
}

// stage is the progress of one upload.
type stage string

const (
	stageNew        stage = ""           // not created at LinkedIn yet
	stageSending    stage = "sending"    // some parts are missing
	stageSent       stage = "sent"       // every part is sent; the video is not finalized
	stageProcessing stage = "processing" // complete; LinkedIn is processing it
	stageHidden     stage = "hidden"     // complete; LinkedIn does not show its state to this connection
	stageReady      stage = "ready"
)

// upload is the copy of an attachment at LinkedIn. It is invisible until it is part of a post.
type upload struct {
	Asset string `json:"asset"`
	Kind  kindOf `json:"kind,omitempty"`
	URN   string `json:"urn,omitempty"`
	Stage stage  `json:"stage,omitempty"`
	Size  int64  `json:"size,omitempty"`  // bytes, as declared to LinkedIn
	Begun int64  `json:"begun,omitempty"` // when it was created, in Unix seconds
	Sent  int64  `json:"sent,omitempty"`  // when it was complete, in Unix milliseconds
	Token string `json:"token,omitempty"` // of a video's upload
	Parts []part `json:"parts,omitempty"` // until the upload is complete
	Again bool   `json:"again,omitempty"` // it was restarted once
}

// part is a range of a file, as LinkedIn divides it.
type part struct {
	URL   string `json:"url,omitempty"` // until it is sent
	First int64  `json:"first"`         // offset of the first byte
	Last  int64  `json:"last"`          // offset of the last byte
	ETag  string `json:"etag,omitempty"`
	Sent  bool   `json:"sent,omitempty"`
}

// kindOf is LinkedIn's kind of an asset: the name of its resource.
type kindOf string

const (
	images    kindOf = "images"
	documents kindOf = "documents"
	videos    kindOf = "videos"
)

// kindOfAsset returns LinkedIn's kind of the file.
func kindOfAsset(asset media.Asset) (kindOf, bool) {
	switch asset.Type {
	case media.Image, media.GIF:
		return images, true
	case media.Document:
		return documents, true
	case media.Video:
		return videos, true
	default:
		return "", false
	}
}

// assetURN matches the URN of an asset. Other values are refused because URNs become part of URLs.
var assetURN = regexp.MustCompile(`^urn:li:(image|document|video):[A-Za-z0-9_-]{1,100}$`)

// sessionOf restores the session from the handle, as far as its uploads are still usable. All other uploads start
// again.
func sessionOf(handle platform.Handle, assets []media.Asset, now time.Time) session {
	fresh := session{Version: sessionVersion, Uploads: make([]upload, len(assets))}
	for i, asset := range assets {
		kind, _ := kindOfAsset(asset)
		fresh.Uploads[i] = upload{Asset: asset.ID.String(), Kind: kind}
	}
	var kept session
	if json.Unmarshal([]byte(handle), &kept) != nil || kept.Version != sessionVersion || len(kept.Uploads) != len(assets) {
		return fresh
	}
	for i, u := range kept.Uploads {
		switch own := &fresh.Uploads[i]; {
		case u.usable(*own, now):
			*own = u
		case u.Asset == own.Asset:
			own.Again = u.Again && u.Stage == stageNew
		}
	}
	return fresh
}

// usable reports whether a stored upload can be continued.
func (u upload) usable(fresh upload, now time.Time) bool {
	known := slices.Contains([]stage{stageSending, stageSent, stageProcessing, stageHidden, stageReady}, u.Stage)
	return known && u.Asset == fresh.Asset && u.Kind == fresh.Kind && assetURN.MatchString(u.URN) && u.Size > 0 &&
		now.Before(time.Unix(u.Begun, 0).Add(assetLife)) && (u.Stage != stageSending || covers(u.Parts, u.Size))
}

// covers reports whether the parts are the whole file, in order and without gaps.
func covers(parts []part, size int64) bool {
	next := int64(0)
	for _, p := range parts {
		if p.First != next || p.Last < p.First {
			return false
		}
		next = p.Last + 1
	}
	return next == size && size > 0
}

// anew returns a new upload of the same attachment. It returns false if the upload was already restarted once.
func (u upload) anew() (upload, bool) {
	return upload{Asset: u.Asset, Kind: u.Kind, Again: true}, !u.Again
}

// complete reports whether every byte is at LinkedIn.
func (u upload) complete() bool {
	return u.Stage == stageProcessing || u.Stage == stageHidden || u.Stage == stageReady
}

// progressed reports whether the session has an upload, and differs from the stored one.
func (s session) progressed(before platform.Handle) bool {
	return httpcall.Handle(s) != before &&
		slices.ContainsFunc(s.Uploads, func(u upload) bool { return u.Stage != stageNew })
}

// urns returns the URNs of the uploads, in order. It returns an error if some are not ready.
func (s session) urns() ([]string, error) {
	urns := make([]string, len(s.Uploads))
	for i, u := range s.Uploads {
		if urns[i] = u.URN; u.Stage != stageReady {
			return nil, errNotUploaded
		}
	}
	return urns, nil
}

// urnsOf returns the URNs in a handle. It returns an error unless the handle has a ready upload for each attachment.
func urnsOf(handle platform.Handle, assets []media.Asset, now time.Time) ([]string, error) {
	if len(assets) == 0 {
		return nil, nil
	}
	return sessionOf(handle, assets, now).urns()
}

var errNotUploaded = errors.New("an attachment is not uploaded")

package x

import (
	"encoding/json"
	"errors"
	"slices"
	"time"

	"socialpub.internal/shared/domain/media"
	"socialpub.internal/shared/platform"
)

// sessionVersion tells what this version of the service keeps in a handle from what another one may have kept.
const sessionVersion = 1

// spareTime is how long before X forgets an upload it is no longer used: the post must still go out.
const spareTime = time.Hour

// session is how far the uploads of a post are. As JSON it is the post's handle.
type session struct {
	Version int      `json:"v"`
	Uploads []upload `json:"media"` // one for each attachment, in their order
}

// stage is how far one upload is.
type stage string

const (
	stageNew        stage = ""           // X does not know of it
	stageSending    stage = "sending"    // Next is the segment to send
	stageProcessing stage = "processing" // all is sent, X works on it
	stageReady      stage = "ready"
)

// upload is the copy of an attachment at X. Nobody sees it before a post carries it.
type upload struct {
	Asset   string `json:"asset"`
	Size    int64  `json:"size"` // bytes, as they were told to X
	ID      string `json:"id,omitempty"`
	Stage   stage  `json:"stage,omitempty"`
	Next    int    `json:"next,omitempty"`
	Expires int64  `json:"expires,omitempty"` // when X forgets it, in Unix seconds
	Again   bool   `json:"again,omitempty"`   // it was begun anew once
}

// sessionOf goes on with what the handle tells, as far as that still holds; all else starts anew.
func sessionOf(handle platform.Handle, assets []media.Asset, now time.Time) session {
	fresh := session{Version: sessionVersion, Uploads: make([]upload, len(assets))}
	for i, asset := range assets {
		fresh.Uploads[i] = upload{Asset: asset.ID.String()}
	}
	var kept session
	if json.Unmarshal([]byte(handle), &kept) != nil || kept.Version != sessionVersion || len(kept.Uploads) != len(assets) {
		return fresh
	}
	for i, u := range kept.Uploads {
		switch own := &fresh.Uploads[i]; {
		case u.usable(own.Asset, now):
			*own = u
		case u.Asset == own.Asset && u.Stage == stageNew:
			own.Again = u.Again
		}
	}
	return fresh
}

// usable reports whether an upload that was kept can be gone on with.
func (u upload) usable(asset string, now time.Time) bool {
	known := slices.Contains([]stage{stageSending, stageProcessing, stageReady}, u.Stage)
	return known && u.Asset == asset && postID.MatchString(u.ID) && u.Size > 0 && u.Next >= 0 && u.Next <= segmentsOf(u.Size) &&
		now.Add(spareTime).Unix() < u.Expires
}

// anew is the upload of the same attachment from its beginning, the second time at most; false when that was had already.
func (u upload) anew() (upload, bool) {
	return upload{Asset: u.Asset, Again: true}, !u.Again
}

// handle is the session as it is kept.
func (s session) handle() platform.Handle {
	text, _ := json.Marshal(s) // numbers and strings alone: cannot fail
	return platform.Handle(text)
}

// ids are those of the uploads, in their order; an error when some are not ready.
func (s session) ids() ([]string, error) {
	ids := make([]string, len(s.Uploads))
	for i, u := range s.Uploads {
		if ids[i] = u.ID; u.Stage != stageReady {
			return nil, errNotUploaded
		}
	}
	return ids, nil
}

// idsOf are the media ids in a handle; an error when it is not one of uploads that are all ready for these attachments.
func idsOf(handle platform.Handle, assets []media.Asset, now time.Time) ([]string, error) {
	if len(assets) == 0 {
		return nil, nil
	}
	return sessionOf(handle, assets, now.Add(-spareTime)).ids()
}

var errNotUploaded = errors.New("an attachment is not uploaded")

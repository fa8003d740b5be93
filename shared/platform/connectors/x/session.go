package x

import (
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/platform"
)

// sessionVersion is the format version of a handle. Handles of another version are ignored.
const sessionVersion = 1

// clockMargin is the remaining lifetime below which an upload is no longer used, because the post must be published
// before X deletes the upload.
const clockMargin = time.Hour

// session is the progress of a post's uploads. Its JSON is the post's handle.
type session struct {
	Version int      `json:"v"`
	Uploads []upload `json:"media"` // one for each attachment, in order
}

// stage is the progress of one upload.
type stage string

const (
	stageNew        stage = ""           // not created at X yet
	stageSending    stage = "sending"    // Next is the segment to send
	stageProcessing stage = "processing" // completely sent; X is processing it
	stageReady      stage = "ready"
)

// upload is the copy of an attachment at X. It is invisible until it is part of a post.
type upload struct {
	Asset   string `json:"asset"`
	Size    int64  `json:"size"`              // bytes, as declared to X
	Segment int64  `json:"segment,omitempty"` // bytes; zero in handles of before the size was a setting
	ID      string `json:"id,omitempty"`
	Stage   stage  `json:"stage,omitempty"`
	Next    int    `json:"next,omitempty"`
	Expires int64  `json:"expires,omitempty"` // when X deletes it, in Unix seconds
	Again   bool   `json:"again,omitempty"`   // it was restarted once
	// Described means that X has the alternative text.
	Described bool `json:"described,omitempty"`
}

// sessionOf restores the session from the handle, as far as its uploads are still usable. All other uploads start
// again.
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

// usable reports whether a stored upload can be continued.
func (u upload) usable(asset string, now time.Time) bool {
	known := slices.Contains([]stage{stageSending, stageProcessing, stageReady}, u.Stage)
	return known && u.Asset == asset && postID.MatchString(u.ID) && u.Size > 0 && u.Next >= 0 &&
		u.Segment >= 0 && u.Next <= u.segments() &&
		now.Add(clockMargin).Unix() < u.Expires
}

// segment returns the size of the upload's segments, which stays the same if the setting changes during the upload.
func (u upload) segment() int64 { return cmp.Or(u.Segment, DefaultSegmentSize) }

func (u upload) segments() int { return segmentsOf(u.Size, u.segment()) }

// anew returns a new upload of the same attachment. It returns false if the upload was already restarted once.
func (u upload) anew() (upload, bool) {
	return upload{Asset: u.Asset, Again: true}, !u.Again
}

// ids returns the ids of the uploads, in order. It returns an error if some are not ready.
func (s session) ids() ([]string, error) {
	ids := make([]string, len(s.Uploads))
	for i, u := range s.Uploads {
		if ids[i] = u.ID; u.Stage != stageReady {
			return nil, errNotUploaded
		}
	}
	return ids, nil
}

// idsOf returns the media ids in a handle. It returns an error unless the handle has a ready upload for each
// attachment.
func idsOf(handle platform.Handle, assets []media.Asset, now time.Time) ([]string, error) {
	if len(assets) == 0 {
		return nil, nil
	}
	return sessionOf(handle, assets, now.Add(-clockMargin)).ids()
}

var errNotUploaded = errors.New("an attachment is not uploaded")

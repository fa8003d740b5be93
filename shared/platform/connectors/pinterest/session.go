package pinterest

import (
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"time"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/platform"
)

// sessionVersion is the format version of a handle. Handles of another version are ignored.
const sessionVersion = 1

// registrationLife is the time for which a registered video is used. Pinterest publishes no lifetime.
const registrationLife = 24 * time.Hour

// stage is the progress of a video's upload.
type stage string

const (
	stageNew        stage = ""           // not registered at Pinterest yet
	stageRegistered stage = "registered" // the bytes are missing
	stageProcessing stage = "processing" // complete; Pinterest is processing it
	stageReady      stage = "ready"
)

// session is the progress of the video of a pin. Its JSON is the pin's handle. It is invisible until it is part of a
// pin. Images have no session: they are part of the irrevocable call.
type session struct {
	Version int         `json:"v"`
	Asset   string      `json:"asset"`
	Stage   stage       `json:"stage,omitempty"`
	MediaID string      `json:"media,omitempty"`
	Begun   int64       `json:"begun,omitempty"` // when it was registered, in Unix seconds
	URL     string      `json:"url,omitempty"`   // of the form upload, until it is complete
	Fields  [][2]string `json:"fields,omitempty"`
	Again   bool        `json:"again,omitempty"` // it was restarted once
}

// digits matches the ids of registered videos, of pins and of boards. Other values are refused because ids become part
// of URLs.
var digits = regexp.MustCompile(`^[0-9]{1,32}$`)

// sessionOf restores the session from the handle if it is still usable. Otherwise it starts again.
func sessionOf(handle platform.Handle, asset media.Asset, now time.Time) session {
	fresh := session{Version: sessionVersion, Asset: asset.ID.String()}
	var kept session
	if json.Unmarshal([]byte(handle), &kept) != nil || kept.Version != sessionVersion || kept.Asset != fresh.Asset {
		return fresh
	}
	known := slices.Contains([]stage{stageRegistered, stageProcessing, stageReady}, kept.Stage)
	if known && digits.MatchString(kept.MediaID) && now.Before(time.Unix(kept.Begun, 0).Add(registrationLife)) {
		return kept
	}
	fresh.Again = kept.Again && kept.Stage == stageNew
	return fresh
}

// anew returns a new session of the same video. It returns false if the session was already restarted once.
func (s session) anew() (session, bool) {
	return session{Version: sessionVersion, Asset: s.Asset, Again: true}, !s.Again
}

var errNotUploaded = errors.New("the video is not uploaded")

// videoIn returns the id of the video in a handle. It returns an error unless Pinterest has processed it.
func videoIn(handle platform.Handle, asset media.Asset, now time.Time) (string, error) {
	s := sessionOf(handle, asset, now)
	if s.Stage != stageReady {
		return "", errNotUploaded
	}
	return s.MediaID, nil
}

package bluesky

import (
	"encoding/json"
	"time"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/platform"
)

// stateVersion is the format version of a handle. Handles of another version are ignored.
const stateVersion = 1

// freshFor is the time for which Prepare trusts an upload. A server may delete a file that no record refers to; the
// limit is not documented. A second upload of the same file has the same identifier and replaces it.
const freshFor = 10 * time.Minute

// state is the progress of a post's preparation. Its JSON is the post's handle.
type state struct {
	Version int `json:"v"`
	// DIDs are the accounts of the mentioned handles; empty for a handle that does not exist. Nil: not looked up yet.
	DIDs map[string]string `json:"dids,omitempty"`
	// Quoted is the address of the quoted post, and Quote its version.
	Quoted string     `json:"quoted,omitempty"`
	Quote  *strongRef `json:"quote,omitempty"`
	Files  []upload   `json:"files,omitempty"` // one for each attachment, in order
	Reply  *replyRef  `json:"reply,omitempty"` // nil: a post of its own, or not read yet
}

// upload is the copy of an attachment on the account's server.
type upload struct {
	Asset string `json:"asset"`
	Blob  *blob  `json:"blob,omitempty"` // nil: not uploaded, or the video service has not finished it
	At    int64  `json:"at,omitempty"`   // time of the last step, in Unix seconds
	Job   string `json:"job,omitempty"`  // of the video service
	// Parts is the upload of a large video, until it is finished and has a job.
	Parts *parts `json:"parts,omitempty"`
}

// stateOf restores the state from the handle, as far as its uploads are fresh at the time. All others start again.
func stateOf(handle platform.Handle, assets []media.Asset, now time.Time) state {
	fresh := state{Version: stateVersion, Files: make([]upload, len(assets))}
	for i, asset := range assets {
		fresh.Files[i].Asset = asset.ID.String()
	}
	var kept state
	if json.Unmarshal([]byte(handle), &kept) != nil || kept.Version != stateVersion || len(kept.Files) != len(assets) {
		return fresh
	}
	fresh.DIDs, fresh.Quoted, fresh.Quote, fresh.Reply = kept.DIDs, kept.Quoted, kept.Quote, kept.Reply
	for i, file := range kept.Files {
		if file.Asset != fresh.Files[i].Asset || now.Unix() >= file.At+int64(freshFor/time.Second) {
			continue
		}
		if (file.Blob == nil || file.Blob.valid()) && (file.Parts == nil || file.Parts.Size > 0 && file.Parts.Sent >= 0) {
			fresh.Files[i] = file
		}
	}
	return fresh
}

// blobs returns the references to the files, in order. It returns false if some are missing.
func (s state) blobs() ([]blob, bool) {
	blobs := make([]blob, len(s.Files))
	for i, file := range s.Files {
		if file.Blob == nil {
			return nil, false
		}
		blobs[i] = *file.Blob
	}
	return blobs, true
}

// missesQuote reports whether the quoted post was not looked up.
func (s state) missesQuote(address string) bool {
	return address != "" && (s.Quoted != address || s.Quote == nil)
}

// misses reports whether a mentioned handle was not looked up.
func (s state) misses(handles []string) bool {
	for _, handle := range handles {
		if _, known := s.DIDs[handle]; !known {
			return true
		}
	}
	return false
}

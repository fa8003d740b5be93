package tiktok

import (
	"encoding/json"
	"regexp"
	"time"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/platform"
)

// transferVersion is the format version of a handle. Handles of another version are ignored.
const transferVersion = 1

// Limits of an upload (media transfer guide of the Content Posting API).
const (
	smallestChunk = 5 << 20
	largestChunk  = 64 << 20 // the last one may have up to twice as much
	// DefaultChunkSize makes the last chunk, which publishes the video, less than twenty megabytes.
	DefaultChunkSize = 10 << 20
	// addressLife is the lifetime of an upload address.
	addressLife = time.Hour
	// clockMargin is the remaining lifetime below which an address is no longer used.
	clockMargin = 10 * time.Minute
)

// transfer is the progress of a video's upload. Its JSON is the post's handle.
type transfer struct {
	Version int    `json:"v"`
	Asset   string `json:"asset"`
	Publish string `json:"publish,omitempty"` // TikTok's id of the post that the upload makes
	// Address is the upload address, sealed, because a holder of it can complete the upload.
	Address string `json:"address,omitempty"`
	Size    int64  `json:"size,omitempty"`    // bytes, as declared to TikTok
	Chunk   int64  `json:"chunk,omitempty"`   // bytes of every chunk but the last
	Next    int    `json:"next,omitempty"`    // the next chunk to send
	Expires int64  `json:"expires,omitempty"` // end of the address, in Unix seconds
	Draft   bool   `json:"draft,omitempty"`   // it goes to the creator's inbox
	Limited bool   `json:"limited,omitempty"` // only some people see it
	Again   int    `json:"again,omitempty"`   // how often the upload was restarted
	// Photos holds the settings of a photo post, which has no upload.
	Photos *PostSettings `json:"photos,omitempty"`
}

// limitedMark follows TikTok's id of a post that only some people see. TikTok never names the post itself.
const limitedMark = "~limited"

// accepted returns the publication of a post that TikTok has accepted.
func accepted(id string, limited bool) platform.Publication {
	if limited {
		id += limitedMark
	}
	return platform.Publication{ExternalID: id, InReview: true}
}

// publishID matches TikTok's ids of posts in the making, such as v_pub_file~v2-1.123.
var publishID = regexp.MustCompile(`^[A-Za-z0-9_.~-]{1,100}$`)

// transferOf restores the upload from the handle, if it is still usable. Otherwise the upload starts again, which costs
// nothing: an upload without its last chunk publishes nothing.
func transferOf(handle platform.Handle, asset media.Asset, now time.Time) transfer {
	fresh := transfer{Version: transferVersion, Asset: asset.ID.String()}
	kept, ok := readTransfer(handle)
	if !ok || kept.Asset != fresh.Asset {
		return fresh
	}
	fresh.Again = kept.Again
	if kept.Publish == "" || kept.Size <= 0 || kept.Chunk <= 0 || kept.Next < 0 || kept.Next >= kept.chunks() ||
		now.Add(clockMargin).Unix() >= kept.Expires {
		return fresh
	}
	return kept
}

// readTransfer decodes a handle.
func readTransfer(handle platform.Handle) (transfer, bool) {
	var kept transfer
	if json.Unmarshal([]byte(handle), &kept) != nil || kept.Version != transferVersion {
		return transfer{}, false
	}
	return kept, kept.Publish == "" || publishID.MatchString(kept.Publish)
}

// chunks returns the number of chunks: the last one has the rest, and is the largest.
func (t transfer) chunks() int { return int(max(1, t.Size/max(t.Chunk, 1))) }

// last is the index of the chunk that publishes the video.
func (t transfer) last() int { return t.chunks() - 1 }

// part returns the first byte and the length of a chunk.
func (t transfer) part(index int) (from, length int64) {
	from = int64(index) * t.Chunk
	if index == t.last() {
		return from, t.Size - from
	}
	return from, t.Chunk
}

// chunkOf returns the chunk size to declare for a file. A file of less than two chunks is sent whole.
func chunkOf(size, chunk int64) int64 {
	if size < 2*chunk && size <= largestChunk {
		return size
	}
	return chunk
}

package media

import (
	"crypto/rand"
	"strconv"
	"strings"
	"time"

	"fencepost.internal/shared/kernel/ident"
)

// Object is one file in storage. Its key is never written again.
type Object struct {
	Key         string
	ETag        string // of the store; reveals that the object was replaced
	ContentType string
	Size        int64  // bytes
	SHA256      []byte // of the content; empty until it has been read
}

// IsZero reports whether there is no object.
func (o Object) IsZero() bool { return o.Key == "" }

// Files holds the objects of an asset.
type Files struct {
	Original Object // as received
	// the file sent to networks: the original, or a copy without private metadata; zero until processed
	Published Object
	Thumbnail Object // zero until processed, and if no thumbnail can be created
}

// Keys lists the keys of the objects without duplicates.
func (f Files) Keys() []string {
	keys := []string{f.Original.Key}
	for _, o := range []Object{f.Published, f.Thumbnail} {
		if !o.IsZero() && o.Key != f.Original.Key {
			keys = append(keys, o.Key)
		}
	}
	return keys
}

// Prefixes of keys, which identify the use of an object.
const (
	// UploadPrefix is the prefix of keys that clients write to. Objects with this prefix are garbage once the upload is
	// over, even if they arrive later.
	UploadPrefix = "uploads/"
	mediaPrefix  = "media/" // written only by the service
)

// NewUploadKey returns a key that a client may write to.
func NewUploadKey() string { return UploadPrefix + newName() }

// NewKey returns a key for an object written by the service. It cannot be guessed and is never used twice.
func NewKey() string { return mediaPrefix + newName() }

func newName() string { return strings.ToLower(rand.Text()) }

// Time limits of uploads and imports (docs/contract.md, Uploads and imports).
const (
	// UploadLife is the lifetime of an upload URL.
	UploadLife = time.Hour
	// UploadGrace is the time after that in which an upload may still be completed; then the upload and its object are
	// deleted.
	UploadGrace = time.Hour
	// ImportLife is the maximum duration of an import.
	ImportLife = 5 * time.Minute
	// LooseLife is the maximum time that an object may wait for the transaction that assigns it to an asset.
	LooseLife = time.Hour
	// LinkLife is the lifetime of a delivery URL.
	LinkLife = 24 * time.Hour
)

// Upload is a started direct upload: the client may write Size bytes of ContentType to the key until ExpiresAt.
type Upload struct {
	ID          ident.Media // of the future asset
	WorkspaceID ident.Workspace
	Name        string
	ContentType string
	Size        int64
	Key         string
	CreatedAt   time.Time
	ExpiresAt   time.Time
}

// Sizes of uploads in parts (docs/media.md, Parts). Stores require at least 5 MiB for all parts but the last. An upload that
// began before a change of PartSize cannot be completed in its old parts.
const (
	// WholeSize is the largest upload that has no parts.
	WholeSize = 64 << 20
	// PartSize is the size of every part but the last.
	PartSize = 32 << 20
)

// Part is a part of an upload, which the client may write to a key of its own.
type Part struct {
	Number int // from 1
	Key    string
	Offset int64 // in the file
	Size   int64
}

// Parts returns the parts in which the client may send a large upload instead of at once; nil for a smaller one.
func (u Upload) Parts() []Part {
	if u.Size <= WholeSize {
		return nil
	}
	var parts []Part
	for offset := int64(0); offset < u.Size; offset += PartSize {
		number := len(parts) + 1
		parts = append(parts, Part{
			Number: number, Key: u.Key + "-" + strconv.Itoa(number), Offset: offset, Size: min(PartSize, u.Size-offset),
		})
	}
	return parts
}

// ImportState is the state of an import.
type ImportState string

// States of an import.
const (
	ImportRunning ImportState = "RUNNING"
	ImportDone    ImportState = "DONE"
	ImportFailed  ImportState = "FAILED"
)

// Import is an import by URL, or the part of a video of the library.
type Import struct {
	ID          ident.Media // of the future asset
	WorkspaceID ident.Workspace
	URL         string // cleared when the import ends, because it may contain a secret
	Name        string // empty: use the file's own name
	SourceURL   string
	Trim        Trim // the URL is empty then
	State       ImportState
	ErrorCode   string // ImportFailed: the code and the message for the client
	ErrorText   string
	CreatedAt   time.Time
	Deadline    time.Time // the import fails if it has not ended by then
}

// OwnerType is the type of a resource that refers to assets.
type OwnerType string

// Types of resources that can refer to an asset (docs/contract.md, Media in use).
const (
	OwnerPost                OwnerType = "POST"
	OwnerBrandLogo           OwnerType = "BRAND_LOGO"
	OwnerBrandPersonaPhoto   OwnerType = "BRAND_PERSONA_PHOTO"
	OwnerBrandStyleReference OwnerType = "BRAND_STYLE_REFERENCE"
	OwnerWorkspaceLogo       OwnerType = "WORKSPACE_LOGO"
	OwnerChannelAvatar       OwnerType = "CHANNEL_AVATAR"
	OwnerLinkPage            OwnerType = "LINK_PAGE"
	OwnerIdeaCard            OwnerType = "IDEA_CARD"
	OwnerSeries              OwnerType = "SERIES"
	OwnerEvergreen           OwnerType = "EVERGREEN"
)

// Reference is a use of an asset.
type Reference struct {
	Type OwnerType
	ID   string // of the owner
	Name string // display name of the owner
}

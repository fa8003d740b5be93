package media

import (
	"crypto/rand"
	"strings"
	"time"

	"socialpub.internal/shared/kernel/ident"
)

// Object is one file in storage. Nothing is ever stored under its key again.
type Object struct {
	Key         string
	ETag        string // of the store; tells when the object was exchanged behind our back
	ContentType string
	Size        int64  // bytes
	SHA256      []byte // of the content; empty while it has not been read
}

// IsZero reports that there is no object.
func (o Object) IsZero() bool { return o.Key == "" }

// Files are the objects of an asset.
type Files struct {
	Original  Object // as it came
	Published Object // what networks get: the original, or a copy without what must not be published; zero until processed
	Thumbnail Object // zero until processed, and where none can be made
}

// Keys lists the keys of the objects, each once.
func (f Files) Keys() []string {
	keys := []string{f.Original.Key}
	for _, o := range []Object{f.Published, f.Thumbnail} {
		if !o.IsZero() && o.Key != f.Original.Key {
			keys = append(keys, o.Key)
		}
	}
	return keys
}

// The first part of a key says what the object is for.
const (
	// UploadPrefix begins the keys that clients write to. What stands there is garbage once the upload is over, even if
	// it came later.
	UploadPrefix = "uploads/"
	mediaPrefix  = "media/" // written by the service alone
)

// NewUploadKey is the key that a client is allowed to write to.
func NewUploadKey() string { return UploadPrefix + newName() }

// NewKey is the key of an object that the service writes. It cannot be guessed and is never used twice.
func NewKey() string { return mediaPrefix + newName() }

func newName() string { return strings.ToLower(rand.Text()) }

// Times of uploads and imports (specification, Limits; decisions, section 6).
const (
	// UploadLife is how long an upload's address is good.
	UploadLife = time.Hour
	// UploadGrace is how long after that an upload may still be completed; then it is forgotten with its bytes.
	UploadGrace = time.Hour
	// ImportLife is how long an import may take.
	ImportLife = 5 * time.Minute
	// LooseLife is how long an object may wait for the commit that gives it to an asset.
	LooseLife = time.Hour
	// LinkLife is how long a delivery address is good.
	LinkLife = 24 * time.Hour
)

// Upload is a direct upload that was begun: the client may write Size bytes of ContentType to the key until ExpiresAt.
type Upload struct {
	ID          ident.Media // of the asset to be
	WorkspaceID ident.Workspace
	Name        string
	ContentType string
	Size        int64
	Key         string
	CreatedAt   time.Time
	ExpiresAt   time.Time
}

// ImportState says how far an import is.
type ImportState string

// The states.
const (
	ImportRunning ImportState = "RUNNING"
	ImportDone    ImportState = "DONE"
	ImportFailed  ImportState = "FAILED"
)

// Import is an import by address.
type Import struct {
	ID          ident.Media // of the asset to be
	WorkspaceID ident.Workspace
	URL         string // empty once it has ended: it may hold a secret
	Name        string // empty: the file's own
	SourceURL   string
	State       ImportState
	ErrorCode   string // ImportFailed: the code and the message for the client
	ErrorText   string
	CreatedAt   time.Time
	Deadline    time.Time // it fails then, if it has not ended
}

// OwnerType is the kind of a thing that refers to assets.
type OwnerType string

// What can refer to an asset (specification, DELETE /v1/media/{id}).
const (
	OwnerPost                OwnerType = "POST"
	OwnerBrandLogo           OwnerType = "BRAND_LOGO"
	OwnerBrandPersonaPhoto   OwnerType = "BRAND_PERSONA_PHOTO"
	OwnerBrandStyleReference OwnerType = "BRAND_STYLE_REFERENCE"
	OwnerWorkspaceLogo       OwnerType = "WORKSPACE_LOGO"
	OwnerChannelAvatar       OwnerType = "CHANNEL_AVATAR"
	OwnerLinkPage            OwnerType = "LINK_PAGE"
	OwnerIdeaCard            OwnerType = "IDEA_CARD"
)

// Reference is a use of an asset.
type Reference struct {
	Type OwnerType
	ID   string // of the owner
	Name string // as people know the owner
}

package platform

import "fencepost.internal/shared/domain/media"

// Sealer encrypts the parts of a handle that must not be readable in the database, such as the address of an upload
// session. A holder of that address can complete the upload.
type Sealer interface {
	// Seal encrypts a secret about an attachment.
	Seal(secret string, asset media.Asset) (string, error)
	// Open decrypts what Seal returned for the same attachment.
	Open(sealed string, asset media.Asset) (string, error)
}

// Unsealed is a Sealer for a service that stores no handles. It does not encrypt.
type Unsealed struct{}

var _ Sealer = Unsealed{}

// Seal returns the secret.
func (Unsealed) Seal(secret string, _ media.Asset) (string, error) { return secret, nil }

// Open returns the text.
func (Unsealed) Open(sealed string, _ media.Asset) (string, error) { return sealed, nil }

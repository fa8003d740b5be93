package main

import (
	"encoding/base64"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/infra/secretbox"
	"fencepost.internal/shared/platform"
)

// sealer encrypts the secrets in handles with the keys of the service.
type sealer struct{ box *secretbox.Keyring }

var _ platform.Sealer = sealer{}

// uploadAAD binds a sealed secret to its attachment, so that it cannot be used for another one.
func uploadAAD(asset media.Asset) secretbox.AAD {
	return secretbox.AAD{
		Kind: "upload", Workspace: asset.WorkspaceID.String(), Record: asset.ID.String(), Field: "session",
	}
}

// Seal encrypts the secret and encodes it as text.
func (s sealer) Seal(secret string, asset media.Asset) (string, error) {
	sealed, err := s.box.Seal([]byte(secret), uploadAAD(asset))
	return base64.RawStdEncoding.EncodeToString(sealed), err
}

// Open decrypts the text.
func (s sealer) Open(sealed string, asset media.Asset) (string, error) {
	raw, err := base64.RawStdEncoding.DecodeString(sealed)
	if err != nil {
		return "", err
	}
	secret, err := s.box.Open(raw, uploadAAD(asset))
	return string(secret), err
}

// Package secrets generates the passwords and keys of a development stack once and stores them beside its data.
package secrets

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
)

// Secrets holds the credentials of one stack.
type Secrets struct {
	// PostgresPassword is the superuser's. The two others belong to the roles that own the databases.
	PostgresPassword string `json:"postgresPassword"`
	SocialPassword   string `json:"socialPassword"`
	TemporalPassword string `json:"temporalPassword"`
	S3AccessKey      string `json:"s3AccessKey"`
	S3SecretKey      string `json:"s3SecretKey"`
	// EncryptionKeys is the value of ENCRYPTION_KEYS: "id:base64 of 32 bytes".
	EncryptionKeys string `json:"encryptionKeys"`
}

// Ensure reads the file. If it does not exist, Ensure generates secrets and writes them to it, readable by its owner
// only.
func Ensure(path string) (Secrets, error) {
	raw, err := os.ReadFile(path) //nolint:gosec // the stack's own file
	if errors.Is(err, os.ErrNotExist) {
		return create(path)
	}
	if err != nil {
		return Secrets{}, fmt.Errorf("read secrets: %w", err)
	}
	var secrets Secrets
	if err := json.Unmarshal(raw, &secrets); err != nil {
		return Secrets{}, fmt.Errorf("read secrets from %s: %w (delete the data with: make reset)", path, err)
	}
	return secrets, nil
}

func create(path string) (Secrets, error) {
	const ownerOnly = 0o600
	secrets := generate()
	raw, err := json.MarshalIndent(secrets, "", "  ")
	if err != nil {
		return Secrets{}, fmt.Errorf("encode secrets: %w", err)
	}
	if err := os.WriteFile(path, append(raw, '\n'), ownerOnly); err != nil {
		return Secrets{}, fmt.Errorf("store secrets: %w", err)
	}
	return secrets, nil
}

func generate() Secrets {
	const passwordBytes, keyBytes = 16, 32
	return Secrets{
		PostgresPassword: hex.EncodeToString(random(passwordBytes)),
		SocialPassword:   hex.EncodeToString(random(passwordBytes)),
		TemporalPassword: hex.EncodeToString(random(passwordBytes)),
		S3AccessKey:      hex.EncodeToString(random(passwordBytes / 2)),
		S3SecretKey:      hex.EncodeToString(random(passwordBytes)),
		EncryptionKeys:   "dev:" + base64.StdEncoding.EncodeToString(random(keyBytes)),
	}
}

func random(n int) []byte {
	bytes := make([]byte, n)
	_, _ = rand.Read(bytes) // never fails (crypto/rand ends the program instead)
	return bytes
}

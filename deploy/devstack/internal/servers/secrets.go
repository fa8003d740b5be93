package servers

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

// EnsureSecrets reads the file, which is stored beside the data. If it does not exist, EnsureSecrets generates secrets and
// writes them to it, readable by its owner only.
func EnsureSecrets(path string) (secrets Secrets, err error) {
	raw, err := os.ReadFile(path) //nolint:gosec // the stack's own file
	if errors.Is(err, os.ErrNotExist) {
		secrets = Secrets{
			PostgresPassword: password(), SocialPassword: password(), TemporalPassword: password(),
			S3AccessKey: password()[:16], S3SecretKey: password(),
			EncryptionKeys: "dev:" + base64.StdEncoding.EncodeToString(random(32)),
		}
		if raw, err = json.MarshalIndent(secrets, "", "  "); err == nil {
			err = os.WriteFile(path, append(raw, '\n'), 0o600)
		}
		return secrets, err
	}
	if err != nil {
		return Secrets{}, err
	}
	if err := json.Unmarshal(raw, &secrets); err != nil {
		return Secrets{}, fmt.Errorf("read secrets from %s: %w (delete the data with: make reset)", path, err)
	}
	return secrets, nil
}

func password() string { return hex.EncodeToString(random(16)) }

func random(n int) []byte {
	bytes := make([]byte, n)
	_, _ = rand.Read(bytes) // never fails (crypto/rand ends the program instead)
	return bytes
}

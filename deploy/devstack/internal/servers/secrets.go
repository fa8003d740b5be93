package servers

import (
	"crypto/rand"
	"encoding/base64"
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
		key := make([]byte, 32)
		_, _ = rand.Read(key) // never fails (crypto/rand ends the program instead)
		secrets = Secrets{
			PostgresPassword: rand.Text(), SocialPassword: rand.Text(), TemporalPassword: rand.Text(),
			S3AccessKey: rand.Text()[:16], S3SecretKey: rand.Text(),
			EncryptionKeys: "dev:" + base64.StdEncoding.EncodeToString(key),
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

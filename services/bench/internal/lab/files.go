package lab

import (
	"strings"

	"socialpub.internal/shared/infra/objectstore"
)

// bucket is the bucket of the lab's files.
func (l *Lab) bucket() string { return strings.ReplaceAll(l.Namespace, "_", "-") }

// Files is the object store, as the programs have it.
func (l *Lab) Files() (*objectstore.Store, error) {
	return objectstore.New(objectstore.Config{
		Endpoint: l.S3Endpoint, AccessKey: l.S3AccessKey, SecretKey: l.S3SecretKey.Reveal(), Bucket: l.bucket(),
	})
}

package lab

import (
	"strings"

	"fencepost.internal/shared/infra/objectstore"
)

// bucket returns the bucket of the lab's files.
func (l *Lab) bucket() string { return strings.ReplaceAll(l.Namespace, "_", "-") }

// Files returns the object store that the programs use.
func (l *Lab) Files() (*objectstore.Store, error) {
	return objectstore.New(objectstore.Config{
		Endpoint: l.S3Endpoint, AccessKey: l.S3AccessKey, SecretKey: l.S3SecretKey.Reveal(), Bucket: l.bucket(),
	})
}

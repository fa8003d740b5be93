package objectstore_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/infra/objectstore"
	"fencepost.internal/shared/infra/objectstore/objectstoretest"
)

// TestCopyTakesNoTags uploads with tags, which no signature covers and which bucket rules may use. If a server
// requires every header to be signed, the test sets the tags with full rights.
func TestCopyTakesNoTags(t *testing.T) {
	t.Parallel()
	config := objectstoretest.Config(t)
	store := objectstoretest.New(t, config)
	wanted := map[string]string{"keep": "forever", "public": "yes"}
	got := upload(t, presignPut(t, store, "up/a", time.Hour), picture, func(r *http.Request) {
		r.Header.Set("X-Amz-Tagging", "keep=forever&public=yes")
	})
	if got.status != http.StatusOK {
		require.Contains(t, got.body, "<HeadersNotSigned>x-amz-tagging<")
		_, err := objectstoretest.Raw(t, config).PutObject(t.Context(), config.Bucket, "up/a", strings.NewReader(picture),
			int64(len(picture)),
			minio.PutObjectOptions{ContentType: png, UserTags: wanted})
		require.NoError(t, err)
	}
	require.Equal(t, wanted, tags(t, config, "up/a"), "else there is nothing to test")

	info, err := store.Stat(t.Context(), "up/a")
	require.NoError(t, err)
	_, err = store.Copy(t.Context(), objectstore.CopyRequest{
		From: "up/a", ETag: info.ETag, To: "media/a", ContentType: png,
	})
	require.NoError(t, err)
	require.Equal(t, picture, content(t, store, "media/a"))
	require.Empty(t, tags(t, config, "media/a"))
}

// tags returns the tags of an object.
func tags(t *testing.T, config objectstore.Config, key string) map[string]string {
	t.Helper()
	found, err := objectstoretest.Raw(t, config).GetObjectTagging(t.Context(), config.Bucket, key,
		minio.GetObjectTaggingOptions{})
	if minio.ToErrorResponse(err).Code == "NoSuchTagSet" { // some servers report a missing tag set this way
		return nil
	}
	require.NoError(t, err)
	return found.ToMap()
}

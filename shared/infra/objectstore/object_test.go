package objectstore_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/infra/objectstore"
	"fencepost.internal/shared/infra/objectstore/objectstoretest"
)

func TestBucket(t *testing.T) {
	t.Parallel()
	config := objectstoretest.Config(t)
	store := objectstoretest.New(t, config)
	put(t, store, "a", picture)
	require.NoError(t, store.EnsureBucket(t.Context()), "it exists")
	require.NoError(t, store.Ping(t.Context()))
	require.Equal(t, picture, content(t, store, "a"))

	config.Bucket += "-none"
	missing := objectstoretest.New(t, config)
	require.ErrorContains(t, missing.Ping(t.Context()), "there is no bucket")
	_, err := missing.Stat(t.Context(), "a")
	require.Error(t, err) // most stores do not report what is missing: the response to a HEAD has no body
	require.NotErrorIs(t, err, objectstore.ErrUnavailable)
	_, err = missing.Open(t.Context(), "a", objectstore.Range{})
	require.ErrorContains(t, err, "NoSuchBucket")
	require.NotErrorIs(t, err, objectstore.ErrNotFound)

	config.SecretKey = "hunter2-hunter2"
	unauthorized := objectstoretest.New(t, config)
	for _, err = range []error{
		unauthorized.Ping(t.Context()), unauthorized.EnsureBucket(t.Context()), unauthorized.Delete(t.Context(), "a"),
	} {
		require.Error(t, err)
		require.NotErrorIs(t, err, objectstore.ErrUnavailable)
		require.NotContains(t, err.Error(), "hunter2")
	}
}

func TestBucketIsCreatedOnce(t *testing.T) {
	t.Parallel()
	config := objectstoretest.Config(t)
	require.NoError(t, objectstoretest.Raw(t, config).RemoveBucket(t.Context(), config.Bucket))
	errs := make(chan error)
	for range 4 {
		go func() { errs <- objectstoretest.New(t, config).EnsureBucket(t.Context()) }()
	}
	for range 4 {
		require.NoError(t, <-errs)
	}
}

func TestPutAndOpen(t *testing.T) {
	t.Parallel()
	store := objectstoretest.Open(t)
	const mib = 1 << 20
	for _, size := range []int64{0, 1, 64 << 10, 64<<10 + 1, 8*mib - 1, 8 * mib, 8*mib + 1, 20 * mib} {
		for _, declared := range []int64{size, objectstore.UnknownSize} {
			name := fmt.Sprintf("%d-as-%d", size, declared)
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				stored, err := store.Put(t.Context(), objectstore.PutRequest{
					Key: name, Body: bytesOf(size), Size: declared, ContentType: png, CacheControl: "private",
				})
				require.NoError(t, err)
				require.Equal(t, size, stored.Size)
				require.Equal(t, sumOf(t, bytesOf(size)), stored.SHA256)

				info, err := store.Stat(t.Context(), name)
				require.NoError(t, err)
				require.Equal(t, objectstore.Info{
					Key: name, Size: size, ETag: stored.ETag, ContentType: png, ModifiedAt: info.ModifiedAt,
				}, info)
				require.WithinDuration(t, time.Now(), info.ModifiedAt, time.Minute)

				reader, err := store.Open(t.Context(), name, objectstore.Range{})
				require.NoError(t, err)
				require.Equal(t, info, reader.Info())
				require.Equal(t, stored.SHA256, sumOf(t, reader))
				require.NoError(t, reader.Close())
			})
		}
	}
}

func TestPutReplaces(t *testing.T) {
	t.Parallel()
	store := objectstoretest.Open(t)
	first := put(t, store, "a", picture)
	require.Equal(t, first, put(t, store, "a", picture))
	require.NotEqual(t, first, put(t, store, "a", "other"))
	require.Equal(t, "other", content(t, store, "a"))
}

func TestPutOfFailingBody(t *testing.T) {
	t.Parallel()
	config := objectstoretest.Config(t)
	store := objectstoretest.New(t, config)
	errSource := errors.New("the source broke")
	const large = 9 << 20
	tests := map[string]struct {
		body io.Reader
		size int64
		want string
	}{
		"too short":        {strings.NewReader("abc"), 4, "not the declared 4"},
		"too long":         {strings.NewReader("abc"), 2, "longer than the declared 2"},
		"not empty":        {strings.NewReader("abc"), 0, "longer than the declared 0"},
		"large, too short": {bytesOf(large - 1), large, "not the declared"},
		"large, too long":  {bytesOf(large + 1), large, "longer than the declared"},
		"breaks":           {iotest.ErrReader(errSource), 4, "the source broke"},
		"breaks when read": {io.MultiReader(strings.NewReader("abc"), iotest.ErrReader(errSource)), 4, "the source broke"},
		"breaks after it":  {io.MultiReader(strings.NewReader("abcd"), iotest.ErrReader(errSource)), 4, "the source broke"},
		"unknown":          {iotest.ErrReader(errSource), objectstore.UnknownSize, "the source broke"},
		"unknown, later": {
			io.MultiReader(bytesOf(large), iotest.ErrReader(errSource)), objectstore.UnknownSize, "the source broke",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			key := strings.NewReplacer(" ", "-", ",", "").Replace(name)
			put(t, store, key, "before")
			_, err := store.Put(t.Context(), objectstore.PutRequest{
				Key: key, Body: test.body, Size: test.size, ContentType: png,
			})
			require.ErrorContains(t, err, test.want)
			require.NotErrorIs(t, err, objectstore.ErrUnavailable)
			if strings.Contains(test.want, "broke") {
				require.ErrorIs(t, err, errSource)
			}
			require.Equal(t, "before", content(t, store, key))
			require.Zero(t, unfinished(t, config, key))
		})
	}
}

func TestPutOfSlowBody(t *testing.T) {
	t.Parallel()
	config := objectstoretest.Config(t)
	config.StallTimeout = 2 * time.Second
	store := objectstoretest.New(t, config)
	body, source := io.Pipe()
	go func() {
		_, _ = source.Write([]byte("abc"))
		<-time.After(config.StallTimeout + time.Second)
		_, _ = source.Write([]byte("def"))
		_ = source.Close()
	}()
	stored, err := store.Put(t.Context(), objectstore.PutRequest{Key: "a", Body: body, Size: 6, ContentType: png})
	require.NoError(t, err, "our own side may take its time")
	require.Equal(t, int64(6), stored.Size)
	require.Equal(t, "abcdef", content(t, store, "a"))
}

func TestOpenRange(t *testing.T) {
	t.Parallel()
	store := objectstoretest.Open(t)
	etag := put(t, store, "a", picture)
	for _, test := range []struct {
		part objectstore.Range
		want string
	}{
		{objectstore.Range{}, picture},
		{objectstore.Range{Length: 1}, "0"},
		{objectstore.Range{Length: 3}, "012"},
		{objectstore.Range{Offset: 7}, "789"},
		{objectstore.Range{Offset: 2, Length: 2}, "23"},
		{objectstore.Range{Offset: 9, Length: 1}, "9"},
		{objectstore.Range{Offset: 8, Length: 100}, "89"},
		{objectstore.Range{Length: 1 << 40}, picture},
	} {
		reader, err := store.Open(t.Context(), "a", test.part)
		require.NoError(t, err)
		require.Equal(t, int64(10), reader.Info().Size, "of the whole object")
		require.Equal(t, etag, reader.Info().ETag)
		got, err := io.ReadAll(reader)
		require.NoError(t, err)
		require.Equal(t, test.want, string(got))
		require.NoError(t, reader.Close())
	}
	_, err := store.Open(t.Context(), "a", objectstore.Range{Offset: 10})
	require.ErrorContains(t, err, "InvalidRange")
	_, err = store.Open(t.Context(), "none", objectstore.Range{Offset: 10})
	require.ErrorIs(t, err, objectstore.ErrNotFound)
}

func TestOpenDuringReplacement(t *testing.T) {
	t.Parallel()
	store := objectstoretest.Open(t)
	const size = 32 << 20
	_, err := store.Put(t.Context(), objectstore.PutRequest{Key: "a", Body: bytesOf(size), Size: size, ContentType: png})
	require.NoError(t, err)
	reader, err := store.Open(t.Context(), "a", objectstore.Range{})
	require.NoError(t, err)
	defer func() { require.NoError(t, reader.Close()) }()
	replaced := make(chan error, 1)
	go func() { // MinIO makes it wait for the reader
		_, err := store.Put(t.Context(), objectstore.PutRequest{
			Key: "a", Body: strings.NewReader("x"), Size: 1, ContentType: png,
		})
		replaced <- err
	}()
	require.Equal(t, sumOf(t, bytesOf(size)), sumOf(t, reader))
	require.NoError(t, <-replaced)
	require.Equal(t, "x", content(t, store, "a"))
}

func TestCopy(t *testing.T) {
	t.Parallel()
	store := objectstoretest.Open(t)
	etag := put(t, store, "from", picture)
	for range 2 {
		copied, err := store.Copy(t.Context(), objectstore.CopyRequest{
			From: "from", ETag: etag, To: "to/x", ContentType: "image/gif", CacheControl: "private",
		})
		require.NoError(t, err, "also a second time")
		info, err := store.Stat(t.Context(), "to/x")
		require.NoError(t, err)
		require.Equal(t, copied, info.ETag)
		require.Equal(t, "image/gif", info.ContentType)
		require.Equal(t, picture, content(t, store, "to/x"))
	}

	_, err := store.Copy(t.Context(), objectstore.CopyRequest{From: "from", ETag: "0123", To: "to/y", ContentType: png})
	require.ErrorIs(t, err, objectstore.ErrChanged)
	_, err = store.Copy(t.Context(), objectstore.CopyRequest{From: "none", ETag: etag, To: "to/y", ContentType: png})
	require.ErrorIs(t, err, objectstore.ErrNotFound)
	requireAbsent(t, store, "to/y")
}

func TestCopyOfParts(t *testing.T) {
	t.Parallel()
	store := objectstoretest.Open(t)
	const size = 9 << 20
	stored, err := store.Put(t.Context(), objectstore.PutRequest{
		Key: "from", Body: bytesOf(size), Size: objectstore.UnknownSize, ContentType: png,
	})
	require.NoError(t, err)
	_, err = store.Copy(t.Context(), objectstore.CopyRequest{From: "from", ETag: stored.ETag, To: "to", ContentType: png})
	require.NoError(t, err)
	info, err := store.Stat(t.Context(), "to")
	require.NoError(t, err)
	require.Equal(t, int64(size), info.Size)
}

func TestDelete(t *testing.T) {
	t.Parallel()
	store := objectstoretest.Open(t)
	put(t, store, "a", picture)
	require.NoError(t, store.Delete(t.Context(), "a"))
	requireAbsent(t, store, "a")
	require.NoError(t, store.Delete(t.Context(), "a"))
	_, err := store.Open(t.Context(), "a", objectstore.Range{})
	require.ErrorIs(t, err, objectstore.ErrNotFound)
}

func TestList(t *testing.T) {
	t.Parallel()
	store := objectstoretest.Open(t)
	require.Empty(t, keys(t, store, "", time.Time{}))
	for _, key := range []string{"up/b", "up/a", "up/c/d", "media/a", "upper"} {
		put(t, store, key, picture)
	}
	soon := time.Now().Add(time.Minute)
	require.Equal(t, []string{"media/a", "up/a", "up/b", "up/c/d", "upper"}, keys(t, store, "", time.Time{}))
	require.Equal(t, []string{"up/a", "up/b", "up/c/d"}, keys(t, store, "up/", soon))
	require.Equal(t, []string{"up/a", "up/b", "up/c/d", "upper"}, keys(t, store, "up", soon))
	require.Empty(t, keys(t, store, "up/", soon.Add(-time.Hour)))
	require.Empty(t, keys(t, store, "none/", soon))

	for info, err := range store.List(t.Context(), "up/", soon) {
		require.NoError(t, err)
		require.Equal(t, int64(10), info.Size)
		require.NotEmpty(t, info.ETag)
		require.NotContains(t, info.ETag, `"`)
		break
	}
}

// TestListOfPages lists more objects than fit in one response of the store; the caller deletes some during the listing.
func TestListOfPages(t *testing.T) {
	t.Parallel()
	store := objectstoretest.Open(t)
	const count = 1010
	errs := make(chan error)
	const workers = 8
	for worker := range workers {
		go func() {
			var failed error
			for i := worker; i < count && failed == nil; i += workers {
				_, failed = store.Put(t.Context(), objectstore.PutRequest{
					Key: fmt.Sprintf("up/%04d", i), Body: strings.NewReader("x"), Size: 1, ContentType: png,
				})
			}
			errs <- failed
		}()
	}
	for range workers {
		require.NoError(t, <-errs)
	}
	seen := 0
	for info, err := range store.List(t.Context(), "up/", time.Time{}) {
		require.NoError(t, err)
		require.Equal(t, fmt.Sprintf("up/%04d", seen), info.Key)
		if seen%100 == 0 {
			require.NoError(t, store.Delete(t.Context(), info.Key))
		}
		seen++
	}
	require.Equal(t, count, seen)
	require.Len(t, keys(t, store, "up/", time.Time{}), count-11)
}

package publishing_test

import (
	"bytes"
	"context"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/activities/publishing"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform"
)

// storage gives files and counts them.
type storage struct {
	platform.Files

	opened, closed int
}

// Open implements platform.Files.
func (s *storage) Open(context.Context, media.Asset) (platform.File, error) {
	s.opened++
	return &stored{Reader: bytes.NewReader([]byte("cat")), storage: s}, nil
}

type stored struct {
	*bytes.Reader

	storage *storage
}

func (*stored) ContentType() string { return "image/jpeg" }
func (*stored) Name() string        { return "cat.jpg" }

func (f *stored) Close() error {
	f.storage.closed++
	return nil
}

// reader is a network that reads the attachment when it prepares the post, and again when it publishes it.
type reader struct {
	carrier

	read []string
}

func (r *reader) open(ctx context.Context, c platform.Content) error {
	file, err := c.Files.Open(ctx, c.Media[0])
	if err != nil {
		return err
	}
	text, err := io.ReadAll(file)
	r.read = append(r.read, string(text))
	return err
}

func (r *reader) Prepare(
	ctx context.Context, a platform.Account, c platform.Content, h platform.Handle,
) (platform.Preparation, error) {
	if err := r.open(ctx, c); err != nil {
		return platform.Preparation{}, err
	}
	return r.carrier.Prepare(ctx, a, c, h)
}

func (r *reader) Commit(
	ctx context.Context, a platform.Account, c platform.Content, h platform.Handle,
) (platform.Publication, error) {
	if err := r.open(ctx, c); err != nil {
		return platform.Publication{}, err
	}
	return r.carrier.Commit(ctx, a, c, h)
}

// TestFileIsOpenedOnceAndClosedAfterAttempt checks that the irrevocable call gets the file that its preparation opened, and that
// the file does not stay open.
func TestFileIsOpenedOnceAndClosedAfterAttempt(t *testing.T) {
	t.Parallel()
	net, files := &network{}, &storage{}
	link := &reader{carrier: carrier{net}}
	b := setupWith(t, net, link, func(cfg *publishing.Config) { cfg.Files = files })
	p := b.dueWith(t, time.Second, post.NewPost{Content: "Hello", MediaIDs: []ident.Media{b.asset(t)}})
	b.follow(t, p)
	require.Equal(t, post.Published, b.reload(t, p).Post.Status)
	require.Equal(t, []string{"cat", "cat"}, link.read)
	require.Equal(t, 1, files.opened)
	require.Equal(t, 1, files.closed)
}

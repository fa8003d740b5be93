package trial

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"runtime"
	"sync"
	"time"

	"golang.org/x/image/draw"

	"fencepost.internal/services/bench/internal/lab"
	"fencepost.internal/services/bench/internal/result"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/infra/objectstore"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/ident"
)

const (
	thumbnails      = 60
	thumbnailWarmUp = 6
	photoWidth      = 4000 // a photo of twelve megapixels
	photoHeight     = 3000
	thumbnailSide   = 640
	photoQuality    = 90
	smallQuality    = 82
)

// Thumbnails measures photos of twelve megapixels, from the commit that adds them to the record of the last thumbnail,
// including workflow, download, child process and upload. The ceiling is a loop on all processors that only decodes,
// scales and encodes.
func Thumbnails(ctx context.Context, l *lab.Lab) ([]result.Row, error) {
	photo, err := photograph()
	if err != nil {
		return nil, err
	}
	worker, err := l.Start(ctx, "worker")
	if err != nil {
		return nil, err
	}
	defer worker.Stop()
	store, err := l.Files()
	if err != nil {
		return nil, err
	}
	ours := func(n int) (float64, error) {
		if err := lab.Pause(ctx, settlingTime); err != nil {
			return 0, err
		}
		took, err := processAll(ctx, l, store, photo, n)
		return perSecond(n, took), err
	}
	if _, err := ours(thumbnailWarmUp); err != nil {
		return nil, err
	}
	row, err := sandwich(l, result.Thumbnails, "thumbnails/s",
		func() (float64, error) { return plainLoop(l, photo) }, func() (float64, error) { return ours(thumbnails) })
	return []result.Row{row}, err
}

// processAll adds n assets at once and returns how long it took until each had its thumbnail.
func processAll(ctx context.Context, l *lab.Lab, store *objectstore.Store, photo []byte, n int) (time.Duration, error) {
	tenant, err := l.Tenant(ctx, "Photographs")
	if err != nil {
		return 0, err
	}
	sum := sha256.Sum256(photo)
	assets := make([]media.Asset, n)
	for i := range assets {
		original := media.Object{
			Key: media.NewKey(), ContentType: media.ContentTypeJPEG, Size: int64(len(photo)), SHA256: sum[:],
		}
		stored, err := store.Put(ctx, objectstore.PutRequest{
			Key: original.Key, Body: bytes.NewReader(photo), Size: original.Size, ContentType: original.ContentType,
		})
		if err != nil {
			return 0, err
		}
		original.ETag = stored.ETag
		assets[i] = media.Asset{
			ID: ident.New[ident.Media](), WorkspaceID: tenant.ID, Name: "photo.jpg", Type: media.Image,
			ContentType: original.ContentType,
			Size:        original.Size, CreatedAt: l.Clock.Now(), Files: media.Files{Original: original},
		}
	}
	before, start := l.CPU(), l.Clock.Now()
	err = l.DB.WithinTx(ctx, func(ctx context.Context) error { return insertAll(ctx, l.DB, assets) })
	if err != nil {
		return 0, err
	}
	err = lab.Until(ctx, limit, "all photographs are processed", func(ctx context.Context) (bool, error) {
		open, err := l.Count(ctx, `SELECT count(*) FROM media WHERE workspace_id = $1 AND processed_at IS NULL`,
			tenant.ID.String())
		return open == 0, err
	})
	if err != nil {
		return 0, err
	}
	l.Say("thumbnails: service %s", l.PerItem(before, n))
	made, err := l.Count(ctx, `SELECT count(thumbnail_key) FROM media WHERE workspace_id = $1`, tenant.ID.String())
	if err != nil || made != n {
		return 0, fmt.Errorf("%d of %d thumbnails were created: %w", made, n, err)
	}
	last, err := l.Time(ctx, `SELECT max(processed_at) FROM media WHERE workspace_id = $1`, tenant.ID.String())
	return last.Sub(start), err
}

func insertAll(ctx context.Context, db *postgres.DB, assets []media.Asset) error {
	loose, store := postgres.NewLoose(db), postgres.NewMedia(db)
	for _, a := range assets {
		if err := loose.Register(ctx, a.Files.Original.Key, time.Hour); err != nil {
			return err
		}
		if err := store.Insert(ctx, a); err != nil {
			return err
		}
	}
	return nil
}

// plainLoop is the naive implementation, run on every processor.
func plainLoop(l *lab.Lab, photo []byte) (float64, error) {
	work := make(chan struct{}, thumbnails)
	for range thumbnails {
		work <- struct{}{}
	}
	close(work)
	failed := make(chan error, runtime.GOMAXPROCS(0))
	var loops sync.WaitGroup
	start := l.Clock.Now()
	for range runtime.GOMAXPROCS(0) {
		loops.Go(func() {
			for range work {
				if err := shrink(photo); err != nil {
					failed <- err
					return
				}
			}
		})
	}
	loops.Wait()
	took := l.Clock.Now().Sub(start)
	select {
	case err := <-failed:
		return 0, err
	default:
		return perSecond(thumbnails, took), nil
	}
}

func shrink(photo []byte) error {
	decoded, err := jpeg.Decode(bytes.NewReader(photo))
	if err != nil {
		return err
	}
	small := image.NewRGBA(image.Rect(0, 0, thumbnailSide, thumbnailSide*photoHeight/photoWidth))
	draw.CatmullRom.Scale(small, small.Rect, decoded, decoded.Bounds(), draw.Src, nil)
	return jpeg.Encode(&bytes.Buffer{}, small, &jpeg.Options{Quality: smallQuality})
}

// photograph draws gradients with some noise, so that the file is about as large as a camera's.
func photograph() ([]byte, error) {
	scene := image.NewRGBA(image.Rect(0, 0, photoWidth, photoHeight))
	grain := uint32(1)
	for y := range photoHeight {
		for x := range photoWidth {
			grain = grain*1664525 + 1013904223
			noise := uint8(grain >> 28)
			scene.SetRGBA(x, y, color.RGBA{
				R: uint8(x*255/photoWidth) ^ noise, G: uint8(y*255/photoHeight) ^ noise, B: 128 ^ noise, A: 255,
			})
		}
	}
	var out bytes.Buffer
	err := jpeg.Encode(&out, scene, &jpeg.Options{Quality: photoQuality})
	return out.Bytes(), err
}

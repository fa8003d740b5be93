package web

import (
	"context"
	"errors"
	"log/slog"
	"strings"

	"github.com/valyala/fasthttp"

	"fencepost.internal/services/internal/render"
	"fencepost.internal/shared/domain/linkpage"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/infra/objectstore"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

func (s *Site) page(ctx *fasthttp.RequestCtx, name string, slash bool) {
	handle := strings.ToLower(name)
	if !linkpage.ValidHandle(handle) {
		send(ctx, fasthttp.StatusNotFound, s.lost)
		return
	}
	if handle != name || slash {
		redirect(ctx, "/"+handle, fasthttp.StatusMovedPermanently, "public, max-age=86400")
		return
	}
	s.shown(ctx, handle)
}

// shown responds with the page that has the handle.
func (s *Site) shown(ctx *fasthttp.RequestCtx, handle string) {
	entry, err := s.byHandle(ctx, handle)
	if err != nil {
		s.trouble(ctx, err, s.lost)
		return
	}
	if visit, seen := s.visit(ctx); seen {
		s.Tally.View(entry.Page.ID, visit)
	}
	// Browsers revalidate at every visit. A publication is therefore visible at once, and most responses are 304.
	set(ctx, "Cache-Control", "public, no-cache")
	if entry.Page.Content.SEO.NoIndex {
		set(ctx, "X-Robots-Tag", "noindex")
	}
	send(ctx, fasthttp.StatusOK, entry.Document)
}

// click redirects to the target of a block; on a domain of its own, of one of the page with the handle own.
func (s *Site) click(ctx *fasthttp.RequestCtx, name, own string) {
	set(ctx, "X-Robots-Tag", "noindex, nofollow")
	id, err := ident.Parse[ident.LinkBlock](name)
	if err != nil {
		send(ctx, fasthttp.StatusNotFound, s.gone)
		return
	}
	entry, err := s.find(ctx, func(load bool) (*Entry, error) { return s.Shelf.ByBlock(context.Background(), id, load) })
	if err != nil {
		s.trouble(ctx, err, s.gone)
		return
	}
	target := entry.Document.Targets[id]
	_, shown := entry.Shown(id, s.Clock.Now())
	if !shown || !visible(target) || own != "" && own != entry.Page.Handle {
		send(ctx, fasthttp.StatusNotFound, s.gone)
		return
	}
	if visit, seen := s.visit(ctx); seen {
		s.Tally.Click(entry.Page.ID, id, visit)
	}
	redirect(ctx, target, fasthttp.StatusFound, "no-store")
}

// pictureLife is the time in which a browser may reuse the redirect to a signed address, which is valid for a day.
// Shared caches must not store it: they would show images of deleted pages.
const pictureLife = "private, max-age=43200"

// picture redirects to an image of the page. The address of the image is permanent, so that previews on other sites
// keep working; the signed address is not.
func (s *Site) picture(ctx *fasthttp.RequestCtx, rest string) {
	handle, name, _ := strings.Cut(rest, "/")
	name, whole := strings.CutSuffix(name, "/full")
	id, err := ident.Parse[ident.Media](name)
	if err != nil || !linkpage.ValidHandle(handle) {
		send(ctx, fasthttp.StatusNotFound, s.lost)
		return
	}
	entry, err := s.byHandle(ctx, handle)
	if err != nil {
		s.trouble(ctx, err, s.lost)
		return
	}
	object, full := entry.Pictures(id)
	if whole {
		object = full
	}
	if object.IsZero() {
		send(ctx, fasthttp.StatusNotFound, s.lost)
		return
	}
	signed, err := s.Signer.PresignGet(objectstore.GetTerms{
		Key: object.Key, ContentType: object.ContentType, CacheControl: "public, max-age=86400, immutable", Inline: true,
		Expires: media.LinkLife,
	})
	if err != nil {
		s.trouble(ctx, err, s.lost)
		return
	}
	redirect(ctx, signed.URL, fasthttp.StatusFound, pictureLife)
}

// trouble responds to NOT_FOUND with the document absent, and to every other error with 503.
func (s *Site) trouble(ctx *fasthttp.RequestCtx, err error, absent render.Document) {
	switch {
	case apperr.Is(err, apperr.NotFound):
		send(ctx, fasthttp.StatusNotFound, absent)
	case errors.Is(err, ErrNotCached):
		set(ctx, "Retry-After", "60")
		send(ctx, fasthttp.StatusTooManyRequests, s.limited)
	default:
		s.fail(ctx, err)
	}
}

func (s *Site) fail(ctx *fasthttp.RequestCtx, err error) {
	s.Logger.ErrorContext(context.Background(), "a page could not be shown", slog.Any("error", err))
	ctx.Response.Reset()
	s.protect(ctx)
	set(ctx, "Retry-After", "5")
	send(ctx, fasthttp.StatusServiceUnavailable, s.failed)
}

package app

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"

	"fencepost.internal/shared/domain/linkpage"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/domain/webhook"
	"fencepost.internal/shared/kernel/apperr"
)

type expectedKey struct{}

// Expecting returns a context whose changes of posts, media, webhooks and link pages fail with PRECONDITION_FAILED unless
// the resource has one of the entity tags (RFC 9110, If-Match).
func Expecting(ctx context.Context, tags []string) context.Context {
	return context.WithValue(ctx, expectedKey{}, tags)
}

// expecting reports whether the change has a precondition.
func expecting(ctx context.Context) bool { return ctx.Value(expectedKey{}) != nil }

// expected returns PRECONDITION_FAILED if the client expects other versions of the resource than the present one.
func expected(ctx context.Context, tag string) error {
	tags, conditional := ctx.Value(expectedKey{}).([]string)
	if !conditional || slices.Contains(tags, tag) {
		return nil
	}
	failure := apperr.New(apperr.PreconditionFailed, "The resource was changed. Its ETag is %s now: read it again, then "+
		"repeat the change with the new ETag. Nothing was changed.", tag)
	failure.ETag = tag
	return failure
}

// PostTag returns the entity tag of a post. It changes with every edit and every change of the state.
func PostTag(p post.Post) string {
	return strconv.Quote(fmt.Sprintf("%d-%x", p.Revision, p.UpdatedAt.UnixMilli()))
}

// MediaTag returns the entity tag of an asset. It changes with the alternative text, and when the file was processed.
func MediaTag(a media.Asset) string {
	return hashTag(a.ID.String(), a.AltText, strconv.FormatInt(a.ProcessedAt.UnixMicro(), 16))
}

// WebhookTag returns the entity tag of a webhook. It changes with the settings and the secret, and when the webhook is
// enabled or disabled, but not with the counter of failures.
func WebhookTag(e webhook.Endpoint) string {
	return hashTag(e.ID.String(), e.UpdatedAt.UTC().String(), strconv.FormatBool(e.IsActive))
}

// LinkPageTag returns the entity tag of a link page: its revision, which every change increments.
func LinkPageTag(p linkpage.Page) string { return strconv.Quote(strconv.Itoa(p.Revision)) }

func hashTag(parts ...string) string {
	sum := sha256.Sum256([]byte(fmt.Sprintf("%q", parts)))
	const long = 10
	return strconv.Quote(hex.EncodeToString(sum[:long]))
}

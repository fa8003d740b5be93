package httpapi

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gofiber/fiber/v2"

	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// Conditional requests (RFC 9110, section 13). The entity tag of a link page is its revision in quotes. The tag is
// strong, because each change increments the revision. Package app makes the tags of the other resources.

const componentIfMatch = "If-Match"

// noRevision is a revision that no resource has.
const noRevision = -1

// tagOf returns the entity tag of a revision.
func tagOf(revision int) string { return strconv.Quote(strconv.Itoa(revision)) }

// ifMatch returns the entity tags that the client accepts, or none if it accepts any. Weak tags match nothing, because
// If-Match uses strong comparison (RFC 9110, section 13.1.1).
func ifMatch(c *fiber.Ctx) ([]string, error) {
	var tags []string
	for _, line := range c.Request().Header.PeekAll(fiber.HeaderIfMatch) {
		list := strings.Trim(string(line), " \t")
		if list == "*" {
			continue
		}
		for part := range strings.SplitSeq(list, ",") {
			tag := strings.Trim(part, " \t")
			if !isTag(tag) {
				return nil, apperr.New(apperr.MalformedRequest,
					`If-Match must be * or quoted entity tags from the header ETag, for example "7".`)
			}
			tags = append(tags, tag)
		}
	}
	return tags, nil
}

// unconditional returns MALFORMED_REQUEST for an If-Match that the operation would ignore
// (docs/contract.md, Conditional requests).
func unconditional(c *fiber.Ctx) error {
	if len(c.Request().Header.PeekAll(fiber.HeaderIfMatch)) == 0 {
		return nil
	}
	return apperr.New(apperr.MalformedRequest, "This operation does not support If-Match. Omit the header.")
}

// isTag reports whether the text is an entity tag, weak or strong.
func isTag(text string) bool {
	strong := strings.TrimPrefix(text, "W/")
	inner := strings.TrimSuffix(strings.TrimPrefix(strong, `"`), `"`)
	return len(strong) == len(inner)+2 && !strings.ContainsAny(inner, "\" ,")
}

// revisionOf returns the revision of a link page with an entity tag, or noRevision.
func revisionOf(tag string) int {
	number, err := strconv.ParseUint(strings.Trim(tag, `"`), 10, 31)
	if err != nil || number == 0 || tagOf(int(number)) != tag {
		return noRevision
	}
	return int(number)
}

// expectedRevision returns the revision of a link page that the client expects, or 0 for any. If the client accepts
// several, it returns the page's current revision if that is one of them; the change itself checks it again.
func (s *Server) expectedRevision(ctx context.Context, p app.Principal, id ident.LinkPage) (int, error) {
	accepted := exchangeOf(ctx).ifMatch
	switch len(accepted) {
	case 0:
		return 0, nil
	case 1:
		return revisionOf(accepted[0]), nil
	}
	page, err := s.app.LinkPage(ctx, p, id)
	if err != nil {
		return 0, err
	}
	if slices.Contains(accepted, tagOf(page.Revision)) {
		return page.Revision, nil
	}
	return noRevision, nil
}

// ifMatchParameter documents the If-Match header.
func ifMatchParameter() *huma.Param {
	return &huma.Param{
		Name: componentIfMatch, In: "header",
		Description: "The `ETag` of the version to change (RFC 9110, section 13.1.1). Returns 412 `PRECONDITION_FAILED` " +
			"and changes nothing if the resource has another version. Omit it, or send `*`, to change any version.",
		Schema: &huma.Schema{Type: huma.TypeString, Examples: []any{`"7"`}},
	}
}

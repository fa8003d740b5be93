package httpapi

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gofiber/fiber/v2"

	"socialpub.internal/services/internal/app"
	"socialpub.internal/shared/kernel/apperr"
	"socialpub.internal/shared/kernel/ident"
)

// Conditional requests (RFC 9110, section 13). The entity tag of a resource is its revision in quotes. The tag is
// strong, because each change increments the revision.

const componentIfMatch = "If-Match"

// noRevision is a revision that no resource has.
const noRevision = -1

// tagOf returns the entity tag of a revision.
func tagOf(revision int) string { return strconv.Quote(strconv.Itoa(revision)) }

// ifMatch returns the revisions that the client accepts, or none if it accepts any. Weak tags match nothing, because
// If-Match uses strong comparison (RFC 9110, section 13.1.1).
func ifMatch(c *fiber.Ctx) ([]int, error) {
	var revisions []int
	for _, line := range c.Request().Header.PeekAll(fiber.HeaderIfMatch) {
		list := strings.Trim(string(line), " \t")
		if list == "*" {
			continue
		}
		for part := range strings.SplitSeq(list, ",") {
			revision, ok := revisionOf(strings.Trim(part, " \t"))
			if !ok {
				return nil, apperr.New(apperr.MalformedRequest,
					`If-Match must be * or quoted entity tags from the header ETag, for example "7".`)
			}
			revisions = append(revisions, revision)
		}
	}
	return revisions, nil
}

// revisionOf parses an entity tag. It returns false for invalid syntax.
func revisionOf(tag string) (revision int, ok bool) {
	strong := strings.TrimPrefix(tag, "W/")
	inner := strings.TrimSuffix(strings.TrimPrefix(strong, `"`), `"`)
	if len(strong) != len(inner)+2 || strings.ContainsAny(inner, "\" ,") {
		return 0, false
	}
	number, err := strconv.ParseUint(inner, 10, 31)
	if err != nil || number == 0 || strong != tag || tagOf(int(number)) != tag {
		return noRevision, true
	}
	return int(number), true
}

// expectedRevision returns the revision of a link page that the client expects, or 0 for any. If the client accepts
// several, it returns the page's current revision if that is one of them; the change itself checks it again.
func (s *Server) expectedRevision(ctx context.Context, p app.Principal, id ident.LinkPage) (int, error) {
	accepted := exchangeOf(ctx).ifMatch
	switch len(accepted) {
	case 0:
		return 0, nil
	case 1:
		return accepted[0], nil
	}
	page, err := s.app.LinkPage(ctx, p, id)
	if err != nil {
		return 0, err
	}
	if slices.Contains(accepted, page.Revision) {
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

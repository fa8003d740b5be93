package httpapi

import (
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gofiber/fiber/v2"

	"fencepost.internal/shared/kernel/apperr"
)

// Conditional requests (RFC 9110, section 13). Package app makes the entity tags of resources, and compares them with
// If-Match in the transaction of the change.

const (
	componentIfMatch     = "If-Match"
	componentIfNoneMatch = "If-None-Match"
)

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

// notModified replaces a response with 304 if the client has its version (RFC 9110, section 13.1.2).
func notModified(c *fiber.Ctx) {
	known, tag := c.Get(fiber.HeaderIfNoneMatch), string(c.Response().Header.Peek(fiber.HeaderETag))
	if known == "" || tag == "" || c.Response().StatusCode() != fiber.StatusOK || !hasTag(known, tag) {
		return
	}
	c.Response().ResetBody()
	c.Response().Header.Del(fiber.HeaderContentType)
	c.Status(fiber.StatusNotModified)
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

// ifNoneMatchParameter documents the If-None-Match header.
func ifNoneMatchParameter() *huma.Param {
	return &huma.Param{
		Name: componentIfNoneMatch, In: "header",
		Description: "The `ETag` of an earlier response (RFC 9110, section 13.1.2). If the resource has not changed since, the " +
			"response is 304 without a body.",
		Schema: &huma.Schema{Type: huma.TypeString, Examples: []any{`"7"`}},
	}
}

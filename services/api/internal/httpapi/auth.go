package httpapi

import (
	"errors"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humafiber"
	"github.com/gofiber/fiber/v2"

	"fencepost.internal/services/internal/gate"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/kernel/apperr"
)

// securityScheme is the name of the security scheme in the OpenAPI document.
const securityScheme = "bearer"

// access is the access requirement of an operation. It is derived from the declared security, so that the documented
// requirement is enforced.
type access struct {
	// anyOf lists alternative scopes, of which one is sufficient. If it is empty, any valid credential is sufficient.
	anyOf []credential.Scope
}

// accessOf returns the access requirement of an operation. It rejects operations without declared security, so that no
// operation is public by mistake.
func accessOf(op *huma.Operation) (access, error) {
	if len(op.Security) == 0 {
		return access{}, errors.New("httpapi: operation " + op.OperationID + " declares no security")
	}
	var a access
	for _, requirement := range op.Security {
		scopes, ok := requirement[securityScheme]
		if !ok || len(scopes) > 1 || (len(scopes) == 0 && len(op.Security) > 1) {
			return access{}, errors.New("httpapi: the security of operation " + op.OperationID + " is not understood")
		}
		for _, scope := range scopes {
			a.anyOf = append(a.anyOf, credential.Scope(scope))
		}
	}
	return a, nil
}

// admit is the middleware that runs before an operation reads its body.
func (s *Server) admit(ctx huma.Context, next func(huma.Context)) {
	c := humafiber.Unwrap(ctx)
	e := exchangeOf(ctx.Context())
	e.route, _ = ctx.Operation().Metadata[metadataRoute].(*route)
	if err := s.authorize(c, e); err != nil {
		s.writeProblem(c, e, err)
		return
	}
	if e.route.once {
		var err error
		if e.onceKey, err = idempotencyKey(c); err != nil {
			s.writeProblem(c, e, err)
			return
		}
	}
	if err := e.readConditions(c); err != nil {
		s.writeProblem(c, e, err)
		return
	}
	if !acceptsJSON(c.Get(fiber.HeaderAccept)) {
		s.writeProblem(c, e, apperr.New(apperr.NotAcceptable, "The Accept header excludes application/json, the type of "+
			"the response. Send Accept: application/json."))
		return
	}
	e.unknown = parameterFaults(c, e.route.parameters, e.route.repeatable)
	next(ctx)
}

// readConditions reads If-Match.
func (e *exchange) readConditions(c *fiber.Ctx) (err error) {
	if !e.route.conditional {
		return unconditional(c)
	}
	e.ifMatch, err = ifMatch(c)
	return err
}

func (s *Server) authorize(c *fiber.Ctx, e *exchange) error {
	var headers []string
	for _, header := range c.Request().Header.PeekAll(fiber.HeaderAuthorization) {
		headers = append(headers, string(header))
	}
	token, sent, err := gate.Bearer(headers)
	e.credential = sent
	if err != nil {
		return err
	}
	if e.principal, err = s.app.Authenticate(e, token); err != nil {
		return err
	}
	if err := e.spend(s.gate.Client(e, e.principal)); err != nil {
		return err
	}
	anyOf := e.route.access.anyOf
	if len(anyOf) == 0 || slices.ContainsFunc(anyOf, e.principal.Allows) {
		return nil
	}
	names := make([]string, len(anyOf))
	for i, scope := range anyOf {
		names[i] = string(scope)
	}
	failure := apperr.New(apperr.InsufficientScope, "This needs the scope %s, which the credential does not have.",
		strings.Join(names, " or "))
	failure.Scope = names[0]
	return failure
}

// acceptsJSON reports whether an Accept header allows application/json, by its most specific range (RFC 9110, section
// 12.5.1).
func acceptsJSON(accept string) bool {
	if accept == "" || accept == "*/*" || accept == mediaJSON {
		return true
	}
	best, admitted := -1, false
	for part := range strings.SplitSeq(accept, ",") {
		mediaRange, parameters, _ := strings.Cut(part, ";")
		specificity := slices.Index([]string{"*/*", "application/*", mediaJSON},
			strings.ToLower(strings.TrimSpace(mediaRange)))
		if specificity > best {
			best, admitted = specificity, !excluded(parameters)
		}
	}
	return admitted
}

// excluded reports whether the parameters of a media range have a quality of zero.
func excluded(parameters string) bool {
	for parameter := range strings.SplitSeq(parameters, ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(parameter), "=")
		if strings.EqualFold(name, "q") {
			return strings.Trim(value, "0.") == "" && strings.HasPrefix(value, "0")
		}
	}
	return false
}

package httpapi

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/gofiber/fiber/v2"

	"fencepost.internal/services/internal/apiforms/jsonbody"
	"fencepost.internal/services/internal/authserver"
	"fencepost.internal/services/internal/hosts"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/oauth"
	"fencepost.internal/shared/infra/ratelimit"
	"fencepost.internal/shared/kernel/apperr"
)

// registrationsPerHour is the maximum number of client registrations per address (RFC 7591, section 5).
const registrationsPerHour = 60

// devicesPerMinute is the maximum number of devices that request access from an address; each stores a row for a day.
const devicesPerMinute = 20

const (
	mediaForm            = "application/x-www-form-urlencoded"
	headerAllowOrigin    = "Access-Control-Allow-Origin"
	headerAllowMethods   = "Access-Control-Allow-Methods"
	headerAllowHeaders   = "Access-Control-Allow-Headers"
	headerExposeHeaders  = "Access-Control-Expose-Headers"
	headerMaxAge         = "Access-Control-Max-Age"
	cacheMetadata        = "public, max-age=300"
	pathAuthorizationEnd = "/consent?request="
	pathDeviceEnd        = "/device"
)

// addAuthorization adds the endpoints of the authorization server. They respond in OAuth formats, not with problem
// documents. Scripts of any origin may call them, because they use no cookies, except for the authorization page, which
// users visit.
func (s *Server) addAuthorization(documentation string) error {
	metadata, err := json.Marshal(oauth.Metadata(s.baseURL, documentation, s.authorizations.Resources()))
	if err != nil {
		return err
	}
	s.page("oauth-metadata", oauth.PathMetadata, func(c *fiber.Ctx) error {
		c.Set(headerAllowOrigin, "*")
		c.Set(fiber.HeaderCacheControl, cacheMetadata)
		c.Set(fiber.HeaderContentType, mediaJSON)
		return c.Send(metadata)
	})
	s.preflight(oauth.PathMetadata, http.MethodGet)
	s.page("oauth-authorize", oauth.PathAuthorize, s.authorizePage)
	for path, endpoint := range map[string]struct {
		name  string
		serve func(*fiber.Ctx, *exchange) (any, int, error)
	}{
		oauth.PathToken:      {"oauth-token", s.token},
		oauth.PathRevoke:     {"oauth-revoke", s.revokeToken},
		oauth.PathIntrospect: {"oauth-introspect", s.introspect},
		oauth.PathRegister:   {"oauth-register", s.registerClient},
		oauth.PathDevice:     {"oauth-device", s.startDevice},
	} {
		r := s.metrics.route(endpoint.name, path)
		s.fiber.Post(path, func(c *fiber.Ctx) error {
			e := exchangeOf(c.UserContext())
			e.route = r
			if err := s.exchangeOAuth(c, e, endpoint.serve); err != nil {
				s.writeProblem(c, e, err)
			}
			// Last: a problem document resets the response, and scripts may read it too.
			c.Set(headerAllowOrigin, "*")
			c.Set(headerExposeHeaders, fiber.HeaderWWWAuthenticate+", "+fiber.HeaderRetryAfter)
			return nil
		})
		s.preflight(path, http.MethodPost)
	}
	return nil
}

// preflight responds to CORS preflight requests.
func (s *Server) preflight(path, method string) {
	s.fiber.Options(path, func(c *fiber.Ctx) error {
		c.Set(headerAllowOrigin, "*")
		c.Set(headerAllowMethods, method)
		c.Set(headerAllowHeaders, "Authorization, Content-Type, MCP-Protocol-Version")
		c.Set(headerMaxAge, "86400")
		return c.SendStatus(http.StatusNoContent)
	})
}

// exchangeOAuth charges a request to its source address before any work, and serves it.
func (s *Server) exchangeOAuth(c *fiber.Ctx, e *exchange, serve func(*fiber.Ctx, *exchange) (any, int, error)) error {
	if err := e.spend(s.gate.Address(e, s.remoteAddress(c), false)); err != nil {
		return err
	}
	response, status, err := serve(c, e)
	return s.respondOAuth(c, response, status, err)
}

// authorizePage handles an authorization request and redirects the browser to the consent page, or back to the client
// with an error. Without a valid redirect URI it shows the error to the user (RFC 6749, section 4.1.2.1).
func (s *Server) authorizePage(c *fiber.Ctx) error {
	e := exchangeOf(c.UserContext())
	if err := e.spend(s.gate.Address(e, s.remoteAddress(c), false)); err != nil { // before reading or storing anything
		return err
	}
	sent, err := url.ParseQuery(string(c.Context().URI().QueryString()))
	if err != nil {
		return s.refusedPage(c, oauth.Refuse(oauth.InvalidRequest, "The URL is malformed."))
	}
	started, err := s.authorizations.Authorize(e, sent)
	if refused, ok := errors.AsType[*oauth.Error](err); ok {
		return s.refusedPage(c, refused)
	}
	if err != nil {
		return err
	}
	target := started.Back
	if target == nil {
		if target, err = url.Parse(s.appURL + pathAuthorizationEnd + started.Handle); err != nil {
			return err
		}
	}
	c.Set(fiber.HeaderReferrerPolicy, "no-referrer")
	return c.Redirect(target.String(), http.StatusSeeOther)
}

// refusedPage shows the error to the user without a redirect.
func (s *Server) refusedPage(c *fiber.Ctx, refused *oauth.Error) error {
	page, err := s.refusals.Page(string(refused.Code), refused.Description)
	if err != nil {
		return err
	}
	c.Set(fiber.HeaderContentSecurityPolicy, page.Policy)
	c.Set(fiber.HeaderContentType, mediaHTML)
	return c.Status(http.StatusBadRequest).Send(page.HTML)
}

// respondOAuth writes a response, or an error in the form of RFC 6749, section 5.2.
func (s *Server) respondOAuth(c *fiber.Ctx, response any, status int, err error) error {
	c.Set(fiber.HeaderPragma, "no-cache")
	if refused, ok := errors.AsType[*oauth.Error](err); ok {
		status = http.StatusBadRequest
		if refused.Code == oauth.InvalidClient {
			status = http.StatusUnauthorized
			c.Set(fiber.HeaderWWWAuthenticate, `Basic realm="Fencepost API"`)
		}
		response = oauthError{Code: refused.Code, Description: refused.Description}
	} else if err != nil {
		return err
	}
	if response == nil {
		c.Status(status)
		return nil
	}
	body, err := json.Marshal(response)
	if err != nil {
		return err
	}
	c.Set(fiber.HeaderContentType, mediaJSON)
	return c.Status(status).Send(body)
}

// plainBody returns the body without a byte order mark. Fiber's Body would decompress it without a size limit.
func plainBody(c *fiber.Ctx) ([]byte, error) {
	if encoding := c.Get(fiber.HeaderContentEncoding); encoding != "" && !strings.EqualFold(encoding, "identity") {
		return nil, apperr.New(apperr.UnsupportedMediaType, "Compressed bodies are not accepted; send no Content-Encoding.")
	}
	return jsonbody.WithoutMark(c.Request().Body()), nil
}

// readForm reads the form parameters of a request and the client's Basic credentials. It ignores parameters in the URL,
// because URLs appear in logs.
func readForm(c *fiber.Ctx) (sent url.Values, basic *authserver.Basic, err error) {
	mediaType, _, _ := strings.Cut(c.Get(fiber.HeaderContentType), ";")
	if !strings.EqualFold(strings.TrimSpace(mediaType), mediaForm) {
		return nil, nil, oauth.Refuse(oauth.InvalidRequest, "The parameters must be sent as a form, with Content-Type: %s.",
			mediaForm)
	}
	body, err := plainBody(c)
	if err != nil {
		return nil, nil, err
	}
	if sent, err = url.ParseQuery(string(body)); err != nil {
		return nil, nil, oauth.Refuse(oauth.InvalidRequest, "The form is malformed.")
	}
	headers := c.Request().Header.PeekAll(fiber.HeaderAuthorization)
	if len(headers) == 0 {
		return sent, nil, nil
	}
	scheme, encoded, _ := strings.Cut(string(headers[0]), " ")
	decoded, err := base64.StdEncoding.DecodeString(strings.TrimSpace(encoded))
	id, secret, found := strings.Cut(string(decoded), ":")
	if len(headers) > 1 || !strings.EqualFold(scheme, "Basic") || err != nil || !found {
		return nil, nil, oauth.Refuse(oauth.InvalidClient, "The Authorization header is not a Basic credential of a client.")
	}
	// Both are form-encoded (RFC 6749, section 2.3.1).
	id, idErr := url.QueryUnescape(id)
	secret, secretErr := url.QueryUnescape(secret)
	if idErr != nil || secretErr != nil {
		return nil, nil, oauth.Refuse(oauth.InvalidClient, "The Basic credential is malformed.")
	}
	return sent, &authserver.Basic{ID: id, Secret: secret}, nil
}

func (s *Server) token(c *fiber.Ctx, e *exchange) (any, int, error) {
	sent, basic, err := readForm(c)
	if err != nil {
		return nil, 0, err
	}
	tokens, err := s.authorizations.Token(e, sent, basic)
	return tokenResponse{
		AccessToken: tokens.Access, TokenType: "Bearer", ExpiresIn: int(tokens.ExpiresIn.Seconds()),
		RefreshToken: tokens.Refresh, Scope: joined(tokens.Scopes),
	}, http.StatusOK, err
}

// startDevice serves the device authorization endpoint (RFC 8628, section 3.1).
func (s *Server) startDevice(c *fiber.Ctx, e *exchange) (any, int, error) {
	from := s.remoteAddress(c)
	if err := e.spend(s.gate.Take(e, "device:"+hosts.Customer(from),
		ratelimit.Limit{PerMinute: devicesPerMinute, Burst: devicesPerMinute})); err != nil {
		return nil, 0, err
	}
	sent, basic, err := readForm(c)
	if err != nil {
		return nil, 0, err
	}
	started, err := s.authorizations.StartDevice(e, sent, basic, from.Unmap().String())
	return deviceResponse{
		DeviceCode: started.DeviceCode, UserCode: started.UserCode, VerificationURI: s.appURL + pathDeviceEnd,
		ExpiresIn: int(started.ExpiresIn.Seconds()), Interval: int(started.Interval.Seconds()),
	}, http.StatusOK, err
}

func (s *Server) revokeToken(c *fiber.Ctx, e *exchange) (any, int, error) {
	sent, basic, err := readForm(c)
	if err != nil {
		return nil, 0, err
	}
	return nil, http.StatusOK, s.authorizations.Revoke(e, sent, basic)
}

func (s *Server) introspect(c *fiber.Ctx, e *exchange) (any, int, error) {
	sent, basic, err := readForm(c)
	if err != nil {
		return nil, 0, err
	}
	found, err := s.authorizations.Introspect(e, sent, basic)
	if err != nil || !found.Active {
		return introspection{}, http.StatusOK, err
	}
	g := found.Access.Grant
	return introspection{
		Active: true, Scope: joined(found.Access.Scopes), ClientID: g.ClientID, TokenType: "Bearer",
		Expires:  found.Access.ExpiresAt.Unix(),
		IssuedAt: found.Access.IssuedAt().Unix(), Subject: g.UserID.String(), Audience: g.Resource, Issuer: s.baseURL,
		WorkspaceID: g.WorkspaceID.String(),
	}, http.StatusOK, nil
}

func (s *Server) registerClient(c *fiber.Ctx, e *exchange) (any, int, error) {
	if err := e.spend(s.gate.Take(e, "register:"+hosts.Customer(s.remoteAddress(c)),
		ratelimit.Limit{PerMinute: 1, Burst: registrationsPerHour})); err != nil {
		return nil, 0, err
	}
	mediaType, _, _ := strings.Cut(c.Get(fiber.HeaderContentType), ";")
	if !strings.EqualFold(strings.TrimSpace(mediaType), mediaJSON) {
		return nil, 0, oauth.Refuse(oauth.InvalidClientMetadata, "The client metadata must be sent as JSON, with "+
			"Content-Type: application/json.")
	}
	body, err := plainBody(c)
	if err != nil {
		return nil, 0, err
	}
	if len(body) > oauth.MaxMetadata {
		return nil, 0, apperr.New(apperr.PayloadTooLarge, "The client metadata is larger than %d bytes.", oauth.MaxMetadata)
	}
	registered, err := s.authorizations.Register(e, body)
	if err != nil {
		return nil, 0, err
	}
	client := registered.Client
	response := registration{
		ClientID: client.ID, IssuedAt: client.CreatedAt.Unix(), ClientSecret: registered.Secret, ClientName: client.Name,
		ClientURI:    client.URI,
		RedirectURIs: client.RedirectURIs, AuthMethod: client.AuthMethod,
		GrantTypes:    []string{oauth.GrantAuthorizationCode, oauth.GrantRefreshToken, oauth.GrantDevice},
		ResponseTypes: []string{oauth.ResponseTypeCode}, Scope: joined(client.Scopes),
	}
	if registered.Secret != "" {
		response.SecretExpires = new(int64) // 0: never
	}
	return response, http.StatusCreated, nil
}

func joined(scopes []credential.Scope) string {
	names := make([]string, len(scopes))
	for i, scope := range scopes {
		names[i] = string(scope)
	}
	return strings.Join(names, " ")
}

package httpapi

import (
	"crypto/sha256"
	"net/http"
	"time"

	"github.com/gofiber/fiber/v2"

	"fencepost.internal/services/internal/app"
)

// Fiber exposes the Fiber application, so that tests can add failing routes.
func (s *Server) Fiber() *fiber.App { return s.fiber }

// DeprecateOperation declares that an operation of a server will end, or one of its query parameters.
func DeprecateOperation(c *Config, id, parameter string, since, sunset time.Time, instead string) {
	c.deprecations = append(c.deprecations, deprecation{
		operation: id, parameter: parameter, since: since, sunset: sunset, instead: instead,
	})
}

// DeprecateMember declares that a member of a schema of a server will end.
func DeprecateMember(c *Config, schema, member string, since, sunset time.Time) {
	c.deprecations = append(c.deprecations, deprecation{schema: schema, member: member, since: since, sunset: sunset})
}

// Fingerprint exposes the fingerprint of a request that creates posts.
func Fingerprint(body []byte) ([sha256.Size]byte, error) {
	return fingerprint(operation{method: http.MethodPost, path: "/v1/posts"}, app.Principal{}, body)
}

// DeprecatedNames returns the names of what is deprecated now.
func DeprecatedNames() (names []string) {
	for _, d := range deprecations() {
		switch {
		case d.schema != "":
			names = append(names, d.member)
		case d.parameter != "":
			names = append(names, d.parameter)
		default:
			names = append(names, d.operation)
		}
	}
	return names
}

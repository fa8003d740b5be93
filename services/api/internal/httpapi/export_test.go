package httpapi

import (
	"crypto/sha256"
	"net/http"

	"github.com/gofiber/fiber/v2"

	"fencepost.internal/services/internal/app"
)

// Fiber exposes the Fiber application, so that tests can add failing routes.
func (s *Server) Fiber() *fiber.App { return s.fiber }

// Fingerprint exposes the fingerprint of a request that creates posts.
func Fingerprint(body []byte) ([sha256.Size]byte, error) {
	return fingerprint(operation{method: http.MethodPost, path: "/v1/posts"}, app.Principal{}, body)
}

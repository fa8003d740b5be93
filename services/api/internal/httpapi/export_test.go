package httpapi

import (
	"crypto/sha256"
	"net/http"

	"github.com/gofiber/fiber/v2"

	"socialpub.internal/services/internal/app"
)

// Fiber gives tests the application under the server, to add routes that misbehave.
func (s *Server) Fiber() *fiber.App { return s.fiber }

// Fingerprint gives tests what tells one creation from another.
func Fingerprint(body []byte) ([sha256.Size]byte, error) {
	return fingerprint(operation{method: http.MethodPost, path: "/v1/posts"}, app.Principal{}, body)
}

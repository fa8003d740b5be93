package httpapi

import (
	"crypto/sha256"
	"net/http"

	"github.com/gofiber/fiber/v2"

	"socialpub.internal/services/internal/app"
	"socialpub.internal/shared/linkpage"
	"socialpub.internal/shared/post"
)

// Fiber gives tests the application under the server, to add routes that misbehave.
func (s *Server) Fiber() *fiber.App { return s.fiber }

// Edit gives tests what a body asks for.
func (b EditPost) Edit(before post.Post) (post.Edit, error) { return b.edit(before) }

// Fingerprint gives tests what tells one creation from another.
func Fingerprint(body []byte) ([sha256.Size]byte, error) {
	return fingerprint(operation{method: http.MethodPost, path: "/v1/posts"}, app.Principal{}, body)
}

// Command gives tests what a body asks for.
func (b CreateLinkPage) Command() linkpage.New { return b.command() }

// Edit gives tests what a body asks for.
func (b UpdateLinkPage) Edit() linkpage.Edit { return b.edit() }

// Command gives tests what a body asks for.
func (b AddLinkPageBlock) Command() (linkpage.NewBlock, error) { return b.command() }

// Edit gives tests what a body asks for.
func (b UpdateLinkPageBlock) Edit() (linkpage.BlockEdit, error) { return b.edit() }

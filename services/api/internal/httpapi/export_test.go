package httpapi

import "github.com/gofiber/fiber/v2"

// Fiber gives tests the application under the server, to add routes that misbehave.
func (s *Server) Fiber() *fiber.App { return s.fiber }

package bare

import (
	"context"
	"encoding/json"
	"os"

	"github.com/gofiber/fiber/v2"
)

// Answer is the recorded response of the link page.
type Answer struct {
	Header map[string]string `json:"header"`
	Body   []byte            `json:"body"`
}

// ServePage serves one response from the file at every single-segment path until the context ends. It is the baseline
// for serving a link page without lookup, content negotiation or counting.
func ServePage(ctx context.Context, address, file string) error {
	raw, err := os.ReadFile(file) //nolint:gosec // G304: the measurement's own file
	if err != nil {
		return err
	}
	var answer Answer
	if err := json.Unmarshal(raw, &answer); err != nil {
		return err
	}
	app := fiber.New(fiber.Config{DisableStartupMessage: true})
	app.Get("/readyz", func(c *fiber.Ctx) error { return c.SendStatus(fiber.StatusOK) })
	app.Get("/:handle", func(c *fiber.Ctx) error {
		for name, value := range answer.Header {
			c.Set(name, value)
		}
		return c.Send(answer.Body)
	})
	return serve(ctx, app, address)
}

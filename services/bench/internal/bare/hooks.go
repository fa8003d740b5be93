package bare

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gofiber/fiber/v2"

	"fencepost.internal/shared/domain/webhook"
)

// hookTimeout limits one request to an endpoint.
const hookTimeout = 30 * time.Second

// HookConfig holds the settings of ServeHooks.
type HookConfig struct {
	Address   string
	Receiver  string // URL to which the names of the endpoints are appended
	Endpoints int    // of each workspace
	Places    int    // concurrent requests to each endpoint
}

// HookName returns the name of the i-th endpoint of a workspace.
func HookName(workspace string, i int) string { return "bare-" + workspace + "-" + strconv.Itoa(i) }

// ServeHooks reads the body of each request to /<workspace> and then posts the content of the file to every endpoint of
// the workspace, until the context ends. It is the baseline of webhooks without a database, signatures or retries.
func ServeHooks(ctx context.Context, cfg HookConfig, file string) error {
	body, err := os.ReadFile(file) //nolint:gosec // G304: the measurement's own file
	if err != nil {
		return err
	}
	const connections = 1000 // enough that none is closed while requests wait
	h := &hooks{
		HookConfig: cfg, body: body, places: make(map[string]chan struct{}),
		client: &http.Client{Timeout: hookTimeout, Transport: &http.Transport{MaxIdleConnsPerHost: connections}},
	}
	app := fiber.New(fiber.Config{DisableStartupMessage: true, Immutable: true})
	app.Get("/readyz", func(c *fiber.Ctx) error { return c.SendStatus(fiber.StatusOK) })
	app.Post("/:workspace", func(c *fiber.Ctx) error {
		var in request
		if err := c.BodyParser(&in); err != nil {
			return err
		}
		for i := range cfg.Endpoints {
			go h.deliver(ctx, HookName(c.Params("workspace"), i))
		}
		return c.SendStatus(fiber.StatusCreated)
	})
	return serve(ctx, app, cfg.Address)
}

// hooks sends the deliveries of the baseline.
type hooks struct {
	HookConfig

	body   []byte
	client *http.Client
	sent   atomic.Int64 // number of deliveries, which is the id of the last one

	mu     sync.Mutex
	places map[string]chan struct{} // by endpoint
}

// deliver sends one delivery as soon as the endpoint has a free place. A failure is only logged: the measurement
// then waits in vain for the delivery and fails.
func (h *hooks) deliver(ctx context.Context, endpoint string) {
	place := h.place(endpoint)
	place <- struct{}{}
	defer func() { <-place }()
	if err := h.post(ctx, endpoint); err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "bare-hooks:", err)
	}
}

func (h *hooks) place(endpoint string) chan struct{} {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.places[endpoint] == nil {
		h.places[endpoint] = make(chan struct{}, h.Places)
	}
	return h.places[endpoint]
}

func (h *hooks) post(ctx context.Context, endpoint string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, h.Receiver+endpoint, bytes.NewReader(h.body))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set(webhook.HeaderDelivery, strconv.FormatInt(h.sent.Add(1), 10))
	answer, err := h.client.Do(request)
	if err != nil {
		return err
	}
	_, _ = io.Copy(io.Discard, answer.Body)
	_ = answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("POST %s: %s", request.URL, answer.Status)
	}
	return nil
}

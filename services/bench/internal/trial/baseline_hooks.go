package trial

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

// hookName returns the name of the i-th endpoint of a workspace.
func hookName(workspace string, i int) string { return "baseline-" + workspace + "-" + strconv.Itoa(i) }

// plainHooks reads the body of each request to /hooks/<workspace> and then posts the delivery to every endpoint of the
// workspace, without a database, signatures or retries.
type plainHooks struct {
	Baseline

	client *http.Client
	sent   atomic.Int64 // number of deliveries, which is the id of the last one
	places sync.Map     // by endpoint, a channel with room for the concurrent requests
}

func newPlainHooks(cfg Baseline) *plainHooks {
	// With so many, none is closed while requests wait.
	transport := &http.Transport{MaxIdleConnsPerHost: 1000}
	return &plainHooks{Baseline: cfg, client: &http.Client{Timeout: 30 * time.Second, Transport: transport}}
}

func (h *plainHooks) create(ctx context.Context, c *fiber.Ctx) error {
	var in plainDraft
	if err := c.BodyParser(&in); err != nil {
		return err
	}
	for i := range h.Endpoints {
		go h.deliver(ctx, hookName(c.Params("workspace"), i))
	}
	return c.SendStatus(fiber.StatusCreated)
}

// deliver sends one delivery as soon as the endpoint has a free place. If it fails, the measurement fails,
// because the delivery does not arrive.
func (h *plainHooks) deliver(ctx context.Context, endpoint string) {
	found, _ := h.places.LoadOrStore(endpoint, make(chan struct{}, h.Places))
	place, _ := found.(chan struct{})
	place <- struct{}{}
	defer func() { <-place }()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, h.Receiver+endpoint, bytes.NewReader(h.Delivery))
	if err != nil {
		return
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set(webhook.HeaderDelivery, strconv.FormatInt(h.sent.Add(1), 10))
	response, err := h.client.Do(request)
	if err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "baseline:", err)
		return
	}
	_, _ = io.Copy(io.Discard, response.Body)
	_ = response.Body.Close()
}

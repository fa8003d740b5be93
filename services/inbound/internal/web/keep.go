package web

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/inbox"
	"fencepost.internal/shared/kernel/failpoint"
	"fencepost.internal/shared/platform"
)

// Crash points around the statement that stores a report.
const (
	pointBeforeStore = "inbound.before_store"
	pointAfterStore  = "inbound.after_store" // it is committed, and not acknowledged
)

const (
	// kindUnknown is the kind of an event that the receiver could not read.
	kindUnknown = "unknown"
	// maxName bounds what names an event. The networks' names are shorter.
	maxName = 500
)

// keep stores the events of an authentic body, and acknowledges them after the commit.
func (s *Site) keep(ctx context.Context, receiver platform.Receiver, account string, body []byte) response {
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	result := response{status: http.StatusOK, outcome: stored, text: "Stored."}
	now := s.Clock.Now()
	events, err := split(receiver, account, body, now)
	if err != nil {
		s.Logger.WarnContext(ctx, "a report has an unknown form and is kept as it is",
			slog.String("network", string(receiver.Network())), slog.Any("error", err))
	}
	if len(events) == 0 { // nothing authentic is dropped
		events, result.outcome = []inbox.Event{unknown(receiver.Network(), account, body, now)}, unread
	}
	if err := failpoint.Hit(ctx, pointBeforeStore); err != nil {
		return s.failed(ctx, err)
	}
	fresh, err := s.Store.Store(ctx, events)
	s.metrics.storing.Observe(s.Clock.Now().Sub(now).Seconds())
	if err == nil {
		err = failpoint.Hit(ctx, pointAfterStore)
	}
	if err != nil {
		return s.failed(ctx, err)
	}
	if fresh == 0 {
		result.outcome = repeated
	}
	return result
}

// split returns the events of a body. A receiver that panics would get the same body again and again.
func split(receiver platform.Receiver, account string, body []byte, now time.Time) (events []inbox.Event, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			events, err = nil, fmt.Errorf("panic: %v", cause)
		}
	}()
	events, err = receiver.Split(account, body, now)
	if err != nil {
		return nil, err
	}
	for i, e := range events {
		if !storable(e.Account) || !storable(e.Key) || !storable(e.Kind) || e.Key == "" {
			events[i] = unknown(e.Network, account, e.Body, now)
		} else if e.At.Year() < 1970 || e.At.Year() > 9999 {
			events[i].At = now
		}
	}
	return events, nil
}

// storable reports whether the database can store a text of a network in an index.
func storable(text string) bool {
	return len(text) <= maxName && utf8.ValidString(text) && !strings.Contains(text, "\x00")
}

// unknown returns an event with a body that nobody can read yet.
func unknown(network channel.Network, account string, body []byte, now time.Time) inbox.Event {
	hash := sha256.Sum256(body)
	return inbox.Event{
		Network: network, Account: account, Key: "x/" + hex.EncodeToString(hash[:]), Kind: kindUnknown, At: now, Body: body,
	}
}

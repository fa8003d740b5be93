package mailing

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	webpush "github.com/SherClockHolmes/webpush-go"

	"fencepost.internal/shared/domain/mail"
	"fencepost.internal/shared/infra/egress"
	"fencepost.internal/shared/kernel/apperr"
)

const (
	// pushLife bounds the time for which a push service keeps a message for a device that is off.
	pushLife = 24 * time.Hour
	// pushTitle and pushText bound a message on a device, in characters. It must fit into one record of 4,096 bytes, encrypted, and
	// a character takes up to 6 bytes of JSON.
	pushTitle, pushText = 100, 400
)

// note is a message as the service worker of the application shows it. A repeated one replaces the first, because both have
// the same ID.
type note struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	Text  string `json:"text"`
	Link  string `json:"link"`
}

// byPush sends a message to a device. Its push service replaces a message that waits by one with the same topic.
func (m *Mailing) byPush(due mail.Mail) (func(context.Context) error, error) {
	l, err := m.letter(due)
	if err != nil {
		return nil, err
	}
	var s mail.Subscription
	if err := json.Unmarshal([]byte(due.Content.Hook), &s); err != nil {
		return nil, errors.New("mailing: the subscription of a device cannot be read")
	}
	lines := strings.Join(append(l.Lines[:len(l.Lines):len(l.Lines)], l.Items...), "\n")
	body, err := json.Marshal(note{due.ID.String(), firstOf(l.Subject, pushTitle), firstOf(lines, pushText), l.Link})
	if err != nil {
		return nil, fmt.Errorf("mailing: %w", err)
	}
	topic := strings.ReplaceAll(due.ID.String(), "-", "") // 32 characters of base64url at most (RFC 8030, 5.4)
	return func(ctx context.Context) error { return m.push(ctx, due, s, topic, body) }, nil
}

func (m *Mailing) push(ctx context.Context, due mail.Mail, s mail.Subscription, topic string, body []byte) error {
	key, err := m.Store.PushKey(ctx)
	if err != nil {
		return errors.New("the key for push services cannot be read")
	}
	response, err := webpush.SendNotificationWithContext(ctx, body, &webpush.Subscription{
		Endpoint: s.Endpoint, Keys: webpush.Keys{Auth: s.Auth, P256dh: s.Key},
	}, &webpush.Options{
		HTTPClient: pusher{m.Hooks}, Subscriber: contact(m.AppURL), Topic: topic, TTL: int(pushLife.Seconds()), Urgency: webpush.UrgencyHigh,
		VAPIDPublicKey:  base64.RawURLEncoding.EncodeToString(key.PublicKey().Bytes()),
		VAPIDPrivateKey: base64.RawURLEncoding.EncodeToString(key.Bytes()),
	})
	if err != nil {
		return hookFailure(err)
	}
	defer func() { _ = response.Body.Close() }()
	switch status := response.StatusCode; {
	case status < http.StatusMultipleChoices:
		return nil
	case status == http.StatusNotFound, status == http.StatusGone:
		if err := m.Store.RemovePlace(ctx, due.Content.Place); err != nil && !apperr.Is(err, apperr.NotFound) {
			return errors.New("a device that is gone cannot be removed")
		}
		return &refused{"The device no longer accepts notifications. It was removed."}
	case status == http.StatusTooManyRequests, status >= http.StatusInternalServerError:
		return fmt.Errorf("the push service responded with status %d", status)
	default:
		return &refused{fmt.Sprintf("The push service refused the message with status %d.", status)}
	}
}

// contact returns the address by which the operator of a push service reaches that of this installation (RFC 8292, 2.1).
func contact(appURL string) string {
	if at, err := url.Parse(appURL); err == nil && at.Scheme != "https" {
		return "https://" + at.Hostname()
	}
	return appURL
}

// pusher sends the requests of the library through the rules for foreign addresses.
type pusher struct{ hooks Hooks }

func (p pusher) Do(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	response, err := p.hooks.Do(r.Context(), egress.Request{Method: r.Method, URL: r.URL.String(), Header: r.Header, Body: body})
	if err != nil {
		return nil, err
	}
	return &http.Response{StatusCode: response.Status, Header: response.Header, Body: io.NopCloser(bytes.NewReader(response.Body))}, nil
}

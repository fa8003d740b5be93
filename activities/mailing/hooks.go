package mailing

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"net/http"
	"strings"

	"fencepost.internal/shared/domain/mail"
	"fencepost.internal/shared/infra/egress"
)

// Hooks sends requests to addresses that people entered; see egress.Client.
type Hooks interface {
	Do(ctx context.Context, request egress.Request) (*egress.Response, error)
}

// refused is the failure of a message that no other try can send.
type refused struct{ reason string }

func (r *refused) Error() string { return r.reason }

// byHook sends a message to an incoming webhook. Slack and Mattermost have no keys against repetition: a crash between the
// response and the record of it repeats the message.
func (m *Mailing) byHook(due mail.Mail) (func(context.Context) error, error) {
	l, err := m.letter(due)
	if err != nil {
		return nil, err
	}
	body, err := json.Marshal(map[string]any{"text": l.chat(styleOf(due.Way))})
	if err != nil {
		return nil, fmt.Errorf("mailing: %w", err)
	}
	return func(ctx context.Context) error {
		response, err := m.Hooks.Do(ctx, egress.Request{
			URL: due.Content.Hook, Body: body, Header: http.Header{"Content-Type": {"application/json"}},
		})
		if err != nil {
			return hookFailure(err)
		}
		switch status := response.Status; {
		case status < http.StatusMultipleChoices:
			return nil
		case status == http.StatusTooManyRequests, status >= http.StatusInternalServerError:
			return fmt.Errorf("the webhook responded with status %d", status)
		default:
			return &refused{fmt.Sprintf("The webhook refused the message with status %d.", status)}
		}
	}, nil
}

// hookFailure returns the reason without the address, which is a secret.
func hookFailure(err error) error {
	known, ok := errors.AsType[*egress.Error](err)
	switch {
	case !ok:
		return errors.New("the webhook cannot be reached")
	case known.Class == egress.ClassBlockedURL, known.Class == egress.ClassBlockedAddress:
		return &refused{"The address of the webhook is not allowed."}
	default:
		return fmt.Errorf("the webhook cannot be reached: %s", known.Class)
	}
}

// style has the form of links and plain text of a chat.
type style struct {
	link   string // format of address and text
	escape func(string) string
}

func styleOf(way mail.Way) style {
	switch way { //nolint:exhaustive // the chats
	case mail.Slack:
		return style{"<%s|%s>", escapeSlack}
	case mail.Telegram:
		return style{`<a href="%s">%s</a>`, escapeTelegram}
	default:
		return style{"[%[2]s](%[1]s)", escapeMarkdown}
	}
}

// escapeSlack writes a text so that Slack shows it as it is: mentions and links of Slack need an angle bracket, and a
// formatting character counts only at the edge of a word, where it follows an invisible one.
func escapeSlack(text string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "*", "\u200b*\u200b", "_", "\u200b_\u200b", "~", "\u200b~\u200b",
		"`", "\u200b`\u200b").Replace(text)
}

// escapeMarkdown writes a text so that Mattermost shows it as it is, and mentions no one.
func escapeMarkdown(text string) string {
	var out strings.Builder
	for _, r := range text {
		if strings.ContainsRune("\\`*_{}[]()<>#+-.!|~:", r) {
			out.WriteByte('\\')
		}
		out.WriteRune(r)
		if r == '@' {
			out.WriteRune('\u200b')
		}
	}
	return out.String()
}

// escapeTelegram writes a text for Telegram's HTML, so that it is shown as it is and mentions no one.
func escapeTelegram(text string) string {
	return strings.ReplaceAll(html.EscapeString(text), "@", "@\u200b")
}

// chat writes the letter as one message.
func (l letter) chat(s style) string {
	lines := []string{s.escape(l.Subject)}
	for _, line := range l.Lines {
		lines = append(lines, s.escape(line))
	}
	for _, item := range l.Items {
		lines = append(lines, "• "+s.escape(item))
	}
	return strings.Join(append(lines, fmt.Sprintf(s.link, l.Link, s.escape(l.Button))), "\n")
}

// Summary is a message as the application shows it.
type Summary struct {
	Title, Link string
	Items       []string
}

// Summarize returns a message as the application shows it. Its link is below appURL.
func Summarize(appURL string, due mail.Mail) (Summary, error) {
	l, err := (&Mailing{Config{AppURL: appURL}}).letter(due)
	return Summary{Title: l.Subject, Link: l.Link, Items: l.Items}, err
}

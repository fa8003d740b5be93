package mailbox

import (
	"bytes"
	"encoding/base64"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/mail"
	"regexp"
	"strings"
)

// content is a mail in readable form.
type content struct {
	Subject   string
	MessageID string
	Header    map[string][]string
	Text      string
	HTML      string
}

// read decodes a mail. What cannot be decoded is shown as it is.
func (m Mail) read() content {
	parsed, err := mail.ReadMessage(bytes.NewReader(m.Raw))
	if err != nil {
		return content{Subject: "(unreadable)", Text: string(m.Raw)}
	}
	c := content{Header: parsed.Header, MessageID: parsed.Header.Get("Message-Id")}
	c.Subject, err = new(mime.WordDecoder).DecodeHeader(parsed.Header.Get("Subject"))
	if err != nil {
		c.Subject = parsed.Header.Get("Subject")
	}
	c.part(parsed.Header.Get("Content-Type"), parsed.Header.Get("Content-Transfer-Encoding"), parsed.Body)
	return c
}

// part adds a part of the mail, or the parts in it.
func (c *content) part(contentType, encoding string, body io.Reader) {
	kind, params, err := mime.ParseMediaType(contentType)
	if err != nil {
		kind = "text/plain"
	}
	if strings.HasPrefix(kind, "multipart/") {
		parts := multipart.NewReader(body, params["boundary"])
		for {
			p, err := parts.NextRawPart()
			if err != nil {
				return
			}
			c.part(p.Header.Get("Content-Type"), p.Header.Get("Content-Transfer-Encoding"), p)
		}
	}
	switch strings.ToLower(encoding) {
	case "quoted-printable":
		body = quotedprintable.NewReader(body)
	case "base64":
		body = base64.NewDecoder(base64.StdEncoding, body)
	}
	raw, _ := io.ReadAll(body) // what was read before an error is shown
	switch kind {
	case "text/html":
		c.HTML = string(raw)
	case "text/plain":
		c.Text = string(raw)
	}
}

var linkPattern = regexp.MustCompile(`https?://[^\s<>"]+`)

// links returns the addresses in the text.
func (c *content) links() []string { return linkPattern.FindAllString(c.Text, -1) }

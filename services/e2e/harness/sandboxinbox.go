package harness

import (
	"encoding/json"
	"net/http"
	"net/url"
	"time"

	"github.com/stretchr/testify/require"
)

// Writes is a message that a person writes to an account, or what happens to earlier ones.
type Writes struct {
	Platform string        `json:"platform"`
	Account  string        `json:"account"`
	From     string        `json:"from,omitempty"`
	Text     string        `json:"text,omitempty"`
	At       *time.Time    `json:"at,omitempty"`       // nil: now
	Times    int           `json:"times,omitempty"`    // number of messages, to whose texts their number is added
	Outgoing bool          `json:"outgoing,omitempty"` // the account writes it on its phone
	ReplyTo  string        `json:"replyTo,omitempty"`
	File     *AttachedFile `json:"file,omitempty"`
	Edit     string        `json:"edit,omitempty"`   // the message that gets the text
	Delete   []string      `json:"delete,omitempty"` // the messages to delete
}

// AttachedFile is a file that a person sends.
type AttachedFile struct {
	Name    string `json:"name"`
	Content []byte `json:"content"`
}

// Talk is a message between a person and an account, as the network has it.
type Talk struct {
	Platform  string            `json:"platform"`
	Account   string            `json:"account"`
	ID        string            `json:"id"`
	Person    SimulatedPerson   `json:"person"`
	Origin    string            `json:"origin"` // person, phone or reply
	Text      string            `json:"text"`
	At        time.Time         `json:"at"`
	EditedAt  *time.Time        `json:"editedAt"`
	DeletedAt *time.Time        `json:"deletedAt"`
	ReadAt    *time.Time        `json:"readAt"`
	ReplyTo   string            `json:"replyTo"`
	File      *TalkFile         `json:"file"`
	Details   map[string]string `json:"details"`
}

// TalkFile is the file of a message, as the network has it.
type TalkFile struct {
	Name        string `json:"name"`
	ContentType string `json:"contentType"`
	Size        int64  `json:"size"`
}

// SimulatedPerson is a person on a network.
type SimulatedPerson struct {
	ID       string `json:"id,omitempty"`
	Name     string `json:"name"`
	Username string `json:"username,omitempty"`
}

// Delivery is a report of a network with all tries to push it.
type Delivery struct {
	Platform string `json:"platform"`
	Account  string `json:"account"`
	ID       int64  `json:"id"`
	Kind     string `json:"kind"`
	URL      string `json:"url"`
	Tries    []struct {
		At     time.Time `json:"at"`
		Status int       `json:"status"` // zero: no response
		Error  string    `json:"error"`
		Fault  string    `json:"fault"`
	} `json:"tries"`
}

// Meet adds a person to a network, or changes one.
func (s *Sandbox) Meet(platform string, person SimulatedPerson) {
	s.t.Helper()
	s.post("/_sandbox/people", map[string]any{"platform": platform, "person": person}, nil)
}

// Write writes messages as a person, and returns them.
func (s *Sandbox) Write(message Writes) []Talk {
	s.t.Helper()
	var written []Talk
	s.post("/_sandbox/messages", message, &written)
	return written
}

// ConnectBot connects a bot to a Telegram account, or changes or disables its connection, and returns its ID.
func (s *Sandbox) ConnectBot(bot, account string, enabled, mayReply bool) string {
	s.t.Helper()
	var connection struct {
		ID string `json:"id"`
	}
	s.post("/_sandbox/connections", map[string]any{
		"platform": "telegram", "bot": bot, "account": account, "enabled": enabled, "canReply": mayReply,
	}, &connection)
	return connection.ID
}

// Replies returns the answers with a text that a network accepted in the conversation of an account with a person. Empty
// values match any.
func (s *Sandbox) Replies(platform, account, person, text string) []Talk {
	s.t.Helper()
	return s.talks(platform, account, person, text, "reply")
}

// Talks returns the messages with a text that a person wrote to an account.
func (s *Sandbox) Talks(platform, account, person, text string) []Talk {
	s.t.Helper()
	return s.talks(platform, account, person, text, "person")
}

func (s *Sandbox) talks(platform, account, person, text, origin string) []Talk {
	s.t.Helper()
	query := url.Values{
		"platform": {platform}, "account": {account}, "from": {person}, "text": {text}, "origin": {origin},
	}
	var replies []Talk
	require.NoError(s.t, json.Unmarshal(s.do(http.MethodGet, "/_sandbox/messages?"+query.Encode(), nil, http.StatusOK),
		&replies))
	return replies
}

// ReportStatus reports a status of a WhatsApp reply: sent, delivered, read, or failed with a code.
func (s *Sandbox) ReportStatus(account, message, status string, code int) {
	s.t.Helper()
	s.post("/_sandbox/statuses", map[string]any{
		"platform": "whatsapp", "account": account, "message": message, "status": status, "code": code,
	}, nil)
}

// SetMetaCallback sets the address of the reports to a Meta application, which the network calls at once with the token.
func (s *Sandbox) SetMetaCallback(app, secret, address, verifyToken string) {
	s.t.Helper()
	raw, err := json.Marshal(map[string]string{
		"object": "whatsapp_business_account", "callback_url": address, "verify_token": verifyToken, "fields": "messages",
		"access_token": app + "|" + secret,
	})
	require.NoError(s.t, err)
	s.do(http.MethodPost, "/whatsapp/v26.0/"+app+"/subscriptions", raw, http.StatusOK)
}

// Deliveries returns the reports that a network pushed, oldest first.
func (s *Sandbox) Deliveries(platform string) []Delivery {
	s.t.Helper()
	var all, found []Delivery
	require.NoError(s.t, json.Unmarshal(s.do(http.MethodGet, "/_sandbox/deliveries", nil, http.StatusOK), &all))
	for _, d := range all {
		if d.Platform == platform {
			found = append(found, d)
		}
	}
	return found
}

// post sends a body to the control API, and decodes the response unless it is not wanted.
func (s *Sandbox) post(path string, body, into any) {
	s.t.Helper()
	raw, err := json.Marshal(body)
	require.NoError(s.t, err)
	response := s.do(http.MethodPost, path, raw, http.StatusCreated)
	if into != nil {
		require.NoError(s.t, json.Unmarshal(response, into))
	}
}

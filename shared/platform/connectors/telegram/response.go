package telegram

import (
	"bytes"
	"encoding/json"
	"net/http"
	"regexp"
	"strconv"
	"strings"

	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

// username matches a chat's name. Any other value would change the URL.
var username = regexp.MustCompile(`^[A-Za-z0-9_]{1,64}$`)

type apiResponse struct {
	OK          bool     `json:"ok"`
	ErrorCode   int      `json:"error_code"`
	Description string   `json:"description"`
	Result      messages `json:"result"`
	Parameters  struct {
		RetryAfter      float64 `json:"retry_after"`
		MigrateToChatID int64   `json:"migrate_to_chat_id"`
	} `json:"parameters"`
}

// message is a sent message.
type message struct {
	MessageID int64 `json:"message_id"`
	Chat      struct {
		ID       int64  `json:"id"`
		Username string `json:"username"`
	} `json:"chat"`
}

// messages holds the messages of a call: several for an album, and otherwise one.
type messages []message

// UnmarshalJSON decodes a list or a single message.
func (m *messages) UnmarshalJSON(data []byte) error {
	if bytes.HasPrefix(data, []byte("[")) {
		var list []message
		err := json.Unmarshal(data, &list)
		*m = list
		return err
	}
	var one message
	err := json.Unmarshal(data, &one)
	*m = messages{one}
	return err
}

// first returns the message that identifies the post. It returns false if there is none.
func (m messages) first() (message, bool) {
	if len(m) == 0 || m[0].MessageID <= 0 {
		return message{}, false
	}
	return m[0], true
}

// moved returns the chat's new id from a response with status 400, or zero.
func (a apiResponse) moved(response httpcall.Response) int64 {
	if response.Status != http.StatusBadRequest || a.OK {
		return 0
	}
	return a.Parameters.MigrateToChatID
}

func (c *Connector) publication(account platform.Account, m message) platform.Publication {
	id := strconv.FormatInt(m.MessageID, 10)
	return platform.Publication{ExternalID: id, URL: c.client.Permalink(c.link(account, m, id))}
}

// parts returns the ids of an album's messages; nil for a single message, and if one has no id.
func (m messages) parts() []string {
	if len(m) < 2 {
		return nil
	}
	ids := make([]string, len(m))
	for i, one := range m {
		if one.MessageID <= 0 {
			return nil
		}
		ids[i] = strconv.FormatInt(one.MessageID, 10)
	}
	return ids
}

// link returns the message's URL: by name in a public chat, and by the id without its prefix in a private one. It is
// empty for basic groups.
func (c *Connector) link(account platform.Account, m message, id string) string {
	const supergroupPrefix = "-100"
	for _, name := range []string{"@" + m.Chat.Username, account.ExternalID} {
		if name, named := strings.CutPrefix(name, "@"); named && username.MatchString(name) {
			return c.permalink + "/" + name + "/" + id
		}
	}
	chat := strconv.FormatInt(m.Chat.ID, 10)
	if number, private := strings.CutPrefix(chat, supergroupPrefix); private && number != "" {
		return c.permalink + "/c/" + number + "/" + id
	}
	return ""
}

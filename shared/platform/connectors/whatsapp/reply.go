package whatsapp

import (
	"context"
	"errors"
	"net/http"

	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

// outgoing is a message: a text, a file, or a template. People are named by their phone number, or by their user ID.
type outgoing struct {
	Product   string            `json:"messaging_product"`
	Kind      string            `json:"recipient_type"`
	To        string            `json:"to,omitempty"`
	Recipient string            `json:"recipient,omitempty"`
	Type      string            `json:"type"`
	Text      *outgoingText     `json:"text,omitempty"`
	Image     *outgoingFile     `json:"image,omitempty"`
	Video     *outgoingFile     `json:"video,omitempty"`
	Document  *outgoingFile     `json:"document,omitempty"`
	Template  *outgoingTemplate `json:"template,omitempty"`

	Context *outgoingLink `json:"context,omitempty"`
	Opaque  string        `json:"biz_opaque_callback_data"`
}

type outgoingText struct {
	Body string `json:"body"`
}

type outgoingLink struct {
	Message string `json:"message_id"`
}

var errThread = errors.New("the conversation is that of no person")

// SendReply sends the answer. The statuses of the message have the ID of the reply, so that one of them proves a call whose
// response was lost.
func (c *Connector) SendReply(ctx context.Context, account platform.Account, reply platform.Reply) (string, error) {
	if account.Credentials.AccessToken == "" || account.ExternalID == "" {
		return "", c.client.Reconnect(errAccount)
	}
	body := outgoing{Product: "whatsapp", Kind: "individual", Opaque: reply.ID.String()}
	switch {
	case reply.Template != nil:
		body.Type, body.Template = "template", templateOf(*reply.Template)
	case len(reply.Media) > 0:
		body.attached(reply)
	default:
		body.Type, body.Text = "text", &outgoingText{reply.Text}
	}
	switch {
	case phonePattern.MatchString(reply.Thread):
		body.To = reply.Thread
	case userPattern.MatchString(reply.Thread):
		body.Recipient = reply.Thread
	default:
		return "", c.client.Fail(platform.ClassRejected, platform.CodePersonBlocked, errThread,
			"WhatsApp does not name the person of this conversation. Wait for a message.")
	}
	if reply.ReplyTo != "" {
		body.Context = &outgoingLink{reply.ReplyTo}
	}
	response, err := c.client.CommitCall(ctx, c.signed(account.Credentials, httpcall.Request{
		Operation: "reply", Method: http.MethodPost, Path: []string{account.ExternalID, "messages"}, JSON: body,
	}))
	if err != nil {
		return "", c.client.ReplyFailure(err)
	}
	if !response.OK() {
		return "", c.client.ReplyFailure(c.failure(response))
	}
	var sent struct {
		Messages []struct {
			ID string `json:"id"`
		} `json:"messages"`
	}
	if response.Decode(&sent) != nil || len(sent.Messages) != 1 || !httpcall.Token(sent.Messages[0].ID) {
		return "", c.client.ReplyFailure(c.client.Unclear(response, "success without the message's ID"))
	}
	return sent.Messages[0].ID, nil
}

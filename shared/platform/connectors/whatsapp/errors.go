package whatsapp

import (
	"cmp"
	"strconv"
	"time"

	"fencepost.internal/shared/domain/inbox"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/graph"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

// Codes of failures.
const (
	CodeTokenForm      = "TOKEN_INVALID"
	CodeBusinessForm   = "BUSINESS_ACCOUNT_INVALID"
	CodeScope          = "SCOPE_MISSING"
	CodeOtherApp       = "OTHER_APPLICATION"
	CodeNoNumber       = "NUMBER_MISSING"
	CodeAddressRefused = "INBOUND_ADDRESS_REFUSED"
	CodePayment        = "PAYMENT_MISSING"
	CodePair           = "CONVERSATION_RATE_LIMITED" // of one person, not of the number
	CodeRestricted     = "ACCOUNT_RESTRICTED"

	CodeTemplateMissing = "TEMPLATE_MISSING"
	CodeTemplateStopped = "TEMPLATE_PAUSED"
	CodeTemplateValues  = "TEMPLATE_VALUES_REFUSED"

	CodePIN          = "PIN_REFUSED"
	CodePINWait      = "PIN_TRIED_TOO_OFTEN"
	CodeUnverified   = "NUMBER_NOT_VERIFIED"
	CodeRegistration = "NUMBER_NOT_REGISTERED"
)

// pairWait is the time after which the next message to one person is accepted (error 131056).
const pairWait = 6 * time.Second

// fault is an error of the network, in a response or in a status.
type fault struct {
	Code    int    `json:"code"`
	Title   string `json:"title"`
	Message string `json:"message"`
	Data    struct {
		Details string `json:"details"`
	} `json:"error_data"`
}

// meaning returns the class, the code and the message of an error for an answer. The class is ClassUnknown for errors that
// do not say whether the message was accepted
// (https://developers.facebook.com/documentation/business-messaging/whatsapp/support/error-codes).
func (f fault) meaning() (class platform.Class, code, message string) {
	switch f.Code {
	case 131047:
		return platform.ClassRejected, platform.CodeWindowClosed, "WhatsApp accepts an answer only within 24 hours of the person’s " +
			"last message. Wait for a message."
	case 131026:
		return platform.ClassRejected, platform.CodePersonBlocked, "WhatsApp cannot deliver messages to this person, who may have " +
			"blocked the number, no WhatsApp, or an old version of it. Use another way."
	case 131050:
		return platform.ClassRejected, inbox.CodeOptedOut, "The person does not want messages of this kind from the number."
	case 131056:
		return platform.ClassRateLimited, CodePair, "WhatsApp limits the messages to one person. The answer waits for some seconds."
	case 4, 80007, 130429, 131048:
		return platform.ClassRateLimited, post.ErrorRateLimited, "WhatsApp limits how often this number may write."
	case 131042:
		return platform.ClassOperator, CodePayment, "WhatsApp sends nothing because the business account has no valid payment " +
			"method. Add one in WhatsApp Manager, then send the answer again."
	case 131031, 368, 130497:
		return platform.ClassUser, CodeRestricted, "WhatsApp has restricted this business account. Open WhatsApp Manager to see " +
			"the reason, then send the answer again."
	case 133010, 131037:
		return platform.ClassRejected, platform.CodeConnectionEnded, "The number is not ready to send: it is not registered, or " +
			"its name is not approved. Complete it in WhatsApp Manager, then send the answer again."
	case 132000, 132005, 132012, 132018:
		return platform.ClassRejected, CodeTemplateValues, "WhatsApp refused the values of the template: their number, form or length is " +
			"not that of the approved text. Reload the page, then enter them again."
	case 132001:
		return platform.ClassRejected, CodeTemplateMissing, "The template no longer exists in this language, or is not approved. Choose " +
			"another one."
	case 132007, 132015, 132016, 132068, 132069:
		return platform.ClassRejected, CodeTemplateStopped, "WhatsApp has paused or disabled this template because of its quality or its " +
			"content. Open WhatsApp Manager, or choose another one."
	case 0, 1, 2, 131000, 131016:
		return platform.ClassUnknown, post.ErrorOutcomeUnknown, "WhatsApp failed. Check the phone, then send the answer again."
	default:
		words := httpcall.Text(cmp.Or(f.Data.Details, f.Title, f.Message), longestName)
		if words != "" {
			words = " (" + words + ")"
		}
		return platform.ClassRejected, networkCode(f.Code), "WhatsApp refused the answer" + words + ". Change it, then send it again."
	}
}

// networkCode returns the code of an error without one of this service.
func networkCode(code int) string { return "WHATSAPP_" + strconv.Itoa(code) }

// failure classifies an error response. Errors of the connection come before those of an answer.
func (c *Connector) failure(response httpcall.Response) *platform.Failure {
	e, cause := graph.ErrorOf(response), response.Cause("refused")
	meaning := e.Meaning(response.Status)
	switch {
	case meaning == graph.NoRefusal:
		return c.client.Unclear(response, "no clear refusal")
	case meaning == graph.Expired, meaning == graph.Revoked, meaning == graph.Forbidden, e.Missing(), e.Is(codeDenied),
		e.Code == 0 && e.Type == "OAuthException":
		return c.client.Reconnect(cause)
	}
	var shown struct {
		Error fault `json:"error"`
	}
	_ = response.Decode(&shown) // otherwise, it is zero
	class, code, message := shown.Error.meaning()
	if class == platform.ClassUnknown {
		return c.client.Unclear(response, "a passing fault, or not in the network's own form")
	}
	if (meaning == graph.Limited || meaning == graph.Quota) && class == platform.ClassRejected {
		class, code, message = fault{Code: codeThroughput}.meaning()
	}
	failure := c.client.Fail(class, code, cause, "%s", message)
	if class == platform.ClassRateLimited {
		failure.Until = graph.Until(c.client, response.Header)
		if code == CodePair && failure.Until.IsZero() {
			failure.Until = c.client.Now().Add(pairWait)
		}
	}
	return failure
}

// Errors that represent others.
const (
	codeThroughput = 130429 // any limit
	codeDenied     = 131005 // a permission was withdrawn
)

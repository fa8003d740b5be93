// Package whatsappapi is the sandbox's WhatsApp Cloud API: the numbers of a business, messages, their files and statuses, and
// the reports to applications.
//
// The business NAME has the token sandbox-whatsapp-NAME and the numbers NAME, which is registered, and NAME-shop, which is not.
// A person with a user name shows no phone number. An application sets its address with POST /{app}/subscriptions and the
// token APP|SECRET, as its dashboard does.
package whatsappapi

import (
	"cmp"
	"errors"
	"hash/fnv"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"fencepost.internal/services/sandbox/internal/mediastore"
	"fencepost.internal/services/sandbox/internal/metaapi"
	"fencepost.internal/services/sandbox/internal/stage"
	"fencepost.internal/services/sandbox/internal/token"
	"fencepost.internal/shared/domain/channel"
)

const (
	network = string(channel.NetworkWhatsApp)
	// Permissions of system users.
	messaging  = "whatsapp_business_messaging"
	management = "whatsapp_business_management"

	second = "-shop" // follows the name of a business in that of its second number
)

// Codes of errors (WhatsApp: Error codes).
const (
	codeParameter    = 100
	codeThroughput   = 130429
	codeMissing      = 131008
	codeValue        = 131009
	codeUndelivered  = 131026
	codeWindow       = 131047
	codeType         = 131051
	codeMedia        = 131053
	codePair         = 131056
	codeParameters   = 132000
	codeNoTemplate   = 132001
	codeFormat       = 132012
	codePaused       = 132015
	codePIN          = 133005
	codePINTries     = 133008
	codeUnregistered = 133010
	codeCallback     = 2200
)

// Network declares WhatsApp.
func Network() stage.Network {
	return stage.Network{
		ID:     channel.NetworkWhatsApp,
		Tokens: []token.Policy{{NoRefresh: true, Scopes: []string{messaging, management, "business_management"}}},
		Limits: []stage.Limit{{Step: stage.StepReply, Calls: 80, Window: time.Second}},
		Mount: func(mux *http.ServeMux, s *stage.Stage, folder string) (stage.State, error) {
			records, err := mediastore.OpenUploads[record](filepath.Join(folder, "whatsapp"), s.Logger)
			if err != nil {
				return nil, err
			}
			b := &business{stage: s, records: records, queues: make(map[string]*stage.Queue)}
			s.Inboxes[channel.NetworkWhatsApp] = b
			register(mux, s, b)
			return b, nil
		},
	}
}

// record is an application, a business account, a number or a file, by its ID.
type record struct {
	ID string
	// of an application
	URL, Secret string
	// of a business account: the application that gets its reports, and another address for them
	App, Override string
	// of a number
	Registered bool
	PIN        string
	Wrong      int // PINs since the last right one
	// of a file
	Account, SHA256, ContentType string
	Size                         int64
	At                           time.Time
}

// Key returns the key of the record.
func (r record) Key() string { return r.ID }

// business is the inbox of all numbers.
type business struct {
	stage   *stage.Stage
	records *mediastore.Uploads[record]

	mu     sync.Mutex
	queues map[string]*stage.Queue // by address and application
}

// api serves the calls of the Cloud API.
type api struct {
	metaapi.API

	*business
}

// register adds the calls under /whatsapp.
func register(mux *http.ServeMux, s *stage.Stage, b *business) {
	a := &api{business: b, API: metaapi.API{ErrorType: "OAuthException", Usage: "whatsapp", Service: stage.Service{
		Stage: s, Network: channel.NetworkWhatsApp, Prefix: "/whatsapp",
	}}}
	a.Missing = a.Unknown(http.StatusBadRequest, 2500)
	a.Account = func(r stage.Request) string {
		if name := r.Grant.Account + second; r.PathValue("phone") == phoneID(name) {
			return name
		}
		return r.Grant.Account
	}
	const status, other, fileLimit = stage.StepStatus, stage.StepOther, 100 << 20
	a.Handle(mux, []metaapi.Route{
		{Pattern: "GET /{waba}/phone_numbers", Step: status, Scopes: management, Serve: a.ofAccount(a.numbers)},
		{Pattern: "GET /{waba}/message_templates", Step: status, Scopes: management, Serve: a.ofAccount(a.templates)},
		{Pattern: "GET /{waba}/subscribed_apps", Step: status, Scopes: management, Serve: a.ofAccount(a.subscribed)},
		{Pattern: "POST /{waba}/subscribed_apps", Step: other, Scopes: management, Serve: a.ofAccount(a.subscribe)},
		{Pattern: "POST /{phone}/register", Step: other, Scopes: management, Serve: a.ofNumber(a.registerNumber)},
		{Pattern: "POST /{phone}/messages", Step: stage.StepReply, Scopes: messaging, Serve: a.ofNumber(a.send)},
		{Pattern: "POST /{phone}/media", Step: stage.StepUpload, Scopes: messaging, Files: fileLimit, Serve: a.ofNumber(a.upload)},
		{Pattern: "GET /{id}", Step: status, Serve: a.read},
	})
	a.Words.Limited = a.fault(http.StatusTooManyRequests, codeThroughput, "Rate limit hit",
		"Cloud API message throughput has been reached.")
	a.HandleAt(mux, stage.Route{Pattern: "GET /whatsapp/{version}/media/{id}/{ends}", Step: stage.StepFile, Serve: a.download})
	mux.HandleFunc("GET /whatsapp/{version}/debug_token", a.debug)
	mux.HandleFunc("POST /whatsapp/{version}/{app}/subscriptions", func(w http.ResponseWriter, r *http.Request) {
		if body, ok := stage.ReadBody(w, r); ok {
			request := stage.Request{Request: r, Values: stage.Parameters(r, body)}
			a.setCallback(request).Write(w) //nolint:contextcheck // the context is that of the request
		}
	})
}

// ofAccount calls the function for the business account of the token.
func (a *api) ofAccount(serve func(stage.Request) stage.Response) func(stage.Request) stage.Response {
	return func(r stage.Request) stage.Response {
		if r.PathValue("waba") != accountID(r.Grant.Account) {
			return a.NotFound()
		}
		return serve(r)
	}
}

// ofNumber calls the function for a number of the token.
func (a *api) ofNumber(serve func(stage.Request) stage.Response) func(stage.Request) stage.Response {
	return func(r stage.Request) stage.Response {
		if r.PathValue("phone") != phoneID(r.Account) {
			return a.NotFound()
		}
		return serve(r)
	}
}

// refuse is an error of the Cloud API.
func (a *api) refuse(code int, message, details string) stage.Response {
	return a.fault(http.StatusBadRequest, code, message, details)
}

func (*api) fault(status, code int, message, details string) stage.Response {
	return stage.Refuse(status, stage.Object{"error": stage.Object{
		"message": "(#" + strconv.Itoa(code) + ") " + message, "type": "OAuthException", "code": code,
		"error_data": stage.Object{"messaging_product": "whatsapp", "details": details},
		"fbtrace_id": "sandbox",
	}})
}

// numbers lists the numbers of the business account.
func (a *api) numbers(r stage.Request) stage.Response {
	const usual = "verified_name,code_verification_status,display_phone_number,quality_rating,platform_type,throughput"
	fields := metaapi.SplitFields("id," + cmp.Or(r.Values.Get("fields"), usual))
	names := []string{r.Grant.Account, r.Grant.Account + second}
	return stage.OK(stage.Object{
		"data":   stage.Each(names, func(name string) stage.Object { return stage.Pick(fields, a.number(name)) }),
		"paging": stage.Object{"cursors": stage.Object{"before": "a", "after": "b"}},
	})
}

func (b *business) number(name string) stage.Object {
	status := "PENDING"
	if b.registered(name) {
		status = "CONNECTED"
	}
	return stage.Object{
		"id": phoneID(name), "verified_name": name, "code_verification_status": "VERIFIED", "quality_rating": "GREEN",
		"display_phone_number": "+" + phone(name), "platform_type": "CLOUD_API", "status": status,
		"throughput": stage.Object{"level": "STANDARD"},
	}
}

// registered reports whether the number can send and receive.
func (b *business) registered(name string) bool {
	set, known := b.records.Get(phoneID(name))
	return set.Registered || !known && !strings.HasSuffix(name, second)
}

// registerNumber registers a number, whose PIN the first call sets.
func (a *api) registerNumber(r stage.Request) stage.Response {
	pin, id := r.Values.Get("pin"), phoneID(r.Account)
	set, _ := a.records.Get(id)
	_, err := strconv.ParseUint(pin, 10, 64)
	const digits = 6
	wrong := set.PIN != "" && set.PIN != pin
	bad := stage.If(r.Values.Get("messaging_product") != "whatsapp",
		a.refuse(codeParameter, "The parameter messaging_product is required.", "")).
		Or(err != nil || len(pin) != digits, a.refuse(codeParameter, "Invalid parameter", "The PIN must have 6 digits.")).
		Or(set.Wrong >= pinTries, a.refuse(codePINTries, "Too many two step verification PIN guesses", "Try again later.")).
		Or(wrong, a.refuse(codePIN, "Two step verification PIN Mismatch", "The PIN is wrong."))
	if wrong && len(pin) == digits {
		if set.Wrong++; a.records.Keep(set) != nil {
			return a.Broken
		}
	}
	if bad.Broken {
		return bad.Fault
	}
	return a.After(a.records.Keep(record{ID: id, Registered: true, PIN: pin}), success())
}

// pinTries is the number of wrong PINs after which a number refuses all.
const pinTries = 5

// debug describes a token of a system user.
func (a *api) debug(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	if q.Get("input_token") == "" || stage.AccessToken(r, q) == "" {
		a.Error(codeParameter, 0, "(#100) You must provide an app access token, or a user access token that is an owner or "+
			"developer of the app").Write(w)
		return
	}
	grant, err := a.Stage.Tokens.Access(network, q.Get("input_token"))
	if errors.Is(err, token.ErrInvalid) {
		stage.OK(stage.Object{"data": stage.Object{"is_valid": false, "scopes": []string{}, "error": stage.Object{
			"code": 190, "message": "Invalid OAuth access token - Cannot parse access token", //nolint:mnd // code of tokens
		}}}).Write(w)
		return
	}
	stage.OK(stage.Object{"data": stage.Object{
		"app_id": cmp.Or(grant.App, "sandbox-client"), "type": "SYSTEM_USER", "application": "Sandbox", "expires_at": 0,
		"data_access_expires_at": 0, "is_valid": err == nil, "issued_at": grant.IssuedAt.Unix(), "scopes": grant.Scopes,
		"user_id": accountID("user " + grant.Account),
		"granular_scopes": stage.Each(grant.Scopes, func(scope string) stage.Object {
			return stage.Object{"scope": scope, "target_ids": []string{accountID(grant.Account)}}
		}),
	}}).Write(w)
}

func success() stage.Response { return stage.OK(stage.Object{"success": true}) }

// businessOf returns the business that has a number.
func businessOf(account string) string { return strings.TrimSuffix(account, second) }

func accountID(business string) string { return stable(1e15, "account "+business) }
func phoneID(account string) string    { return stable(2e15, "number "+account) }

// phone returns the phone number of a number.
func phone(account string) string { return stable(15550000000, "phone "+account)[:11] }

// stable returns a number from the floor on that belongs to a name.
func stable(floor int64, name string) string {
	const room = 10_000_000
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(name))
	return strconv.FormatInt(floor+int64(hash.Sum64()%room), 10)
}

// Package pinterestapi is the sandbox's Pinterest API, version 5: pins, videos, boards and metrics.
//
// The boards of an account depend only on its name, so that they are always the same: a name with "noboards" has none,
// a name with "manyboards" has more than fit on one page.
package pinterestapi

import (
	"encoding/base64"
	"hash/fnv"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"fencepost.internal/services/sandbox/internal/ledger"
	"fencepost.internal/services/sandbox/internal/mediastore"
	"fencepost.internal/services/sandbox/internal/stage"
	"fencepost.internal/services/sandbox/internal/token"
	"fencepost.internal/shared/domain/channel"
)

const (
	network = string(channel.NetworkPinterest)

	// Codes of Pinterest's errors.
	codeInvalid  = 1
	codeNotFound = 404

	readBoards = "boards:read"
	readPins   = "boards:read pins:read"
	writePins  = "boards:read boards:write pins:read pins:write"
	account    = "user_accounts:read"
)

// Network declares Pinterest. A pin's id has the milliseconds since 1970, then 18 bits.
func Network() stage.Network {
	const day = 24 * time.Hour
	return stage.Network{
		ID: channel.NetworkPinterest,
		Tokens: []token.Policy{{ // each exchange returns a refresh token with a new end
			Access: 30 * day, Refresh: 60 * day, Rotates: true, Scopes: append(strings.Fields(writePins), account),
		}},
		Limits: []stage.Limit{{Calls: 100, Window: time.Second}},
		IDs:    ledger.IDs{Floor: func(now time.Time) int64 { return now.UnixMilli() << 18 }},
		Mount:  stage.Stored("pinterest-videos", mount),
	}
}

// api serves Pinterest's calls.
type api struct {
	*stage.Service

	videos *mediastore.Uploads[video]
}

func mount(mux *http.ServeMux, s *stage.Stage, videos *mediastore.Uploads[video]) {
	words := stage.Words{
		Rejected:     invalid("The request is invalid."),
		Limited:      refuse(http.StatusTooManyRequests, 8, "This request exceeded a rate limit."),
		Unavailable:  refuse(http.StatusServiceUnavailable, http.StatusServiceUnavailable, "The service is unavailable."),
		Unauthorized: refuse(http.StatusUnauthorized, 2, "Authentication failed."),
		Scope: refuse(http.StatusUnauthorized, 3, "Your token does not have sufficient permissions to perform "+
			"this operation. Please ensure your token is authorized with the correct set of scopes."),
	}
	a := &api{videos: videos, Service: &stage.Service{
		Stage: s, Network: channel.NetworkPinterest, Prefix: "/pinterest/v5", Words: words, Window: time.Minute,
		Missing: refuse(http.StatusNotFound, codeNotFound, "The sandbox does not have this call."),
		Broken: refuse(http.StatusInternalServerError, http.StatusInternalServerError,
			"The sandbox's files cannot be written."),
		Quota: func(limit, remaining int, reset time.Time) map[string]string {
			return map[string]string{
				"X-Ratelimit-Limit": strconv.Itoa(limit), "X-Ratelimit-Remaining": strconv.Itoa(remaining),
				"X-Ratelimit-Reset": strconv.FormatInt(int64((reset.Sub(s.Clock.Now())+time.Second-1)/time.Second), 10),
			}
		},
	}}
	const status = stage.StepStatus
	a.Handle(mux, []stage.Route{
		{Pattern: "POST /pins", Step: stage.StepCommit, Scopes: writePins, Body: largestPin, Serve: a.create},
		{Pattern: "GET /pins/{id}", Step: status, Scopes: readPins, Serve: a.one},
		{Pattern: "DELETE /pins/{id}", Step: stage.StepOther, Scopes: writePins, Serve: a.remove},
		{Pattern: "GET /boards/{board}/pins", Step: status, Scopes: readPins, Serve: a.list},
		{Pattern: "GET /boards/{board}/sections", Step: status, Scopes: readBoards, Serve: sections},
		{Pattern: "GET /boards/{board}/sections/{section}/pins", Step: status, Scopes: readPins, Serve: a.list},
		{Pattern: "POST /media", Step: stage.StepUpload, Scopes: "pins:read pins:write", Serve: a.register},
		{Pattern: "GET /media/{id}", Step: status, Scopes: "pins:read", Serve: a.status},
		{Pattern: "GET /boards", Step: status, Scopes: readBoards, Serve: boards},
		{Pattern: "GET /user_account", Step: status, Scopes: account, Serve: a.account},
		{Pattern: "GET /user_account/analytics", Step: status, Scopes: account, Serve: a.accountAnalytics},
		{Pattern: "GET /pins/{id}/analytics", Step: status, Scopes: "pins:read", Serve: a.pinAnalytics},
		{Pattern: "GET /pins/analytics", Step: status, Scopes: "pins:read", Serve: severalPins},
	})
	mux.HandleFunc("POST "+uploadPath+"/{$}", a.receive)
	mux.HandleFunc("POST /pinterest/v5/oauth/token/revoke", func(w http.ResponseWriter, _ *http.Request) {
		invalid("Only tokens issued for system users are currently supported.").Write(w)
	})
	s.ToPage(mux, channel.NetworkPinterest, "GET /pinterest/pin/{id}/{$}")
	words.Wait = a.Wait()
	s.AuthorizationServer(mux, authorization(words))
}

// authorization declares Pinterest's authorization server. The previous access token stays valid until it expires.
// Pinterest revokes tokens of system users only, and the sandbox has none.
func authorization(words stage.Words) stage.Authorization {
	return stage.Authorization{
		Dialog: stage.Dialog{
			Network: channel.NetworkPinterest, Path: "/pinterest/oauth/{$}", Separator: ",", Life: 10 * time.Minute,
		},
		Tokens: map[string]string{"POST /pinterest/v5/oauth/token": ""}, Client: stage.BasicClient, Words: words,
		Body: func(t stage.Tokens) any {
			body := t.Form("bearer", " ")
			body["response_type"] = t.GrantType()
			body["refresh_token_expires_in"], body["refresh_token_expires_at"] = t.RefreshIn, t.RefreshExpiresAt.Unix()
			return body
		},
		Refusals: map[error]stage.Response{
			stage.ErrGrantType:   invalid("The form is not that of a refresh."),
			stage.ErrCredentials: words.Unauthorized,
			stage.ErrCode:        invalid("The provided authorization code is invalid or expired."),
		},
	}
}

// refuse returns Pinterest's error shape.
func refuse(status, code int, message string) stage.Response {
	return stage.Refuse(status, stage.Object{"code": code, "message": message})
}

func invalid(message string) stage.Response {
	return refuse(http.StatusBadRequest, codeInvalid, message)
}

func noBoard(message string) stage.Response { return refuse(http.StatusNotFound, 40, message) }

func noPin() stage.Response { return refuse(http.StatusNotFound, 50, "Pin not found.") }

// board is a board in Pinterest's JSON.
type board struct {
	ID            string            `json:"id"`
	Name          string            `json:"name"`
	Description   string            `json:"description"`
	Privacy       string            `json:"privacy"`
	AdsOnly       bool              `json:"is_ads_only"`
	PinCount      int               `json:"pin_count"`
	Followers     int               `json:"follower_count"`
	Collaborators int               `json:"collaborator_count"`
	CreatedAt     string            `json:"created_at"`
	ModifiedAt    string            `json:"board_pins_modified_at"`
	Owner         map[string]string `json:"owner"`
	Media         map[string]any    `json:"media"`
}

// section is a section of a board.
type section struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// boards returns one page of the account's boards.
func boards(r stage.Request) stage.Response {
	all := boardsOf(r.Account)
	switch privacy := r.Values.Get("privacy"); privacy {
	case "", "ALL":
	case "PUBLIC", "PROTECTED", "SECRET":
		all = slices.DeleteFunc(all, func(b board) bool { return b.Privacy != privacy })
	case "PUBLIC_AND_SECRET":
		all = slices.DeleteFunc(all, func(b board) bool { return b.Privacy == "PROTECTED" })
	default:
		return invalid("Parameter 'privacy' is not valid.")
	}
	return page(r, all)
}

// page returns the page of a list that the request asks for. The bookmark is set while more follow.
func page[T any](r stage.Request, all []T) stage.Response {
	size, sizeOK := r.Int("page_size", 25, 1, 250)
	plain, err := base64.RawURLEncoding.DecodeString(r.Values.Get("bookmark"))
	offset, offsetErr := strconv.Atoi("0" + string(plain))
	rule := stage.If(!sizeOK, invalid("Parameter 'page_size' is out of range.")).
		Or(err != nil || offsetErr != nil || offset > len(all), invalid("Parameter 'bookmark' is not valid."))
	if rule.Broken {
		return rule.Fault
	}
	end := min(offset+size, len(all))
	page := stage.Object{"items": append([]T{}, all[offset:end]...), "bookmark": nil}
	if end < len(all) {
		page["bookmark"] = base64.RawURLEncoding.EncodeToString([]byte(strconv.Itoa(end)))
	}
	return stage.OK(page)
}

// sectionsOf generates the sections of a board, the same at every call.
func sectionsOf(boardID string) []section {
	return []section{{ID: boardID + "1", Name: "Ideas"}, {ID: boardID + "2", Name: "Done"}}
}

// sections returns one page of the sections of a board.
func sections(r stage.Request) stage.Response {
	if fault := boardFault(r.Account, r.PathValue("board"), ""); fault != "" {
		return noBoard(fault)
	}
	return page(r, sectionsOf(r.PathValue("board")))
}

// boardFault returns why the account cannot pin to the board or its section, or an empty string.
func boardFault(account, boardID, sectionID string) string {
	board := func(b board) bool { return b.ID == boardID && !b.AdsOnly }
	named := func(s section) bool { return s.ID == sectionID }
	return stage.If(!slices.ContainsFunc(boardsOf(account), board), "Board not found.").
		Or(sectionID != "" && !slices.ContainsFunc(sectionsOf(boardID), named), "Board section not found.").Fault
}

// boardsOf generates the boards of an account, the same at every call.
func boardsOf(account string) []board {
	switch {
	case strings.Contains(account, "noboards"):
		return nil
	case strings.Contains(account, "manyboards"):
		boards := make([]board, 300)
		for i := range boards {
			boards[i] = newBoard(account, i, "Board "+strconv.Itoa(i+1), "PUBLIC")
		}
		return boards
	}
	boards := []board{
		newBoard(account, 0, "New arrivals", "PUBLIC"),
		newBoard(account, 1, "Behind the scenes & more", "PUBLIC"),
		newBoard(account, 2, "Next season", "SECRET"),
		newBoard(account, 3, "Product tags", "PROTECTED"),
		newBoard(account, 4, "Ad-only Pins", "PROTECTED"),
		newBoard(account, 5, "Partners’ picks", "PUBLIC"),
	}
	boards[4].AdsOnly = true
	boards[5].Owner, boards[5].Collaborators = map[string]string{"username": "somebody_else"}, 2
	return boards
}

func newBoard(account string, index int, name, privacy string) board {
	// Pinterest's ids have eighteen digits.
	const floor, span, form = 100_000_000_000_000_000, 800_000_000_000_000_000, "2006-01-02T15:04:05"
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(account + "/" + strconv.Itoa(index)))
	seed := hash.Sum64()
	created := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(seed%10_000) * time.Hour)
	return board{
		ID: strconv.FormatUint(floor+seed%span, 10), Name: name, Description: "A board of the sandbox", Privacy: privacy,
		PinCount: int(seed % 200), Followers: int(seed % 5000),
		CreatedAt: created.Format(form), ModifiedAt: created.AddDate(0, 6, 0).Format(form),
		Owner: map[string]string{"username": strings.TrimPrefix(account, "@")},
		Media: map[string]any{"image_cover_url": nil, "pin_thumbnail_urls": []string{}},
	}
}

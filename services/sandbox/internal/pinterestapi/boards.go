package pinterestapi

import (
	"encoding/base64"
	"hash/fnv"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"fencepost.internal/services/sandbox/internal/stage"
)

// Page sizes, and the number of boards of an account with many.
const (
	usualPage  = 25
	mostPage   = 250
	manyBoards = 300
)

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

// boards returns one page of the account's boards.
func (a *API) boards(w http.ResponseWriter, r request) {
	all, ok := filter(boardsOf(r.account), r.URL.Query().Get("privacy"))
	if !ok {
		invalid(w, "Parameter 'privacy' is not valid.")
		return
	}
	a.page(w, r, len(all), func(from, to int) any { return all[from:to] })
}

// page writes the page of a list that the request asks for. The bookmark is set while more follow.
func (a *API) page(w http.ResponseWriter, r request, total int, items func(from, to int) any) {
	query := r.URL.Query()
	size := usualPage
	if text := query.Get("page_size"); text != "" {
		number, err := strconv.Atoi(text)
		if size = number; err != nil || number < 1 || number > mostPage {
			invalid(w, "Parameter 'page_size' is out of range.")
			return
		}
	}
	offset, ok := readBookmark(query.Get("bookmark"), total)
	if !ok {
		invalid(w, "Parameter 'bookmark' is not valid.")
		return
	}
	end := min(offset+size, total)
	page := map[string]any{"items": items(offset, end), "bookmark": nil}
	if end < total {
		page["bookmark"] = bookmark(end)
	}
	if !r.held.Lost(w, r.Request) {
		stage.JSON(w, http.StatusOK, page)
	}
}

// boardSection is a section of a board.
type boardSection struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// sectionsOf generates the sections of a board, the same at every call.
func sectionsOf(boardID string) []boardSection {
	return []boardSection{{ID: boardID + "1", Name: "Ideas"}, {ID: boardID + "2", Name: "Done"}}
}

// sections returns one page of the sections of a board.
func (a *API) sections(w http.ResponseWriter, r request) {
	boardID := r.PathValue("board")
	if message := boardFault(r.account, boardID, ""); message != "" {
		apiError(w, http.StatusNotFound, codeBoard, message)
		return
	}
	all := sectionsOf(boardID)
	a.page(w, r, len(all), func(from, to int) any { return all[from:to] })
}

// filter returns the boards with the privacy. It returns false if the privacy does not exist.
func filter(boards []board, privacy string) ([]board, bool) {
	switch privacy {
	case "", "ALL":
		return boards, true
	case "PUBLIC", "PROTECTED", "SECRET":
		return slices.DeleteFunc(boards, func(b board) bool { return b.Privacy != privacy }), true
	case "PUBLIC_AND_SECRET":
		return slices.DeleteFunc(boards, func(b board) bool { return b.Privacy == "PROTECTED" }), true
	default:
		return nil, false
	}
}

const bookmarkPrefix = "boards:"

func bookmark(offset int) string {
	return base64.RawURLEncoding.EncodeToString([]byte(bookmarkPrefix + strconv.Itoa(offset)))
}

func readBookmark(text string, most int) (int, bool) {
	if text == "" {
		return 0, true
	}
	plain, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return 0, false
	}
	number, ok := strings.CutPrefix(string(plain), bookmarkPrefix)
	offset, err := strconv.Atoi(number)
	return offset, ok && err == nil && offset >= 0 && offset <= most
}

// boardsOf generates the boards of an account, the same at every call.
func boardsOf(account string) []board {
	switch {
	case strings.Contains(account, "noboards"):
		return []board{}
	case strings.Contains(account, "manyboards"):
		boards := make([]board, manyBoards)
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
	const floor, span = 100_000_000_000_000_000, 800_000_000_000_000_000
	seed := hash(account + "/" + strconv.Itoa(index))
	created := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(seed%10_000) * time.Hour)
	return board{
		ID: strconv.FormatUint(floor+seed%span, 10), Name: name, Description: "A board of the sandbox", Privacy: privacy,
		PinCount: int(seed % 200), Followers: int(seed % 5000),
		CreatedAt: created.Format("2006-01-02T15:04:05"), ModifiedAt: created.AddDate(0, 6, 0).Format("2006-01-02T15:04:05"),
		Owner: map[string]string{"username": strings.TrimPrefix(account, "@")},
		Media: map[string]any{"image_cover_url": nil, "pin_thumbnail_urls": []string{}},
	}
}

func hash(text string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(text))
	return h.Sum64()
}

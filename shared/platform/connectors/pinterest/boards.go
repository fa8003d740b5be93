package pinterest

import (
	"context"
	"net/url"
	"regexp"
	"strconv"

	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

// Bounds of reading the boards. Pinterest limits an account to 2,000 boards, so every board is read. maxPages stops a
// network that returns further pages endlessly. A page is smaller than the maximum of 250, so that boards with the
// longest descriptions fit into the size limit of a response.
const (
	pageSize        = 200
	maxPages        = 15
	longestName     = 200
	longestBookmark = 2048
)

// Patterns of a board's id and privacy. Pinterest may add kinds of privacy.
var (
	idPattern      = regexp.MustCompile(`^[0-9]{1,32}$`)
	privacyPattern = regexp.MustCompile(`^[A-Z][A-Z_]{0,31}$`)
)

// defaultPrivacy is the privacy of a board if the response does not contain it (API description, Board).
const defaultPrivacy = "PUBLIC"

type board struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	Privacy  string `json:"privacy"`
	PinCount int    `json:"pin_count"`
	// AdsOnly means that the board holds only pins of advertisements.
	AdsOnly bool `json:"is_ads_only"`
}

type boardPage struct {
	Items    []board `json:"items"`
	Bookmark string  `json:"bookmark"` // of the next page; null on the last
}

// Boards reads the account's own boards and the group boards that it contributes to, without boards for advertisements.
// Secret boards are included if the connection may read them.
func (c *Connector) Boards(ctx context.Context, account platform.Account) ([]platform.Board, error) {
	if account.Credentials.AccessToken == "" {
		return nil, c.client.Reconnect(errNoToken)
	}
	boards, listed := []platform.Board{}, make(map[string]bool)
	bookmark := ""
	for range maxPages {
		page, err := c.boardPage(ctx, account, bookmark)
		if err != nil {
			return nil, err
		}
		for _, b := range page.Items {
			// A board that changes during the listing may move to the next page and appear twice.
			if b.usable() && !listed[b.ID] {
				listed[b.ID] = true
				boards = append(boards, b.board())
			}
		}
		if page.Bookmark == "" || page.Bookmark == bookmark {
			break
		}
		bookmark = page.Bookmark
	}
	return boards, nil
}

func (c *Connector) boardPage(ctx context.Context, account platform.Account, bookmark string) (boardPage, error) {
	query := url.Values{"page_size": {strconv.Itoa(pageSize)}}
	if bookmark != "" {
		query.Set("bookmark", bookmark)
	}
	response, err := c.client.Call(ctx, httpcall.Request{
		Operation: "boards",
		Path:      []string{version, "boards"},
		Query:     query,
		Header:    bearer(account),
		Secrets:   []string{account.Credentials.AccessToken},
	})
	if err != nil {
		return boardPage{}, err
	}
	if !response.OK() {
		return boardPage{}, c.failure(response)
	}
	var page boardPage
	if err := response.Decode(&page); err != nil || page.Items == nil || len(page.Bookmark) > longestBookmark {
		return boardPage{}, c.client.Unclear(response, "no boards in the response")
	}
	return page, nil
}

// usable reports whether pins can be added to the board. A board without a valid id cannot be addressed.
func (b board) usable() bool {
	return !b.AdsOnly && idPattern.MatchString(b.ID) && (b.Privacy == "" || privacyPattern.MatchString(b.Privacy))
}

func (b board) board() platform.Board {
	privacy := b.Privacy
	if privacy == "" {
		privacy = defaultPrivacy
	}
	return platform.Board{
		ID: b.ID, Name: httpcall.Text(b.Name, longestName), Privacy: privacy, PinCount: max(b.PinCount, 0),
	}
}

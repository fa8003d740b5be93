package pinterest

import (
	"cmp"
	"context"
	"net/url"
	"regexp"
	"strconv"

	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

// Bounds of reading a list. Pinterest limits an account to 2,000 boards and a board to 500 sections, so all are read. maxPages stops a
// network that returns further pages endlessly. A page is smaller than the maximum of 250, so that boards with the
// longest descriptions fit into the size limit of a response.
const (
	pageSize        = 200
	maxPages        = 15
	longestName     = 200
	longestBookmark = 2048
)

// Patterns of an id and of a board's privacy. Pinterest may add kinds of privacy.
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

type section struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

type pageOf[T any] struct {
	Items    []T    `json:"items"`
	Bookmark string `json:"bookmark"` // of the next page; null on the last
}

// Boards reads the account's own boards and the group boards that it contributes to, without boards for advertisements.
// Secret boards are included if the connection may read them.
func (c *Connector) Boards(ctx context.Context, account platform.Account) ([]platform.Board, error) {
	boards, listed := []platform.Board{}, make(map[string]bool)
	err := everyPage(ctx, c, account, "boards", []string{version, "boards"}, func(b board) {
		// A board that changes during the listing may move to the next page and appear twice.
		if b.usable() && !listed[b.ID] {
			listed[b.ID] = true
			boards = append(boards, b.board())
		}
	})
	if err != nil {
		return nil, err // half a list would hide boards
	}
	return boards, nil
}

// BoardSections reads the sections of a board.
func (c *Connector) BoardSections(
	ctx context.Context, account platform.Account, boardID string,
) ([]platform.BoardSection, error) {
	sections, listed := []platform.BoardSection{}, make(map[string]bool)
	path := []string{version, "boards", boardID, "sections"}
	err := everyPage(ctx, c, account, "board sections", path, func(s section) {
		if idPattern.MatchString(s.ID) && !listed[s.ID] {
			listed[s.ID] = true
			sections = append(sections, platform.BoardSection{ID: s.ID, Name: httpcall.Text(s.Name, longestName)})
		}
	})
	if err != nil {
		return nil, err
	}
	return sections, nil
}

// everyPage reads the pages of a list and calls add with each item.
func everyPage[T any](
	ctx context.Context, c *Connector, account platform.Account, operation string, path []string, add func(T),
) error {
	if account.Credentials.AccessToken == "" {
		return c.client.Reconnect(errNoToken)
	}
	query := url.Values{"page_size": {strconv.Itoa(pageSize)}}
	for range maxPages {
		response, err := c.client.Call(ctx, httpcall.Request{
			Operation: operation, Path: path, Query: query, Header: bearer(account),
			Secrets: []string{account.Credentials.AccessToken},
		})
		if err != nil {
			return err
		}
		if !response.OK() {
			return c.failure(response)
		}
		var page pageOf[T]
		if err := response.Decode(&page); err != nil || page.Items == nil || len(page.Bookmark) > longestBookmark {
			return c.client.Unclear(response, "no "+operation+" in the response")
		}
		for _, item := range page.Items {
			add(item)
		}
		if page.Bookmark == "" || page.Bookmark == query.Get("bookmark") {
			return nil
		}
		query = url.Values{"page_size": query["page_size"], "bookmark": {page.Bookmark}}
	}
	return nil
}

// usable reports whether pins can be added to the board. A board without a valid id cannot be addressed.
func (b board) usable() bool {
	return !b.AdsOnly && idPattern.MatchString(b.ID) && (b.Privacy == "" || privacyPattern.MatchString(b.Privacy))
}

func (b board) board() platform.Board {
	privacy := b.Privacy
	privacy = cmp.Or(privacy, defaultPrivacy)
	return platform.Board{
		ID: b.ID, Name: httpcall.Text(b.Name, longestName), Privacy: privacy, PinCount: max(b.PinCount, 0),
	}
}

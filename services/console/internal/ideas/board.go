package ideas

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/idea"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/ident"
)

const (
	// columnCards is the number of cards that a column shows unless all of them are wanted.
	columnCards = 50
	// longestSearch is the longest text that is searched for.
	longestSearch = 200
)

// boardPage is the data of a board.
type boardPage struct {
	idea.Board

	Path    string
	Boards  []boardLink
	Columns []column
	Chips   []chip
	Text    string // that is searched for
	Label   string // to which the cards are limited
	None    bool   // the board has no card at all
	Found   int
	May     bool // add and move cards
	Arrange bool // arrange the board
}

// boardLink is a board in the list of them.
type boardLink struct {
	Name, Href string
	Cards      int
	Here       bool
}

// chip is a label as a link that limits the cards to it.
type chip struct {
	Text, Color, Href string
	N                 int
	Here              bool
}

// column is a column with the cards that are shown.
type column struct {
	idea.Column

	Shown []card
	Found int    // cards that fit the search and the label
	Add   string // address of a new card in it; empty: none is added
	More  string // address of all of its cards; empty: they are shown
}

// Channels returns the channels of the posts on the board, for the sprite of marks.
func (b boardPage) Channels() (list []channel.Channel) {
	for _, c := range b.Columns {
		for _, one := range c.Shown {
			list = append(list, one.Channels()...)
		}
	}
	return list
}

// filter limits the cards of a board.
type filter struct {
	text  string
	label ident.IdeaLabel // zero: every one
	all   ident.IdeaColumn
}

func filterOf(v *frame.Visit, b idea.Board) filter {
	f := filter{text: v.Query("q")}
	if len([]rune(f.text)) > longestSearch {
		f.text = ""
	}
	if id, err := ident.Parse[ident.IdeaLabel](v.Query("label")); err == nil && len(b.KnownLabels([]ident.IdeaLabel{id})) > 0 {
		f.label = id
	}
	f.all, _ = ident.Parse[ident.IdeaColumn](v.Query("all")) // of another board: none is wanted
	return f
}

// address returns the address of the board with the filter.
func (f filter) address(board string) string {
	values := url.Values{}
	if f.text != "" {
		values.Set("q", f.text)
	}
	if !f.label.IsZero() {
		values.Set("label", f.label.String())
	}
	if !f.all.IsZero() {
		values.Set("all", f.all.String())
	}
	if len(values) == 0 {
		return board
	}
	return board + "?" + values.Encode()
}

// fits reports whether a card has the label and the text.
func (f filter) fits(c idea.Card) bool {
	text := strings.ToLower(c.Title + "\n" + c.Content + "\n" + c.Link)
	return (f.label.IsZero() || slices.Contains(c.LabelIDs, f.label)) && strings.Contains(text, strings.ToLower(strings.TrimSpace(f.text)))
}

// chips returns the labels of the board with the numbers of their cards.
func (f filter) chips(board string, b idea.Board, cards []postgres.PlacedCard) []chip {
	to := filter{text: f.text}
	list := []chip{{Text: "All", Href: to.address(board), N: len(cards), Here: f.label.IsZero()}}
	for _, l := range b.Labels {
		to.label = l.ID
		one := chip{Text: l.Name, Color: l.Color, Href: to.address(board), Here: f.label == l.ID}
		for _, c := range cards {
			if slices.Contains(c.LabelIDs, l.ID) {
				one.N++
			}
		}
		list = append(list, one)
	}
	return list
}

func (p *pages) board(v *frame.Visit) error {
	ctx := v.Request.Context()
	id, err := frame.PathID(v, "board", ident.Parse[ident.IdeaBoard])
	if err != nil {
		return err
	}
	b, cards, err := p.app.IdeaBoard(ctx, v.Principal, id, postgres.CardPlace{}, idea.MaxCards)
	if err != nil {
		return err
	}
	boards, err := p.app.IdeaBoards(ctx, v.Principal)
	if err != nil {
		return err
	}
	f := filterOf(v, b)
	data := boardPage{
		Board: b, Path: boardPath(v, id), Chips: f.chips(boardPath(v, id), b, cards), Text: f.text, None: len(cards) == 0,
		May: v.Principal.Allows(credential.IdeasWrite), Arrange: v.Principal.Allows(credential.PostsPublish),
	}
	if !f.label.IsZero() {
		data.Label = f.label.String()
	}
	for _, one := range boards {
		data.Boards = append(data.Boards, boardLink{one.Name, boardPath(v, one.ID), one.Cards(), one.ID == id})
	}
	if err := p.fill(v, &data, f, cards); err != nil {
		return err
	}
	return page(v, http.StatusOK, "board", b.Name, data)
}

// fill puts the cards that fit into their columns.
func (p *pages) fill(v *frame.Visit, data *boardPage, f filter, cards []postgres.PlacedCard) error {
	var wanted []postgres.PlacedCard
	most := make([]int, len(data.Board.Columns)) // cards that are shown of each column
	for i, of := range data.Board.Columns {
		c := column{Column: of}
		for _, one := range cards {
			if one.ColumnID != of.ID || !f.fits(one.Card) {
				continue
			}
			if c.Found++; c.Found <= columnCards || f.all == of.ID {
				wanted, most[i] = append(wanted, one), c.Found
			}
		}
		data.Found += c.Found
		if c.Found > most[i] {
			to := f
			to.all = of.ID
			c.More = to.address(data.Path)
		}
		if data.May {
			c.Add = data.Path + "/cards/new?" + url.Values{"column": {of.ID.String()}}.Encode()
		}
		data.Columns = append(data.Columns, c)
	}
	shown, err := p.cards(v, data.Board, wanted)
	if err != nil {
		return err
	}
	for i, n := range most {
		data.Columns[i].Shown, shown = shown[:n], shown[n:]
	}
	return nil
}

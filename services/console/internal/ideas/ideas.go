// Package ideas serves the boards of ideas: their columns with cards, each card, and how a board is arranged.
package ideas

import (
	"embed"
	"html/template"
	"net/http"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/console/internal/poststate"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/idea"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

//go:embed templates
var templates embed.FS

const (
	path = "/ideas"
	// maxForm leaves room for the longest notes in any script.
	maxForm = 256 << 10
)

type pages struct{ app *app.App }

// Feature returns the pages.
func Feature(a *app.App) frame.Feature {
	p := &pages{app: a}
	route := func(needs credential.Permission, pattern string, handle func(*frame.Visit) error) frame.Route {
		return frame.Route{Pattern: pattern, Access: frame.Members, Needs: needs, Handle: handle}
	}
	const read, write, arrange = credential.IdeasRead, credential.IdeasWrite, credential.PostsPublish
	const all = "/w/{workspace}/ideas"
	long := func(pattern string, handle func(*frame.Visit) error) frame.Route {
		r := route(write, pattern, handle)
		r.MaxForm = maxForm
		return r
	}
	const boards, board, card = all + "/boards", all + "/boards/{board}", all + "/cards/{card}"
	return frame.Feature{
		Name: "ideas", Templates: templates, Functions: template.FuncMap{"sprite": poststate.Sprite, "colors": frame.ColorsBeside},
		Section: &frame.Section{Title: "Ideas", Path: path, Icon: "lightbulb", Key: "b", Group: "Material", Needs: read},
		Tabs:    []frame.Tab{{Title: "New board of ideas", Path: path + "/boards/new", Needs: arrange}},
		Routes: []frame.Route{
			route(read, "GET "+all, p.home),
			route(arrange, "GET "+boards+"/new", p.newBoard),
			route(arrange, "POST "+boards, p.addBoard),
			route(read, "GET "+board, p.board),
			route(arrange, "GET "+board+"/arrange", p.arranging),
			route(arrange, "POST "+board, p.rename),
			route(arrange, "POST "+board+"/delete", p.deleteBoard),
			route(arrange, "POST "+board+"/columns", p.addColumn),
			route(arrange, "POST "+board+"/columns/{column}", p.changeColumn),
			route(arrange, "POST "+board+"/labels", p.addLabel),
			route(arrange, "POST "+board+"/labels/{label}", p.changeLabel),
			route(write, "GET "+board+"/cards/new", p.blank),
			long("POST "+board+"/cards", p.create),
			route(read, "GET "+card, p.show),
			long("POST "+card, p.edit),
			route(write, "GET "+card+"/move", p.moving),
			route(write, "POST "+card+"/move", p.move),
			route(write, "POST "+card+"/delete", p.remove),
		},
	}
}

// page responds with a page of ideas.
func page(v *frame.Visit, status int, name, title string, data any) error {
	return v.Page(frame.Page{
		Name: "ideas/" + name, Title: title, Status: status, Wide: true, Styles: []string{"board.css", "ideas.css", "picker.css"},
		Scripts: []string{"board.js", "ideas.js"}, Data: data,
	})
}

// boardPath returns the address of a board of the visitor's workspace.
func boardPath(v *frame.Visit, id ident.IdeaBoard) string {
	return v.Path(path + "/boards/" + id.String())
}

// cardPath returns the address of a card of the visitor's workspace.
func cardPath(v *frame.Visit, id ident.IdeaCard) string {
	return v.Path(path + "/cards/" + id.String())
}

// home leads to the first board.
func (p *pages) home(v *frame.Visit) error {
	boards, err := p.app.IdeaBoards(v.Request.Context(), v.Principal)
	if err == nil && len(boards) == 0 {
		err = apperr.New(apperr.NotFound, "There is no board.")
	}
	if err != nil {
		return err
	}
	v.Redirect(boardPath(v, boards[0].ID))
	return nil
}

// boardOf returns the board of the address.
func (p *pages) boardOf(v *frame.Visit) (idea.Board, error) {
	id, err := frame.PathID(v, "board", ident.Parse[ident.IdeaBoard])
	if err != nil {
		return idea.Board{}, err
	}
	b, _, err := p.app.IdeaBoard(v.Request.Context(), v.Principal, id, postgres.CardPlace{}, 0)
	return b, err
}

// remove deletes a card.
func (p *pages) remove(v *frame.Visit) error {
	b, c, err := p.cardOf(v)
	if err == nil {
		err = p.app.DeleteIdea(v.Request.Context(), v.Principal, c.ID)
	}
	if err != nil {
		return err
	}
	return v.Done(boardPath(v, b.ID), "Idea deleted.")
}

// cardOf returns the card of the address, with its board.
func (p *pages) cardOf(v *frame.Visit) (idea.Board, postgres.PlacedCard, error) {
	id, err := frame.PathID(v, "card", ident.Parse[ident.IdeaCard])
	if err != nil {
		return idea.Board{}, postgres.PlacedCard{}, err
	}
	return p.app.Idea(v.Request.Context(), v.Principal, id)
}

// conflictOr returns the status of a page that shows why a form was not stored.
func conflictOr(changed bool) int {
	if changed {
		return http.StatusConflict
	}
	return http.StatusUnprocessableEntity
}

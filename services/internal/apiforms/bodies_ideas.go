package apiforms

import (
	"socialpub.internal/shared/domain/idea"
	"socialpub.internal/shared/kernel/apperr"
	"socialpub.internal/shared/kernel/ident"
)

// CreateIdeaCard is the body of create-idea-card.
type CreateIdeaCard struct {
	Title    string            `json:"title" minLength:"1" maxLength:"200" example:"Behind the scenes: the new kiln" doc:"What the idea is, in one line."`
	Content  string            `json:"content,omitempty" nullable:"true" maxLength:"10000" example:"Three photos, then the first firing as a reel." doc:"Notes, on as many lines as they need."`
	ColumnID ident.IdeaColumn  `json:"columnId,omitzero" nullable:"true" format:"uuid" example:"0190a3cf-b5ac-7123-a4ee-f3b1c035e4f9" doc:"Column of the board; left out: its first one."`
	Position Optional[int]     `json:"position,omitzero" minimum:"0" maximum:"2000" example:"0" doc:"Place in the column: so many cards stand above. 0 is the top; left out: below all others."`
	LabelIDs []ident.IdeaLabel `json:"labelIds,omitempty" format:"uuid" maxItems:"20" uniqueItems:"true" example:"[\"0190a3d0-c6bd-7234-b5ff-04c2d146f50a\"]" doc:"Labels of the board."`
	MediaIDs []ident.Media     `json:"mediaIds,omitempty" format:"uuid" maxItems:"20" uniqueItems:"true" doc:"Media in display order. They cannot be deleted while the card shows them."`
	Link     string            `json:"link,omitempty" nullable:"true" format:"uri" maxLength:"2048" example:"https://example.com/ceramics-trends" doc:"Where the idea comes from: an http or https address. It is never fetched."`
}

// Check implements Body.
func (b CreateIdeaCard) Check() []apperr.Field { return b.Command().Faults() }

// Command returns the input of the use case.
func (b CreateIdeaCard) Command() idea.NewCard {
	return idea.NewCard{
		ColumnID: b.ColumnID, Position: b.Position.pointer(), Title: b.Title, Content: b.Content, LabelIDs: b.LabelIDs, MediaIDs: b.MediaIDs, Link: b.Link,
	}
}

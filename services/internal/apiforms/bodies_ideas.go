package apiforms

import (
	"fencepost.internal/shared/domain/idea"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// CreateIdeaCard is the body of create-idea-card.
type CreateIdeaCard struct {
	Title    string                     `json:"title" minLength:"1" maxLength:"200" example:"Behind the scenes: the new kiln" doc:"The idea in one line."`
	Content  string                     `json:"content,omitempty" nullable:"true" maxLength:"10000" example:"Three photos, then the first firing as a reel." doc:"Notes; may have several lines."`
	ColumnID Optional[ident.IdeaColumn] `json:"columnId,omitzero" nullable:"true" format:"uuid" example:"0190a3cf-b5ac-7123-a4ee-f3b1c035e4f9" doc:"ID of a column of the board. Defaults to the first column."`
	Position Optional[int]              `json:"position,omitzero" minimum:"0" maximum:"2000" example:"0" doc:"Zero-based position in the column; 0 is the top. Defaults to the bottom."`
	LabelIDs []ident.IdeaLabel          `json:"labelIds,omitempty" format:"uuid" maxItems:"20" uniqueItems:"true" example:"[\"0190a3d0-c6bd-7234-b5ff-04c2d146f50a\"]" doc:"IDs of labels of the board."`
	MediaIDs []ident.Media              `json:"mediaIds,omitempty" format:"uuid" maxItems:"20" uniqueItems:"true" doc:"IDs of media in display order. They cannot be deleted while the card uses them."`
	Link     string                     `json:"link,omitempty" nullable:"true" format:"uri" maxLength:"2048" example:"https://example.com/ceramics-trends" doc:"Source of the idea: an http or https URL. The service never requests it."`
}

// Check implements Body.
func (b CreateIdeaCard) Check() []apperr.Field { return b.Command().Faults() }

// CheckReferences implements Referrer.
func (b CreateIdeaCard) CheckReferences() error {
	return existing(b.ColumnID, "There is no column %s on this board.")
}

// Command returns the input of the use case.
func (b CreateIdeaCard) Command() idea.NewCard {
	return idea.NewCard{
		ColumnID: b.ColumnID.Value, Position: b.Position.pointer(), Title: b.Title, Content: b.Content, LabelIDs: b.LabelIDs,
		MediaIDs: b.MediaIDs, Link: b.Link,
	}
}

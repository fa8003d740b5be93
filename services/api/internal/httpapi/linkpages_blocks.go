package httpapi

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"fencepost.internal/services/internal/apiforms"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/linkpage"
	"fencepost.internal/shared/kernel/ident"
)

// LinkBlockPath holds the path parameters of a block.
type LinkBlockPath struct {
	LinkPagePath

	BlockID string `path:"blockId" format:"uuid" example:"0190a3d2-e8df-7c46-97d0-36c40f68e72c" doc:"Id of the block."`
}

type (
	addLinkBlockInput struct {
		body[apiforms.AddLinkPageBlock]
		LinkPagePath
	}
	updateLinkBlockInput struct {
		body[apiforms.UpdateLinkPageBlock]
		LinkBlockPath
	}
	orderLinkBlocksInput struct {
		body[apiforms.OrderLinkBlocks]
		LinkPagePath
	}
	addLinkBlockOutput struct {
		Location string `header:"Location" doc:"Path of the block, for changing and deleting it."`
		ETag     string `header:"ETag" doc:"Current revision of the page, in quotes. A response that is replayed for an Idempotency-Key has no ETag."` //nolint:tagliatelle // as RFC 9110 writes it
		Body     apiforms.LinkPageBlock
	}
	linkBlockOutput struct {
		ETag string `header:"ETag" doc:"Current revision of the page, in quotes."` //nolint:tagliatelle // as RFC 9110 writes it
		Body apiforms.LinkPageBlock
	}
)

const (
	pathLinkBlocks = pathLinkPages + "/{id}/blocks"
	whatBlock      = "block"
)

func (r *registrar) linkBlocks() {
	s := r.server
	add(r, operation{
		id: "add-link-block", method: http.MethodPost, path: pathLinkBlocks, tag: tagLinkPages, anyOf: linksWrite(),
		conditional: true,
		summary:     "Add a block", status: http.StatusCreated, good: "The block.", response: exampleBlock(),
		responses: exampleAddedBlocks(),
		description: "Adds a block to the draft of the page, at the end or at `position`. A page has at most 100 blocks " +
			"of 512 KiB in total. Every type has its own settings; unknown fields are rejected.",
		bodies: exampleBlocks(),
	}, s.addLinkBlock)
	add(r, operation{
		id: "update-link-block", method: http.MethodPatch, path: pathLinkBlocks + "/{blockId}", tag: tagLinkPages,
		anyOf: linksWrite(), conditional: true,
		summary: "Update a block", good: "The changed block.", response: exampleBlock(),
		description: "Changes a block of the draft. `settings` is a merge patch (RFC 7396): omitted fields stay " +
			"unchanged, and null removes an optional field. The type of a block never changes.",
		bodies: map[string]*huma.Example{
			"settings": {
				Summary: "Another title, no description",
				Value:   map[string]any{"settings": map[string]any{"title": "Our shop", "description": nil}},
			},
			"time": {
				Summary: "For a limited time", Value: map[string]any{"showFrom": nil, "showUntil": "2026-04-01T09:00:00+02:00"},
			},
			"hide": {Summary: "Hide it", Value: map[string]any{"isVisible": false}},
		},
	}, s.updateLinkBlock)
	add(r, operation{
		id: "delete-link-block", method: http.MethodDelete, path: pathLinkBlocks + "/{blockId}", tag: tagLinkPages,
		anyOf: linksWrite(), conditional: true,
		summary: "Delete a block",
		description: "Deletes a block from the draft. Visitors see it until the page is published again. Its clicks stay " +
			"in the analytics of the page.",
		status: http.StatusNoContent, good: "The block is deleted.",
	}, s.deleteLinkBlock)
	add(r, operation{
		id: "order-link-blocks", method: http.MethodPut, path: pathLinkBlocks + "/order", tag: tagLinkPages,
		anyOf: linksWrite(), conditional: true,
		summary: "Order the blocks", good: "The changed page.", response: exampleLinkPage(),
		description: "Orders the blocks of the draft. The order must list every block once: a block that is missing from " +
			"it may have been added by another client.",
		bodies: map[string]*huma.Example{
			"order": {Summary: "The order", Value: map[string]any{"blockIds": []string{exampleBlockID}}},
		},
	}, s.orderLinkBlocks)
}

func (s *Server) addLinkBlock(
	ctx context.Context, p app.Principal, in *addLinkBlockInput,
) (*addLinkBlockOutput, error) {
	id, err := pathID[ident.LinkPage](in.ID, whatLinkPage)
	if err != nil {
		return nil, err
	}
	command, err := in.value.Command()
	if err != nil {
		return nil, err
	}
	page, block, err := s.app.AddLinkBlock(ctx, p, id, anyRevision, command)
	if err != nil {
		return nil, err
	}
	return &addLinkBlockOutput{
		Location: pathLinkPages + "/" + id.String() + "/blocks/" + block.ID.String(), ETag: app.LinkPageTag(page),
		Body: apiforms.ToAPIBlock(block),
	}, nil
}

func (s *Server) updateLinkBlock(
	ctx context.Context, p app.Principal, in *updateLinkBlockInput,
) (*linkBlockOutput, error) {
	edit, err := in.value.Edit()
	if err != nil {
		return nil, err
	}
	out := &linkBlockOutput{}
	err = s.onLinkBlock(ctx, p, in.LinkBlockPath, func(id ident.LinkPage, block ident.LinkBlock) error {
		page, changed, err := s.app.EditLinkBlock(ctx, p, id, block, anyRevision, edit)
		if err != nil {
			return err
		}
		out.ETag, out.Body = app.LinkPageTag(page), apiforms.ToAPIBlock(changed)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

func (s *Server) deleteLinkBlock(ctx context.Context, p app.Principal, in *LinkBlockPath) (*nothing, error) {
	return &nothing{}, s.onLinkBlock(ctx, p, *in, func(id ident.LinkPage, block ident.LinkBlock) error {
		_, err := s.app.DeleteLinkBlock(ctx, p, id, block, anyRevision)
		return err
	})
}

// onLinkBlock parses the path and calls act.
func (s *Server) onLinkBlock(
	_ context.Context, _ app.Principal, in LinkBlockPath, act func(id ident.LinkPage, block ident.LinkBlock) error,
) error {
	id, err := pathID[ident.LinkPage](in.ID, whatLinkPage)
	if err != nil {
		return err
	}
	block, err := pathID[ident.LinkBlock](in.BlockID, whatBlock)
	if err != nil {
		return err
	}
	return act(id, block)
}

func (s *Server) orderLinkBlocks(
	ctx context.Context, p app.Principal, in *orderLinkBlocksInput,
) (*linkPageOutput, error) {
	return s.changeLinkPage(ctx, p, in.ID, func(id ident.LinkPage) (linkpage.Page, error) {
		return s.app.OrderLinkBlocks(ctx, p, id, anyRevision, in.value.BlockIDs)
	})
}

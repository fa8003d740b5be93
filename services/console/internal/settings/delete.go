package settings

import (
	"fmt"
	"net/http"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/workspace"
)

const pathDelete = "/settings/delete"

// deletePage is the data of the page on which an owner deletes the workspace, or keeps it.
type deletePage struct {
	Lines  []string // what is deleted
	Name   string
	Faults map[string]string
}

func (s *settings) deleteRoutes() []frame.Route {
	route := func(pattern string, fresh bool, handle func(*frame.Visit) error) frame.Route {
		return frame.Route{
			Pattern: pattern, Access: frame.Members, Needs: credential.OwnersManage, Fresh: fresh, From: pathDelete, Handle: handle,
		}
	}
	return []frame.Route{
		route("GET /w/{workspace}"+pathDelete, false, func(v *frame.Visit) error { return s.deletePage(v, http.StatusOK, deletePage{}) }),
		route("POST /w/{workspace}"+pathDelete, true, s.deleteWorkspace),
		route("POST /w/{workspace}"+pathDelete+"/keep", false, s.keepWorkspace),
	}
}

func (s *settings) deletePage(v *frame.Visit, status int, page deletePage) error {
	of, err := s.app.WorkspaceContents(v.Request.Context(), v.Principal)
	if err != nil {
		return err
	}
	page.Lines = contentsInWords(of)
	return v.Page(frame.Page{Name: "settings/delete", Title: "Delete workspace", Status: status, Tabs: Tabs("Workspace"), Data: page})
}

// contentsInWords lists what is deleted with a workspace.
func contentsInWords(of workspace.Contents) (lines []string) {
	count := func(n int64, one, many, note string) {
		switch {
		case n == 1:
			lines = append(lines, "1 "+one+note)
		case n > 1:
			lines = append(lines, fmt.Sprintf("%d %s%s", n, many, note))
		}
	}
	scheduled := ""
	if of.Scheduled > 0 {
		scheduled = fmt.Sprintf(", %d of them scheduled, with their figures and history", of.Scheduled)
	}
	count(of.Posts, "post", "posts", scheduled)
	count(of.Files, "file", "files", " of the media library, "+workspace.Bytes(of.Bytes))
	count(of.Channels, "channel", "channels", ", whose access we ask the networks to revoke")
	count(of.LinkPages, "link page", "link pages", ", whose addresses become free")
	count(of.Leads, "lead", "leads", "")
	count(of.Keys, "API key", "API keys", "")
	count(of.Webhooks, "webhook", "webhooks", "")
	count(of.Members, "membership", "memberships", ". People keep their accounts")
	return append(lines, "Ideas, drafts, series, templates, the audit log and test data")
}

func (s *settings) deleteWorkspace(v *frame.Visit) error {
	page := deletePage{Name: v.Form("name")}
	_, err := s.app.DeleteWorkspace(v.Request.Context(), v.Principal, page.Name)
	if faults, ok := frame.Faults(err); ok {
		page.Faults = faults
		return s.deletePage(v, http.StatusUnprocessableEntity, page)
	}
	if err != nil {
		return err
	}
	return v.Done(v.Path(pathDelete), "Publishing is stopped. The workspace will be deleted.")
}

func (s *settings) keepWorkspace(v *frame.Visit) error {
	if err := s.app.KeepWorkspace(v.Request.Context(), v.Principal); err != nil {
		return err
	}
	return v.Done(v.Path("/publishing"), "The workspace stays. Publishing is still stopped.")
}

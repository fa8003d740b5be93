package web

import (
	"net/http"

	"socialpub.internal/services/console/internal/view"
	"socialpub.internal/shared/kernel/apperr"
	"socialpub.internal/shared/kernel/ident"
)

// showPrograms lists the grants of the user in every workspace.
func (w *Web) showPrograms(rw http.ResponseWriter, r *http.Request, v visitor) {
	allowed, err := w.cfg.Grants.Allowed(r.Context(), v.user.ID, w.cfg.Clock.Now())
	if err != nil {
		w.trouble(rw, r, err)
		return
	}
	page := view.Programs{Page: v.page("Programs")}
	if r.URL.Query().Has("done") {
		page.Notice = "Access was revoked."
	}
	for _, a := range allowed {
		page.Programs = append(page.Programs, view.Program{
			Grant: a.Grant.ID, Name: a.Client.Title(), Host: a.Client.Host(), Workspace: a.Workspace,
			Since:       a.Grant.CreatedAt.Format("2 January 2006"),
			Permissions: view.Permissions(a.Grant.Scopes),
		})
	}
	w.page(rw, r, http.StatusOK, func() error { return w.pages.Programs(rw, page) })
}

// revoke revokes a grant of the user.
func (w *Web) revoke(rw http.ResponseWriter, r *http.Request, v visitor) {
	id, err := ident.Parse[ident.Grant](r.PathValue("id"))
	if err == nil {
		err = w.cfg.Grants.TakeBack(r.Context(), v.user.ID, id, w.cfg.Clock.Now())
	}
	switch {
	case apperr.Is(err, apperr.NotFound) || id.IsZero():
		w.say(rw, r, http.StatusNotFound, "Not found", "There is no such access.")
	case err != nil:
		w.trouble(rw, r, err)
	default:
		http.Redirect(rw, r, "/programs?done", http.StatusSeeOther)
	}
}

package stage

import (
	"errors"
	"net/http"
	"strconv"

	"fencepost.internal/services/sandbox/internal/ledger"
	"fencepost.internal/shared/domain/analytics"
	"fencepost.internal/shared/domain/channel"
)

// Today returns the date.
func (s *Stage) Today() analytics.Date { return analytics.DateOf(s.Clock.Now().UTC()) }

// Post returns the post with that id in the request's account. It returns false if there is none.
func (s *Service) Post(r Request, id string) (ledger.Post, bool) {
	post, ok := s.Stage.Ledger.Get(string(s.Network), id)
	return post, ok && post.Account == r.Account
}

// After returns the response unless there is an error, which is one of the disk.
func (s *Service) After(err error, response Response) Response {
	if err != nil {
		return s.Broken
	}
	return response
}

// Publish publishes a post and returns the response with it.
func (s *Service) Publish(draft ledger.Draft, show func(ledger.Post) Response) Response {
	post, err := s.Stage.Ledger.Publish(draft)
	switch {
	case errors.Is(err, ledger.ErrDuplicate):
		return s.Duplicate
	case err != nil:
		return s.Broken
	default:
		return show(post)
	}
}

// Show returns the response with a post of the request's account. It returns the response missing if there is none.
func (s *Service) Show(r Request, id string, missing Response, show func(ledger.Post) Object) Response {
	post, ok := s.Post(r, id)
	return If(!ok, missing).Else(OK(show(post)))
}

// Delete deletes a post of the request's account. It returns the response missing if there is none.
func (s *Service) Delete(r Request, id string, missing, deleted Response) Response {
	post, ok := s.Post(r, id)
	if !ok {
		return missing
	}
	_, err := s.Stage.Ledger.Delete(string(s.Network), post.ID)
	return s.After(err, deleted)
}

// Draft returns a draft of a post of the request's account.
func (s *Service) Draft(r Request) ledger.Draft {
	return ledger.Draft{
		Platform: string(s.Network), Account: r.Account, Author: Username(r.Account), RequestID: RequestID(r.Request),
	}
}

// Page returns one page of a list of posts, newest first. Next is the cursor of the following page; empty: none follows.
func (s *Stage) Page(filter ledger.Filter, size int) (posts []ledger.Post, next string) {
	filter.Limit = size + 1
	posts = s.Ledger.List(filter)
	if len(posts) > size {
		posts = posts[:size]
		next = strconv.FormatUint(posts[size-1].Seq, 10)
	}
	return posts, next
}

// ToPage registers a public address of posts, which redirects to the page of the post {id}.
func (s *Stage) ToPage(mux *http.ServeMux, network channel.Network, pattern string) {
	mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, Page(ledger.Post{Platform: string(network), ID: r.PathValue("id")}), http.StatusFound)
	})
}

package graph

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"time"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

// permalinkTimeout is the timeout of the call after publishing. If it fails, only the permalink is missing.
const permalinkTimeout = 5 * time.Second

var (
	errNoToken  = errors.New("the channel has no access token or no account id")
	errNoHandle = errors.New("the container is missing")
)

// API is one network that publishes posts through containers, and its specifics. Connectors delegate their methods to
// it.
type API struct {
	Client  *httpcall.Client
	Version string // the first segment of every path
	// CreateEdge and PublishEdge are the edges of an account that create and publish containers.
	CreateEdge, PublishEdge string
	// Fields lists the fields of a container that Read reads.
	Fields string
	Read   func(httpcall.Response) (Look, error)
	// Class classifies an error response.
	Class func(httpcall.Response) *platform.Failure
	// Missing reports whether the error means that the network does not know the object.
	Missing func(Error) bool
	// Settle is the time for which a finished container with media is left before it is published.
	Settle time.Duration
}

// Check returns a failure if the account lacks an access token or an id.
func (a API) Check(account platform.Account) error {
	if account.Credentials.AccessToken == "" || account.ExternalID == "" {
		return a.Client.Reconnect(errNoToken)
	}
	return nil
}

// Prepare creates the containers of the plan that do not exist yet according to the handle.
func (a API) Prepare(
	ctx context.Context, account platform.Account, plan Plan, handle platform.Handle,
) (platform.Preparation, error) {
	if err := a.Check(account); err != nil {
		return platform.Preparation{}, err
	}
	return a.of(account).prepare(ctx, plan, handle)
}

// Commit publishes the container. After the network has confirmed the publication, no later error fails the call: if
// the permalink cannot be read, it is empty.
func (a API) Commit(
	ctx context.Context, account platform.Account, handle platform.Handle,
) (platform.Publication, error) {
	if err := a.Check(account); err != nil {
		return platform.Publication{}, err
	}
	id, ok := of(handle)
	if !ok {
		return platform.Publication{}, a.Client.Unavailable(errNoHandle) // no container to publish: prepare first
	}
	response, err := a.Client.CommitCall(ctx, a.post("publish", account, url.Values{"creation_id": {id}}, a.PublishEdge))
	if err != nil {
		return platform.Publication{}, err
	}
	if !response.OK() {
		return platform.Publication{}, a.of(account).refused(ctx, parse(handle), a.Class(response))
	}
	published, ok := object(response)
	if !ok {
		return platform.Publication{}, a.Client.Unclear(response, "success without the post's id")
	}
	return platform.Publication{ExternalID: published, URL: a.permalink(ctx, account, published)}, nil
}

func (a API) permalink(ctx context.Context, account platform.Account, id string) string {
	ctx, cancel := context.WithTimeout(ctx, permalinkTimeout)
	defer cancel()
	response, err := a.Get(ctx, "permalink", account, url.Values{"fields": {"id,permalink"}}, id)
	if err != nil || !response.OK() {
		return ""
	}
	var found struct {
		ID        string `json:"id"`
		Permalink string `json:"permalink"`
	}
	if err := response.Decode(&found); err != nil || found.ID != id {
		return ""
	}
	return a.Client.Permalink(found.Permalink)
}

// Reconcile reads the container's state and searches the pages for the post.
func (a API) Reconcile(
	ctx context.Context, account platform.Account, sent platform.Sent, pages Pages,
) (platform.Evidence, platform.Publication, error) {
	if err := a.Check(account); err != nil {
		return platform.EvidenceUnclear, platform.Publication{}, err
	}
	return a.of(account).evidence(ctx, sent, pages)
}

// Refresh exchanges the account's long-lived token for a fresh one.
func (a API) Refresh(ctx context.Context, account platform.Account, grant string) (channel.Credentials, error) {
	token := account.Credentials.AccessToken
	if token == "" {
		return channel.Credentials{}, a.Client.Reconnect(errNoToken)
	}
	return Refresh(ctx, a.Client, grant, token, a.Class)
}

// Term returns the term of the account's long-lived token.
func (a API) Term(account platform.Account) platform.Term {
	return LongLivedTerm(account.Credentials)
}

// Identify reads the user of the access token. The parameter member names the response's field with the user's id.
func (a API) Identify(ctx context.Context, account platform.Account, member string) (platform.Identity, error) {
	return a.IdentifyAt(ctx, account, "me", member)
}

// IdentifyAt is Identify for the user at a node of the graph.
func (a API) IdentifyAt(ctx context.Context, account platform.Account, node, member string) (platform.Identity, error) {
	token := account.Credentials.AccessToken
	if token == "" {
		return platform.Identity{}, a.Client.Reconnect(errNoToken)
	}
	var result map[string]any
	response, err := a.Client.AskIdentity(ctx, httpcall.Request{
		Path:    []string{a.Version, node},
		Query:   url.Values{"fields": {member + ",username"}, "access_token": {token}},
		Secrets: []string{token},
	}, a.Class, &result)
	if err != nil {
		return platform.Identity{}, err
	}
	id, _ := result[member].(string)
	username, _ := result["username"].(string)
	return a.Client.Identity(response, id, username)
}

// Page reads a page of the account's posts.
func (a API) Page(ctx context.Context, account platform.Account, query url.Values, path ...string) (ContainerPage, error) {
	response, err := a.Get(ctx, "reconcile", account, query, path...)
	if err != nil {
		return ContainerPage{}, err
	}
	if !response.OK() {
		return ContainerPage{}, a.Class(response)
	}
	page, err := readPage(response)
	if err != nil {
		return ContainerPage{}, a.Client.Unclear(response, "not a listing of posts")
	}
	return page, nil
}

// Get makes a GET call with the account's token.
func (a API) Get(
	ctx context.Context, operation string, account platform.Account, query url.Values, path ...string,
) (httpcall.Response, error) {
	query.Set("access_token", account.Credentials.AccessToken)
	return a.Client.Call(ctx, httpcall.Request{
		Operation: operation,
		Path:      append([]string{a.Version}, path...),
		Query:     query,
		Secrets:   []string{account.Credentials.AccessToken},
	})
}

// post returns a POST request to an edge of the account. The token is in the body, not in the URL.
func (a API) post(operation string, account platform.Account, form url.Values, edge string) httpcall.Request {
	form.Set("access_token", account.Credentials.AccessToken)
	return httpcall.Request{
		Operation: operation,
		Method:    http.MethodPost,
		Path:      []string{a.Version, account.ExternalID, edge},
		Form:      form,
		Secrets:   []string{account.Credentials.AccessToken},
	}
}

func (a API) of(account platform.Account) session { return session{API: a, account: account} }

// session is the API with the account to call it for.
type session struct {
	API

	account platform.Account
}

// create creates a container and returns its id.
func (s session) create(ctx context.Context, form url.Values) (string, error) {
	return s.Container(ctx, s.account, form, s.Class)
}

// Container creates a container and returns its id. The refusal is classified by the given function.
func (a API) Container(
	ctx context.Context, account platform.Account, form url.Values, class func(httpcall.Response) *platform.Failure,
) (string, error) {
	response, err := a.Client.Call(ctx, a.post("create", account, form, a.CreateEdge))
	if err != nil {
		return "", err
	}
	if !response.OK() {
		return "", class(response)
	}
	id, ok := object(response)
	if !ok {
		return "", a.Client.Unclear(response, "no container in the response")
	}
	return id, nil
}

// lostAfter is the age of a finished container at which the network's refusal to know it ends its use. A younger one was
// refused for the first time, and a wait can help.
const lostAfter = 4 * time.Second

// refused returns the failure of a refused publish call. The network can refuse a call for the account's sake although
// it has published the post (seen at Instagram with code 4 and subcode 2207051), so the state of the container decides.
// A limit on calls is such a refusal only if the container proves it.
func (s session) refused(ctx context.Context, h held, failure *platform.Failure) *platform.Failure {
	unknown := failure.Code == CodeNotReady || failure.Code == CodeStale
	switch failure.Class {
	case platform.ClassUser, platform.ClassOperator, platform.ClassRateLimited:
	case platform.ClassTransient:
		if !unknown {
			return failure
		}
	case platform.ClassRejected, platform.ClassRefresh, platform.ClassReconnect, platform.ClassUnknown:
		return failure
	}
	look, err := s.look(ctx, h.Container)
	doubtful := err != nil || look.State != Finished && look.State != Failed && look.State != ContainerExpired
	certain := failure.Class == platform.ClassUser || failure.Class == platform.ClassOperator
	switch {
	case err == nil && look.State == Published, doubtful && certain:
		return s.Client.OutcomeUnknown(errors.New("refused, but perhaps published: " + failure.Error()))
	case unknown && !doubtful && s.usableFor(h) >= lostAfter,
		failure.Code == CodeStale && s.gone(look, err) && s.usableFor(h) >= settling:
		return s.Client.Fail(platform.ClassTransient, platform.CodePreparationLost, failure.Cause,
			"%s no longer has the prepared post.", s.Client.Name())
	}
	return failure
}

// usableFor returns the time for which the container could be published.
func (s session) usableFor(h held) time.Duration {
	from := time.Unix(h.Created, 0)
	if h.Ready != 0 {
		from = time.Unix(h.Ready, 0).Add(s.Settle)
	}
	return s.Client.Now().Sub(from)
}

// gone reports whether the network does not know the container. That a Page may not see it proves nothing.
func (s session) gone(look Look, err error) bool {
	return err == nil && look.State == Gone && (!s.ofPage() || s.account.Credentials.UserToken != "")
}

// ofPage reports whether the access token is that of a Facebook Page.
func (s session) ofPage() bool { return s.account.Credentials.Variant == channel.FacebookLogin }

// look reads a container. Meta has refused to show containers to valid tokens of Pages, which could still publish them,
// so the token of the person is the second one.
func (s session) look(ctx context.Context, id string) (Look, error) {
	look, err := s.lookAs(ctx, id)
	if s.account.Credentials.UserToken == "" || err != nil || look.State != Gone {
		return look, err
	}
	person := s
	person.account.Credentials.AccessToken = s.account.Credentials.UserToken
	if second, err := person.lookAs(ctx, id); err == nil {
		return second, nil
	}
	return look, nil // the token of the person ends earlier
}

func (s session) lookAs(ctx context.Context, id string) (Look, error) {
	response, err := s.Get(ctx, "status", s.account, url.Values{"fields": {s.Fields}}, id)
	if err != nil {
		return Look{}, err
	}
	if response.OK() {
		return s.Read(response)
	}
	e := ErrorOf(response)
	if s.Missing(e) || s.ofPage() && e.Meaning(response.Status) == Forbidden {
		return Look{State: Gone}, nil
	}
	return Look{}, s.Class(response)
}

// object returns the id of a created object.
func object(response httpcall.Response) (string, bool) { return objectAs(response, ID) }

func objectAs(response httpcall.Response, valid func(string) bool) (string, bool) {
	var created struct {
		ID string `json:"id"`
	}
	err := response.Decode(&created)
	return created.ID, err == nil && valid(created.ID)
}

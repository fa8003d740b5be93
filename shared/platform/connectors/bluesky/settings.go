package bluesky

import (
	"context"
	"errors"
	"net/url"
	"regexp"

	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

// gates is the collection of the records who may reply to a post.
const gates = "app.bsky.feed.threadgate"

// gate says who may reply to a post (lexicon app.bsky.feed.threadgate). Without rules in Allow, only the author may.
type gate struct {
	Type      string     `json:"$type"`
	Post      string     `json:"post"`
	Allow     []gateRule `json:"allow"`
	CreatedAt string     `json:"createdAt"`
}

type gateRule struct {
	Type string `json:"$type"`
}

// Values of the option replies.
const (
	everyone   = "everyone"
	authorOnly = "none"
)

// gateRules returns the names of the rules for the values of the option replies.
func gateRules() map[string]string {
	return map[string]string{"following": "followingRule", "followers": "followerRule", "mentioned": "mentionRule"}
}

// gateOf returns the record that limits the replies to the post; nil if everyone may reply.
func gateOf(replies, uri, createdAt string) *gate {
	if replies == "" || replies == everyone {
		return nil
	}
	limit := &gate{Type: gates, Post: uri, Allow: []gateRule{}, CreatedAt: createdAt}
	if rule := gateRules()[replies]; rule != "" {
		limit.Allow = append(limit.Allow, gateRule{gates + "#" + rule})
	}
	return limit
}

// writes is the body of com.atproto.repo.applyWrites, which creates all records or none.
type writes struct {
	Repo   string  `json:"repo"`
	Writes []write `json:"writes"`
}

type write struct {
	Type       string `json:"$type"`
	Collection string `json:"collection"`
	Key        string `json:"rkey"`
	Value      any    `json:"value"`
}

// creation returns the method and the body that create the record. With a gate, one call creates both records or none, so
// that a post whose replies are limited is never public without its limit.
func creation(body createBody, account platform.Account, replies string) (string, any) {
	limit := gateOf(replies, uriOf(account, body.Key), body.Record.CreatedAt)
	if limit == nil {
		return "com.atproto.repo.createRecord", body
	}
	const create = "com.atproto.repo.applyWrites#create"
	return "com.atproto.repo.applyWrites", writes{Repo: body.Repo, Writes: []write{
		{create, body.Collection, body.Key, body.Record}, {create, gates, body.Key, limit},
	}}
}

// created is the response to both methods.
type created struct {
	URI     string `json:"uri"`
	Results []struct {
		URI string `json:"uri"`
	} `json:"results"`
}

// uri returns the URI of the post.
func (c created) uri() string {
	if len(c.Results) > 0 {
		return c.Results[0].URI
	}
	return c.URI
}

// selfLabels are the labels that an author gives to a post (lexicon com.atproto.label.defs).
type selfLabels struct {
	Type   string      `json:"$type"`
	Values []selfLabel `json:"values"`
}

type selfLabel struct {
	Value string `json:"val"`
}

func labelsOf(label string) *selfLabels {
	if label == "" {
		return nil
	}
	return &selfLabels{Type: "com.atproto.label.defs#selfLabels", Values: []selfLabel{{label}}}
}

func languagesOf(language string) []string {
	if language == "" {
		return nil
	}
	return []string{language}
}

// postPattern matches the addresses of posts.
var postPattern = regexp.MustCompile(`^https://bsky\.app/profile/([A-Za-z0-9.:_%-]{3,300})/post/([234567a-z]{13})(?:[?#].*)?$`)

// optionFaults refuses a quote of something else than a post.
func optionFaults(o post.Options) map[string]string {
	if o.Quote != "" && !postPattern.MatchString(o.Quote) {
		return map[string]string{
			"quote": "quote must be the address of a post on Bluesky, like https://bsky.app/profile/NAME/post/3k…",
		}
	}
	return nil
}

var errNotQuoted = errors.New("the post that is quoted does not exist")

// lookUpQuote returns the version of the post at the address, as a quote refers to it.
func (s session) lookUpQuote(ctx context.Context, address string) (*strongRef, error) {
	at := postPattern.FindStringSubmatch(address)
	if at == nil {
		return nil, s.notQuoted()
	}
	author := at[1]
	if !didPattern.MatchString(author) {
		dids, err := s.lookUp(ctx, []string{author})
		if err != nil {
			return nil, err
		}
		if author = dids[author]; author == "" {
			return nil, s.notQuoted()
		}
	}
	var found struct {
		Posts []strongRef `json:"posts"`
	}
	uri := "at://" + author + "/" + collection + "/" + at[2]
	err := s.ask(ctx, "app.bsky.feed.getPosts", httpcall.Request{Operation: "quote", Query: url.Values{"uris": {uri}}}, &found)
	if err != nil {
		return nil, err
	}
	if len(found.Posts) != 1 || !cidPattern.MatchString(found.Posts[0].CID) {
		return nil, s.notQuoted()
	}
	return &found.Posts[0], nil
}

func (s session) notQuoted() *platform.Failure {
	return s.Fail(platform.ClassRejected, CodeRefused, errNotQuoted,
		"The post that is quoted does not exist on Bluesky. Change the quote, then publish the post again.")
}

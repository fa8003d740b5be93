package x

import (
	"context"
	"net/http"
	"net/url"
	"regexp"

	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

// postID matches X's ids. Other values are refused because ids become part of URLs.
var postID = regexp.MustCompile(`^[0-9]{1,20}$`)

type createBody struct {
	Text  string       `json:"text"` // always sent, even if empty: X's gateway refuses a body without it
	Media *createMedia `json:"media,omitempty"`
	Reply *createReply `json:"reply,omitempty"`

	settings
}

type createMedia struct {
	IDs []string `json:"media_ids"`
}

type createReply struct {
	To string `json:"in_reply_to_tweet_id"`
}

type createResponse struct {
	Data struct {
		ID string `json:"id"`
	} `json:"data"`
}

// Commit creates the post.
//
// Success is a 2xx response that names the post. A 2xx without an id (partial errors, another format) leaves the
// outcome unknown. So does a refusal for duplicate content. It means that the text is already published on the account,
// perhaps by an earlier attempt of this post whose response was lost and that the list did not show yet.
func (c *Connector) Commit(
	ctx context.Context, account platform.Account, content platform.Content, handle platform.Handle,
) (platform.Publication, error) {
	if account.Credentials.AccessToken == "" {
		return platform.Publication{}, c.client.Reconnect(errNoToken)
	}
	body := createBody{Text: content.Text, settings: settingsOf(content.Options)}
	ids, err := idsOf(handle, content.Media, c.client.Now())
	if err != nil {
		return platform.Publication{}, c.client.Fail(platform.ClassTransient, platform.CodeMediaNotUploaded, err,
			"X no longer has the attachments of the post.")
	}
	if len(ids) > 0 {
		body.Media = &createMedia{IDs: ids}
	}
	if to := content.ReplyTo; to != nil {
		if !postID.MatchString(to.ParentID) {
			return platform.Publication{}, c.client.ParentGone(*to, httpcall.ErrNoParent)
		}
		body.Reply = &createReply{To: to.ParentID}
	}
	response, err := c.client.CommitCall(ctx, httpcall.Request{
		Operation: "publish",
		Method:    http.MethodPost,
		Path:      []string{"2", "tweets"},
		Header:    bearer(account),
		JSON:      body,
		Secrets:   []string{account.Credentials.AccessToken},
	})
	if err != nil {
		return platform.Publication{}, err
	}
	if !response.OK() {
		return platform.Publication{}, c.refused(response, content.ReplyTo)
	}
	var result createResponse
	if err := response.Decode(&result); err != nil || !postID.MatchString(result.Data.ID) {
		return platform.Publication{}, c.client.Unclear(response, "success without the post's id")
	}
	return c.publication(account, result.Data.ID), nil
}

func (c *Connector) publication(account platform.Account, id string) platform.Publication {
	username := account.Username
	if username == "" {
		username = "i" // X resolves a post by its id regardless of the name; "i" is X's own placeholder
	}
	link := c.permalink + "/" + url.PathEscape(username) + "/status/" + id
	return platform.Publication{ExternalID: id, URL: c.client.Permalink(link)}
}

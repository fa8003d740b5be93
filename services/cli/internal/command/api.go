package command

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	fencepost "fencepost.internal/sdk/go"
	"fencepost.internal/services/cli/internal/failure"
	"fencepost.internal/services/cli/internal/output"
)

const apiLong = `api sends a request to any address of the API, with the credential and the retries of the other commands, and prints the
response. METHOD is GET unless it is given; with fields or an input, POST.

--field sets a member of the body as a text. --value sets one as JSON: a number, true, null, a list or an object. --input sends
a file, or standard input with -. --paginate prints the items of all pages, one for each line; --jq is applied to each item.`

const apiExample = `  $ fencepost api /v1/workspace --jq .usage.storage.usedBytes
  $ fencepost api GET "/v1/events?type=post.failed" --paginate --jq .data.postId
  $ fencepost api POST /v1/posts/validate --field content=Hello --value 'channelIds=["0198f3c2-8a4e-7d31-b5a6-0c9d1e2f3a4b"]'`

// apiFlags are the body of a request.
type apiFlags struct {
	fields, values []string
	input, key     string
	paginate       bool
}

func (a *app) api() *cobra.Command {
	var in apiFlags
	cmd := &cobra.Command{
		Use: "api [METHOD] PATH", Short: "Call any operation of the API", Long: apiLong, Example: apiExample,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 2 {
				return nil
			}
			return exactly("PATH")(cmd, args)
		},
		RunE: a.with(func(ctx context.Context, c *fencepost.Client, p *output.Printer, args []string) error {
			body, err := a.body(in)
			if err != nil {
				return err
			}
			method := http.MethodGet
			if len(args) == 2 {
				method = strings.ToUpper(args[0])
			} else if body != nil {
				method = http.MethodPost
			}
			return a.send(ctx, c, p, method, args[len(args)-1], body, in)
		}),
	}
	flags := cmd.Flags()
	flags.StringArrayVarP(&in.fields, "field", "f", nil, "`NAME=TEXT`: a member of the body (repeatable)")
	flags.StringArrayVarP(&in.values, "value", "F", nil, "`NAME=JSON`: a member of the body (repeatable)")
	flags.StringVar(&in.input, "input", "", "`FILE` with the body; - reads standard input")
	flags.BoolVar(&in.paginate, "paginate", false, "print the items of all pages of a list")
	flags.StringVar(&in.key, "idempotency-key", "", "`KEY` that makes a repeated command have no second effect")
	cmd.MarkFlagsMutuallyExclusive("input", "field")
	cmd.MarkFlagsMutuallyExclusive("input", "value")
	return cmd
}

// body returns the body of the flags; nil for none.
func (a *app) body(in apiFlags) (any, error) {
	if in.input != "" {
		raw, err := io.ReadAll(a.In)
		if in.input != "-" {
			raw, err = os.ReadFile(in.input)
		}
		if err != nil {
			return nil, failure.Misused("the input cannot be read: %s", err)
		}
		if !json.Valid(raw) {
			return nil, failure.Misused("the input is not JSON")
		}
		return json.RawMessage(raw), nil
	}
	if len(in.fields)+len(in.values) == 0 {
		return nil, nil
	}
	texts, err := pairs("field", in.fields)
	if err != nil {
		return nil, err
	}
	values, err := pairs("value", in.values)
	if err != nil {
		return nil, err
	}
	members := make(map[string]any)
	for name, text := range texts {
		members[name] = text
	}
	for name, text := range values {
		if !json.Valid([]byte(text)) {
			return nil, failure.Misused("--value %s is not JSON: %s", name, text).With("use --field for texts")
		}
		members[name] = json.RawMessage(text)
	}
	return members, nil
}

func (a *app) send(ctx context.Context, c *fencepost.Client, p *output.Printer, method, target string, body any, in apiFlags) error {
	address, err := url.Parse(target)
	if err != nil || !strings.HasPrefix(target, "/") || strings.HasPrefix(target, "//") {
		return failure.Misused("%q is not a path of the API", target).With("write a path such as /v1/posts")
	}
	methods := []string{http.MethodGet, http.MethodPost, http.MethodPatch, http.MethodPut, http.MethodDelete}
	if !slices.Contains(methods, method) {
		return failure.Misused("%q is not a method: %s", method, strings.Join(methods, ", "))
	}
	if in.paginate && method != http.MethodGet {
		return failure.Misused("--paginate is for GET")
	}
	var options []fencepost.CallOption
	if method == http.MethodPost || method == http.MethodPatch {
		if in.key == "" {
			in.key = uuid.NewString()
		}
		options = append(options, fencepost.IdempotencyKey(in.key))
	}
	if in.paginate {
		return pages(ctx, c, p, address)
	}
	var got json.RawMessage
	if err := c.Request(ctx, method, address.EscapedPath(), address.Query(), body, &got, options...); err != nil || got == nil {
		return err
	}
	if p.Table() {
		var indented bytes.Buffer
		if err := json.Indent(&indented, got, "", "  "); err != nil {
			return err
		}
		_, err := p.Out.Write(append(indented.Bytes(), '\n'))
		return err
	}
	return p.Object(got)
}

// pages prints the items of all pages.
func pages(ctx context.Context, c *fencepost.Client, p *output.Printer, address *url.URL) error {
	for query := address.Query(); ; {
		var page struct {
			Data       []json.RawMessage `json:"data"`
			NextCursor *string           `json:"nextCursor"`
			HasMore    *bool             `json:"hasMore"` // of the log of events, which has a cursor on its last page too
		}
		err := c.Request(ctx, http.MethodGet, address.EscapedPath(), query, nil, &page)
		if failed, ok := errors.AsType[*fencepost.Error](err); ok && failed.Kind == fencepost.KindDecode {
			return failure.Misused("%s is not a list of pages", address.Path).With("leave out --paginate")
		}
		if err != nil {
			return err
		}
		for _, item := range page.Data {
			if err := p.Object(item); err != nil {
				return err
			}
		}
		if page.NextCursor == nil || page.HasMore != nil && !*page.HasMore {
			return nil
		}
		query.Set("cursor", *page.NextCursor)
	}
}

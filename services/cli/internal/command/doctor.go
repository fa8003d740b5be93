package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	fencepost "fencepost.internal/sdk/go"
	"fencepost.internal/services/cli/internal/failure"
	"fencepost.internal/services/cli/internal/output"
	"fencepost.internal/services/cli/internal/session"
)

const (
	resultOK      = "ok"
	resultWarning = "warning"
	resultError   = "error"
	// mostSkew is the tolerance of signatures; the other one is where scheduling surprises begin.
	mostSkew = 5 * time.Minute
	muchSkew = 10 * time.Second
)

// check is a line of doctor.
type check struct {
	Check  string `json:"check"`
	Result string `json:"result"`
	Detail string `json:"detail"`
	err    error
}

func (a *app) doctor() *cobra.Command {
	return &cobra.Command{
		Use: "doctor", Short: "Check the sign-in, the connection, the clock and the channels", Args: exactly(),
		Long: "doctor checks what the commands need, and says what to do. Its exit code is that of the first error.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			p, err := a.printer()
			if err != nil {
				return err
			}
			checks := a.diagnose(cmd.Context())
			err = output.All(p, checks, []output.Column[check]{
				{Head: "CHECK", Cell: func(c check) string { return c.Check }},
				{Head: "RESULT", Cell: func(c check) string { return c.Result }},
				{Head: "DETAIL", Cell: func(c check) string { return c.Detail }},
			})
			for _, c := range checks {
				if err == nil && c.Result == resultError {
					code := failure.Failed
					if c.err != nil {
						code = failure.Code(c.err)
					}
					err = &failure.Error{Code: code} // the line says it
				}
			}
			return err
		},
	}
}

func failed(name string, err error) check {
	detail := err.Error()
	if own, ok := errors.AsType[*failure.Error](err); ok && own.Remedy != "" {
		detail += ": " + own.Remedy
	}
	return check{Check: name, Result: resultError, Detail: detail, err: err}
}

func (a *app) diagnose(ctx context.Context) []check {
	checks := []check{a.checkFile()}
	to, err := a.access()
	if err != nil {
		return append(checks, failed("sign-in", err))
	}
	metadata, err := session.Discover(ctx, httpClient(), to.url)
	if err != nil {
		return append(checks, failed("address", err))
	}
	checks = append(checks, check{Check: "address", Result: resultOK, Detail: to.url})
	client, err := a.client()
	if err != nil {
		return append(checks, failed("sign-in", err))
	}
	var header http.Header
	workspace, err := client.GetWorkspace(ctx, fencepost.ResponseHeader(&header))
	checks = append(checks, a.checkClock(header))
	if err != nil {
		return append(checks, failed("sign-in", err))
	}
	checks = append(checks, check{
		Check: "sign-in", Result: resultOK, Detail: fmt.Sprintf("%s, mode %s", workspace.Name, workspace.Mode),
	}, checkScopes(workspace.GrantedScopes), checkVersion(ctx, client))
	return append(append(checks, checkChannels(ctx, client)...), a.checkTools(ctx, metadata))
}

func (a *app) checkFile() check {
	c := check{Check: "credentials", Result: resultOK, Detail: "from the environment"}
	if a.key() != "" {
		return c
	}
	store, err := a.store()
	if err != nil {
		return failed(c.Check, err)
	}
	c.Detail = store.Path()
	exposed, err := store.Exposed()
	switch {
	case err != nil:
		return failed(c.Check, err)
	case exposed:
		c.Result, c.Detail = resultWarning, "other users can read "+store.Path()+": run chmod 600 "+store.Path()
	}
	return c
}

// checkClock compares the clocks of both sides.
func (a *app) checkClock(header http.Header) check {
	c := check{Check: "clock", Result: resultOK, Detail: "as the service's"}
	at, err := http.ParseTime(header.Get("Date"))
	if err != nil {
		return check{Check: c.Check, Result: resultWarning, Detail: "the response has no time"}
	}
	switch skew := a.Now().Sub(at).Abs(); {
	case skew > mostSkew:
		c.Result, c.Detail = resultError, "this clock is wrong by "+skew.Round(time.Second).String()+": signatures are refused"
	case skew > muchSkew:
		c.Result, c.Detail = resultWarning, "this clock differs by "+skew.Round(time.Second).String()
	}
	return c
}

func checkScopes(granted []fencepost.Scope) check {
	var missing []fencepost.Scope
	for _, scope := range []fencepost.Scope{
		fencepost.ScopeChannelsRead, fencepost.ScopeMediaWrite, fencepost.ScopePostsWrite, fencepost.ScopePostsPublish,
		fencepost.ScopeWebhooksManage,
	} {
		if !slices.Contains(granted, scope) {
			missing = append(missing, scope)
		}
	}
	if missing != nil {
		return check{Check: "scopes", Result: resultWarning, Detail: "without " + joined(missing) + ", some commands are refused"}
	}
	return check{Check: "scopes", Result: resultOK, Detail: joined(granted)}
}

func checkVersion(ctx context.Context, client *fencepost.Client) check {
	raw, err := client.GetOpenAPI(ctx)
	if err != nil {
		return failed("version", err)
	}
	var document struct {
		Info struct {
			Version string `json:"version"`
		} `json:"info"`
	}
	if err := json.Unmarshal(raw, &document); err != nil {
		return failed("version", err)
	}
	if document.Info.Version != fencepost.Version {
		return check{
			Check: "version", Result: resultWarning,
			Detail: "the API is " + document.Info.Version + ", this program " + fencepost.Version + ": install the same release",
		}
	}
	return check{Check: "version", Result: resultOK, Detail: fencepost.Version}
}

// checkChannels returns a line for each channel that cannot publish, or one for all.
func checkChannels(ctx context.Context, client *fencepost.Client) (checks []check) {
	all, err := client.Channels.List(ctx, fencepost.ListChannelsParams{})
	if err != nil {
		return []check{failed("channels", err)}
	}
	for _, c := range all {
		state := stateOf(c)
		if state != string(fencepost.TokenStatusHealthy) {
			checks = append(checks, check{
				Check: "channel", Result: resultWarning, Detail: fmt.Sprintf("%s (%s) is %s: see Channels in the application", c.Name, c.Type, strings.ToLower(state)),
			})
		}
	}
	if checks == nil {
		checks = []check{{Check: "channels", Result: resultOK, Detail: fmt.Sprintf("%d, all can publish", len(all))}}
	}
	return checks
}

// checkTools checks that the tool server for agents responds: it refuses a request without a credential.
func (a *app) checkTools(ctx context.Context, metadata session.Metadata) check {
	c := check{Check: "tool server", Result: resultOK, Detail: metadata.Tools()}
	if c.Detail == "" {
		return check{Check: c.Check, Result: resultWarning, Detail: "the API names none"}
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.Detail, strings.NewReader("{}"))
	if err != nil {
		return failed(c.Check, err)
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := httpClient().Do(request)
	if err != nil {
		return check{Check: c.Check, Result: resultWarning, Detail: err.Error()}
	}
	_ = response.Body.Close()
	if response.StatusCode != http.StatusUnauthorized {
		c.Result, c.Detail = resultWarning, fmt.Sprintf("%s responded with the status %d", c.Detail, response.StatusCode)
	}
	return c
}

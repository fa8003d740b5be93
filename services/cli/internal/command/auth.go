package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"

	fencepost "fencepost.internal/sdk/go"
	"fencepost.internal/services/cli/internal/failure"
	"fencepost.internal/services/cli/internal/output"
	"fencepost.internal/services/cli/internal/session"
)

func (a *app) auth() *cobra.Command {
	return a.group(&cobra.Command{
		Use: "auth", Short: "Sign in, out, and see as whom",
		Long: "auth manages the sign-ins. A profile is a sign-in to one workspace of one installation; --profile names it.",
	}, a.login(), a.logout(), a.status(), a.token())
}

const loginLong = `login signs in to one workspace of an installation and stores the credential in the file credentials.json of the
configuration folder, readable by you alone.

Without a flag it opens the application in a browser on this machine. With --device it prints a code to enter in a browser on
another one, for machines that you reach by ssh. With --with-key it reads an API key from standard input.`

const loginExample = `  $ fencepost auth login --url https://api.example.com
  $ fencepost auth login --device
  $ fencepost auth login --with-key --profile shop <key.txt`

// loginFlags are those of login.
type loginFlags struct {
	url             string
	device, withKey bool
	scopes          []string
}

func (a *app) login() *cobra.Command {
	var in loginFlags
	cmd := &cobra.Command{
		Use: "login", Short: "Sign in to a workspace", Long: loginLong, Example: loginExample, Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.signIn(cmd.Context(), in) },
	}
	cmd.Flags().StringVar(&in.url, "url", "", "`ADDRESS` of the installation's API (default: FENCEPOST_URL)")
	cmd.Flags().BoolVar(&in.device, "device", false, "sign in with a code in a browser on another machine")
	cmd.Flags().BoolVar(&in.withKey, "with-key", false, "read an API key from standard input")
	cmd.Flags().StringSliceVar(&in.scopes, "scope", nil, "request these `SCOPES` instead of the default ones")
	cmd.MarkFlagsMutuallyExclusive("device", "with-key")
	cmd.MarkFlagsMutuallyExclusive("scope", "with-key")
	return cmd
}

func (a *app) signIn(ctx context.Context, in loginFlags) error {
	address, err := a.address(in)
	if err != nil {
		return err
	}
	store, err := a.store()
	if err != nil {
		return err
	}
	profile := session.Profile{URL: address}
	switch {
	case in.withKey:
		profile.APIKey, err = a.readKey()
	case in.device:
		profile.Tokens, err = store.Device(ctx, address, in.scopes, a.showCode)
	default:
		profile.Tokens, err = store.Browser(ctx, address, in.scopes, func(page string) { a.showPage(ctx, page) })
	}
	if errors.Is(err, session.ErrDenied) {
		return &failure.Error{Code: failure.Refused, Text: err.Error(), Remedy: `run "fencepost auth login" again`}
	}
	if err != nil {
		return err
	}
	client, err := fencepost.New(fencepost.Options{URL: address, Credential: func(context.Context) (string, error) {
		if profile.Tokens != nil {
			return profile.Tokens.Access, nil
		}
		return profile.APIKey, nil
	}})
	if err != nil {
		return err
	}
	workspace, err := client.GetWorkspace(ctx) // a credential that does not work is not stored
	if err != nil {
		return err
	}
	if err := store.Put(ctx, a.name(), profile); err != nil {
		return err
	}
	a.note("Signed in to the workspace %s at %s.", workspace.Name, address)
	if a.key() != "" {
		a.note("%s is set: it is used instead, unless you name a profile with --profile.", variableKey)
	}
	return nil
}

// address returns the address of the installation: of the flag, the environment, the present profile, or the person.
func (a *app) address(in loginFlags) (string, error) {
	given := in.url
	if given == "" {
		given = a.Environ[variableURL]
	}
	if store, err := a.store(); given == "" && err == nil {
		present, _ := store.Get(a.name()) // none is none
		given = present.URL
	}
	if given == "" && a.terminal() && !in.withKey {
		fmt.Fprint(a.Err, "Address of the API: ")
		var err error
		if given, err = a.line(); err != nil {
			return "", err
		}
	}
	given = strings.TrimRight(given, "/")
	parsed, err := url.Parse(given)
	switch {
	case given == "":
		return "", failure.Misused("the address of the installation is missing").With("add --url https://api.example.com, or set %s", variableURL)
	case err != nil || parsed.Host == "" || parsed.Scheme != "http" && parsed.Scheme != "https":
		return "", failure.Misused("%q is not an http or https address", given)
	}
	return given, nil
}

// readKey reads an API key. At a terminal it is not shown.
func (a *app) readKey() (string, error) {
	if a.terminal() {
		fmt.Fprint(a.Err, "API key: ")
		text, err := a.Secret()
		a.note("")
		return checkedKey(text, err)
	}
	const longest = 1 << 10
	raw, err := io.ReadAll(io.LimitReader(a.In, longest))
	return checkedKey(string(raw), err)
}

func checkedKey(text string, err error) (string, error) {
	text = strings.TrimSpace(text)
	if err == nil && (text == "" || strings.ContainsAny(text, " \t\r\n")) {
		err = failure.Misused("standard input has no API key").With("fencepost auth login --with-key <FILE")
	}
	return text, err
}

func (a *app) showPage(ctx context.Context, page string) {
	a.note("Sign in at this address:\n\n  %s\n", page)
	if err := a.Open(ctx, page); err != nil {
		a.note("No browser could be opened here. On a machine without one, use --device.")
	}
}

func (a *app) showCode(w session.Waiting) {
	a.note("Open this address on any machine and enter the code:\n\n  %s\n  %s\n", w.Address, w.UserCode)
	if w.Whole != "" {
		a.note("Or open %s", w.Whole)
	}
	a.note("The code is valid until %s.", w.Until.Local().Format(time.TimeOnly))
}

func (a *app) logout() *cobra.Command {
	return &cobra.Command{
		Use: "logout", Short: "Sign out and revoke the access", Args: exactly(),
		Long: "logout deletes the profile's credential from this machine. Access that you allowed in a browser is revoked; an API key stays valid.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			store, err := a.store()
			if err != nil {
				return err
			}
			profile, err := store.Get(a.name())
			if errors.Is(err, session.ErrSignedOut) {
				return signedOut(a.name(), nil)
			}
			if err != nil {
				return err
			}
			revoked := store.Revoke(cmd.Context(), profile)
			if err := store.Remove(cmd.Context(), a.name()); err != nil {
				return err
			}
			if revoked != nil {
				return &failure.Error{
					Code: failure.Failed, Text: "the credential is deleted here, but the access could not be revoked: " + revoked.Error(),
					Remedy: "revoke it in the application, under Programs",
				}
			}
			a.note("Signed out of %s.", profile.URL)
			return nil
		},
	}
}

// signedInAs is the result of status.
type signedInAs struct {
	Profile     string                  `json:"profile"`
	URL         string                  `json:"url"`
	Credential  string                  `json:"credential"`
	Workspace   string                  `json:"workspace"`
	WorkspaceID string                  `json:"workspaceId"`
	Mode        fencepost.WorkspaceMode `json:"mode"`
	Scopes      []fencepost.Scope       `json:"scopes"`
}

func (a *app) status() *cobra.Command {
	return &cobra.Command{
		Use: "status", Short: "Show the workspace and the scopes of the sign-in", Args: exactly(),
		Example: "  $ fencepost auth status\n  $ fencepost auth status --jq .workspaceId",
		RunE: a.with(func(ctx context.Context, c *fencepost.Client, p *output.Printer, _ []string) error {
			to, err := a.access()
			if err != nil {
				return err
			}
			workspace, err := c.GetWorkspace(ctx)
			if err != nil {
				return err
			}
			is := signedInAs{
				Profile: a.name(), URL: to.url, Credential: variableKey, Workspace: workspace.Name, WorkspaceID: workspace.ID,
				Mode: workspace.Mode, Scopes: workspace.GrantedScopes,
			}
			if a.key() == "" {
				is.Credential = a.stored()
			}
			return output.One(p, is, []output.Line{
				{Name: "Profile", Text: is.Profile},
				{Name: "API", Text: is.URL},
				{Name: "Credential", Text: is.Credential},
				{Name: "Workspace", Text: is.Workspace + " (" + is.WorkspaceID + ")"},
				{Name: "Mode", Text: string(is.Mode)},
				{Name: "Scopes", Text: joined(is.Scopes)},
			})
		}),
	}
}

// stored describes the credential of the profile.
func (a *app) stored() string {
	store, err := a.store()
	if err != nil {
		return ""
	}
	if profile, _ := store.Get(a.name()); profile.Tokens != nil { // read before
		return "access of a person, in " + store.Path()
	}
	return "API key, in " + store.Path()
}

func (a *app) token() *cobra.Command {
	return &cobra.Command{
		Use: "token", Short: "Print the credential, for other programs", Args: exactly(),
		Long:    "token prints the API key, or an access token that is valid for at least a minute.",
		Example: `  $ curl -H "Authorization: Bearer $(fencepost auth token)" https://api.example.com/v1/workspace`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			to, err := a.access()
			if err != nil {
				return err
			}
			credential, err := to.credential(cmd.Context())
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(a.Out, credential)
			return err
		},
	}
}

// joined joins texts of any kind.
func joined[T ~string](list []T) string {
	texts := make([]string, len(list))
	for i, text := range list {
		texts[i] = string(text)
	}
	return strings.Join(texts, ", ")
}

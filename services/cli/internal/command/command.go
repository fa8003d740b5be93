// Package command has the commands of the command line.
package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	fencepost "fencepost.internal/sdk/go"
	"fencepost.internal/services/cli/internal/failure"
	"fencepost.internal/services/cli/internal/output"
	"fencepost.internal/services/cli/internal/plain"
	"fencepost.internal/services/cli/internal/session"
)

// Process has the parts of the process that commands use.
type Process struct {
	In       io.Reader
	Out, Err io.Writer
	Environ  map[string]string
	Now      func() time.Time
	// Width returns the columns of a stream that is a terminal.
	Width func(stream any) (columns int, terminal bool)
	// Secret reads a line of the terminal without showing it.
	Secret func() (string, error)
	// Open opens an address in a browser.
	Open func(ctx context.Context, address string) error
}

const (
	requestTimeout = 30 * time.Second
	variableURL    = "FENCEPOST_URL"
	variableKey    = "FENCEPOST_API_KEY"
	variableName   = "FENCEPOST_PROFILE"
)

// app is the state of one command line.
type app struct {
	Process

	profile, query string
	fields         []string
}

// Main runs a command line and returns its exit code.
func Main(ctx context.Context, args []string, process Process) int {
	a := &app{Process: process}
	root := a.root()
	root.SetArgs(args)
	root.SetIn(process.In)
	root.SetOut(process.Out)
	root.SetErr(process.Err)
	began := false
	watch(root, &began)
	err := root.ExecuteContext(ctx)
	if own := (*failure.Error)(nil); err != nil && !began && !errors.As(err, &own) {
		err = failure.Misused("%s", err) // of the flags that belong together
	}
	if err != nil {
		failure.Print(process.Err, err)
	}
	return failure.Code(err)
}

// watch records that a command began: an error before is one of the command line.
func watch(cmd *cobra.Command, began *bool) {
	if run := cmd.RunE; run != nil {
		cmd.RunE = func(cmd *cobra.Command, args []string) error {
			*began = true
			return run(cmd, args)
		}
	}
	for _, sub := range cmd.Commands() {
		watch(sub, began)
	}
}

const rootLong = `fencepost schedules posts for social networks and follows them, from a terminal or a script.

It signs in with "fencepost auth login", or with the variables FENCEPOST_URL and FENCEPOST_API_KEY.
Results are a table on a terminal and one JSON object for each line elsewhere.`

const rootExample = `  $ fencepost auth login --url https://api.example.com
  $ fencepost channels list
  $ fencepost posts create --channel threads --channel x --text "Hello" --at "tue 09:00"
  $ fencepost listen --forward-to localhost:3000`

// The groups of the list of commands.
const (
	groupPosts    = "posts"
	groupPrograms = "programs"
	groupSetup    = "setup"
)

func (a *app) root() *cobra.Command {
	root := a.group(&cobra.Command{
		Use: "fencepost", Short: "Schedule and follow posts", Long: rootLong, Example: rootExample,
		SilenceErrors: true, SilenceUsage: true,
	})
	root.AddGroup(&cobra.Group{ID: groupPosts, Title: "Posts:"}, &cobra.Group{ID: groupPrograms, Title: "Programs:"},
		&cobra.Group{ID: groupSetup, Title: "Setup:"})
	root.SetHelpCommandGroupID(groupSetup)
	root.SetCompletionCommandGroupID(groupSetup)
	root.CompletionOptions.DisableNoDescFlag = true
	flags := root.PersistentFlags()
	flags.StringVar(&a.profile, "profile", "", "`NAME` of the sign-in to use (default: FENCEPOST_PROFILE, or default)")
	flags.StringSliceVar(&a.fields, "json", nil, "print JSON with these `FIELDS`, comma separated")
	flags.StringVarP(&a.query, "jq", "q", "", "print what the jq `EXPRESSION` selects of each JSON object")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return failure.Misused("%s", err).With("%s --help lists the flags", cmd.CommandPath())
	})
	for _, add := range []struct {
		group string
		make  func() *cobra.Command
	}{
		{groupPosts, a.channels},
		{groupPosts, a.posts},
		{groupPosts, a.media},
		{groupPrograms, a.webhooks},
		{groupPrograms, a.listen},
		{groupPrograms, a.trigger},
		{groupPrograms, a.api},
		{groupPrograms, a.agent},
		{groupSetup, a.auth},
		{groupSetup, a.doctor},
		{groupSetup, a.version},
	} {
		created := add.make()
		created.GroupID = add.group
		root.AddCommand(created)
	}
	root.AddCommand(a.reference())
	return root
}

// group makes a command that only has commands: an unknown one is an error with a suggestion.
func (a *app) group(cmd *cobra.Command, commands ...*cobra.Command) *cobra.Command {
	cmd.Args = cobra.ArbitraryArgs
	cmd.SuggestionsMinimumDistance = 2
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return cmd.Help()
		}
		fault := failure.Misused("unknown command %q for %q", args[0], cmd.CommandPath())
		if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
			return fault.With("did you mean %q?", cmd.CommandPath()+" "+near[0])
		}
		return fault.With("%s --help lists the commands", cmd.CommandPath())
	}
	cmd.AddCommand(commands...)
	return cmd
}

// exactly admits one argument for each name. A last name that ends with … admits any number, at least one.
func exactly(names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		many := len(names) > 0 && strings.HasSuffix(names[len(names)-1], "…")
		switch {
		case len(args) < len(names):
			return failure.Misused("%s needs %s", cmd.CommandPath(), names[len(args)]).With("%s", "usage: "+cmd.UseLine())
		case len(args) > len(names) && !many:
			return failure.Misused("%s does not take the argument %q", cmd.CommandPath(), args[len(names)]).With("%s", "usage: "+cmd.UseLine())
		default:
			return nil
		}
	}
}

// terminal reports whether a person uses the command: reads what it prints, and can type.
func (a *app) terminal() bool {
	_, in := a.Width(a.In)
	_, out := a.Width(a.Err)
	return in && out
}

// note prints a message that is no result.
func (a *app) note(format string, args ...any) {
	fmt.Fprintln(a.Err, plain.Text(fmt.Sprintf(format, args...)))
}

// printer returns the printer of the results, by the flags and the kind of the output.
func (a *app) printer() (*output.Printer, error) {
	width, _ := a.Width(a.Out)
	p := &output.Printer{
		Out: a.Out, Width: width, Fields: a.fields,
		Color: width > 0 && a.Environ["NO_COLOR"] == "" && a.Environ["TERM"] != "dumb", // no-color.org
	}
	if a.query == "" {
		return p, nil
	}
	var err error
	p.Query, err = output.Query(a.query)
	return p, err
}

// progress returns the columns of the terminal for progress, which is printed beside the results; 0 without one.
func (a *app) progress() int {
	width, _ := a.Width(a.Err)
	return width
}

// folder returns a folder of the user by its variable (XDG Base Directory Specification).
func (a *app) folder(variable string, fallback ...string) (string, error) {
	base := a.Environ[variable]
	if !filepath.IsAbs(base) { // relative ones are invalid
		home := a.Environ["HOME"]
		if home == "" {
			var err error
			if home, err = os.UserHomeDir(); err != nil {
				return "", err
			}
		}
		base = filepath.Join(append([]string{home}, fallback...)...)
	}
	return filepath.Join(base, "fencepost"), nil
}

func (a *app) store() (*session.Store, error) {
	folder, err := a.folder("XDG_CONFIG_HOME", ".config")
	return session.New(folder, a.Now, httpClient()), err
}

// httpClient is that of sign-ins. It follows no redirects, by which a credential could get to another host.
func httpClient() *http.Client {
	return &http.Client{Timeout: requestTimeout, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// name returns the name of the profile.
func (a *app) name() string {
	for _, name := range []string{a.profile, a.Environ[variableName]} {
		if name != "" {
			return name
		}
	}
	return session.DefaultProfile
}

// key returns the API key of the environment, unless the command line names a profile.
func (a *app) key() string {
	if a.profile != "" {
		return ""
	}
	return strings.TrimSpace(a.Environ[variableKey])
}

// access is the credential of a command, and the installation for which it is.
type access struct {
	url        string
	credential func(ctx context.Context) (string, error)
}

func (a *app) access() (access, error) {
	store, err := a.store()
	if err != nil {
		return access{}, err
	}
	name := a.name()
	profile, err := store.Get(name)
	if err != nil && !errors.Is(err, session.ErrSignedOut) {
		return access{}, err
	}
	given := strings.TrimRight(a.Environ[variableURL], "/")
	if key := a.key(); key != "" {
		if given == "" {
			given = profile.URL
		}
		if given == "" {
			return access{}, failure.Misused("the address of the installation is missing").With("set %s, such as https://api.example.com", variableURL)
		}
		return access{url: given, credential: func(context.Context) (string, error) { return key, nil }}, nil
	}
	switch {
	case errors.Is(err, session.ErrSignedOut):
		others, _ := store.Names() // read before
		return access{}, signedOut(name, nil, others...)
	case given != "" && given != profile.URL:
		return access{}, failure.Misused("%s is %s, but the profile %s is for %s", variableURL, given, name, profile.URL).
			With("unset %s, or choose another profile with --profile", variableURL)
	}
	return access{url: profile.URL, credential: func(ctx context.Context) (string, error) {
		credential, err := store.Credential(ctx, name)
		if errors.Is(err, session.ErrSignedOut) {
			err = signedOut(name, err)
		}
		return credential, err
	}}, nil
}

// signedOut is the error of a profile without a valid sign-in. Others are the profiles that can be used instead.
func signedOut(name string, cause error, others ...string) error {
	text := "you are not signed in"
	if name != session.DefaultProfile {
		text += " with the profile " + name
	}
	if cause != nil {
		text = "your access has ended: " + cause.Error()
	}
	fix := `run "fencepost auth login", or set ` + variableKey + " and " + variableURL
	if len(others) > 0 {
		fix += "; or choose a profile with --profile: " + strings.Join(others, ", ")
	}
	return &failure.Error{Code: failure.SignedOut, Text: text, Remedy: fix}
}

// client returns the client of the API.
func (a *app) client() (*fencepost.Client, error) {
	to, err := a.access()
	if err != nil {
		return nil, err
	}
	return fencepost.New(fencepost.Options{URL: to.url, Credential: to.credential})
}

// with gives a command the client and the printer.
func (a *app) with(run func(ctx context.Context, c *fencepost.Client, p *output.Printer, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		p, err := a.printer()
		if err != nil {
			return err
		}
		c, err := a.client()
		if err != nil {
			return err
		}
		return run(cmd.Context(), c, p, args)
	}
}

// confirm requires --yes, or the consent of the person at the terminal.
func (a *app) confirm(yes bool, question string) error {
	if yes {
		return nil
	}
	if !a.terminal() {
		return failure.Misused("%s needs a confirmation", question).With("add --yes")
	}
	fmt.Fprintf(a.Err, "%s? [y/N] ", question)
	text, err := a.line()
	if err != nil || !strings.EqualFold(text, "y") && !strings.EqualFold(text, "yes") {
		return failure.Misused("not confirmed")
	}
	return nil
}

// line reads a line of the input, without reading further.
func (a *app) line() (string, error) {
	var text []byte
	for one := make([]byte, 1); ; {
		n, err := a.In.Read(one)
		if n > 0 && one[0] == '\n' || err != nil && len(text) > 0 {
			return strings.TrimSpace(string(text)), nil
		}
		if err != nil {
			return "", err
		}
		text = append(text, one[:n]...)
	}
}

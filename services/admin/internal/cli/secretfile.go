package cli

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"fencepost.internal/services/admin/internal/operator"
	"fencepost.internal/shared/kernel/apperr"
)

// standardInput is the file name that means standard input.
const standardInput = "-"

// longestSecret bounds the bytes that are read, so that a wrong file is detected before it fills the memory.
const longestSecret = 64 << 10

// secretFiles holds the flags that name the files with credentials. Credentials themselves are never flags, because
// every user of the machine can see flags and the shell's history keeps them.
type secretFiles struct {
	access, refresh string
	expiresAt       string
	variant, client string
	server          string
}

func (s *secretFiles) flags(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&s.access, operator.MemberAccessToken, "",
		"`FILE` with the access token or the JSON of the token response; - reads standard input")
	flags.StringVar(&s.refresh, operator.MemberRefreshToken, "", "`FILE` with the refresh token; - reads standard input")
	flags.StringVar(&s.expiresAt, operator.MemberExpiresAt, "",
		"`TIME` at which the access token expires (RFC 3339); empty if it does not expire or the time is unknown")
	flags.StringVar(&s.variant, operator.MemberVariant, "",
		"`WAY` in which the account is connected, for types that have several")
	flags.StringVar(&s.client, operator.MemberApp, "",
		"client `ID` of the application that got the tokens, if it is not the configured one")
	flags.StringVar(&s.server, operator.MemberServer, "",
		"`URL` of the account's server, for types whose accounts have servers of their own")
	_ = cmd.MarkFlagFilename(operator.MemberAccessToken) // fails only for an undefined flag
	_ = cmd.MarkFlagFilename(operator.MemberRefreshToken)
}

// read reads the credentials.
func (s *secretFiles) read(a *app) (operator.Given, error) {
	given := operator.Given{ExpiresAt: s.expiresAt, Variant: s.variant, ClientID: s.client, Server: s.server}
	if s.access == standardInput && s.refresh == standardInput {
		return given, wrong(operator.MemberRefreshToken,
			"cannot also read standard input; put one of the two tokens in a file")
	}
	content, at, err := a.datedSecret(operator.MemberAccessToken, s.access)
	if err != nil {
		return given, err
	}
	var complete bool
	if given.Tokens, complete = operator.ParseTokens(content, at); !complete {
		return given, wrong(operator.MemberAccessToken, "names "+source(s.access)+", which is JSON without an access_token")
	}
	refresh, _, err := a.datedSecret(operator.MemberRefreshToken, s.refresh)
	if refresh != "" {
		given.Tokens.RefreshToken = refresh
	}
	return given, err
}

// secret reads one secret. It returns "" if no file is named.
func (a *app) secret(flag, name string) (string, error) {
	secret, _, err := a.datedSecret(flag, name)
	return secret, err
}

// datedSecret is secret, with the time at which the file was written.
func (a *app) datedSecret(flag, name string) (secret string, written time.Time, err error) {
	if name == "" {
		return "", time.Time{}, nil
	}
	in, written := a.process.In, a.process.Clock.Now()
	if name != standardInput {
		file, err := os.Open(name) //nolint:gosec // G304: the operator names the file
		if err != nil {
			return "", written, wrong(flag, "cannot be read: "+err.Error())
		}
		defer func() { _ = file.Close() }()
		a.warnIfOpen(flag, file)
		if info, err := file.Stat(); err == nil && info.Mode().IsRegular() && info.ModTime().Before(written) {
			written = info.ModTime().UTC()
		}
		in = file
	} else if terminal(in) {
		a.note("Reading the secret for --%s from the terminal, which displays it. End with Enter and Ctrl-D.", flag)
	}
	raw, err := io.ReadAll(io.LimitReader(in, longestSecret+1))
	if err != nil {
		return "", written, fmt.Errorf("--%s: %w", flag, err)
	}
	secret = strings.TrimSpace(string(raw))
	switch {
	case len(raw) > longestSecret:
		return "", written, wrong(flag, fmt.Sprintf("names %s, which is longer than %d bytes and cannot be a token", source(name),
			longestSecret))
	case secret == "":
		return "", written, wrong(flag, "names "+source(name)+", which is empty")
	}
	return secret, written, nil
}

// wrong returns a fault of one flag.
func wrong(flag, message string) error {
	return apperr.Invalid([]apperr.Field{{Pointer: flag, Message: message}})
}

func source(name string) string {
	if name == standardInput {
		return "standard input"
	}
	return name
}

// warnIfOpen warns if other users of the machine may read the file.
func (a *app) warnIfOpen(flag string, file *os.File) {
	const others = 0o077
	if info, err := file.Stat(); err == nil && info.Mode().IsRegular() && info.Mode().Perm()&others != 0 {
		a.note("warning: --%s: other users may read %s (mode %04o); protect it with: chmod 600 %s",
			flag, file.Name(), info.Mode().Perm(), file.Name())
	}
}

// terminal reports whether the input is a terminal.
func terminal(in io.Reader) bool {
	file, ok := in.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

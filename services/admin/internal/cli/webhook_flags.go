package cli

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"fencepost.internal/services/admin/internal/listen"
	"fencepost.internal/services/admin/internal/operator"
	"fencepost.internal/shared/domain/webhook"
	"fencepost.internal/shared/kernel/apperr"
)

// Flags of webhook-listen.
const (
	flagAddr        = "addr"
	flagSecretFile  = "secret-file"
	flagSecretEnv   = "secret-env"
	flagPrintSecret = "print-secret"
	flagResponse    = "response"
	flagDelay       = "delay"
	flagFailFirst   = "fail-first"
	flagFormat      = "format"
)

// longestDelay is far longer than the service's timeout of 15 seconds.
const longestDelay = 10 * time.Minute

// listenFlags holds the flags as they were given.
type listenFlags struct {
	workspace, events, url string
	printSecret            bool
	secretFile, secretEnv  string
	addr, format           string
	plan                   listen.Plan
}

func (in *listenFlags) flags(cmd *cobra.Command) {
	flags := ordered(cmd)
	flags.StringVar(&in.workspace, operator.MemberWorkspace, "",
		"`ID` of the workspace to register a webhook for while the command runs")
	flags.StringVar(&in.events, operator.MemberEvents, webhook.AllEvents,
		"`EVENTS` of that webhook, comma separated, or * for all")
	flags.StringVar(&in.url, operator.MemberURL, "",
		"`URL` of that webhook, such as the URL of a tunnel (default: this listener)")
	flags.BoolVar(&in.printSecret, flagPrintSecret, false, "print the secret of that webhook")
	flags.StringVar(&in.secretFile, flagSecretFile, "",
		"`FILE` with the secret of an existing webhook; - reads standard input")
	flags.StringVar(&in.secretEnv, flagSecretEnv, "", "environment `VARIABLE` with the secret of an existing webhook")
	flags.StringVar(&in.addr, flagAddr, defaultListenAddr, "`HOST:PORT` to listen on; port 0 selects a free port")
	flags.IntVar(&in.plan.Status, flagResponse, 200,
		"response `STATUS` for genuine deliveries, such as 204, 410, 429 or 500")
	flags.DurationVar(&in.plan.Delay, flagDelay, 0,
		"`TIME` before the response, such as 2s; the service waits at most 15s")
	flags.IntVar(&in.plan.FailFirst, flagFailFirst, 0, "respond with 500 to the first `N` attempts of every event")
	flags.StringVar(&in.format, flagFormat, formatText,
		"output `FORMAT`: text, or json for one object per line (like --json)")
	complete(cmd, operator.MemberEvents, eventNames())
	complete(cmd, flagFormat, []string{formatText, formatJSON})
	complete(cmd, flagResponse, []string{"200", "204", "410", "429", "500", "503"})
	_ = cmd.MarkFlagFilename(flagSecretFile) // fails only for an undefined flag
}

// check returns every fault at once. The function given reports whether a flag was set.
func (in *listenFlags) check(given func(flag string) bool) error {
	var faults []apperr.Field
	add := func(flag, format string, args ...any) {
		faults = append(faults, apperr.Field{Pointer: flag, Message: fmt.Sprintf(format, args...)})
	}
	switch sources := in.sources(); {
	case len(sources) == 0:
		add(operator.MemberWorkspace,
			"is required, to register a webhook (see: admin workspace list); or give --%s or --%s, to listen for one "+
				"that exists", flagSecretFile, flagSecretEnv)
	case len(sources) > 1:
		add(sources[1], "cannot be given together with --%s; either a webhook is registered, or one secret is given",
			sources[0])
	case in.workspace == "":
		for _, flag := range []string{operator.MemberEvents, operator.MemberURL, flagPrintSecret} {
			if given(flag) {
				add(flag, "is valid only with --%s", operator.MemberWorkspace)
			}
		}
	default:
		faults = append(faults, in.newWebhook(in.reachedAt(defaultListenAddr)).Faults()...)
	}
	if _, port, err := net.SplitHostPort(in.addr); err != nil || port == "" {
		add(flagAddr, "%q is not HOST:PORT, such as %s", in.addr, defaultListenAddr)
	}
	if in.plan.Status < 200 || in.plan.Status > 599 {
		add(flagResponse, "%d is not a response status, 200 to 599", in.plan.Status)
	}
	if in.plan.Delay < 0 || in.plan.Delay > longestDelay {
		add(flagDelay, "%s is not between 0s and %s", in.plan.Delay, longestDelay)
	}
	if in.plan.FailFirst < 0 {
		add(flagFailFirst, "is less than 0")
	}
	if in.format != formatText && in.format != formatJSON {
		add(flagFormat, "%q is neither %s nor %s", in.format, formatText, formatJSON)
	}
	return apperr.Invalid(faults)
}

// sources returns the flags that name the source of the secret.
func (in *listenFlags) sources() []string {
	var given []string
	for _, flag := range []struct{ name, value string }{
		{operator.MemberWorkspace, in.workspace}, {flagSecretFile, in.secretFile}, {flagSecretEnv, in.secretEnv},
	} {
		if flag.value != "" {
			given = append(given, flag.name)
		}
	}
	return given
}

// secret reads the given secret. It returns "" if the command registers a webhook.
func (in *listenFlags) secret(a *app) (string, error) {
	if in.workspace != "" {
		return "", nil
	}
	flag, secret := flagSecretEnv, strings.TrimSpace(a.process.Environ[in.secretEnv])
	if in.secretFile != "" {
		var err error
		flag = flagSecretFile
		if secret, err = a.secret(flag, in.secretFile); err != nil {
			return "", err
		}
	} else if secret == "" {
		return "", wrong(flag, "names "+in.secretEnv+", which is not set or empty")
	}
	if !strings.HasPrefix(secret, webhook.SecretPrefix) {
		return "", wrong(flag, "is not the secret of a webhook, which begins with "+webhook.SecretPrefix)
	}
	return secret, nil
}

func (in *listenFlags) newWebhook(address string) operator.NewWebhook {
	return operator.NewWebhook{Workspace: in.workspace, URL: address, Events: in.events, Description: listenDescription}
}

// reachedAt returns the address at which the service reaches the listener. For a listener on all interfaces, that is
// loopback.
func (in *listenFlags) reachedAt(listening string) string {
	if in.url != "" {
		return in.url
	}
	host, port, err := net.SplitHostPort(listening)
	if ip, invalid := netip.ParseAddr(host); err == nil && invalid == nil && ip.IsUnspecified() {
		listening = net.JoinHostPort("127.0.0.1", port)
	}
	return (&url.URL{Scheme: "http", Host: listening, Path: "/"}).String()
}

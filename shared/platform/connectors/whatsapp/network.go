package whatsapp

import (
	"hash/fnv"
	"strconv"
	"strings"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/infra/config"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/graph"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
	"fencepost.internal/shared/platform/connectors/internal/oauth"
	"fencepost.internal/shared/platform/network"
)

// Environment locates the API.
type Environment struct {
	APIURL    string        `env:"WHATSAPP_API_URL" envDefault:"https://graph.facebook.com" format:"http-url" desc:"Base address of the Graph API for WhatsApp." example:"http://127.0.0.1:8090/whatsapp"`
	Version   string        `env:"WHATSAPP_VERSION" envDefault:"v26.0" desc:"Version of the Graph API; Meta ends each about two years after its release." example:"v26.0"`
	AppID     string        `env:"WHATSAPP_APP_ID" desc:"Id of the application registered at Meta, for which the tokens of WhatsApp numbers are generated." example:"123456789012345"`
	AppSecret config.Secret `env:"WHATSAPP_APP_SECRET" format:"secrets" desc:"Secret of that application, which proves the origin of its calls and of WhatsApp's reports; during its change, the new and the old one, separated by a comma. Without it, no reports are accepted." example:"from the developer portal"`
}

// Declare declares WhatsApp.
func Declare(e *Environment) network.Declaration {
	return network.Declaration{
		Network: channel.NetworkWhatsApp,
		Accounts: []network.Account{{
			Type: channel.WhatsAppBusiness, Title: "WhatsApp Business", About: "Numbers of your WhatsApp Business account.",
			Needs: "external id: the ID of the number. Access token: that of a system user of the business.",
		}},
		Tokens: network.Tokens{ //nolint:gosec // G101: texts about tokens
			NoRefreshToken: "is not used by WhatsApp, whose tokens of system users work until they are revoked",
			Sandbox:        sandboxAccount,
		},
		Versions: []network.Version{graph.Version("WHATSAPP_VERSION", e.Version)},
		Codes: []string{
			CodeTokenForm, CodeBusinessForm, CodeScope, CodeOtherApp, CodeNoNumber, CodeAddressRefused, CodePayment, CodePair,
			CodeRestricted, CodeTemplateMissing, CodeTemplateStopped, CodeTemplateValues, CodePIN, CodePINWait, CodeUnverified,
			CodeRegistration, graph.CodeAppAccess,
		},
		Receiver: Receiver{}, ReplyFiles: replyFiles(),
		UseSandbox: func(base string) {
			e.APIURL = base + "/whatsapp"
			network.Placeholder(&e.AppID, &e.AppSecret)
		},
		Links: func(w network.Wiring) ([]platform.Link, error) {
			secret, _, _ := strings.Cut(e.AppSecret.Reveal(), ",")
			c, err := New(Config{Wire: httpcall.At(e.APIURL, w), Version: e.Version, App: oauth.Application{ID: e.AppID, Secret: secret}})
			return []platform.Link{c}, err
		},
	}
}

// sandboxAccount returns the registered number of the business of the name.
func sandboxAccount(name string) network.SandboxAccount {
	account := network.PlainAccount(channel.NetworkWhatsApp, name)
	account.ID, account.Credentials.RefreshToken = sandboxID(2e15, "number "+name), "" //nolint:mnd // of numbers
	account.Credentials.Business = sandboxID(1e15, "account "+name)                    //nolint:mnd // of business accounts
	return account
}

// sandboxID returns an ID as the sandbox network makes it.
func sandboxID(floor int64, name string) string {
	const room = 10_000_000
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(name)) // never fails
	return strconv.FormatInt(floor+int64(hash.Sum64()%room), 10)
}

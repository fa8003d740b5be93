// Package connectors lists the networks that this build supports. A new network needs one line here.
package connectors

import (
	"cmp"
	"errors"
	"strings"
	"time"

	"socialpub.internal/shared/infra/config"
	"socialpub.internal/shared/kernel/clock"
	"socialpub.internal/shared/platform"
	"socialpub.internal/shared/platform/connectors/facebook"
	"socialpub.internal/shared/platform/connectors/googlebusiness"
	"socialpub.internal/shared/platform/connectors/instagram"
	"socialpub.internal/shared/platform/connectors/internal/httpcall"
	"socialpub.internal/shared/platform/connectors/linkedin"
	"socialpub.internal/shared/platform/connectors/pinterest"
	"socialpub.internal/shared/platform/connectors/telegram"
	"socialpub.internal/shared/platform/connectors/threads"
	"socialpub.internal/shared/platform/connectors/tiktok"
	"socialpub.internal/shared/platform/connectors/x"
	"socialpub.internal/shared/platform/connectors/youtube"
)

// Config describes the API of one network to its connector.
type Config = httpcall.Config

// New returns a registry with every link. CommitTimeout bounds the irrevocable call. If it is zero, each connector uses
// its own default.
func New(cfg config.Networks, clk clock.Clock, commitTimeout time.Duration) (*platform.Registry, error) {
	youTubeTokens := cfg.GoogleTokenURL
	if cfg.SandboxURL != "" {
		cfg = atSandbox(cfg)
		youTubeTokens = cfg.YouTubeAPIURL + "/token" // the sandbox has separate token endpoints per network
	}
	at := func(base string) Config {
		return Config{BaseURL: base, Clock: clk, CommitTimeout: commitTimeout}
	}
	li := linkedin.Config{
		Wire: at(cfg.LinkedInAPIURL), Version: cfg.LinkedInVersion,
		ClientID: cfg.LinkedInClientID, ClientSecret: cfg.LinkedInClientSecret.Reveal(),
	}
	var l links
	l.add(x.New(x.Config{Wire: at(cfg.XAPIURL), ClientID: cfg.XClientID, ClientSecret: cfg.XClientSecret.Reveal()}))
	l.add(threads.New(threads.Config{Wire: at(cfg.ThreadsAPIURL)}))
	l.add(telegram.New(telegram.Config{Wire: at(cfg.TelegramAPIURL)}))
	l.add(linkedin.NewProfile(li))
	l.add(linkedin.NewPage(li))
	l.add(facebook.New(facebook.Config{Wire: at(cfg.FacebookAPIURL), Version: cfg.FacebookVersion}))
	l.add(instagram.New(instagram.Config{Wire: at(cfg.InstagramAPIURL), Version: cfg.InstagramVersion}))
	l.add(googlebusiness.New(googlebusiness.Config{
		Wire: at(cfg.GoogleBusinessAPIURL), PerformanceURL: cfg.GooglePerformanceURL, TokenURL: cfg.GoogleTokenURL,
		ClientID: cfg.GoogleClientID, ClientSecret: cfg.GoogleClientSecret.Reveal(),
	}))
	l.add(youtube.New(youtube.Config{
		Wire: at(cfg.YouTubeAPIURL), AnalyticsURL: cfg.YouTubeAnalyticsURL, TokenURL: youTubeTokens,
		ClientID: cfg.GoogleClientID, ClientSecret: cfg.GoogleClientSecret.Reveal(),
	}))
	l.add(pinterest.New(pinterest.Config{Wire: at(cfg.PinterestAPIURL), AppID: cfg.PinterestAppID, AppSecret: cfg.PinterestAppSecret.Reveal()}))
	l.add(tiktok.NewPersonal(tiktok.PersonalConfig{
		Wire: at(cfg.TikTokAPIURL), ClientKey: cfg.TikTokClientKey, ClientSecret: cfg.TikTokClientSecret.Reveal(),
	}))
	l.add(tiktok.NewBusiness(tiktok.BusinessConfig{
		Wire: at(cfg.TikTokBusinessAPIURL), AppID: cfg.TikTokBusinessAppID, Secret: cfg.TikTokBusinessSecret.Reveal(),
	}))
	if err := errors.Join(l.errs...); err != nil {
		return nil, err
	}
	return platform.NewRegistry(l.made...)
}

// links collects the created links and the errors.
type links struct {
	made []platform.Link
	errs []error
}

func (l *links) add(link platform.Link, err error) {
	l.made, l.errs = append(l.made, link), append(l.errs, err)
}

// atSandbox points every link at the sandbox network, each with its own prefix. It sets placeholders for missing
// application credentials, because the sandbox accepts any.
func atSandbox(cfg config.Networks) config.Networks {
	base := strings.TrimRight(cfg.SandboxURL, "/")
	for prefix, address := range map[string]*string{
		"/x": &cfg.XAPIURL, "/threads": &cfg.ThreadsAPIURL, "/telegram": &cfg.TelegramAPIURL, "/linkedin": &cfg.LinkedInAPIURL,
		"/facebook": &cfg.FacebookAPIURL, "/instagram": &cfg.InstagramAPIURL,
		"/googlebusiness": &cfg.GoogleBusinessAPIURL, "/googlebusiness/token": &cfg.GoogleTokenURL,
		"/googlebusiness/performance": &cfg.GooglePerformanceURL, "/youtube": &cfg.YouTubeAPIURL, "/youtube/analytics": &cfg.YouTubeAnalyticsURL,
		"/pinterest": &cfg.PinterestAPIURL, "/tiktok": &cfg.TikTokAPIURL, "/tiktok-business": &cfg.TikTokBusinessAPIURL,
	} {
		*address = base + prefix
	}
	for _, id := range []*string{
		&cfg.XClientID, &cfg.LinkedInClientID, &cfg.GoogleClientID, &cfg.PinterestAppID, &cfg.TikTokClientKey, &cfg.TikTokBusinessAppID,
	} {
		*id = cmp.Or(*id, "sandbox-client")
	}
	for _, secret := range []*config.Secret{
		&cfg.XClientSecret, &cfg.LinkedInClientSecret, &cfg.GoogleClientSecret, &cfg.PinterestAppSecret, &cfg.TikTokClientSecret,
		&cfg.TikTokBusinessSecret,
	} {
		if secret.Reveal() == "" {
			*secret = config.NewSecret("sandbox-secret")
		}
	}
	return cfg
}

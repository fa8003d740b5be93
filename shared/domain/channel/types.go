package channel

import (
	"slices"
	"strings"
)

// Type is a kind of account. Clients treat unknown types as a generic channel.
type Type string

// Channel types (docs/contract.md, Channel types).
const (
	FacebookPage          Type = "FACEBOOK_PAGE"
	FacebookGroup         Type = "FACEBOOK_GROUP"
	InstagramProfessional Type = "INSTAGRAM_PROFESSIONAL"
	InstagramPersonal     Type = "INSTAGRAM_PERSONAL"
	Twitter               Type = "TWITTER"
	LinkedInProfile       Type = "LINKEDIN_PROFILE"
	LinkedInPage          Type = "LINKEDIN_PAGE"
	TikTokPersonal        Type = "TIKTOK_PERSONAL"
	TikTokBusiness        Type = "TIKTOK_BUSINESS"
	YouTube               Type = "YOUTUBE"
	Pinterest             Type = "PINTEREST"
	GoogleBusiness        Type = "GOOGLE_BUSINESS"
	Threads               Type = "THREADS"
	TelegramChannel       Type = "TELEGRAM_CHANNEL"
	TelegramBusiness      Type = "TELEGRAM_BUSINESS"
	WhatsAppBusiness      Type = "WHATSAPP_BUSINESS"
)

// Channel types that were added later.
const (
	Bluesky  Type = "BLUESKY"
	Mastodon Type = "MASTODON"
)

// Network is the platform of a type; queues, base URLs and outages are per network.
type Network string

// Networks, by the names used in queues, metrics and URLs.
const (
	NetworkFacebook       Network = "facebook"
	NetworkInstagram      Network = "instagram"
	NetworkX              Network = "x"
	NetworkLinkedIn       Network = "linkedin"
	NetworkTikTok         Network = "tiktok"
	NetworkYouTube        Network = "youtube"
	NetworkPinterest      Network = "pinterest"
	NetworkGoogleBusiness Network = "googlebusiness"
	NetworkThreads        Network = "threads"
	NetworkTelegram       Network = "telegram"
	NetworkWhatsApp       Network = "whatsapp"
	NetworkBluesky        Network = "bluesky"
	NetworkMastodon       Network = "mastodon"
)

// NetworkTest is the network of test channels of every type. It has no address (docs/contract.md, Test mode).
const NetworkTest Network = "test"

// Name returns the network's display name, or the identifier if this build does not know the network.
func (n Network) Name() string {
	switch n {
	case NetworkFacebook:
		return "Facebook"
	case NetworkInstagram:
		return "Instagram"
	case NetworkX:
		return "X"
	case NetworkLinkedIn:
		return "LinkedIn"
	case NetworkTikTok:
		return "TikTok"
	case NetworkYouTube:
		return "YouTube"
	case NetworkPinterest:
		return "Pinterest"
	case NetworkGoogleBusiness:
		return "Google Business"
	case NetworkThreads:
		return "Threads"
	case NetworkTelegram:
		return "Telegram"
	case NetworkWhatsApp:
		return "WhatsApp"
	case NetworkBluesky:
		return "Bluesky"
	case NetworkMastodon:
		return "Mastodon"
	case NetworkTest:
		return "Test network"
	default:
		return string(n)
	}
}

// NetworkAt returns the network whose profiles are at the host; empty if it is none. Of a network of many servers, only the largest one is known.
func NetworkAt(host string) Network {
	host = strings.TrimPrefix(strings.TrimPrefix(strings.ToLower(host), "www."), "m.")
	return map[string]Network{
		"facebook.com": NetworkFacebook, "fb.com": NetworkFacebook, "instagram.com": NetworkInstagram, "x.com": NetworkX, "twitter.com": NetworkX,
		"linkedin.com": NetworkLinkedIn, "tiktok.com": NetworkTikTok, "youtube.com": NetworkYouTube, "youtu.be": NetworkYouTube,
		"pinterest.com": NetworkPinterest, "threads.com": NetworkThreads, "threads.net": NetworkThreads, "t.me": NetworkTelegram,
		"wa.me": NetworkWhatsApp, "bsky.app": NetworkBluesky, "mastodon.social": NetworkMastodon,
	}[host]
}

// Capabilities holds the boolean flags of a channel (docs/contract.md, Capabilities).
type Capabilities struct {
	Publish            bool
	Analytics          bool
	EditAfterPublish   bool
	DeleteAfterPublish bool
}

type typeInfo struct {
	network      Network
	capabilities Capabilities
}

func infoOf(t Type) typeInfo {
	full := Capabilities{Publish: true, Analytics: true}
	none := Capabilities{}
	switch t {
	case FacebookPage:
		return typeInfo{NetworkFacebook, full}
	case FacebookGroup:
		return typeInfo{NetworkFacebook, none} // no publishing API since April 2024
	case InstagramProfessional:
		return typeInfo{NetworkInstagram, full}
	case InstagramPersonal:
		return typeInfo{NetworkInstagram, none} // no publishing API
	case Twitter:
		return typeInfo{NetworkX, full}
	case LinkedInProfile:
		// LinkedIn reports figures of members only to an application that cannot sign members in: its products for the two
		// exclude each other.
		return typeInfo{NetworkLinkedIn, Capabilities{Publish: true}}
	case LinkedInPage:
		return typeInfo{NetworkLinkedIn, full}
	case TikTokPersonal, TikTokBusiness:
		return typeInfo{NetworkTikTok, full}
	case YouTube:
		return typeInfo{NetworkYouTube, full}
	case Pinterest:
		return typeInfo{NetworkPinterest, full}
	case GoogleBusiness:
		return typeInfo{NetworkGoogleBusiness, full}
	case Threads:
		return typeInfo{NetworkThreads, full}
	case TelegramChannel:
		return typeInfo{
			NetworkTelegram, Capabilities{Publish: true, Analytics: true, EditAfterPublish: true, DeleteAfterPublish: true},
		}
	case TelegramBusiness:
		return typeInfo{NetworkTelegram, Capabilities{Analytics: true}} // inbox only
	case WhatsAppBusiness:
		return typeInfo{NetworkWhatsApp, none} // inbox only
	case Bluesky:
		return typeInfo{NetworkBluesky, full}
	case Mastodon:
		return typeInfo{NetworkMastodon, full}
	default:
		return typeInfo{}
	}
}

// Types lists every known type in the published order.
func Types() []Type {
	return []Type{
		FacebookPage, FacebookGroup, InstagramProfessional, InstagramPersonal, Twitter, LinkedInProfile, LinkedInPage,
		TikTokPersonal, TikTokBusiness, YouTube, Pinterest, GoogleBusiness, Threads,
		TelegramChannel, TelegramBusiness, WhatsAppBusiness, Bluesky, Mastodon,
	}
}

// Known reports whether this build knows the type.
func (t Type) Known() bool { return slices.Contains(Types(), t) }

// Name returns the type in words, which differ between the types of a network.
func (t Type) Name() string {
	switch t { //nolint:exhaustive // the others are the usual type of their network
	case FacebookPage:
		return "Facebook Page"
	case FacebookGroup:
		return "Facebook group"
	case InstagramPersonal:
		return "Instagram, personal"
	case LinkedInProfile:
		return "LinkedIn profile"
	case LinkedInPage:
		return "LinkedIn page"
	case TikTokBusiness:
		return "TikTok Business"
	case TelegramBusiness:
		return "Telegram Business"
	default:
		return t.Network().Name()
	}
}

// Network returns the network of the type, or "" if this build does not know the type.
func (t Type) Network() Network {
	return infoOf(t).network
}

// Capabilities returns the flags of the type; all are false if this build does not know the type.
func (t Type) Capabilities() Capabilities {
	return infoOf(t).capabilities
}

package options

import (
	"regexp"
	"strconv"
	"strings"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/presentation"
)

// wording holds the words of an option.
type wording struct {
	Label, Hint string
	Words       []word // of the values, in their order
	// Default is the value that the network takes without one. It is chosen until another one is.
	Default string
	None    string // says that nothing is chosen
	// Off is a switch that says no as long as it is off. Others say nothing, so that the account's setting applies.
	Off bool
	// Plain is a switch whose option is set only if it is on.
	Plain bool
	// Kept is an option that only posts that have it show: another way is offered.
	Kept bool
	// For are the topics of Google's posts with the field. Empty: all.
	For []string
}

// word is a value and what people read.
type word struct{ Value, Text string }

// wordingOf returns the wording of an option of a network.
func wordingOf(network channel.Network, name string) wording {
	switch network { //nolint:exhaustive // the others share the common ones
	case channel.NetworkYouTube:
		if w, ok := youtube()[name]; ok {
			return w
		}
	case channel.NetworkTikTok:
		if w, ok := tiktok()[name]; ok {
			return w
		}
	case channel.NetworkGoogleBusiness:
		return google()[name]
	case channel.NetworkMastodon:
		if w, ok := mastodon()[name]; ok {
			return w
		}
	case channel.NetworkPinterest:
		if name == "link" {
			return wording{Label: "Link", Hint: "The page that the pin leads to."}
		}
	case channel.NetworkFacebook, channel.NetworkThreads:
		if name == "link" {
			return wording{
				Label: "Link of the card", Hint: "Only in posts without media. Otherwise the first link of the text counts.",
			}
		}
	}
	if w, ok := common()[name]; ok {
		return w
	}
	return shared()[name]
}

// shared has the options that several networks have in the same words.
func shared() map[string]wording {
	const day = 1_440 // minutes
	return map[string]wording{
		"replies": {
			Label: "Who may reply", Default: "everyone",
			Words: []word{
				{"everyone", "Everyone"},
				{"following", "Accounts you follow"},
				{"followers", "Followers"},
				{"mentioned", "Mentioned accounts"},
				{"subscribers", "Subscribers"},
				{"verified", "Verified accounts"},
				{"none", "Only you"},
			},
		},
		"sensitive": {Label: "Hide the media", Plain: true, Hint: "Readers open the pictures and videos to see them."},
		"language":  {Label: "Language", Hint: "A tag such as en or pt-BR. Without it, the network decides."},
		"contentLabel": {
			Label: "Label of the media", None: "No label",
			Words: []word{
				{"sexual", "Suggestive"},
				{"nudity", "Nudity"},
				{"porn", "Adult content"},
				{"graphic-media", "Graphic media"},
			},
		},
		"pollOptions":  {Label: "Answers of a poll", Hint: "One answer on each line. A poll has no media."},
		"pollQuestion": {Label: "Question of the poll"},
		"pollMultiple": {Label: "Several answers", Plain: true, Hint: "Readers may choose more than one."},
		"pollMinutes": {
			Label: "The poll is open for", Default: strconv.Itoa(day),
			Words: []word{
				{strconv.Itoa(day / 24), "1 hour"},
				{strconv.Itoa(day / 4), "6 hours"},
				{strconv.Itoa(day), "1 day"},
				{strconv.Itoa(3 * day), "3 days"},
				{strconv.Itoa(7 * day), "1 week"},
				{strconv.Itoa(14 * day), "2 weeks"},
			},
		},
		"collaborators": {Label: "Collaborators", Hint: "User names, one on each line. They are invited as authors."},
		"userTags":      {Label: "Tagged accounts", Hint: "User names, one on each line. They are tagged in the first file."},
		"locationId":    {Label: "Place", Hint: "The ID of the Facebook Page of the place."},
		"trialReel": {
			Label: "Trial reel", None: "No trial",
			Words: []word{{"manual", "Share with followers by hand"}, {"automatic", "Share with followers if it does well"}},
			Hint:  "People who do not follow you see the reel first.",
		},
		"tags":         {Label: "Tags", Hint: "One on each line."},
		"quote":        {Label: "Quote a post", Hint: "The address of the post."},
		"topicTag":     {Label: "Topic", Hint: "Without #. Replaces the first hashtag."},
		"aiGenerated":  {Label: "AI-generated", Plain: true, Hint: "The post gets the label."},
		"brandContent": {Label: "Paid partnership", Plain: true, Hint: "The post gets the label."},
		"linkPreview": {
			Label: "Preview of a link", Default: "below",
			Words: []word{{"below", "Below the text"}, {"above", "Above the text"}, {"none", "No preview"}},
		},
		"silent":    {Label: "Without a sound", Plain: true, Hint: "Subscribers see the notification, but do not hear it."},
		"protected": {Label: "Protect the content", Plain: true, Hint: "Subscribers cannot forward or save the post."},
	}
}

func mastodon() map[string]wording {
	return map[string]wording{
		"visibility": {
			Label: "Who sees the post", Default: "public",
			Words: []word{{"public", "Everyone"}, {"unlisted", "Everyone, but not in public lists"}, {"private", "Followers"}},
		},
		"contentWarning": {Label: "Content warning", Hint: "Shown instead of the post until a reader opens it."},
	}
}

func common() map[string]wording {
	return map[string]wording{
		"visibility": {
			Label: "Who sees the post", Default: "PUBLIC",
			Words: []word{{"PUBLIC", "Anyone"}, {"CONNECTIONS", "Connections only"}},
		},
		"link": {
			Label: "Link of the card",
			Hint:  "Shows the post as a card of this link, with the post's title and its picture.",
		},
		"longText": {Label: "Allow a long text", Hint: "Readers open it to see all of it.", Plain: true},
		"boardId": {
			Label: "Board", None: "Choose a board",
		},
		"boardSectionId": {Label: "Section", None: "No section"},
		"altText": {
			Label: "Alternative text of the pin",
			Hint:  "Replaces the text of the first attachment.",
		},
		"coverUrl": {
			Label: "Address of the cover", Hint: "A picture for the grid. Leave it empty to choose another cover.", Kept: true,
		},
		"thumbOffset": {Label: "Cover from the second", Hint: "For example 4.5. A picture attached beside the video replaces the frame."},
		"shareToFeed": {
			Label: "In the feed too", None: "As the account has it",
			Words: []word{{yes, "Show in the feed"}, {no, "Only among reels"}},
		},
	}
}

func youtube() map[string]wording {
	return map[string]wording{
		"videoType": {
			Label: "Kind of video", Default: "video", Words: []word{{"video", "Video"}, {"short", "Short"}},
			Hint: "YouTube decides by the file: upright or square, up to 3 minutes, is a Short.",
		},
		"visibility": {
			Label: "Who may watch", Default: "public",
			Words: []word{{"public", "Everyone"}, {"unlisted", "People with the link"}, {"private", "Only you"}},
		},
		"madeForKids": {
			Label: "Audience", None: "As the channel has it",
			Words: []word{{yes, "Made for children"}, {no, "Not made for children"}},
			Hint:  "YouTube asks every creator. Comments and notifications are off for children's videos.",
		},
		"category": {Label: "Category", None: "As the channel has it", Words: categories()},
		"license": {
			Label: "Licence", Default: "youtube",
			Words: []word{{"youtube", "Standard licence of YouTube"}, {"creativeCommon", "Creative Commons, with attribution"}},
		},
		"notifySubscribers": {
			Label: "Subscribers", None: "As the channel has it",
			Words: []word{{yes, "Notify them"}, {no, "Do not notify them"}},
		},
		"allowEmbedding": {
			Label: "Other sites", None: "As the channel has it",
			Words: []word{{yes, "May embed the video"}, {no, "May not embed the video"}},
		},
	}
}

// categories returns the categories that YouTube assigns (youtube/v3/docs/videoCategories).
func categories() []word {
	return []word{
		{"2", "Autos and vehicles"},
		{"23", "Comedy"},
		{"27", "Education"},
		{"24", "Entertainment"},
		{"1", "Movies and animation"},
		{"20", "Gaming"},
		{"26", "How-to and style"},
		{"10", "Music"},
		{"25", "News and politics"},
		{"29", "Nonprofits and activism"},
		{"22", "People and blogs"},
		{"15", "Pets and animals"},
		{"28", "Science and technology"},
		{"17", "Sports"},
		{"19", "Travel and events"},
	}
}

func tiktok() map[string]wording {
	return map[string]wording{
		"privacy": {
			Label: "Who may watch", None: "Choose who may watch",
			Words: []word{
				{platform.PrivacyPublic, "Everyone"},
				{platform.PrivacyFriends, "Friends who follow back"},
				{platform.PrivacyFollowers, "Followers"},
				{platform.PrivacySelf, "Only you"},
			},
		},
		"allowComments": {Label: "Comments", Off: true},
		"allowDuet":     {Label: "Duets", Off: true},
		"allowStitch":   {Label: "Stitches", Off: true},
		"thumbOffset":   {Label: "Cover from the second", Hint: "For example 4.5. Without it, the first frame is the cover."},
		"brandOrganic": {
			Label: "Your brand", Plain: true,
			Hint: "You promote yourself or your own business. The post gets the label “Promotional content”.",
		},
		"brandContent": {
			Label: "Branded content", Plain: true,
			Hint: "You promote another brand for a reward. The post gets the label “Paid partnership”. It cannot be private.",
		},
		"uploadToDraft": {
			Label: "Send as a draft", Plain: true,
			Hint: "The creator finishes the post in the TikTok app. The settings above are chosen there.",
		},
	}
}

func google() map[string]wording {
	buttons := []word{}
	for _, action := range []string{"BOOK", "ORDER", "SHOP", "LEARN_MORE", "SIGN_UP", "CALL"} {
		buttons = append(buttons, word{action, presentation.Button(action)})
	}
	dated, offer := []string{"EVENT", "OFFER"}, []string{"OFFER"}
	return map[string]wording{
		"topicType": {
			Label: "Kind of post", Default: "STANDARD",
			Words: []word{{"STANDARD", "Update"}, {"EVENT", "Event"}, {"OFFER", "Offer"}},
		},
		"callToAction": {Label: "Button", None: "No button", Words: buttons, For: []string{"STANDARD", "EVENT"}},
		"actionUrl":    {Label: "Link of the button", Hint: "“Call now” needs none.", For: []string{"STANDARD", "EVENT"}},
		"eventTitle":   {Label: "Title", For: dated},
		"eventStart":   {Label: "Starts", Hint: "By the clock of the location. Without a time: the whole day.", For: dated},
		"eventEnd":     {Label: "Ends", For: dated},
		"couponCode":   {Label: "Coupon code", For: offer},
		"redeemUrl":    {Label: "Link to redeem it", For: offer},
		"terms":        {Label: "Terms", For: offer},
	}
}

// wordPattern matches the names and the values of options in messages, and other words.
var wordPattern = regexp.MustCompile(`[A-Za-z_]+`)

// withText replaces the names of options and their values in a message by what people read. A name that is also an English
// word is replaced at the beginning only.
func withText(network channel.Network, names []string, message string) string {
	read := make(map[string]string)
	for _, name := range names {
		w := wordingOf(network, name)
		read[name] = "“" + w.Label + "”"
		for _, one := range w.Words {
			if one.Value == strings.ToUpper(one.Value) {
				read[one.Value] = "“" + one.Text + "”"
			}
		}
	}
	first := true
	return wordPattern.ReplaceAllStringFunc(message, func(found string) string {
		text, known := read[found]
		english := found == strings.ToLower(found)
		if known && (first || !english) {
			found = text
		}
		first = false
		return found
	})
}

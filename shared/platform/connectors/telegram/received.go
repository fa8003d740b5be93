package telegram

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"

	"fencepost.internal/shared/domain/inbox"
	"fencepost.internal/shared/kernel/plaintext"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

// received is a message of a private chat (https://core.telegram.org/bots/api#message).
type received struct {
	ID         int64  `json:"message_id"`
	Connection string `json:"business_connection_id"`
	Chat       party  `json:"chat"`
	From       *party `json:"from"`
	Date       int64  `json:"date"`
	EditDate   int64  `json:"edit_date"`
	Text       string `json:"text"`
	Caption    string `json:"caption"`
	ReplyTo    *struct {
		ID int64 `json:"message_id"`
	} `json:"reply_to_message"`

	Photo     []receivedFile `json:"photo"` // the sizes of one picture
	Animation *receivedFile  `json:"animation"`
	Document  *receivedFile  `json:"document"`
	Video     *receivedFile  `json:"video"`
	Audio     *receivedFile  `json:"audio"`
	Voice     *receivedFile  `json:"voice"`
	VideoNote *receivedFile  `json:"video_note"`
	Sticker   *receivedFile  `json:"sticker"`
}

// receivedFile is a file of a message.
type receivedFile struct {
	Reference string `json:"file_id"`
	Name      string `json:"file_name"`
	Type      string `json:"mime_type"`
	Size      int64  `json:"file_size"`
	Width     int64  `json:"width"`
	Height    int64  `json:"height"`

	Animated bool `json:"is_animated"` // a sticker of vectors
	Video    bool `json:"is_video"`    // a sticker that is a video
}

func (m received) written(update []byte, kind string, version int64) (*inbox.Written, error) {
	sent, dated := dateOf(m.Date)
	switch {
	case !httpcall.Token(m.Connection):
		return nil, errConnection
	case m.Chat.ID == 0:
		return nil, errChat
	case m.From == nil || m.From.ID == 0:
		return nil, errSender
	case m.ID <= 0 || !dated:
		return nil, errMessage
	}
	w := &inbox.Written{
		Connection: m.Connection, Thread: strconv.FormatInt(m.Chat.ID, 10), ExternalID: m.Chat.message(m.ID),
		Direction: inbox.Out, Person: m.Chat.identity(), Text: plaintext.Normalize(cmp.Or(m.Text, m.Caption)),
		SentAt: sent, Version: version, Files: m.files(),
	}
	if m.From.ID == m.Chat.ID {
		w.Direction = inbox.In
	}
	if m.ReplyTo != nil && m.ReplyTo.ID > 0 {
		w.ReplyTo = m.Chat.message(m.ReplyTo.ID)
	}
	if kind == kindEdited {
		if w.EditedAt, dated = dateOf(m.EditDate); !dated {
			return nil, errMessage
		}
	}
	if w.Text == "" && len(w.Files) == 0 {
		w.Unsupported = unsupported(update, kind)
	}
	return w, nil
}

// files returns the files that the network returns. An animation is also a document, for older programs.
func (m received) files() []inbox.File {
	var files []inbox.File
	add := func(a *receivedFile, name, contentType string) {
		if a == nil || !httpcall.Token(a.Reference) {
			return
		}
		files = append(files, inbox.File{
			Reference: a.Reference, Name: cmp.Or(httpcall.Text(a.Name, longestName), name),
			Type: cmp.Or(httpcall.Text(a.Type, longestName), contentType), Size: max(a.Size, 0),
		})
	}
	if len(m.Photo) > 0 {
		largest := slices.MaxFunc(m.Photo, func(a, b receivedFile) int { return cmp.Compare(a.area(), b.area()) })
		add(&largest, "photo.jpg", "image/jpeg")
	}
	if m.Animation == nil {
		add(m.Document, "document", "application/octet-stream")
	}
	add(m.Animation, "animation.mp4", "video/mp4")
	add(m.Video, "video.mp4", "video/mp4")
	add(m.Audio, "audio", "audio/mpeg")
	add(m.Voice, "voice.ogg", "audio/ogg")
	add(m.VideoNote, "video.mp4", "video/mp4")
	switch s := m.Sticker; {
	case s == nil:
	case s.Animated:
		add(s, "sticker.tgs", "application/x-tgsticker")
	case s.Video:
		add(s, "sticker.webm", "video/webm")
	default:
		add(s, "sticker.webp", "image/webp")
	}
	return files
}

// area orders the sizes of a picture, as a float, which does not overflow.
func (a receivedFile) area() float64 { return float64(a.Width) * float64(a.Height) }

// unsupported describes a message without text and files. A place also has the location of its map.
func unsupported(update []byte, kind string) string {
	var members map[string]json.RawMessage
	var message map[string]json.RawMessage
	if json.Unmarshal(update, &members) != nil || json.Unmarshal(members[kind], &message) != nil {
		return someMessage
	}
	for _, known := range [][2]string{
		{"venue", "a place"},
		{"location", "a location"},
		{"contact", "a contact"},
		{"poll", "a poll"},
		{"dice", "a die"},
		{"game", "a game"},
		{"story", "a story"},
		{"paid_media", "paid media"},
		{"checklist", "a checklist"},
		{"invoice", "an invoice"},
		{"gift", "a gift"},
		{"unique_gift", "a gift"},
		{"giveaway", "a giveaway"},
	} {
		if _, has := message[known[0]]; has {
			return known[1]
		}
	}
	return someMessage
}

const someMessage = "a message of another kind"

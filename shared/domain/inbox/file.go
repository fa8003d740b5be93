package inbox

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf16"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/workspace"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/kernel/plaintext"
)

// FileState is the state of a file of a message.
type FileState string

// The states of a file.
const (
	Waiting FileState = "WAITING" // it is being loaded from the network
	Ready   FileState = "READY"
	Refused FileState = "REFUSED" // it is not stored, because it could do harm
	Expired FileState = "EXPIRED" // it could not be loaded in FileLife
)

const (
	// FileLife is the time for which a file of a message is loaded again. WhatsApp keeps files for as long.
	FileLife = 7 * 24 * time.Hour
	// fileFirst and fileLongest are the shortest and the longest pause between two tries.
	fileFirst   = 5 * time.Second
	fileLongest = 10 * time.Minute
)

// FilePause returns the pause after a number of failed tries to load a file.
func FilePause(tries int) time.Duration {
	const doublings = 7 // reach the longest pause
	return min(fileFirst<<min(tries, doublings), fileLongest)
}

// MessageFile is a file of a message.
type MessageFile struct {
	N             int
	Name          string
	Type          string // content type, of the bytes once it is Ready
	Size          int64  // zero: unknown
	Width, Height int    // zero: unknown
	State         FileState
	Fault         string       // why it is not Ready, in a sentence
	MediaID       ident.Media  // of an answer; zero once the asset is deleted
	Object        media.Object // zero for an answer, and until it is Ready
	Thumbnail     media.Object // zero: there is none
}

// Is reports whether browsers show the file as a kind of media: image, video or audio.
func (f MessageFile) Is(kind string) bool {
	return f.State == Ready && strings.HasPrefix(f.Type, kind+"/")
}

// ReplyFiles describes the files that a network takes in answers. The zero ReplyFiles takes none.
type ReplyFiles struct {
	Caption int // the greatest number of UTF-16 units of a text with a file
	Kinds   []FileKind
}

// FileKind describes files that a network takes.
type FileKind struct {
	Types []string // content types; nil: all
	Most  int64    // bytes
	Words string   // such as "pictures as JPEG or PNG"
}

// Draft is an answer or a note as a person has written it.
type Draft struct {
	Direction Direction
	Text      string
	Files     []media.Asset
	Takes     ReplyFiles // of the network
	Limit     Limit      // of answers of the network
}

// Compose returns the text of an answer or a note as it is stored; VALIDATION_FAILED with what is wrong.
func (d Draft) Compose(t channel.Type) (string, error) {
	text, limit := strings.TrimSpace(plaintext.Normalize(d.Text)), d.Limit
	if d.Direction == Note {
		limit = Limit{Max: LongestNote}
	}
	length := len([]rune(text))
	if limit.Length != nil {
		length = limit.Length(text)
	}
	pointer, fault := "/text", ""
	switch units := len(utf16.Encode([]rune(text))); {
	case len(d.Files) > 0:
		if pointer, fault = "/file", d.fileFault(t); fault == "" && units > d.Takes.Caption {
			pointer, fault = "/text", fmt.Sprintf("%s takes up to %d characters with a file. These are %d. Shorten the text, or send it "+
				"without the file.", t.Network().Name(), d.Takes.Caption, units)
		}
	case text == "":
		fault = "Write something first."
	case length > limit.Max:
		fault = fmt.Sprintf("The text has %d characters, %d more than possible. Shorten it.", length, length-limit.Max)
	case limit.Bytes > 0 && len(text) > limit.Bytes:
		fault = fmt.Sprintf("The text has %d bytes, %d more than possible. Shorten it.", len(text), len(text)-limit.Bytes)
	}
	if fault == "" {
		return text, nil
	}
	return text, apperr.Invalid([]apperr.Field{{Pointer: pointer, Message: fault}})
}

// fileFault returns why the files cannot be sent; empty: they can.
func (d Draft) fileFault(t channel.Type) string {
	network, f := t.Network().Name(), d.Files[0]
	at := slices.IndexFunc(d.Takes.Kinds, func(k FileKind) bool { return k.Types == nil || slices.Contains(k.Types, f.ContentType) })
	switch {
	case d.Direction == Note:
		return "A note has no files. Send the file as an answer, or write the note without it."
	case len(d.Files) > 1:
		return "Send one file per answer."
	case f.Problem != "":
		return fmt.Sprintf("%q cannot be opened, so it cannot be sent. Choose another file.", f.Name)
	case at < 0:
		words := make([]string, len(d.Takes.Kinds))
		for i, k := range d.Takes.Kinds {
			words[i] = k.Words
		}
		return fmt.Sprintf("%s does not take %q. It takes %s.", network, f.Name, cmp.Or(strings.Join(words, ", "), "no files"))
	case cmp.Or(f.Files.Published.Size, f.Size) > d.Takes.Kinds[at].Most:
		return fmt.Sprintf("%q is too large: %s takes %s up to %s.", f.Name, network, d.Takes.Kinds[at].Words,
			workspace.Bytes(d.Takes.Kinds[at].Most))
	default:
		return ""
	}
}

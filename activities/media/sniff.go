package media

import (
	"errors"
	"io"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/kernel/apperr"
)

// found is a file of a supported type.
type found struct {
	kind        media.Type
	contentType string
	content     io.Reader // the whole file
	spool       *spool    // of the file if it had to be read to its end; nil otherwise
}

func (f found) close() {
	if f.spool != nil {
		_ = f.spool.Close()
	}
}

var errUnsupported = errors.New("media: the file has no supported type")

// sniff determines the type of a file that starts with head. It refuses files of other types. An archive is copied to
// a temporary file first, because the names of its parts are at its end.
func (w *Importer) sniff(head []byte, content io.Reader) (found, error) {
	if len(head) == 0 {
		return found{}, &refusal{code: apperr.ImportFailed, text: "The URL returned an empty file."}
	}
	file := found{content: content}
	var ok bool
	file.kind, file.contentType, ok = media.Sniff(head)
	if media.NeedsFile(head) {
		var err error
		if file.spool, err = newSpool(w.Folder); err != nil {
			return found{}, err
		}
		file.content = file.spool
		if err = file.spool.fill(content); err == nil {
			file.kind, file.contentType, ok, err = media.SniffFile(file.spool, file.spool.size)
		}
		if err != nil {
			file.close()
			return found{}, err
		}
	}
	if !ok {
		file.close()
		return found{}, &refusal{
			code:  apperr.ImportFailed,
			text:  "The URL returned a file of an unsupported type. The supported types are " + media.Formats + ".",
			cause: errUnsupported,
		}
	}
	return file, nil
}

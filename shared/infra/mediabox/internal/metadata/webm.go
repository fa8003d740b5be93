package metadata

import "math/bits"

// The WebM elements (RFC 9559) that this package distinguishes, by ID.
const (
	ebmlHeader = 0x1A45DFA3
	ebmlVoid   = 0xEC

	webmSegment = 0x18538067
	webmSeeks   = 0x114D9B74
	webmInfo    = 0x1549A966
	webmTracks  = 0x1654AE6B
	webmCues    = 0x1C53BB6B
	webmCluster = 0x1F43B675

	webmSeek        = 0x4DBB
	webmSeekID      = 0x53AB
	webmTrackEntry  = 0xAE
	webmMuxingApp   = 0x4D80
	webmWritingApp  = 0x5741
	webmTimeScale   = 0x2AD7B1
	webmDuration    = 0x4489
	webmChapters    = 0x1043A770
	webmTags        = 0x1254C367
	webmAttachments = 0x1941A469
)

// unknownEnd is the end of an element of unknown size, as in a live recording.
const unknownEnd = -1

// element is a part of a WebM file (RFC 8794).
type element struct {
	id               uint64
	start, body, end int64 // end is unknownEnd if the size is unknown
}

// webm walks through such a file. Elements not known to be needed become empty space of the same length.
type webm struct {
	*walker
	edits
	steps    int
	clusters int
	tracks   int
	cut      bool // the video ends with the file, and early
}

// scanWebM copies a WebM file without tags, attachments, chapters, titles, names, dates and program names. Bytes after
// the video are cut.
func scanWebM(clean *Clean, file *walker) error {
	const longestHeader = 4096
	w := &webm{walker: file}
	header, err := w.next(w.size)
	if err != nil {
		return err
	}
	if header.id != ebmlHeader || header.end == unknownEnd || header.end > longestHeader {
		return broken(0, "no WebM")
	}
	w.at = header.end
	segment, err := w.next(w.size)
	for err == nil && segment.id == ebmlVoid && segment.end != unknownEnd {
		w.erase(segment)
		w.at = segment.end
		segment, err = w.next(w.size)
	}
	if err != nil {
		return err
	}
	if segment.id != webmSegment {
		return broken(segment.start, "no video")
	}
	size := segment.end
	if size == unknownEnd {
		size = w.size
	}
	if size, err = w.segment(segment, size); err != nil {
		return err
	}
	if w.tracks == 0 {
		return broken(segment.start, "no tracks")
	}
	w.apply(clean, size)
	clean.Cut = w.cut
	return nil
}

// segment handles the parts of the video and returns the end of the last one.
func (w *webm) segment(segment element, end int64) (int64, error) {
	for w.at = segment.body; w.at < end; {
		start := w.at
		part, err := w.next(end)
		if w.clusters > 0 && isBroken(err) {
			return start, nil // not an element: other data after the video
		}
		if err != nil {
			return 0, err
		}
		if part.id == webmCluster {
			w.clusters++
			if err := w.cluster(part, end); err != nil {
				return 0, err
			}
			continue
		}
		if part.end == unknownEnd {
			return 0, broken(part.start, "an element without a size")
		}
		if err := w.part(part); err != nil {
			return 0, err
		}
		w.at = part.end
	}
	return end, nil
}

func (w *webm) part(part element) error {
	switch part.id {
	case webmCues:
		return nil
	case webmSeeks:
		return w.each(part, w.seek)
	case webmInfo:
		return w.each(part, func(child element) error {
			switch child.id {
			case webmTimeScale, webmDuration:
			case webmMuxingApp, webmWritingApp: // required, but may be empty
				w.zero(child.body, child.end)
			default:
				w.erase(child)
			}
			return nil
		})
	case webmTracks:
		return w.each(part, func(child element) error {
			if child.id != webmTrackEntry {
				w.erase(child)
				return nil
			}
			w.tracks++
			return w.each(child, w.trackField)
		})
	default:
		w.erase(part)
		return nil
	}
}

// seek removes index entries that point to removed elements.
func (w *webm) seek(entry element) error {
	if entry.id != webmSeek {
		w.erase(entry)
		return nil
	}
	needed := true
	err := w.each(entry, func(child element) error {
		const longestID = 4
		if child.id != webmSeekID || child.end-child.body > longestID {
			return nil
		}
		digits, err := w.read(int(child.end - child.body))
		switch bigEndian(digits) {
		case webmSeeks, webmInfo, webmTracks, webmCues, webmCluster:
		default:
			needed = false
		}
		return err
	})
	if !needed {
		w.erase(entry)
	}
	return err
}

// trackField keeps the fields needed to play a track and removes names.
func (w *webm) trackField(field element) error {
	switch field.id {
	case 0xD7, 0x73C5, 0x83, 0xB9, 0x88, 0x55AA, 0x55AB, 0x55AC, 0x55AD, 0x55AE, 0x55AF, 0x9C, // number, UID, type, flags
		0x6DE7, 0x6DF8, 0x23E383, 0x234E7A, 0x23314F, 0x55EE, 0x41E4, // cache, durations, scale, additions
		0x22B59C, 0x22B59D, 0x86, 0x63A2, 0xAA, 0x56AA, 0x56BB, // language, codec, delay, pre-roll
		0x6624, 0xE0, 0xE1, 0xE2, 0x6D80: // translation, video, audio, operation, encodings
	default:
		w.erase(field)
	}
	return nil
}

// cluster skips a cluster without changing it. A cluster of unknown size ends where the next part of the video starts.
func (w *webm) cluster(cluster element, end int64) error {
	if cluster.end != unknownEnd {
		w.at = cluster.end
		return nil
	}
	for w.at = cluster.body; w.at < end; {
		child, err := w.next(end)
		if isBroken(err) {
			return nil // left to the segment
		}
		if err != nil {
			return err
		}
		switch child.id {
		case webmSeeks, webmInfo, webmTracks, webmCues, webmCluster, webmChapters, webmTags, webmAttachments, ebmlVoid:
			w.at = child.start
			return nil
		}
		if child.end == unknownEnd {
			return broken(child.start, "an element without a size")
		}
		w.at = child.end
	}
	return nil
}

// each calls decide for the elements inside another. Checksums are removed, because the checked content changes.
func (w *webm) each(parent element, decide func(child element) error) error {
	for at := parent.body; at < parent.end; {
		w.at = at
		child, err := w.next(parent.end)
		if err != nil {
			return err
		}
		if child.end == unknownEnd {
			return broken(child.start, "an element without a size")
		}
		if err := decide(child); err != nil {
			return err
		}
		at = child.end
	}
	return nil
}

// erase turns an element into empty space: its header becomes that of a Void element of the same length.
func (w *webm) erase(gone element) {
	const short, long, sizeBits = 2, 9, 7
	total := gone.end - gone.start
	head := []byte{ebmlVoid, 1 << sizeBits}
	if total < long {
		head[1] |= byte(total - short) //nolint:gosec // below seven
	} else {
		head[1] = 1
		for shift := (sizeBits - 1) * 8; shift >= 0; shift -= 8 {
			head = append(head, byte((total-long)>>shift)) //nolint:gosec // a byte of it
		}
	}
	w.write(gone.start, head)
	w.zero(gone.start+int64(len(head)), gone.end)
}

// next reads the header of the element at the current position, which must end at limit or before, and moves into its
// content. A cluster whose transfer was interrupted ends at limit.
func (w *webm) next(limit int64) (element, error) {
	const longestID, longestSize = 4, 8
	if w.steps++; w.steps > mostSteps {
		return element{}, crowded()
	}
	if err := w.full(); err != nil {
		return element{}, err
	}
	found := element{start: w.at}
	id, _, err := w.variable(longestID)
	if err != nil {
		return element{}, err
	}
	found.id = id
	size, width, err := w.variable(longestSize)
	if err != nil {
		return element{}, err
	}
	size &^= 1 << (7 * width) // clear the width marker
	found.body = w.at
	if size == 1<<(7*width)-1 {
		found.end = unknownEnd
		return found, nil
	}
	room := limit - found.body
	if (found.id == webmCluster || found.id == webmSegment) && room >= 0 && size > uint64(room) {
		size, w.cut = uint64(room), true
	}
	if room < 0 || size > uint64(room) {
		return element{}, broken(found.start, "an element of invalid length")
	}
	found.end = found.body + int64(size) //nolint:gosec // within the file
	return found, nil
}

// variable reads a variable-length number whose leading bits give its width in bytes. The value includes the marker
// bit.
func (w *webm) variable(longest int) (value uint64, width int, err error) {
	first, err := w.byte()
	if err != nil {
		return 0, 0, err
	}
	width = bits.LeadingZeros8(first) + 1
	if width > longest {
		return 0, 0, broken(w.at-1, "no element")
	}
	rest, err := w.read(width - 1)
	return uint64(first)<<(8*(width-1)) | bigEndian(rest), width, err
}

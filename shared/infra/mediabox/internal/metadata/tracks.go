package metadata

// track holds the data collected while reading a track.
type track struct {
	number  uint32
	handler string
	entries box // sample descriptions: stsd
	sizes   box // sample sizes: stsz or stz2; missing boxes have no kind
	runs    box // runs of chunks with the same number of samples: stsc
	chunks  box // offsets: stco or co64
}

// readTrack keeps video and audio tracks. It erases any other track with all its content, here and in the media data.
func (b *boxes) readTrack(trak box) error {
	edits, references := len(b.edits), len(b.references)
	t := &track{}
	b.track = t
	err := b.children(trak)
	b.track = nil
	if err != nil {
		return err
	}
	switch t.handler {
	case "vide", "soun", "auxv", "pict":
		b.kept++
		return b.nameless(t)
	}
	b.edits, b.references = b.edits[:edits], b.references[:references]
	b.removed[t.number] = true
	if err := b.erase(trak); err != nil {
		return err
	}
	if t.chunks.kind == "" || t.sizes.kind == "" || t.runs.kind == "" {
		return nil // all samples are in fragments
	}
	return b.eraseSamples(t)
}

// tables keeps the sample tables.
func (b *boxes) tables(table box) error {
	return b.each(table, func(child box) error {
		switch child.kind {
		case "stsz", "stz2":
			b.track.sizes = child
		case "stsc":
			b.track.runs = child
		case "stco", "co64":
			b.track.chunks = child
		case "stsd":
			b.track.entries = child
		case "stts", "ctts", "cslg", "stss", "stsh", "padb", "stdp", "sdtp", "sbgp", "csgp", "sgpd", "subs", "saiz", "saio",
			"stps":
		default:
			return b.erase(child)
		}
		return nil
	})
}

// nameless removes the encoder's name and vendor code from the sample descriptions (ISO/IEC 14496-12, 12.1.3, and
// QuickTime's, which use the same places).
func (b *boxes) nameless(t *track) error {
	const head, makerAt, makerEnd, nameAt, nameEnd = 8, 12, 16, 42, 74
	if t.entries.kind == "" {
		return nil
	}
	inner := t.entries
	inner.body += head
	return b.each(inner, func(entry box) error {
		if entry.body+makerEnd <= entry.end {
			b.zero(entry.body+makerAt, entry.body+makerEnd)
		}
		if t.handler != "soun" && entry.body+nameEnd <= entry.end {
			b.zero(entry.body+nameAt, entry.body+nameEnd)
		}
		return b.full()
	})
}

// eraseSamples overwrites a track's samples in the media data, chunk by chunk.
func (b *boxes) eraseSamples(t *track) error {
	chunks, err := b.chunkOffsets(t.chunks)
	if err != nil {
		return err
	}
	runs, err := b.chunkRuns(t.runs)
	if err != nil {
		return err
	}
	sizes, err := b.sampleSizes(t.sizes)
	if err != nil {
		return err
	}
	for number := uint64(1); chunks.left > 0; number++ {
		offset, err := chunks.next()
		if err != nil {
			return err
		}
		samples, err := runs.samples(number)
		if err != nil {
			return err
		}
		length, err := sizes.sum(samples)
		if err != nil {
			return err
		}
		if err := b.eraseData(offset, length, nil); err != nil {
			return err
		}
	}
	return nil
}

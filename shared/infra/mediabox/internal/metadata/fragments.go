package metadata

import (
	"encoding/binary"
	"math/bits"
)

// fragmentDefaults keeps the box with the defaults for fragments and records the sample sizes.
func (b *boxes) fragmentDefaults(mvex box) error {
	const most = 1 << 10
	return b.each(mvex, func(child box) error {
		switch child.kind {
		case "mehd", "leva":
			return nil
		case "trex":
			const length, number, size = 24, 4, 16
			content, err := b.content(child, length)
			if err != nil {
				return err
			}
			if len(b.defaults) >= most {
				return crowded()
			}
			b.defaults[binary.BigEndian.Uint32(content[number:])] = binary.BigEndian.Uint32(content[size:])
			return nil
		default:
			return b.erase(child)
		}
	})
}

// fragment keeps the parts of a movie fragment that belong to video and audio tracks.
func (b *boxes) fragment(moof box) error {
	b.early = b.early || b.movies == 0
	first := true
	return b.each(moof, func(child box) error {
		switch child.kind {
		case "mfhd":
			return nil
		case "traf":
			err := b.trackFragment(moof, child, first)
			first = false
			return err
		default:
			return b.erase(child)
		}
	})
}

// trackFragment keeps the fragment of a track, or erases it with its samples if the track was removed.
func (b *boxes) trackFragment(moof, traf box, first bool) error {
	mark := len(b.edits)
	var run *sampleRun
	err := b.each(traf, func(child box) (err error) {
		switch child.kind {
		case "tfhd":
			run, err = b.fragmentHeader(moof, child, first)
		case "trun":
			if run != nil {
				err = b.eraseRun(run, child)
			}
		case "tfdt", "sbgp", "csgp", "sgpd", "subs", "saiz", "saio", "senc":
		default:
			err = b.erase(child)
		}
		return err
	})
	if err != nil || run == nil {
		return err
	}
	b.edits = b.edits[:mark]
	return b.erase(traf)
}

// sampleRun is the position of a fragment's samples.
type sampleRun struct {
	base uint64 // base of offsets
	at   uint64 // start of the next run without an offset
	size uint64 // size of each sample, in runs without sizes
}

// fragmentHeader returns the position of the samples of a removed track (ISO/IEC 14496-12, 8.8.7), or nil.
func (b *boxes) fragmentHeader(moof, tfhd box, first bool) (*sampleRun, error) {
	const (
		head, word                                           = 8, 4
		hasBase, hasDescription, hasDuration, hasSize uint32 = 1, 2, 8, 16
		baseIsFragment                                uint32 = 1 << 17
	)
	content, err := b.content(tfhd, head)
	if err != nil {
		return nil, err
	}
	flags, number := binary.BigEndian.Uint32(content), binary.BigEndian.Uint32(content[word:])
	if !b.removed[number] {
		return nil, nil
	}
	run := &sampleRun{base: uint64(moof.start), size: uint64(b.defaults[number])} //nolint:gosec // not negative
	fields, err := b.content(tfhd, int(min(tfhd.end-tfhd.body, head+5*word)))
	if err != nil {
		return nil, err
	}
	fields = append(fields[head:], make([]byte, 5*word)...) // missing fields are zero
	switch {
	case flags&hasBase != 0:
		run.base = binary.BigEndian.Uint64(fields)
		fields = fields[2*word:]
	case flags&baseIsFragment == 0 && !first:
		return nil, broken(tfhd.start, "a fragment without an offset")
	}
	for _, other := range []uint32{hasDescription, hasDuration} {
		if flags&other != 0 {
			fields = fields[word:]
		}
	}
	if flags&hasSize != 0 {
		run.size = uint64(binary.BigEndian.Uint32(fields))
	}
	run.at = run.base
	return run, nil
}

// eraseRun overwrites the samples of a run (ISO/IEC 14496-12, 8.8.8).
func (b *boxes) eraseRun(run *sampleRun, trun box) error {
	const (
		head, word                     = 8, 4
		hasOffset, hasFirstFlags, each = 1, 4, 0xF00
		hasSizes, hasDurations         = 0x200, 0x100
	)
	content, err := b.content(trun, head)
	if err != nil {
		return err
	}
	flags, count := binary.BigEndian.Uint32(content), uint64(binary.BigEndian.Uint32(content[word:]))
	skip := head
	if flags&hasOffset != 0 {
		offset, err := b.content(trun, head+word)
		if err != nil {
			return err
		}
		run.at = run.base + uint64(int64(int32(binary.BigEndian.Uint32(offset[head:])))) //nolint:gosec // it may be negative
		skip += word
	}
	if flags&hasFirstFlags != 0 {
		skip += word
	}
	length := count * run.size // both have 32 bits
	if flags&hasSizes != 0 {
		fields := bits.OnesCount32(flags & each)
		row, err := b.numbers(trun, int64(skip), word, count*uint64(fields)) //nolint:gosec // one to four
		if err != nil {
			return err
		}
		if length, err = row.column(bits.OnesCount32(flags&hasDurations), fields); err != nil {
			return err
		}
	}
	start := run.at
	run.at += length
	return b.eraseData(start, length, nil)
}

// column returns the sum of one of the columns.
func (n *numbers) column(which, columns int) (uint64, error) {
	var total uint64
	for i := 0; n.left > 0; i++ {
		value, err := n.next()
		if err != nil {
			return 0, err
		}
		if i%columns == which {
			total += value
		}
	}
	return total, nil
}

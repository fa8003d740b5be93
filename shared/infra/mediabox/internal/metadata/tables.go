package metadata

import "encoding/binary"

// fields reads numbers of varying width from a box, through its own buffer.
type fields struct {
	boxes *boxes
	file  *walker
}

func (b *boxes) fields(in box, head int64) fields {
	return fields{b, &walker{source: b.source, size: in.end, at: in.body + head}}
}

// next returns the number in the next width bytes, most significant byte first; 0 if width is 0.
func (f fields) next(width int) (uint64, error) {
	if err := f.boxes.step(1); err != nil {
		return 0, err
	}
	digits, err := f.file.read(width)
	if err != nil {
		return 0, err
	}
	return bigEndian(digits), nil
}

// numbers is a sequence of numbers of one width.
type numbers struct {
	fields
	width int
	left  uint64 // count of remaining numbers
}

// numbers returns a reader of count numbers after the first head bytes of a box.
func (b *boxes) numbers(in box, head int64, width int, count uint64) (numbers, error) {
	room := in.end - in.body - head
	if room < 0 || count > uint64(room)/uint64(width) { //nolint:gosec // not negative
		return numbers{}, broken(in.start, "a table that is longer than its box")
	}
	return numbers{b.fields(in, head), width, count}, nil
}

func (n *numbers) next() (uint64, error) {
	if n.left == 0 {
		return 0, truncated(n.file.at)
	}
	n.left--
	return n.fields.next(n.width)
}

func bigEndian(digits []byte) uint64 {
	var value uint64
	for _, digit := range digits {
		value = value<<8 | uint64(digit)
	}
	return value
}

// chunkOffsets returns the table of chunk offsets (ISO/IEC 14496-12, 8.7.5).
func (b *boxes) chunkOffsets(table box) (numbers, error) {
	const head, narrow, wide = 8, 4, 8
	content, err := b.content(table, head)
	if err != nil {
		return numbers{}, err
	}
	width := narrow
	if table.kind == "co64" {
		width = wide
	}
	return b.numbers(table, head, width, uint64(binary.BigEndian.Uint32(content[4:])))
}

// chunkRuns reads the number of samples of each chunk (ISO/IEC 14496-12, 8.7.4). Each run starts with a chunk and
// continues until the next run starts.
type chunkRuns struct {
	numbers
	perChunk  uint64
	nextFirst uint64 // 0 if there is none
	nextCount uint64
}

func (b *boxes) chunkRuns(table box) (*chunkRuns, error) {
	const head, width, fields = 8, 4, 3
	content, err := b.content(table, head)
	if err != nil {
		return nil, err
	}
	row, err := b.numbers(table, head, width, fields*uint64(binary.BigEndian.Uint32(content[4:])))
	if err != nil {
		return nil, err
	}
	runs := &chunkRuns{numbers: row}
	return runs, runs.advance()
}

// advance reads the next run.
func (r *chunkRuns) advance() (err error) {
	r.perChunk, r.nextFirst, r.nextCount = r.nextCount, 0, 0
	if r.left == 0 {
		return nil
	}
	if r.nextFirst, err = r.next(); err != nil {
		return err
	}
	if r.nextCount, err = r.next(); err != nil {
		return err
	}
	_, err = r.next() // the sample description index
	return err
}

// samples returns the number of samples of a chunk. Chunks must be requested in order, from 1.
func (r *chunkRuns) samples(chunk uint64) (uint64, error) {
	for r.nextFirst != 0 && chunk >= r.nextFirst {
		if err := r.advance(); err != nil {
			return 0, err
		}
	}
	return r.perChunk, nil
}

// sampleSizes reads the sizes of samples (ISO/IEC 14496-12, 8.7.3).
type sampleSizes struct {
	numbers
	same uint64 // the size of all samples; 0 if each has its own
}

func (b *boxes) sampleSizes(table box) (*sampleSizes, error) {
	const head, bits = 12, 8
	content, err := b.content(table, head)
	if err != nil {
		return nil, err
	}
	count := uint64(binary.BigEndian.Uint32(content[8:]))
	if table.kind == "stsz" {
		const width = 4
		if same := binary.BigEndian.Uint32(content[4:]); same != 0 {
			return &sampleSizes{numbers: numbers{left: count}, same: uint64(same)}, nil
		}
		row, err := b.numbers(table, head, width, count)
		return &sampleSizes{numbers: row}, err
	}
	width := int(content[7])
	if width != bits && width != 2*bits {
		return nil, broken(table.start, "invalid size of sample sizes")
	}
	row, err := b.numbers(table, head, width/bits, count)
	return &sampleSizes{numbers: row}, err
}

// sum returns the total size of the next samples, or of the remaining ones.
func (s *sampleSizes) sum(samples uint64) (uint64, error) {
	samples = min(samples, s.left)
	if s.same != 0 {
		s.left -= samples
		return samples * s.same, nil // both have 32 bits
	}
	var total uint64
	for range samples {
		size, err := s.next()
		if err != nil {
			return 0, err
		}
		total += size
	}
	return total, nil
}

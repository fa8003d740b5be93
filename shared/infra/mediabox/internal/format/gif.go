package format

import (
	"encoding/binary"
)

// Blocks of GIF89a (sections 17 to 27).
const (
	gifTrailer     = 0x3B
	gifImage       = 0x2C
	gifExtension   = 0x21
	gifControl     = 0xF9
	gifComment     = 0xFE
	gifApplication = 0xFF
)

// scanGIF counts the frames and their durations. It removes comments, and application data except those for looping and
// colours, because XMP is stored there. Files without a trailer are common and are given one.
func scanGIF(clean *Clean, file *walker) error {
	const screen = 13
	head, err := file.read(screen)
	if err != nil {
		return err
	}
	if string(head[:3]) != "GIF" {
		return broken(0, "no GIF")
	}
	if err := file.skip(colourTable(head[10])); err != nil {
		return err
	}
	clean.keep(0, file.at)
	for {
		if err := clean.full(); err != nil {
			return err
		}
		if clean.Frames > 0 && file.left() == 0 {
			clean.write([]byte{gifTrailer})
			return nil
		}
		start := file.at
		kind, err := file.byte()
		if err != nil {
			return err
		}
		keep := true
		switch kind {
		case gifTrailer:
			clean.keep(start, 1)
			return nil
		case gifImage:
			err = gifPicture(clean, file)
		case gifExtension:
			keep, err = gifExtended(clean, file)
		default:
			return broken(start, "an unknown block")
		}
		if err != nil {
			return err
		}
		if keep {
			clean.keep(start, file.at-start)
		}
	}
}

func gifPicture(clean *Clean, file *walker) error {
	const descriptor, codeSize = 9, 1
	head, err := file.read(descriptor)
	if err != nil {
		return err
	}
	clean.Frames++
	if err := file.skip(colourTable(head[8]) + codeSize); err != nil {
		return err
	}
	return gifBlocks(file)
}

// gifExtended reads an extension and reports whether it is kept.
func gifExtended(clean *Clean, file *walker) (keep bool, err error) {
	label, err := file.byte()
	if err != nil {
		return false, err
	}
	switch label {
	case gifComment:
		return false, gifBlocks(file)
	case gifControl:
		const control = 5
		data, err := file.read(control)
		if err != nil {
			return false, err
		}
		if data[0] != control-1 {
			return false, broken(file.at, "a control block of odd length")
		}
		clean.Hundredths += delay(binary.LittleEndian.Uint16(data[2:]))
		return true, gifBlocks(file)
	case gifApplication:
		const name = 12
		data, err := file.read(name)
		if err != nil {
			return false, err
		}
		known := string(data) == "\x0bNETSCAPE2.0" || string(data) == "\x0bANIMEXTS1.0" || string(data) == "\x0bICCRGBG1012"
		return known, gifBlocks(file)
	default:
		return true, gifBlocks(file)
	}
}

// delay returns the time for which programs show a frame, in hundredths of a second: a tenth of a second if the file says
// zero or one.
func delay(said uint16) int64 {
	const shortest, usual = 2, 10
	if said < shortest {
		return usual
	}
	return int64(said)
}

// gifBlocks skips a sequence of blocks, which ends with an empty one.
func gifBlocks(file *walker) error {
	for {
		length, err := file.byte()
		if err != nil || length == 0 {
			return err
		}
		if err := file.skip(int64(length)); err != nil {
			return err
		}
	}
}

// colourTable returns the length of the colour table announced by the flags.
func colourTable(flags byte) int64 {
	if flags&0x80 == 0 {
		return 0
	}
	return 3 << (flags&7 + 1)
}

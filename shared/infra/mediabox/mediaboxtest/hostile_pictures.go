package mediaboxtest

import (
	"bytes"
	"encoding/binary"
	"slices"
	"testing"

	"fencepost.internal/shared/domain/media"
)

// bomb is the number of zeros in the compressed bombs.
const bomb = 200 << 20

func hostilePNG(t testing.TB) []File {
	t.Helper()
	g := group{contentType: media.ContentTypePNG}
	good, zeros := PNG(t, Scene(64, 48)), Zeros(t, bomb)
	inserted := func(chunks ...[]byte) []byte { return InsertPNG(good, chunks...) }
	g.add("png-20000x20000", tooLarge, HugePNG(20_000, 20_000))
	g.add("png-50-megapixels-of-nothing", broken, HugePNG(7000, 7000))
	g.add("png-wide", tooLarge, HugePNG(65_535, 1))
	g.add("png-2-gigapixels-high", tooLarge, HugePNG(1, 1<<31-1))
	g.add("png-no-width", unsupported, HugePNG(0, 1))
	g.add("png-negative", unsupported, HugePNG(1<<31+1, 1))
	g.add("png-text-bomb", renders, inserted(Chunk("zTXt", append([]byte("Comment\x00\x00"), zeros...))))
	g.add("png-international-text-bomb", renders,
		inserted(Chunk("iTXt", append([]byte("Comment\x00\x01\x00\x00\x00"), zeros...))))
	g.add("png-profile-bomb", renders, inserted(Chunk("iCCP", append([]byte("profile\x00\x00"), zeros...))))
	g.add("png-more-pixels-than-it-says", broken,
		InsertPNG(HugePNG(1, 1)[:33], Chunk("IDAT", zeros), Chunk("IEND", nil)))
	g.add("png-deep-and-black", renders, DeepPNG(t, 2000, 1500))
	g.add("png-bad-checksum", broken, patched(t, good, "IDAT", 8, 0xAA, 0xBB))
	g.add("png-cut", broken, good[:len(good)/2])
	g.add("png-cut-in-a-chunk", broken, good[:40])
	g.add("png-chunk-of-4-gigabytes", broken, inserted([]byte("\xFF\xFF\xFF\xFFtEXt")))
	g.add("png-crowd-of-chunks", renders, inserted(bytes.Repeat(append(Chunk("tEXt", nil),
		Chunk("sBIT", nil)...), 35_000)))
	g.add("png-palette-missing", broken, patched(t, HugePNG(8, 8), "IHDR", 12, 8, 3))
	g.add("png-animation-of-a-million", renders,
		inserted(Chunk("acTL", slices.Concat(number(1_000_000), number(0))),
			Chunk("fcTL", make([]byte, 26))))
	g.add("png-with-php", renders, good, []byte("<?php system($_GET['c']); ?>"))
	g.add("png-with-page", unsupported, inserted(Chunk("tEXt", []byte("x\x00<html><script>alert(1)</script>"))))
	g.add("png-with-zip", renders, good, archive(t, "note.txt", []byte(Canary)))
	g.add("png-head-and-page", unsupported, []byte("\x89PNG\r\n\x1a\n<html><script>alert(1)</script></html>"))
	return g.files
}

func hostileJPEG(t testing.TB) []File {
	t.Helper()
	g := group{contentType: media.ContentTypeJPEG}
	good := JPEG(t, Scene(300, 200))
	inserted := func(segments ...[]byte) []byte { return InsertJPEG(good, segments...) }
	far := Segment(0xEE, make([]byte, 1100)) // behind the sniffed bytes
	g.add("jpeg-65535x65535", tooLarge, HugeJPEG(t, 65_535, 65_535))
	g.add("jpeg-50-megapixels-of-nothing", broken, HugeJPEG(t, 7000, 7000))
	g.add("jpeg-wide", tooLarge, HugeJPEG(t, 65_535, 1))
	g.add("jpeg-no-height", broken, HugeJPEG(t, 8, 0))
	g.add("jpeg-of-scans", timedOut, EndlessJPEG(8000, 6000, 5000))
	g.add("jpeg-cut", broken, good[:len(good)/2])
	g.add("jpeg-cut-in-a-table", broken, good[:30])
	g.add("jpeg-segment-too-short", unsupported, inserted([]byte{0xFF, 0xE1, 0, 1}))
	g.add("jpeg-segment-too-long", broken, inserted([]byte{0xFF, 0xE1, 0xFF, 0xFF})[:200])
	g.add("jpeg-of-fill-bytes", unsupported, []byte{0xFF, 0xD8}, bytes.Repeat([]byte{0xFF}, 100_000))
	g.add("jpeg-twelve-bits", unsupported, patched(t, good, "\xFF\xC0", 4, 12))
	g.add("jpeg-arithmetic", unsupported, patched(t, good, "\xFF\xC0", 1, 0xC9))
	g.add("jpeg-nine-components", broken, patched(t, good, "\xFF\xC0", 9, 9))
	_, frame, _ := bytes.Cut(good, []byte{0xFF, 0xC0})
	g.add("jpeg-no-tables", renders, []byte{0xFF, 0xD8, 0xFF, 0xC0}, frame)
	g.add("jpeg-exif-in-circles", renders, inserted(Segment(0xE1,
		[]byte("Exif\x00\x00II*\x00\x08\x00\x00\x00\xFF\xFF\x12\x01"))))
	g.add("jpeg-exif-far-away", renders, inserted(Segment(0xE1,
		[]byte("Exif\x00\x00MM\x00*\xFF\xFF\xFF\xFF\x00\x01"))))
	g.add("jpeg-crowd-of-segments", tooLarge, inserted(bytes.Repeat(append(Segment(0xFE, nil),
		Segment(0xDD, []byte{0, 0})...), 70_000)))
	g.add("jpeg-with-script-in-front", unsupported,
		inserted(Segment(0xFE, []byte("<script>alert(1)</script>"))))
	g.add("jpeg-with-script-far-back", renders, inserted(far,
		Segment(0xFE, []byte("<script>alert(1)</script>"))))
	g.add("jpeg-with-php", renders, good, []byte("<?php system($_GET['c']); ?>"))
	g.add("jpeg-with-zip", renders, good, archive(t, "Main.class", []byte("\xCA\xFE\xBA\xBE")))
	g.add("jpeg-and-pdf", unsupported, inserted(Segment(0xFE, PDF(10, 10, ""))))
	return g.files
}

func hostileGIF(t testing.TB) []File {
	t.Helper()
	g := group{contentType: media.ContentTypeGIF}
	good, crowded := GIF(t, 60, 40, 3), CrowdedGIF(1)
	sized := func(file []byte, at int, side uint16) []byte {
		file = bytes.Clone(file)
		binary.LittleEndian.PutUint16(file[at:], side)
		binary.LittleEndian.PutUint16(file[at+2:], side)
		return file
	}
	const screen, frame = 6, 24 // offsets of width and height
	g.add("gif-40000-frames", tooLarge, CrowdedGIF(40_000))
	g.add("gif-65535x65535", tooLarge, sized(good, screen, 65_535))
	g.add("gif-49-megapixels", broken, sized(sized(crowded, screen, 7000), frame, 7000))
	g.add("gif-frame-larger-than-screen", broken, sized(crowded, frame, 60_000))
	g.add("gif-no-screen", unsupported, sized(good, screen, 0))
	g.add("gif-no-frame", unsupported, []byte("GIF89a\x01\x00\x01\x00\x00\x00\x00;"))
	g.add("gif-cut", broken, good[:len(good)/2])
	g.add("gif-crowd-of-comments", tooLarge, crowded[:19],
		bytes.Repeat([]byte("\x21\xFE\x00\x21\xF9\x04\x00\x00\x00\x00\x00"), 70_000))
	g.add("gif-endless-comment", broken, good[:len(good)-1], []byte{0x21, 0xFE}, bytes.Repeat([]byte("\x01A"), 50_000))
	g.add("gif-code-size-255", broken, patched(t, crowded, "\x2c", 10, 255))
	g.add("gif-and-script", unsupported, []byte("GIF89a/*\x00\x00*/=1;alert(1)//"), good[13:])
	g.add("gif-with-page", unsupported, crowded[:len(crowded)-1], []byte("\x21\xFE\x08<script>\x00;"))
	return g.files
}

func hostileWebP(t testing.TB) []File {
	t.Helper()
	g := group{contentType: media.ContentTypeWebP}
	still, moving := Fixture(t, "still.webp"), Fixture(t, "moving.webp")
	extended := func(flags byte, chunks ...[]byte) []byte {
		return RIFF(append([][]byte{RIFFChunk("VP8X", []byte{flags, 0, 0, 0, 0x1F, 3, 0, 0x57, 2, 0})},
			chunks...)...)
	}
	frame := RIFFChunk("ANMF", slices.Concat(make([]byte, 16),
		RIFFChunk("VP8L", []byte("\x2f\x00\x00\x00\x00\x00\x00\x00\x00"))))
	g.add("webp-16777216x16777216", broken, patched(t, moving, "VP8X", 12, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF))
	g.add("webp-lossless-16383x16383", tooLarge,
		RIFF(RIFFChunk("VP8L", []byte("\x2f\xFE\xBF\xFF\x0F\x00\x00\x00"))))
	g.add("webp-16383x16383", tooLarge, patched(t, still, "\x9d\x01\x2a", 3, 0xFF, 0x3F, 0xFF, 0x3F))
	g.add("webp-20000-frames", broken, extended(2, bytes.Repeat(frame, 20_000)))
	g.add("webp-crowd-of-chunks", broken, extended(0,
		bytes.Repeat(append(RIFFChunk("odd ", nil), RIFFChunk("ALPH", nil)...), 35_000)))
	g.add("webp-animation-without-frames", broken, extended(2))
	g.add("webp-cut", broken, still[:len(still)/2])
	g.add("webp-moving-cut", broken, moving[:len(moving)/8])
	g.add("webp-chunk-of-4-gigabytes", broken, RIFF([]byte("VP8 \xFF\xFF\xFF\xFF        ")))
	g.add("webp-frame-too-short", broken, extended(2, RIFFChunk("ANMF", []byte("short"))))
	g.add("webp-noise", broken, still[:100], noise(5000))
	g.add("webp-with-page", unsupported, extended(4, RIFFChunk("XMP ", []byte("<html><script>")), still[12:]))
	return g.files
}

func hostileHEIC(t testing.TB) []File {
	t.Helper()
	g := group{contentType: media.ContentTypeHEIC}
	good := Fixture(t, "still.heic")
	g.add("heic-60000x60000", broken, patched(t, good, "ispe", 8, slices.Concat(number(60_000), number(60_000))...))
	g.or(tooLarge) // libheif 1.20 and later print the size
	g.add("heic-larger-than-its-coding", renders,
		patched(t, good, "ispe", 8, slices.Concat(number(7000), number(7000))...))
	g.or(broken) // as above
	g.add("heic-cut", broken, good[:3000])
	g.add("heic-head-alone", broken, good[:28])
	g.add("heic-of-zeros", broken, good[:28], make([]byte, 50_000))
	g.add("heic-65535-items", renders, patched(t, good, "iinf", 8, 0xFF, 0xFF))
	g.or(broken) // as above
	g.add("heic-65535-places", broken, patched(t, good, "iloc", 10, 0xFF, 0xFF))
	g.add("heic-place-outside", broken, patched(t, good, "iloc", 26, 0x7F, 0xFF, 0xFF, 0xFF))
	g.add("heic-grid-of-nothing", broken, patched(t, good, "hvc1", 0, []byte("grid")...))
	g.add("heic-no-main-picture", broken, patched(t, good, "pitm", 8, 0xFF, 0xFF))
	g.add("heic-noise", broken, good[:400], noise(10_000))
	g.add("heic-boxes-in-boxes", broken, good[:28], nested("meta", 5000))
	return g.files
}

// noise returns n pseudo-random bytes, the same on every call.
func noise(n int) []byte {
	data, state := make([]byte, n), uint32(1)
	for i := range data {
		state = state*1664525 + 1013904223
		data[i] = byte(state >> 24)
	}
	return data
}

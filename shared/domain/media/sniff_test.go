package media_test

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/media"
)

// encoded returns a small image in one of the formats that the standard library writes.
func encoded(t testing.TB, encode func(io.Writer, image.Image) error) []byte {
	t.Helper()
	var file bytes.Buffer
	require.NoError(t, encode(&file, image.NewPaletted(image.Rect(0, 0, 4, 3), color.Palette{color.Black, color.White})))
	return file.Bytes()
}

func jpegFile(t testing.TB) []byte {
	t.Helper()
	return encoded(t, func(w io.Writer, m image.Image) error { return jpeg.Encode(w, m, nil) })
}

func pngFile(t testing.TB) []byte {
	t.Helper()
	return encoded(t, png.Encode)
}

func gifFile(t testing.TB) []byte {
	t.Helper()
	return encoded(t, func(w io.Writer, m image.Image) error { return gif.Encode(w, m, nil) })
}

// webp returns the head of a WebP file whose first chunk has this name.
func webp(chunk string) []byte {
	return []byte("RIFF\x24\x00\x00\x00WEBP" + chunk + "\x18\x00\x00\x00" + strings.Repeat("\x01", 24))
}

// ftyp returns a file type box and the head of the next box.
func ftyp(major string, compatible ...string) []byte {
	brands := major + "\x00\x00\x02\x00" + strings.Join(compatible, "")
	box := binary.BigEndian.AppendUint32(nil, uint32(8+len(brands))) //nolint:gosec // a box of a few bytes
	return append(append(box, "ftyp"+brands...), "\x00\x00\x00\x08free"...)
}

// element returns an element with a one-byte size.
func element(id, data string) string {
	return id + string([]byte{0x80 | byte(len(data))}) + data //nolint:gosec // an element of a few bytes
}

const version, docType = "\x42\x86", "\x42\x82"

// webm returns an EBML header with these elements, and the head of the segment.
func webm(elements ...string) []byte {
	header := strings.Join(elements, "")
	return []byte("\x1A\x45\xDF\xA3" + element("", header) + "\x18\x53\x80\x67")
}

func TestSniffAcceptsSupportedFormats(t *testing.T) {
	t.Parallel()
	var colours bytes.Buffer
	many := image.NewPaletted(image.Rect(0, 0, 4, 3), nil)
	for i := range 256 {
		many.Palette = append(many.Palette, color.Gray{Y: uint8(i)})
	}
	require.NoError(t, gif.EncodeAll(&colours, &gif.GIF{
		Image: []*image.Paletted{many}, Delay: []int{0},
		Config: image.Config{ColorModel: many.Palette, Width: 4, Height: 3},
	}))

	for name, test := range map[string]struct {
		head        []byte
		kind        media.Type
		contentType string
	}{
		"JPEG":                          {jpegFile(t), media.Image, "image/jpeg"},
		"JPEG with fill bytes":          {[]byte("\xFF\xD8\xFF\xFF\xE0\x00\x10JFIF\x00"), media.Image, "image/jpeg"},
		"JPEG of a camera":              {[]byte("\xFF\xD8\xFF\xE1\x00\x10Exif\x00\x00MM"), media.Image, "image/jpeg"},
		"PNG":                           {pngFile(t), media.Image, "image/png"},
		"WebP":                          {webp("VP8 "), media.Image, "image/webp"},
		"WebP without loss":             {webp("VP8L"), media.Image, "image/webp"},
		"WebP with extensions":          {webp("VP8X"), media.Image, "image/webp"},
		"GIF":                           {gifFile(t), media.GIF, "image/gif"},
		"GIF with 256 global colours":   {colours.Bytes(), media.GIF, "image/gif"},
		"HEIC":                          {ftyp("heic", "mif1", "heic"), media.Image, "image/heic"},
		"HEIC of ten bits":              {ftyp("heix", "mif1"), media.Image, "image/heic"},
		"HEIF coded with HEVC":          {ftyp("mif1", "mif1", "heic", "hevc"), media.Image, "image/heic"},
		"MP4":                           {ftyp("isom", "isom", "iso2", "avc1", "mp41"), media.Video, "video/mp4"},
		"MP4, version 2":                {ftyp("mp42", "isom", "mp42"), media.Video, "video/mp4"},
		"MP4 of a shop":                 {ftyp("M4V ", "mp42"), media.Video, "video/mp4"},
		"MP4 without compatible brands": {ftyp("mp42"), media.Video, "video/mp4"},
		"MOV":                           {ftyp("qt  ", "qt  ", "\x00\x00\x00\x00"), media.Video, "video/quicktime"},
		"MP4 of a coding":               {ftyp("hvc1", "isom", "hvc1"), media.Video, "video/mp4"},
		"MP4 of a newer coding":         {ftyp("av01", "iso6", "mp41"), media.Video, "video/mp4"},
		"MP4 of a profile":              {ftyp("cmf2", "iso6", "cmfc", "dash"), media.Video, "video/mp4"},
		"MP4 for streams":               {ftyp("dash", "iso6"), media.Video, "video/mp4"},
		"MP4 of a camera":               {ftyp("CAEP", "CAEP", "mp42", "isom"), media.Video, "video/mp4"},
		"MP4 of Flash":                  {ftyp("F4V ", "isom", "mp42", "M4V "), media.Video, "video/mp4"},
		"MP4 of an editor":              {ftyp("f4v ", "isom", "mp42"), media.Video, "video/mp4"},
		"3GPP of a phone":               {ftyp("3gp5", "3gp5", "isom"), media.Video, "video/mp4"},
		"3GPP of an old phone":          {ftyp("3gp4", "3gp4"), media.Video, "video/mp4"},
		"3GPP2":                         {ftyp("3g2a", "3g2a"), media.Video, "video/mp4"},
		"MP4 of an unknown vendor":      {ftyp("XYZ1", "mp42", "isom"), media.Video, "video/mp4"},
		"AVIF":                          {ftyp("avif", "avif", "mif1", "miaf"), media.Image, "image/avif"},
		"AVIF, brand alone":             {ftyp("avif"), media.Image, "image/avif"},
		"AVIF behind the generic brand": {ftyp("mif1", "mif1", "avif", "miaf"), media.Image, "image/avif"},
		"WebM": {
			webm(element(version, "\x01"), element(docType, "webm")), media.Video, "video/webm",
		},
		"PDF":                       {[]byte("%PDF-1.7\n%\xE2\xE3\xCF\xD3\n"), media.Document, "application/pdf"},
		"PDF 2.0":                   {[]byte("%PDF-2.0\n"), media.Document, "application/pdf"},
		"PDF that speaks of a page": {[]byte("%PDF-1.4\n1 0 obj<</Title(<html>)>>"), media.Document, "application/pdf"},
		"JPEG with a script further off": {
			slices.Concat(jpegFile(t), make([]byte, 1024), []byte("<script>")), media.Image, "image/jpeg",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			kind, contentType, ok := media.Sniff(test.head)
			require.True(t, ok)
			require.Equal(t, test.kind, kind)
			require.Equal(t, test.contentType, contentType)
		})
	}
}

func TestSniffRefuses(t *testing.T) {
	t.Parallel()
	long := webm(element(version, "\x01"), element(docType, "webm"))
	for name, head := range map[string][]byte{
		"nothing":                       nil,
		"one byte":                      {0xFF},
		"text":                          []byte("Hello, world. This is a text of some length."),
		"SVG":                           []byte(`<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`),
		"XML":                           []byte(`<?xml version="1.0"?><svg/>`),
		"HTML":                          []byte("<!DOCTYPE html><html><script>alert(1)</script></html>"),
		"TIFF":                          []byte("II*\x00\x08\x00\x00\x00\x00\x00\x00\x00"),
		"BMP":                           []byte("BM\x46\x00\x00\x00\x00\x00\x00\x00\x36\x00\x00\x00\x28\x00\x00\x00"),
		"ICO":                           []byte("\x00\x00\x01\x00\x01\x00\x10\x10\x00\x00\x01\x00\x04\x00"),
		"ZIP":                           []byte("PK\x03\x04\x14\x00\x00\x00\x08\x00\x00\x00\x00\x00\x00\x00"),
		"PSD":                           []byte("8BPS\x00\x01\x00\x00\x00\x00\x00\x00\x00\x03\x00\x00"),
		"JPEG 2000":                     []byte("\x00\x00\x00\x0CjP  \r\n\x87\n\x00\x00\x00\x14ftypjp2 \x00\x00\x00\x00jp2 "),
		"playlist":                      []byte("#EXTM3U\n#EXTINF:1,\nhttp://127.0.0.1/\n"),
		"concat list":                   []byte("ffconcat version 1.0\nfile /etc/passwd\n"),
		"MP3":                           []byte("ID3\x04\x00\x00\x00\x00\x00\x23TSSE"),
		"AVI":                           []byte("RIFF\x24\x00\x00\x00AVI LIST\x18\x00\x00\x00hdrlavih"),
		"WAV":                           []byte("RIFF\x24\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00"),
		"sequence of pictures":          ftyp("msf1", "msf1", "hevc", "heic"),
		"sequence of AVIF pictures":     ftyp("avis", "avis", "msf1", "iso8"),
		"raw picture of a camera":       ftyp("crx ", "crx ", "isom"),
		"audio book":                    ftyp("M4A ", "M4A ", "mp42", "isom"),
		"box of another type first":     append([]byte("\x00\x00\x00\x08wide"), ftyp("qt  ")...),
		"ftyp of odd length":            []byte("\x00\x00\x00\x11ftypisom\x00\x00\x02\x00i"),
		"ftyp too short":                []byte("\x00\x00\x00\x0Cftypisom\x00\x00\x02\x00"),
		"ftyp longer than the file":     []byte("\x00\x00\x10\x00ftypisom\x00\x00\x02\x00isom"),
		"ftyp that fills four gigabyte": []byte("\xFF\xFF\xFF\xFCftypisom\x00\x00\x02\x00isom"),
		"Matroska":                      webm(element(version, "\x01"), element(docType, "matroska")),
		"EBML without a type":           webm(element(version, "\x01")),
		"EBML of two types":             webm(element(docType, "matroska"), element(docType, "webm")),
		"EBML of unknown size":          []byte("\x1A\x45\xDF\xA3\xFF\x42\x82\x84webm"),
		"EBML longer than the file":     long[:len(long)-6],
		"EBML with a broken element":    webm(element(docType, "webm"), "\x00"),
		"JPEG of two bytes":             {0xFF, 0xD8},
		"JPEG without a segment":        []byte("\xFF\xD8\xFF\xD9\x00\x00\x00\x00"),
		"JPEG with an empty segment":    []byte("\xFF\xD8\xFF\xE0\x00\x01JFIF"),
		"JPEG behind a line":            append([]byte("\n"), jpegFile(t)...),
		"PNG signature alone":           []byte("\x89PNG\r\n\x1a\n"),
		"HTML behind PNG's signature":   []byte("\x89PNG\r\n\x1a\n<html><script>alert(1)</script></html>          "),
		"PNG of no width": []byte(
			"\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR\x00\x00\x00\x00\x00\x00\x00\x01\x08\x06\x00\x00\x00"),
		"PNG of negative height": []byte(
			"\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR\x00\x00\x00\x01\x80\x00\x00\x00\x08\x06\x00\x00\x00"),
		"PNG of a phone's program":     []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x04CgBI\x50\x00\x20\x02\x2b\xd5\xb3\x7f"),
		"WebP of unknown kind":         webp("<svg"),
		"WebP that claims no content":  []byte("RIFF\x00\x00\x00\x00WEBPVP8 \x00\x00\x00\x00"),
		"GIF of no height":             []byte("GIF89a\x01\x00\x00\x00\x00\x00\x00,"),
		"GIF and script":               []byte("GIF89a/*\x00\x00\x00\x00*/=1;alert(1)//"),
		"GIF of another year":          []byte("GIF90a\x01\x00\x01\x00\x00\x00\x00,"),
		"GIF's head alone":             []byte("GIF89a\x01\x00\x01\x00\x00\x00\x00"),
		"PDF behind junk":              []byte("junk\n%PDF-1.7\n"),
		"PDF of no version":            []byte("%PDF-x.y\n"),
		"AVIF among others":            ftyp("mif1", "avif", "heic"),
		"AVIF behind HEIC":             ftyp("heic", "mif1", "avif"),
		"AVIF sequence behind MP4":     ftyp("isom", "avis", "mp42"),
		"a coding that is no MP4":      ftyp("hvc1", "hvc1"),
		"a camera's pictures as video": ftyp("CAEP", "crx "),
		"PDF inside a JPEG":            []byte("\xFF\xD8\xFF\xFE\x00\x20%PDF-1.4\n1 0 obj<</Pages 2 0 R>>"),
		"script inside a JPEG":         []byte("\xFF\xD8\xFF\xFE\x00\x20<ScRiPt>alert(document.domain)</script>"),
		"PHP inside a GIF":             []byte("GIF89a\x01\x00\x01\x00\x00\x00\x00!\xFE\x20<?php system($_GET[0]);"),
		"page inside a PNG":            append(pngFile(t), "<HTML>"...),
		"playlist inside an MP4":       append(ftyp("isom"), "#EXTM3U\n"...),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			kind, contentType, ok := media.Sniff(head)
			require.False(t, ok, "taken as %s", contentType)
			require.Empty(t, kind)
			require.Empty(t, contentType)
		})
	}
}

func TestTypeOf(t *testing.T) {
	t.Parallel()
	for _, contentType := range media.ContentTypes() {
		kind, ok := media.TypeOf(contentType)
		require.True(t, ok, contentType)
		require.Contains(t, media.Types(), kind)
	}
	for _, contentType := range []string{
		"", "image/svg+xml", "image/jpg", "IMAGE/JPEG", "image/jpeg; charset=utf-8", "video/x-matroska",
	} {
		_, ok := media.TypeOf(contentType)
		require.False(t, ok, contentType)
	}
}

// FuzzSniff checks that only supported types are accepted, and that only the head matters.
func FuzzSniff(f *testing.F) {
	for _, seed := range [][]byte{
		jpegFile(f), pngFile(f), gifFile(f), webp("VP8X"), ftyp("mif1", "heic"), ftyp("qt  "), ftyp("isom", "mp41"),
		webm(element(version, "\x01"), element(docType, "webm")), []byte("%PDF-1.7\n"), []byte("<svg/>"),
		[]byte("\x00\x00\x00\x08wide\x00\x10\x00\x00mdat"), movie(120, 1),
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, head []byte) {
		kind, contentType, ok := media.Sniff(head)
		wanted, known := media.TypeOf(contentType)
		require.Equal(t, known, ok)
		require.Equal(t, wanted, kind)

		padded := append(slices.Clone(head), make([]byte, media.HeadSize)...)
		_, withZeros, takenWithZeros := media.Sniff(padded)
		_, cut, takenCut := media.Sniff(padded[:media.HeadSize])
		require.Equal(t, takenWithZeros, takenCut)
		require.Equal(t, withZeros, cut)
		if ok {
			require.NotRegexp(t, `^\s*<[ -~\s]{7}`, string(head))
		}
	})
}

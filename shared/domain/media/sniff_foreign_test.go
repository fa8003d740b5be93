package media_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/media"
)

// heads returns heads of every file type that is searched for signatures, up to where random bytes may follow.
func heads() map[string][]byte {
	colours := make([]byte, 3*256)
	return map[string][]byte{
		"JPEG":      []byte("\xFF\xD8\xFF\xFE\xFF\xFF"),
		"PNG":       []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR\x00\x00\x01\x00\x00\x00\x01\x00\x08\x02\x00\x00\x00"),
		"WebP":      webp("VP8X"),
		"GIF":       slices.Concat([]byte("GIF89a\x01\x00\x01\x00\xF7\x00\x00"), colours, []byte("!\xFE\xFF")),
		"HEIC":      ftyp("heic", "mif1"),
		"MP4":       ftyp("isom", "mp41"),
		"MOV":       ftyp("qt  "),
		"older MOV": []byte("\x00\xA0\x00\x00mdat"),
		"WebM":      webm(element(version, "\x01"), element(docType, "webm")),
	}
}

func TestSniffRefusesOtherSignatures(t *testing.T) {
	t.Parallel()
	little, big := []byte{}, []byte{}
	for _, unit := range utf16.Encode([]rune("<script>alert(1)</script>")) {
		little, big = binary.LittleEndian.AppendUint16(little, unit), binary.BigEndian.AppendUint16(big, unit)
	}
	for _, mark := range []string{
		"%PDF-1.7", "%PDF1.4", "%PDF\n", "%PDF", "%!PS-Adobe-3.0 PDF-1.4",
		"<!DOCTYPE html>", "<HTML>", "<head\t>", "<body\r\n", "<ScRiPt>", "<iframe src=x>", "<object data=x>",
		"<embed/src=x>",
		"<svg/onload=alert(1)>", "<svg\nxmlns='http://www.w3.org/2000/svg'>", "<svg xmlns=x>", "<svg>", "<img onerror>",
		"<IMG/src=x>",
		"<video/onerror=alert(1)>", "<x a=\"b\"onclick = 'alert(1)'>", "<details open ontoggle=alert(1)>",
		"<a href=javascript:alert(1)>",
		"<?php system($_GET[0]);", "<?=system($_GET[0])?>", "<?=`$_GET[0]`?>", "<? system('id') ?>", "<?\nsystem('id');?>",
		"<%=system(\"id\")%>", "<%eval request(\"x\")%>", "<%@ Page Language=\"Jscript\"%>",
		"<%\r\nRuntime.getRuntime().exec(x); %>",
		string(little), string(big),
		"#EXTM3U\n", "#EXTINF:1,\nhttp://127.0.0.1/", "#EXT-X-TARGETDURATION:1", "ffconcat version 1.0", "file '/etc/passwd'",
		"\nfile '/etc/passwd'\n", "\nfile 'video.mp4'", "\nfile /etc/passwd", "\nfile http://127.0.0.1/", "<MPD",
		"<MPD xmlns=x>",
		"<x:MPD profiles='urn:mpeg:dash:profile:isoff-live:2011'>", "<CompositionPlaylist xmlns=x>",
	} {
		t.Run(fmt.Sprintf("%q", mark), func(t *testing.T) {
			t.Parallel()
			for name, head := range heads() {
				_, _, ok := media.Sniff(head)
				require.True(t, ok, name)
				_, contentType, ok := media.Sniff(append(head, mark...))
				require.False(t, ok, "%s taken as %s", name, contentType)
			}
		})
	}
}

func TestSniffFindsSignatureAtEndOfHead(t *testing.T) {
	t.Parallel()
	for _, at := range []int{1000, 1022, 1023, 1024} {
		head := make([]byte, 4096)
		copy(head, "GIF89a\x01\x00\x01\x00\x00\x00\x00,")
		copy(head[at:], "%PDF-1.7")
		_, contentType, ok := media.Sniff(head[:media.HeadSize])
		require.False(t, ok, "mark at %d taken as %s", at, contentType)
	}
}

func TestSniffRefusesBrandsContainingMarkup(t *testing.T) {
	t.Parallel()
	_, contentType, ok := media.Sniff(ftyp("isom", "<svg", " onl", "oad=", "x///"))
	require.False(t, ok, "taken as %s", contentType)
}

// TestSniffAcceptsHarmlessText covers texts that people and programs write into photographs.
func TestSniffAcceptsHarmlessText(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`<?xpacket begin="" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="x"><rdf:Description rdf:about=""/>`,
		"a cat, <lora:fluff:0.8>, (masterpiece:1.2) Negative prompt: <bad>", "5 <3 % of 4%>3", "%PDFX %pdf-",
		"<% most of it %>", "<? well ?>", "10<%20 and 30%>20", "<%%>", "<?=?>", "<%= %>",
		"I <3 svg and img", "<svgx>", "<imgur>", "<header>", "<mpdf>", "converted from file 'sea.psd'\nFile name: sea.jpg",
		"<Device on=\"1\" modelName=x>", "<a> on load = b", "<once upon=a time>", "100 %PD", "<?xml version=\"1.0\"?>",
		"#EXT 1", "script> and <", "<", "<%", "<?", "<on", "<a on", "<a onload",
	} {
		for name, head := range heads() {
			_, _, ok := media.Sniff(append(head, text...))
			require.True(t, ok, "%s with %q", name, text)
		}
	}
}

// TestSniffAcceptsCompressedData checks that compressed data is not refused by accident, nor a color table dark enough to consist
// of text bytes. The number of heads is too small to verify a rate of one in a million, but detects a signature that is
// much too short.
func TestSniffAcceptsCompressedData(t *testing.T) {
	t.Parallel()
	const rounds = 5000
	for name, head := range heads() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			noise := rand.NewChaCha8([32]byte{})
			full := make([]byte, media.HeadSize)
			for range rounds {
				_, _ = noise.Read(full[copy(full, head):])
				_, _, ok := media.Sniff(full)
				require.True(t, ok, "%q", full)
			}
		})
	}
	t.Run("dark colours", func(t *testing.T) {
		t.Parallel()
		random := rand.New(rand.NewChaCha8([32]byte{})) //nolint:gosec // deterministic on purpose
		full := bytes.Clone(heads()["GIF"])
		for range rounds {
			middle := 40 + random.IntN(60)
			for i := range 3 * 256 {
				full[13+i] = byte(max(0, min(255, float64(middle)+random.NormFloat64()*20)))
			}
			_, _, ok := media.Sniff(full)
			require.True(t, ok, "%q", full)
		}
	})
}

func BenchmarkSniff(b *testing.B) {
	for name, head := range heads() {
		b.Run(strings.ReplaceAll(name, " ", "-"), func(b *testing.B) {
			full := make([]byte, media.HeadSize)
			_, _ = rand.NewChaCha8([32]byte{}).Read(full[copy(full, head):])
			b.ReportAllocs()
			for b.Loop() {
				media.Sniff(full)
			}
		})
	}
}

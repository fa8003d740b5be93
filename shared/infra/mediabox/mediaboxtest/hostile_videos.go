package mediaboxtest

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
	"testing"

	"fencepost.internal/shared/domain/media"
)

// nested returns boxes nested to the given depth.
func nested(kind string, depth int) []byte {
	file := make([]byte, 0, 8*depth)
	for left := depth; left > 0; left-- {
		file = append(append(file, number(uint32(8*left))...), kind...) //nolint:gosec // of test size
	}
	return file
}

// edited returns a video with the content of all boxes of a kind replaced.
func edited(file []byte, kind string, edit func(content []byte) []byte) []byte {
	return EditBoxes(file, func(found string, content []byte) []byte {
		if found == kind {
			return edit(bytes.Clone(content))
		}
		return content
	})
}

// filled writes a number at an offset into all boxes of a kind.
func filled(file []byte, kind string, offset int, value uint32) []byte {
	return edited(file, kind, func(content []byte) []byte {
		binary.BigEndian.PutUint32(content[offset:], value)
		return content
	})
}

func hostileVideos(t testing.TB) []File {
	t.Helper()
	g := group{contentType: media.ContentTypeMP4}
	good := Fixture(t, "video.mp4")
	head := good[:32]
	const hours10 = 10 * 3600
	long := filled(filled(filled(good, "mvhd", 16, hours10*1000), "tkhd", 20, hours10*1000), "mdhd", 16, hours10*10_240)
	packed := Box("cmov", Box("dcom", []byte("zlib")),
		Box("cmvd", number(1<<30), Zeros(t, bomb)))
	huge := edited(good, "stsd", func(content []byte) []byte {
		if at := bytes.Index(content, []byte("avc1")); at > 0 {
			copy(content[at+28:], []byte{0x23, 0x28, 0x23, 0x28})
		}
		return content
	})
	g.add("mp4-1000000000-samples", broken, CrowdedMP4(good))
	g.add("mp4-1000000000-edits", renders, filled(good, "edts", 12, 1_000_000_000))
	g.add("mp4-1000000000-descriptions", broken, filled(good, "stsd", 4, 1_000_000_000))
	g.add("mp4-1000000000-chunks", broken, filled(good, "stco", 4, 1_000_000_000))
	g.or(renders) // FFmpeg 7 ignores the table
	g.add("mp4-samples-of-4-gigabytes", broken, filled(good, "stsz", 4, math.MaxUint32))
	g.add("mp4-10-hours", renders, long)
	g.add("mp4-81-megapixels", tooLarge, huge)
	g.add("mp4-65535x65535", broken, bytes.ReplaceAll(huge, []byte{0x23, 0x28, 0x23, 0x28},
		[]byte{0xFF, 0xFF, 0xFF, 0xFF}))
	g.add("mp4-sound-alone", unsupported, Fixture(t, "sound.mp4"))
	g.add("mp4-cut", broken, good[:len(good)/8])
	g.add("mp4-cut-in-its-head", broken, good[:1000])
	g.add("mp4-head-alone", broken, head)
	g.add("mp4-of-zeros", broken, head, make([]byte, 100_000))
	g.add("mp4-noise", broken, good[:2800], noise(20_000))
	g.add("mp4-boxes-in-boxes", broken, head, nested("moov", 20_000))
	g.add("mp4-tracks-in-tracks", broken, head, nested("trak", 20_000))
	g.add("mp4-box-of-2^64-bytes", broken, head, number(1), []byte("moov"), bytes.Repeat([]byte{0xFF}, 100))
	g.add("mp4-box-smaller-than-its-head", broken, head, number(3), []byte("moov"), make([]byte, 100))
	g.add("mp4-crowd-of-boxes", broken, head, bytes.Repeat(Box("udta"), 50_000))
	g.add("mp4-packed-head-bomb", unsupported, head, Box("moov", packed))
	g.add("mp4-crowd-of-tracks", broken, head, Box("moov",
		bytes.Repeat(Box("trak", Box("mdia")), 20_000)))
	g.add("mp4-no-movie", broken, head, Box("mdat", noise(1000)))
	g.add("mp4-with-zip", renders, good, archive(t, "note.txt", []byte(Canary)))
	g.add("mp4-and-pdf", unsupported, head, Box("free", PDF(10, 10, "")), good[32:])
	g.contentType = media.ContentTypeMOV
	g.add("mov-unusual-coding", unsupported, Fixture(t, "unusual.mov"))
	g.add("mov-cut", broken, Fixture(t, "turned.mov")[:500])
	return g.files
}

func hostileWebM(t testing.TB) []File {
	t.Helper()
	g := group{contentType: media.ContentTypeWebM}
	good := Fixture(t, "short.webm")
	const headEnd = 36
	segment := []byte("\x18\x53\x80\x67\x01\xFF\xFF\xFF\xFF\xFF\xFF\xFF")
	var deep []byte
	for range 5000 {
		deep = append(deep, "\x18\x53\x80\x67\x01\xFF\xFF\xFF\xFF\xFF\xFF\xFF"...)
	}
	g.add("webm-cut", broken, good[:200])
	g.add("webm-head-alone", broken, good[:headEnd])
	g.add("webm-of-zeros", broken, good[:headEnd], make([]byte, 50_000))
	g.add("webm-noise", broken, good[:headEnd], segment, noise(20_000))
	g.add("webm-elements-in-elements", broken, good[:headEnd], deep)
	g.add("webm-element-of-2^56-bytes", broken, good[:headEnd], segment,
		[]byte("\x16\x54\xAE\x6B\x01\xFF\xFF\xFF\xFF\xFF\xFF\xFE"))
	g.add("webm-60000x60000", broken, patched(t, good, "\xe0\x8a\xb0\x82\x01\x40\xba\x81\xb4", 0,
		[]byte("\xe0\x8a\xb0\x82\xea\x60\xba\x82\xea\x60\xec\x80")...))
	g.add("webm-of-another-coding", unsupported, patched(t, good, "V_VP9", 0, []byte("V_XXX")...))
	return g.files
}

// leading returns videos that refer to another place, for programs that guess a file's type.
func leading(t testing.TB, address string) []File {
	t.Helper()
	g := group{contentType: media.ContentTypeMP4}
	good := Fixture(t, "video.mp4")
	// The content that a guessing program would follow comes after the sniffed bytes.
	start := slices.Concat(good[:32], Box("free", make([]byte, 2000)))
	playlist := "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n" + address +
		"/segment.ts\n#EXTINF:1,\nfile:///etc/passwd\n#EXT-X-ENDLIST\n"
	list := "ffconcat version 1.0\nfile '" + address + "/video.mp4'\nfile '/etc/passwd'\n"
	g.add("mp4-samples-on-a-server", broken, ExternalMP4(good, address+"/video.mp4"))
	g.add("mp4-samples-in-a-file", broken, ExternalMP4(good, "file:///etc/passwd"))
	g.add("mp4-samples-in-a-path", broken, ExternalMP4(good, "/etc/passwd"))
	g.add("mp4-samples-in-a-neighbour", broken, ExternalMP4(good, "media"))
	g.add("mp4-refers-to-another", unsupported, good[:32],
		Box("moov", Box("rmra", Box("rmda",
			Box("rdrf", number(0), []byte("url "), number(uint32(len(address))), []byte(address)))))) //nolint:gosec // of test size
	g.add("mp4-and-playlist", broken, start, []byte(playlist))
	g.add("mp4-and-concat-list", broken, start, []byte(list))
	g.add("mp4-playlist-in-front", unsupported, good[:32], []byte(playlist))
	g.add("playlist", unsupported, []byte(playlist))
	g.add("playlist-with-secret", unsupported, []byte("#EXTM3U\n#EXT-X-MEDIA-SEQUENCE:0\n#EXTINF:10.0,\nconcat:"+address+
		"/head.m3u8|file:///etc/passwd\n"))
	g.add("concat-list", unsupported, []byte(list))
	g.add("dash-manifest", unsupported, []byte(`<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011"><BaseURL>`+
		address+`</BaseURL></MPD>`))
	g.add("session-description", unsupported,
		[]byte("v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nm=video 9 RTP/AVP 96\n"))
	return g.files
}

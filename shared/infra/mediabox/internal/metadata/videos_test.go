package metadata_test

import (
	"bytes"
	"encoding/binary"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/infra/mediabox/internal/corpustest"
	"fencepost.internal/shared/infra/mediabox/internal/fault"
	"fencepost.internal/shared/infra/mediabox/internal/metadata"
)

// place is the location in the metadata of the talkative videos.
const place = "+47.3769"

func types() map[string]string {
	return map[string]string{
		"mp4": media.ContentTypeMP4, "mov": media.ContentTypeMOV, "webm": media.ContentTypeWebM,
		"heic": media.ContentTypeHEIC,
	}
}

func typeOf(name string) string { return types()[name[strings.LastIndexByte(name, '.')+1:]] }

// TestVideoOffsetsAreKept checks that nothing moves, that no metadata remains, and that a clean file stays unchanged.
func TestVideoOffsetsAreKept(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"talkative.mp4", "talkative.mov", "talkative.webm", "talkative.heic", "fragments.mp4", "live.webm",
		"video.mp4", "turned.mov", "wide.mp4", "sound.mp4", "unusual.mov", "short.webm", "still.heic", "several.heic",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := fixture(t, name)
			if strings.HasPrefix(name, "talkative") {
				require.True(t, bytes.Contains(file, []byte(canary)))
			}
			_, data := scan(t, file, typeOf(name))
			require.Len(t, data, len(file))
			for _, word := range []string{canary, place, "Lavf", "XMP", "adobe"} {
				require.False(t, bytes.Contains(data, []byte(word)), word)
			}
			_, again := scan(t, data, typeOf(name))
			require.Equal(t, data, again)
		})
	}
}

// number returns a big-endian number of four bytes.
func number(value int) []byte { return binary.BigEndian.AppendUint32(nil, uint32(value)) } //nolint:gosec // of test size

func full(kind string, content ...[]byte) []byte {
	return corpustest.Box(kind, append([][]byte{number(0)}, content...)...)
}

// samples holds the sample tables of a track.
type samples struct{ sizes, runs, chunks []byte }

// trak returns a track of a kind with some boxes.
func trak(kind string, id int, s samples, more ...[]byte) []byte {
	stbl := corpustest.Box("stbl", full("stsd", number(1),
		corpustest.Box("avc1", make([]byte, 12), []byte("MAKR"), make([]byte, 26), []byte("\x06"+canary), make([]byte, 25))),
		s.sizes, s.runs, s.chunks)
	return corpustest.Box("trak", slices.Concat(more...),
		full("tkhd", []byte("then"), []byte("when"), number(id), make([]byte, 64)),
		corpustest.Box("mdia", full("mdhd", []byte("then"), []byte("when"), make([]byte, 12)),
			full("hdlr", number(0), []byte(kind), make([]byte, 12), []byte(canary)),
			corpustest.Box("minf", full("vmhd", make([]byte, 8)),
				corpustest.Box("dinf", full("dref", number(1), corpustest.Box("url ", number(1), []byte("/home/"+canary)))), stbl)))
}

func picture() []byte { return trak("vide", 1, samples{}) }

// head returns the beginning of a video.
func head() []byte { return corpustest.Box("ftyp", []byte("isom\x00\x00\x02\x00isom")) }

// video puts boxes around a movie.
func video(moov []byte, more ...[]byte) []byte {
	return slices.Concat(head(), moov, slices.Concat(more...))
}

func moov(content ...[]byte) []byte {
	return corpustest.Box("moov", append([][]byte{full("mvhd", []byte("then"), []byte("when"), make([]byte, 88))},
		content...)...)
}

func TestVideosLoseUnneededBoxes(t *testing.T) {
	t.Parallel()
	secret := []byte(canary)
	mdat := corpustest.Box("mdat", []byte("pictures and sound"))
	for name, file := range map[string][]byte{
		"user data":             video(moov(picture(), corpustest.Box("udta", corpustest.Box("\xa9xyz", secret))), mdat),
		"keys":                  video(moov(picture(), corpustest.Box("meta", secret)), mdat),
		"a box of a maker":      video(moov(picture(), corpustest.Box("gps ", secret)), mdat),
		"XMP":                   video(moov(picture()), mdat, corpustest.Box("uuid", secret)),
		"XMP of a track":        video(moov(trak("vide", 1, samples{}, corpustest.Box("uuid", secret))), mdat),
		"what was there before": video(moov(picture()), corpustest.Box("free", secret), mdat, corpustest.Box("skip", secret)),
		"a preview":             video(moov(picture()), mdat, corpustest.Box("PICT", secret)),
		"the time of recording": video(moov(picture()), corpustest.Box("prft", secret), mdat),
		"a second video":        video(moov(picture()), mdat, corpustest.Box("mpvd", secret)),
		"a long box": video(moov(picture()), mdat,
			slices.Concat(number(1), []byte("uuid"), number(0), number(16+len(secret)), secret)),
		"a box to the end": video(moov(picture()), mdat, slices.Concat(number(0), []byte("uuid"), secret)),
		"padding in a box": video(moov(picture(), secret), mdat),
		"a file behind":    video(moov(picture()), mdat, secret, secret),
		"a piece of a box": video(moov(picture()), mdat, []byte("CANARY")),
		"defaults with more": video(moov(picture(),
			corpustest.Box("mvex", corpustest.Box("uuid", secret), full("trex", make([]byte, 20)))), mdat),
		"fragments with more": video(moov(picture()),
			corpustest.Box("moof", full("mfhd", number(1)), corpustest.Box("uuid", secret),
				corpustest.Box("traf", full("tfhd", number(1)), corpustest.Box("udta", secret))), mdat),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, data := scan(t, file, media.ContentTypeMP4)
			require.NotContains(t, string(data), canary)
			for _, gone := range []string{"then", "when", "MAKR"} {
				require.NotContains(t, string(data), gone)
			}
			require.Contains(t, string(data), "pictures and sound")
			require.Equal(t, bytes.Index(file, []byte("mdat")), bytes.Index(data, []byte("mdat")))
			_, again := scan(t, data, media.ContentTypeMP4)
			require.Equal(t, data, again)
		})
	}
}

func TestTruncatedVideos(t *testing.T) {
	t.Parallel()
	whole := video(moov(picture()), corpustest.Box("mdat", make([]byte, 1000)))
	_, data := scan(t, whole[:len(whole)-300], media.ContentTypeMP4)
	require.Len(t, data, len(whole)-300)
}

// table returns a table of numbers after the given fields.
func table(kind string, fields [][]byte, numbers ...int) []byte {
	for _, value := range numbers {
		fields = append(fields, number(value))
	}
	return full(kind, fields...)
}

// TestLocationTracksAreErased checks that the samples of removed tracks are erased, for all forms of the tables.
func TestLocationTracksAreErased(t *testing.T) {
	t.Parallel()
	media24 := "picture.GPSONE..sound...GPSTWO3.more....GPS4end"
	for name, build := range map[string]func(at int) samples{
		"sizes of their own": func(at int) samples {
			return samples{
				table("stsz", [][]byte{number(0), number(4)}, 3, 5, 7, 4), table("stsc", [][]byte{number(2)}, 1, 2, 1, 2, 1, 1),
				table("stco", [][]byte{number(3)}, at+8, at+24, at+40),
			}
		},
		"one size": func(at int) samples {
			return samples{
				table("stsz", [][]byte{number(4), number(5)}), table("stsc", [][]byte{number(2)}, 1, 2, 1, 3, 1, 1),
				table("co64", [][]byte{number(3)}, 0, at+8, 0, at+24, 0, at+40),
			}
		},
		"small sizes": func(at int) samples {
			return samples{
				full("stz2", number(8), number(4), []byte{8, 3, 5, 4}), table("stsc", [][]byte{number(2)}, 1, 1, 1, 2, 2, 1),
				table("stco", [][]byte{number(3)}, at+8, at+24, at+40),
			}
		},
		"sizes of two bytes": func(at int) samples {
			return samples{
				full("stz2", number(16), number(3), []byte{0, 8, 0, 8, 0, 4}), table("stsc", [][]byte{number(1)}, 1, 1, 1),
				table("stco", [][]byte{number(3)}, at+8, at+24, at+40),
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			make1 := func(at int) []byte {
				return video(moov(trak("vide", 1, samples{}, corpustest.Box("tref", corpustest.Box("chap", number(2)))),
					trak("meta", 2, build(at))),
					corpustest.Box("mdat", []byte(media24)))
			}
			file := make1(len(make1(0)) - len(media24))
			_, data := scan(t, file, media.ContentTypeMP4)
			require.Len(t, data, len(file))
			require.NotContains(t, string(data), "GPS")
			require.NotContains(t, string(data), "tref", "it would lead nowhere")
			for _, kept := range []string{"picture.", "sound...", "more....", "end"} {
				require.Contains(t, string(data), kept)
			}
			require.Equal(t, 1, bytes.Count(data, []byte("trak")))
		})
	}
}

// TestLocationTracksAreErasedFromFragments covers every way to specify the positions of samples.
func TestLocationTracksAreErasedFromFragments(t *testing.T) {
	t.Parallel()
	const content = "picture.GPSONE..GPSTWO..sound..."
	flagged := func(kind string, flags int, fields ...int) []byte {
		box := full(kind)
		copy(box[8:], number(flags))
		for _, field := range fields {
			box = append(box, number(field)...)
		}
		copy(box, number(len(box)))
		return box
	}
	for name, build := range map[string]func(moof, at int) []byte{
		"from the fragment, sizes of their own": func(moof, at int) []byte {
			return slices.Concat(flagged("tfhd", 1<<17, 2), flagged("trun", 0x301, 2, at+8-moof, 9, 8, 9, 8))
		},
		"from a base, one size": func(_, at int) []byte {
			return slices.Concat(flagged("tfhd", 1|2|8|16, 2, 0, at, 1, 1, 8), flagged("trun", 1|4, 1, 8, 0),
				flagged("trun", 0, 1))
		},
		"of the default size": func(moof, at int) []byte {
			return slices.Concat(flagged("tfhd", 1<<17, 2), flagged("trun", 0x101, 4, at+8-moof, 1, 1, 1, 1))
		},
		"without flags, first": func(moof, at int) []byte {
			return slices.Concat(flagged("tfhd", 0, 2), flagged("trun", 0xF01, 1, at+8-moof, 0, 16, 0, 0))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			start := video(moov(picture(), trak("meta", 2, samples{}),
				corpustest.Box("mvex", full("trex", number(2), number(1), number(0), number(4), number(0)))))
			assemble := func(at int) []byte {
				return slices.Concat(start, corpustest.Box("moof", full("mfhd", number(1)),
					corpustest.Box("traf", build(len(start), at)),
					corpustest.Box("traf", flagged("tfhd", 1<<17, 1), flagged("trun", 1, 1, 0))),
					corpustest.Box("mdat", []byte(content)))
			}
			file := assemble(len(assemble(0)) - len(content))
			_, data := scan(t, file, media.ContentTypeMP4)
			require.NotContains(t, string(data), "GPS")
			require.Contains(t, string(data), "picture.")
			require.Contains(t, string(data), "sound...")
			require.Equal(t, 1, bytes.Count(data, []byte("traf")))
		})
	}
}

// item returns the description of an item of a HEIC file.
func item(id byte, kind, rest string) []byte {
	return full("infe", []byte{0, id, 0, 0}, []byte(kind), []byte(rest+"\x00"))
}

// heic returns a file with a picture, EXIF and XMP, at the locations given by places.
func heic(places []byte, more ...[]byte) []byte {
	infos := slices.Concat(item(1, "hvc1", canary), item(2, "Exif", canary), item(3, "mime", "\x00application/rdf+xml"))
	for at := bytes.Index(infos, []byte("infe")); at >= 0; {
		infos[at+4] = 2 // the version
		next := bytes.Index(infos[at+4:], []byte("infe"))
		if next < 0 {
			break
		}
		at += 4 + next
	}
	return slices.Concat(corpustest.Box("ftyp", []byte("heic\x00\x00\x00\x00mif1heic")),
		full("meta", full("hdlr", number(0), []byte("pict"), make([]byte, 13)), full("pitm", []byte{0, 1}),
			full("iinf", []byte{0, 3}, infos), places, corpustest.Box("uuid", []byte(canary)), slices.Concat(more...)))
}

func TestHEICMetadataItemsAreErased(t *testing.T) {
	t.Parallel()
	const content = "picture.PLACE AND CAMERA 20 bXMPXMP"
	short := func(values ...int) []byte {
		var data []byte
		for _, value := range values {
			data = binary.BigEndian.AppendUint16(data, uint16(value)) //nolint:gosec // of test size
		}
		return data
	}
	first := func(at int) []byte { // version 0, four bytes each
		return full("iloc", []byte{0x44, 0}, short(3), short(1, 0, 1), number(at), number(8),
			short(2, 0, 1), number(at+8), number(21), short(3, 0, 2), number(at+29), number(3), number(at+32), number(3))
	}
	second := func(at int) []byte { // version 2, a base and an index
		box := full("iloc", []byte{0x44, 0x44}, number(3),
			number(1), short(0, 0), number(at), short(1), number(9), number(0), number(8),
			number(2), short(0, 0), number(at), short(1), number(9), number(8), number(21),
			number(3), short(0, 0), number(at), short(1), number(9), number(29), number(6))
		box[8] = 2
		return box
	}
	inside := func(int) []byte { // version 1, in the items' data
		box := full("iloc", []byte{0x44, 0}, short(3), short(1, 1, 0, 1), number(0), number(8),
			short(2, 1, 0, 1), number(8), number(21), short(3, 1, 0, 1), number(29), number(6))
		box[8] = 1
		return box
	}
	for name, test := range map[string]struct {
		places func(at int) []byte
		inside bool
	}{"first version": {first, false}, "second version": {second, false}, "in the box": {inside, true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assemble := func(at int) []byte {
				if test.inside {
					return heic(test.places(at), corpustest.Box("idat", []byte(content)))
				}
				return append(heic(test.places(at)), corpustest.Box("mdat", []byte(content))...)
			}
			file := assemble(len(assemble(0)) - len(content))
			_, data := scan(t, file, media.ContentTypeHEIC)
			require.Len(t, data, len(file))
			for _, gone := range []string{canary, "PLACE", "CAMERA", "XMP", " b"} {
				require.NotContains(t, string(data), gone)
			}
			require.Contains(t, string(data), "picture.\x00\x00\x00\x00MM\x00*\x00\x00\x00\x08\x00\x00\x00\x00\x00\x00",
				"EXIF that says nothing")
			_, again := scan(t, data, media.ContentTypeHEIC)
			require.Equal(t, data, again)
		})
	}
}

// ebml returns an element with a size of one byte, or of eight bytes for longer elements.
func ebml(id string, content ...[]byte) []byte {
	data := slices.Concat(content...)
	if len(data) < 0x7F {
		return slices.Concat([]byte(id), []byte{0x80 | byte(len(data))}, data) //nolint:gosec // below 0x7F
	}
	return slices.Concat([]byte(id), binary.BigEndian.AppendUint64(nil, 1<<56|uint64(len(data))), data)
}

const (
	unknownSize = "\xFF"
	clusterID   = "\x1F\x43\xB6\x75"
	tagsID      = "\x12\x54\xC3\x67"
)

func webm(parts ...[]byte) []byte {
	return slices.Concat(ebml("\x1A\x45\xDF\xA3", ebml("\x42\x82", []byte("webm"))), ebml("\x18\x53\x80\x67", parts...))
}

func webmTracks() []byte {
	return ebml("\x16\x54\xAE\x6B", ebml("\xBF", number(7)),
		ebml("\xAE", ebml("\xD7", []byte{1}), ebml("\x53\x6E", []byte(canary)), ebml("\xEC", []byte(canary))))
}

func TestWebMLosesUnneededElements(t *testing.T) {
	t.Parallel()
	secret := []byte(canary)
	cluster := ebml(clusterID, ebml("\xE7", []byte{0}), ebml("\xA3", []byte("\x81\x00\x00\x80picture")))
	endless := slices.Concat([]byte(clusterID+unknownSize), cluster[5:])
	index := ebml("\x11\x4D\x9B\x74", ebml("\x4D\xBB", ebml("\x53\xAB", []byte(tagsID)), ebml("\x53\xAC", []byte{99})),
		ebml("\x4D\xBB", ebml("\x53\xAB", []byte("\x16\x54\xAE\x6B")), ebml("\x53\xAC", []byte{99})))
	for name, file := range map[string][]byte{
		"tags":          webm(webmTracks(), cluster, ebml(tagsID, secret)),
		"long tags":     webm(webmTracks(), ebml(tagsID, secret, make([]byte, 200)), cluster),
		"an attachment": webm(webmTracks(), ebml("\x19\x41\xA4\x69", secret), cluster),
		"names": webm(ebml("\x15\x49\xA9\x66", ebml("\x4D\x80", secret), ebml("\x57\x41", secret), ebml("\x7B\xA9", secret),
			ebml("\x44\x61", []byte("12345678"))), webmTracks(), cluster),
		"an index":                 webm(index, webmTracks(), cluster),
		"what was there before":    webm(ebml("\xEC", secret), webmTracks(), cluster),
		"clusters of unknown size": webm(webmTracks(), endless, endless, ebml(tagsID, secret)),
		"a file behind":            append(webm(webmTracks(), cluster), secret...),
		"something in between":     slices.Concat(webm()[:12], ebml("\xEC", secret), webm(webmTracks(), cluster)[12:]),
		"junk behind unknown size": slices.Concat(webm()[:12], []byte("\x18\x53\x80\x67"+unknownSize), webmTracks(),
			endless, []byte("\x00"+canary)),
		"the last cluster cut short": slices.Concat(webm()[:12], []byte("\x18\x53\x80\x67"+unknownSize), webmTracks(),
			cluster[:len(cluster)-3]),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, data := scan(t, file, media.ContentTypeWebM)
			require.NotContains(t, string(data), canary)
			require.NotContains(t, string(data), tagsID)
			require.Contains(t, string(data), "pict")
			_, again := scan(t, data, media.ContentTypeWebM)
			require.Equal(t, data, again)
		})
	}
}

func TestUnparsableVideos(t *testing.T) {
	t.Parallel()
	mdat := corpustest.Box("mdat", make([]byte, 8))
	tricky := trak("meta", 2, samples{
		table("stsz", [][]byte{number(8), number(1)}), table("stsc", [][]byte{number(1)}, 1, 1, 1),
		table("stco", [][]byte{number(1)}, 40),
	})
	short := func(kind string) []byte { return corpustest.Box(kind, []byte{0}) }
	withMedia := func(inside []byte) []byte { return video(moov(corpustest.Box("trak", corpustest.Box("mdia", inside)))) }
	long := func(kind string) samples {
		s := samples{
			table("stsz", [][]byte{number(0), number(1)}, 1), table("stsc", [][]byte{number(1)}, 1, 1, 1),
			table("stco", [][]byte{number(1)}, 900),
		}
		claims := table(kind, [][]byte{number(1 << 30), number(1 << 30)})
		switch kind {
		case "stsz":
			s.sizes = table(kind, [][]byte{number(0), number(1 << 30)})
		case "stsc":
			s.runs = claims
		case "stco":
			s.chunks = claims
		case "stz2":
			s.sizes = full(kind, number(4), number(1), []byte{0x88})
		}
		return s
	}
	for name, test := range map[string]struct {
		file        []byte
		contentType string
		class       fault.Class
	}{
		"nothing":                 {nil, media.ContentTypeMP4, fault.Broken},
		"no video":                {head(), media.ContentTypeMP4, fault.Broken},
		"no track":                {video(moov(), mdat), media.ContentTypeMP4, fault.Broken},
		"no picture and no sound": {video(moov(trak("meta", 1, samples{})), mdat), media.ContentTypeMP4, fault.Broken},
		"a packed head": {
			video(moov(corpustest.Box("cmov", []byte("x")))), media.ContentTypeMOV, fault.Unsupported,
		},
		"a video elsewhere": {
			video(moov(corpustest.Box("rmra", []byte("x")))), media.ContentTypeMOV, fault.Unsupported,
		},
		"samples elsewhere": {
			corpustest.ElsewhereMP4(fixture(t, "video.mp4"), "/etc/passwd"), media.ContentTypeMP4, fault.Broken,
		},
		"a box of 2^64 bytes": {
			slices.Concat(head(), number(1), []byte("moov"), bytes.Repeat([]byte{0xFF}, 20)), media.ContentTypeMP4,
			fault.Broken,
		},
		"a box of no size": {
			slices.Concat(head(), number(4), []byte("moov")), media.ContentTypeMP4, fault.Broken,
		},
		"a box that leaves its parent": {
			video(moov(slices.Concat(number(900), []byte("trak")))), media.ContentTypeMP4, fault.Broken,
		},
		"data that lead into the tables": {video(moov(picture(), tricky), mdat), media.ContentTypeMP4, fault.Broken},
		"a header that is too short":     {video(corpustest.Box("moov", short("mvhd"))), media.ContentTypeMP4, fault.Broken},
		"a handler that is too short":    {withMedia(short("hdlr")), media.ContentTypeMP4, fault.Broken},
		"too many offsets": {
			video(moov(picture(), trak("meta", 2, long("stco"))), mdat), media.ContentTypeMP4, fault.Broken,
		},
		"too many runs": {
			video(moov(picture(), trak("meta", 2, long("stsc"))), mdat), media.ContentTypeMP4, fault.Broken,
		},
		"too many sizes": {
			video(moov(picture(), trak("meta", 2, long("stsz"))), mdat), media.ContentTypeMP4, fault.Broken,
		},
		"sizes of half a byte": {
			video(moov(picture(), trak("meta", 2, long("stz2"))), mdat), media.ContentTypeMP4, fault.Broken,
		},
		"a crowd of boxes": {
			video(moov(picture(), bytes.Repeat(corpustest.Box("udta"), 200_000)), mdat), media.ContentTypeMP4, fault.TooLarge,
		},
		"a fragment before its video": {
			slices.Concat(head(), corpustest.Box("moof"), moov(picture(), trak("meta", 2, samples{}))), media.ContentTypeMP4,
			fault.Broken,
		},
		"HEIC without a picture": {
			corpustest.Box("ftyp", []byte("heic\x00\x00\x00\x00mif1heic")), media.ContentTypeHEIC, fault.Broken,
		},
		"HEIC without places": {heic(nil), media.ContentTypeHEIC, fault.Broken},
		"HEIC with too many places": {
			heic(full("iloc", []byte{0x44, 0, 0xFF, 0xFF})), media.ContentTypeHEIC, fault.Broken,
		},
		"WebM that is none":    {[]byte("hello, this is text"), media.ContentTypeWebM, fault.Broken},
		"WebM without a video": {webm()[:12], media.ContentTypeWebM, fault.Broken},
		"WebM without tracks":  {webm(), media.ContentTypeWebM, fault.Broken},
		"WebM of another root": {
			slices.Concat(webm()[:12], ebml("\xA3", []byte("x"))), media.ContentTypeWebM, fault.Broken,
		},
		"WebM, an element too long": {webm(webmTracks(), []byte(tagsID+"\xC0")), media.ContentTypeWebM, fault.Broken},
		"WebM, an endless element": {
			webm(webmTracks(), []byte(tagsID+unknownSize)), media.ContentTypeWebM, fault.Broken,
		},
		"WebM, a crowd of elements": {
			webm(webmTracks(), bytes.Repeat([]byte("\xA1\x80"), 200_000)), media.ContentTypeWebM, fault.TooLarge,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := metadata.Scan(bytes.NewReader(test.file), int64(len(test.file)), test.contentType)
			var failure *fault.Failure
			require.ErrorAs(t, err, &failure)
			require.Equal(t, test.class, failure.Class, failure.Detail)
		})
	}
}

// TestCrowdedPictures checks that memory does not grow with the number of a file's parts.
func TestCrowdedPictures(t *testing.T) {
	t.Parallel()
	const many = 100_000
	text, data := corpustest.Chunk("tEXt", nil), corpustest.Chunk("IDAT", nil)
	for contentType, file := range map[string][]byte{
		media.ContentTypePNG: corpustest.InsertPNG(corpustest.HugePNG(1, 1), bytes.Repeat(append(text, data...), many)),
		media.ContentTypeJPEG: corpustest.InsertJPEG(corpustest.JPEG(t, corpustest.Scene(8, 8)),
			bytes.Repeat(append(corpustest.Segment(0xFE, nil), corpustest.Segment(0xDD, nil)...), many)),
		media.ContentTypeWebP: corpustest.RIFF(bytes.Repeat(append(corpustest.RIFFChunk("odd ", nil),
			corpustest.RIFFChunk("ALPH", nil)...), many)),
	} {
		_, err := metadata.Scan(bytes.NewReader(file), int64(len(file)), contentType)
		var failure *fault.Failure
		require.ErrorAs(t, err, &failure, contentType)
		require.Equal(t, fault.TooLarge, failure.Class, contentType)
	}
}

// TestLongVideosUseBoundedMemory checks that memory grows neither with the length of a file nor with that of the removed
// parts.
func TestLongVideosUseBoundedMemory(t *testing.T) {
	t.Parallel()
	const long = 1 << 40
	start := video(moov(picture()), number(1), []byte("free"), number(long>>32), number(0))
	clean, err := metadata.Scan(sparse(start), long+int64(len(start))-16, media.ContentTypeMP4)
	require.NoError(t, err)
	require.Equal(t, int64(long+len(start)-16), clean.Size)
	read := io.LimitReader(clean.NewReader(), 1<<20)
	data, err := io.ReadAll(read)
	require.NoError(t, err)
	require.Len(t, data, 1<<20)
}

// sparse is a file that continues with zeros forever.
type sparse []byte

func (s sparse) ReadAt(data []byte, offset int64) (int, error) {
	clear(data)
	if offset < int64(len(s)) {
		copy(data, s[offset:])
	}
	return len(data), nil
}

// FuzzVideos checks that for any input, nothing moves and a clean file stays unchanged.
func FuzzVideos(f *testing.F) {
	contentTypes := []string{media.ContentTypeMP4, media.ContentTypeHEIC, media.ContentTypeWebM}
	for _, name := range []string{"talkative.mp4", "fragments.mp4", "talkative.mov"} {
		f.Add(uint8(0), fixture(f, name))
	}
	f.Add(uint8(1), fixture(f, "talkative.heic"))
	f.Add(uint8(2), fixture(f, "talkative.webm"))
	f.Add(uint8(2), fixture(f, "live.webm"))
	f.Add(uint8(0), video(moov(picture(), corpustest.Box("gps ", []byte(canary))), corpustest.Box("uuid", []byte(canary))))
	f.Add(uint8(1), heic(full("iloc", []byte{0x44, 0, 0, 1, 0, 2, 0, 0, 0, 1}, number(9), number(9))))
	f.Add(uint8(2), webm(webmTracks(), ebml(tagsID, []byte(canary))))
	f.Fuzz(func(t *testing.T, kind uint8, file []byte) {
		contentType := contentTypes[int(kind)%len(contentTypes)]
		clean, err := metadata.Scan(bytes.NewReader(file), int64(len(file)), contentType)
		if err != nil {
			var failure *fault.Failure
			require.ErrorAs(t, err, &failure)
			return
		}
		require.LessOrEqual(t, clean.Size, int64(len(file)))
		data, err := io.ReadAll(clean.NewReader())
		require.NoError(t, err)
		require.Len(t, data, int(clean.Size))
		_, same := scan(t, data, contentType)
		require.True(t, bytes.Equal(data, same), "a clean file is clean")
	})
}

// eager returns io.EOF together with the last bytes, as io.ReaderAt allows.
type eager struct{ *bytes.Reader }

func (e eager) ReadAt(data []byte, offset int64) (int, error) {
	n, err := e.Reader.ReadAt(data, offset)
	if offset+int64(n) == e.Size() {
		err = io.EOF
	}
	return n, err
}

func TestReaderContinuesAfterSource(t *testing.T) {
	t.Parallel()
	whole := corpustest.JPEG(t, corpustest.Scene(40, 30))
	cut := whole[:len(whole)-2] // the added bytes follow the source's last byte
	clean, err := metadata.Scan(eager{bytes.NewReader(cut)}, int64(len(cut)), media.ContentTypeJPEG)
	require.NoError(t, err)
	data, err := io.ReadAll(clean.NewReader())
	require.NoError(t, err)
	require.Equal(t, whole, data)
}

package mediabox_test

import (
	"bytes"
	"encoding/binary"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/infra/mediabox"
	"fencepost.internal/shared/infra/mediabox/mediaboxtest"
)

func TestStrip(t *testing.T) {
	t.Parallel()
	box := setup(t, nil)
	exif := mediaboxtest.Segment(0xE1, append([]byte("Exif\x00\x00"), mediaboxtest.EXIF(6)...))
	path := write(t, mediaboxtest.InsertJPEG(mediaboxtest.JPEG(t, mediaboxtest.Scene(60, 40)), exif))
	into := output(t)
	stripped, err := box.Strip(t.Context(), path, into)
	require.NoError(t, err)
	require.Equal(t, "image/jpeg", stripped.ContentType)
	for _, path := range []string{path, into.Name()} {
		result, err := box.Probe(t.Context(), path)
		require.NoError(t, err)
		require.Equal(t, mediabox.Probe{Width: 40, Height: 60, Turned: true}, result.Probe)
	}
	for _, other := range [][]byte{mediaboxtest.PDF(10, 10, ""), []byte("no picture")} {
		_, err = box.Strip(t.Context(), write(t, other), output(t))
		requireClass(t, mediabox.Unsupported, err)
	}
	_, err = box.Strip(t.Context(), "mediaboxtest", output(t))
	require.ErrorContains(t, err, "is not a regular file")
}

// forbidden are the words in the metadata of test files, and the time when some were recorded.
var forbidden = []string{
	mediaboxtest.Canary, mediaboxtest.Place, "N47.3769", "XMP", "adobe", "\xe2\x5e\x10\x6d", "com.apple.quicktime",
}

func TestMetadataIsRemoved(t *testing.T) {
	t.Parallel()
	box := setup(t, nil)
	for _, file := range mediaboxtest.Talkative(t) {
		require.True(t, bytes.Contains(file.Data, []byte(mediaboxtest.Canary)), file.Name)
		data := strip(t, box, file.Data)
		for _, word := range forbidden {
			require.False(t, bytes.Contains(data, []byte(word)), "%s says %q", file.Name, word)
		}
	}
}

// inMovie returns a MOV file whose movie box contains more at its end. The tables come last, so that no offset changes.
func inMovie(t testing.TB, more ...[]byte) []byte {
	t.Helper()
	file := mediaboxtest.Fixture(t, "turned.mov")
	at := bytes.Index(file, []byte("moov")) - 4
	require.Equal(t, len(file)-at, int(binary.BigEndian.Uint32(file[at:])))
	return append(file[:at:at], mediaboxtest.Box("moov", file[at+8:], slices.Concat(more...))...)
}

// inTrack returns a MOV file whose track contains more at its end.
func inTrack(t testing.TB, more ...[]byte) []byte {
	t.Helper()
	file := inMovie(t)
	at := bytes.Index(file, []byte("trak")) - 4
	end := at + int(binary.BigEndian.Uint32(file[at:]))
	moov := bytes.Index(file, []byte("moov")) + 4
	return append(file[:moov-8:moov-8], mediaboxtest.Box("moov", file[moov:at],
		mediaboxtest.Box("trak", file[at+8:end], slices.Concat(more...)), file[end:])...)
}

// TestVideosLoseUnneededBoxes checks that the boxes of cameras and programs are removed, wherever they are.
func TestVideosLoseUnneededBoxes(t *testing.T) {
	t.Parallel()
	box, secret, plain := setup(t, nil), []byte(mediaboxtest.Canary), mediaboxtest.Fixture(t, "turned.mov")
	xmp := append([]byte("\xBE\x7A\xCF\xCB\x97\xA9\x42\xE8\x9C\x71\x99\x94\x91\xE3\xAF\xAC"), secret...)
	behind := func(more ...[]byte) []byte { return append(plain[:len(plain):len(plain)], slices.Concat(more...)...) }
	item := func(kind string) []byte {
		return mediaboxtest.Box(kind, number(len(secret)+16), []byte("data"), number(1), number(0), secret)
	}
	for name, file := range map[string][]byte{
		"user data":             inMovie(t, mediaboxtest.Box("udta", mediaboxtest.Box("\xa9xyz", []byte{0, 6, 0x15, 0xc7}, secret))),
		"a location":            inMovie(t, mediaboxtest.Box("udta", mediaboxtest.Box("loci", number(0), secret, make([]byte, 20)))),
		"the maker":             inMovie(t, mediaboxtest.Box("udta", item("\xa9mak"), item("\xa9mod"), item("\xa9too"))),
		"a cover":               inMovie(t, mediaboxtest.Box("udta", mediaboxtest.Box("meta", number(0), mediaboxtest.Box("ilst", item("covr"))))),
		"keys":                  inMovie(t, mediaboxtest.Box("meta", secret)),
		"a box of a maker":      inMovie(t, mediaboxtest.Box("gps ", secret)),
		"XMP":                   behind(mediaboxtest.Box("uuid", xmp)),
		"XMP of a movie":        inMovie(t, mediaboxtest.Box("uuid", xmp)),
		"XMP of a track":        inTrack(t, mediaboxtest.Box("uuid", xmp)),
		"user data of a track":  inTrack(t, mediaboxtest.Box("udta", mediaboxtest.Box("name", secret))),
		"padding in a box":      inMovie(t, secret),
		"what was there before": behind(mediaboxtest.Box("free", secret), mediaboxtest.Box("skip", secret)),
		"unused data":           behind(mediaboxtest.Box("mdat", secret)),
		"a preview":             behind(mediaboxtest.Box("PICT", secret)),
		"the time of recording": behind(mediaboxtest.Box("prft", secret)),
		"a second video":        behind(mediaboxtest.Box("mpvd", secret)),
		"a long box":            behind(number(1), []byte("uuid"), number(0), number(16+len(xmp)), xmp),
		"a box to the end":      behind(number(0), []byte("uuid"), xmp),
		"a file behind":         behind(secret, secret),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data := strip(t, box, file)
			require.NotContains(t, string(data), mediaboxtest.Canary)
			require.Equal(t, play(t, plain), play(t, data))
		})
	}
}

// number returns a big-endian number of four bytes.
func number(value int) []byte { return binary.BigEndian.AppendUint32(nil, uint32(value)) } //nolint:gosec // of test size

// TestWebMLosesUnneededElements checks elements at the end of a video and behind it.
func TestWebMLosesUnneededElements(t *testing.T) {
	t.Parallel()
	box, plain := setup(t, nil), mediaboxtest.Fixture(t, "short.webm")
	const secret = "\x8f" + mediaboxtest.Canary + "+47.3769\x00"
	sizeAt := bytes.Index(plain, []byte("\x18\x53\x80\x67\x01")) + 4
	longer := func(more string) []byte {
		file := slices.Concat(plain, []byte(more))
		binary.BigEndian.PutUint64(file[sizeAt:], 1<<56|uint64(len(file)-sizeAt-8)) //nolint:gosec // of test size
		return file
	}
	for name, file := range map[string][]byte{
		"tags":                  longer("\x12\x54\xC3\x67\x9b\x73\x73\x98\x67\xc8\x95\x45\xa3\x80\x44\x87" + secret),
		"an attachment":         longer("\x19\x41\xA4\x69\x95\x61\xA7\x92\x46\x6E" + secret),
		"what was there before": longer("\xEC" + secret),
		"a file behind":         append(plain[:len(plain):len(plain)], secret...),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Contains(t, string(file), secret)
			data := strip(t, box, file)
			require.NotContains(t, string(data), mediaboxtest.Canary)
			require.Equal(t, play(t, plain), play(t, data))
		})
	}
}

// TestLocationTracksAreRemoved checks tracks of every kind that is neither video nor audio, with their samples.
func TestLocationTracksAreRemoved(t *testing.T) {
	t.Parallel()
	box := setup(t, nil)
	for _, name := range []string{"talkative.mp4", "talkative.mov", "fragments.mp4"} {
		for kind, coding := range map[string]string{
			"meta": "gpmd", "text": "text", "tmcd": "tmcd", "camr": "gps ",
		} {
			t.Run(name+" "+kind, func(t *testing.T) {
				t.Parallel()
				whole := mediaboxtest.Fixture(t, name)
				file := whole
				for _, handler := range []string{"sbtl", "text"} {
					file = bytes.ReplaceAll(file, []byte("\x00\x00\x00\x00"+handler), []byte("\x00\x00\x00\x00"+kind))
				}
				file = bytes.Replace(file, []byte("tx3g"), []byte(coding), 1)
				require.Contains(t, string(file), "CANARY N47")
				data := strip(t, box, file)
				for _, word := range forbidden {
					require.False(t, bytes.Contains(data, []byte(word)), word)
				}
				require.Equal(t, play(t, whole), play(t, data))
			})
		}
	}
}

// play returns the checksums and times of all frames and audio of a video, as it is shown. FFmpeg must print no warnings.
func play(t testing.TB, data []byte) string {
	t.Helper()
	command := exec.CommandContext(t.Context(), "ffmpeg", "-nostdin", "-v", "warning", "-i", write(t, data), "-map", "0:V?",
		"-map", "0:a?", "-fflags", "+bitexact", "-f", "framemd5", "-")
	var warnings strings.Builder
	command.Stderr = &warnings
	sums, err := command.Output()
	require.NoError(t, err, warnings.String())
	require.Empty(t, warnings.String())
	return string(sums)
}

// streams returns what FFprobe says of the pictures and the sound of a video and of how to show them: codecs, colours,
// HDR, rotation, languages.
func streams(t testing.TB, data []byte) string {
	t.Helper()
	printed, err := exec.CommandContext(t.Context(), "ffprobe", "-v", "error", "-show_entries",
		"stream=codec_type,codec_name,codec_tag_string,profile,width,height,sample_aspect_ratio,pix_fmt,color_range,"+
			"color_space,color_transfer,color_primaries,chroma_location,sample_rate,channels,channel_layout:"+
			"stream_side_data:stream_tags=language,alpha_mode", "-of", "compact", write(t, data)).Output()
	require.NoError(t, err)
	var shown []string
	for line := range strings.Lines(strings.NewReplacer("|tag:language=und", "", "ALPHA", "alpha", "MODE", "mode").Replace(string(printed))) {
		if strings.Contains(line, "codec_type=video") || strings.Contains(line, "codec_type=audio") {
			shown = append(shown, line)
		}
	}
	return strings.Join(shown, "")
}

// encoded returns a video that FFmpeg writes.
func encoded(t testing.TB, extension string, arguments ...string) []byte {
	t.Helper()
	path := write(t, nil) + "." + extension
	command := exec.CommandContext(t.Context(), "ffmpeg", slices.Concat([]string{"-nostdin", "-v", "error"}, arguments, []string{path})...)
	printed, err := command.CombinedOutput()
	require.NoError(t, err, string(printed))
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	return data
}

// inSample returns an MP4 file, whose tables come last, with more boxes in the description of its HEVC samples.
func inSample(file []byte, more ...[]byte) []byte {
	return mediaboxtest.EditBoxes(file, func(kind string, content []byte) []byte {
		const counted = 8
		if kind != "stsd" || string(content[counted+4:counted+8]) != "hvc1" {
			return content
		}
		return slices.Concat(content[:counted], mediaboxtest.Box("hvc1", content[counted+8:], slices.Concat(more...)))
	})
}

// hdr returns an HEVC video as a phone records it: in HDR, with the description of the screen that it was made for and of
// Dolby Vision, and spherical.
func hdr(t testing.TB, extension string) []byte {
	t.Helper()
	screen := []uint16{13250, 34500, 7500, 3000, 34000, 16000, 15635, 16450}
	mastering, err := binary.Append(nil, binary.BigEndian, screen)
	require.NoError(t, err)
	return inSample(encoded(t, extension, "-f", "lavfi", "-i", "testsrc2=size=64x64:rate=10:duration=1", "-f", "lavfi", "-i",
		"sine=duration=1", "-c:v", "libx265", "-x265-params", "log-level=error", "-tag:v", "hvc1", "-pix_fmt", "yuv420p10le",
		"-color_primaries", "bt2020", "-color_trc", "smpte2084", "-colorspace", "bt2020nc", "-c:a", "aac"),
		mediaboxtest.Box("mdcv", mastering, number(10_000_000), number(1)), mediaboxtest.Box("clli", []byte{3, 0xE8, 1, 0x90}),
		mediaboxtest.Box("dvvC", []byte{1, 0, 0x10, 0x25, 0x10}, make([]byte, 19)), mediaboxtest.Box("st3d", []byte{0, 0, 0, 0, 1}),
		mediaboxtest.Box("sv3d", mediaboxtest.Box("svhd", number(0), []byte{'x', 0}),
			mediaboxtest.Box("proj", mediaboxtest.Box("prhd", make([]byte, 16)), mediaboxtest.Box("equi", make([]byte, 20)))))
}

// TestStrippedVideosPlay checks that all frames, audio and times of a video are unchanged, and how it is shown: colours,
// HDR, rotation, edit lists. FFmpeg prints no warnings.
func TestStrippedVideosPlay(t *testing.T) {
	t.Parallel()
	box := setup(t, nil)
	files := map[string][]byte{}
	for _, name := range []string{
		"talkative.mp4", "fragments.mp4", "talkative.mov", "talkative.webm", "live.webm", "video.mp4", "turned.mov",
		"short.webm", "wide.mp4", "sound.mp4", "unusual.mov", "recorded.mp4", "recorded.webm", "upright.mp4",
	} {
		files[name] = mediaboxtest.Fixture(t, name)
	}
	scene := []string{"-f", "lavfi", "-i", "testsrc2=size=64x64:rate=10:duration=2", "-f", "lavfi", "-i", "sine=duration=2"}
	files["HDR in MP4"], files["HDR in MOV"] = hdr(t, "mp4"), hdr(t, "mov")
	files["an edit list"] = encoded(t, "mp4", "-ss", "0.55", "-i", fixture("video.mp4"), "-c", "copy")
	files["late sound"] = encoded(t, "mp4", "-i", fixture("video.mp4"), "-itsoffset", "0.7", "-i", fixture("sound.mp4"), "-map", "0:v",
		"-map", "1:a", "-c", "copy")
	files["uncompressed sound"] = encoded(t, "mov", append(scene, "-c:v", "libx264", "-c:a", "pcm_s16be")...)
	files["uncompressed sound in MP4"] = bytes.Replace(files["uncompressed sound"], []byte("ftypqt  "), []byte("ftypisom"), 1)
	files["two languages"] = encoded(t, "mp4", append(scene, "-map", "0:v", "-map", "1:a", "-map", "1:a", "-c:v", "libx264",
		"-metadata:s:1", "language=deu", "-metadata:s:2", "language=fra")...)
	files["transparency"] = encoded(t, "webm", append(scene, "-vf", "format=yuva420p", "-c:v", "libvpx", "-auto-alt-ref", "0")...)
	for name, file := range files {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stripped := strip(t, box, file)
			require.Equal(t, play(t, file), play(t, stripped))
			require.Equal(t, streams(t, file), streams(t, stripped))
		})
	}
}

// TestStrippedVideosStartFast checks that the tables of a video come before its data, so that it plays while it loads.
func TestStrippedVideosStartFast(t *testing.T) {
	t.Parallel()
	box := setup(t, nil)
	for _, name := range []string{"turned.mov", "fragments.mp4", "wide.mp4"} {
		data := strip(t, box, mediaboxtest.Fixture(t, name))
		require.Less(t, bytes.Index(data, []byte("moov")), bytes.Index(data, []byte("mdat")), name)
		require.NotContains(t, string(data), "moof", name)
	}
}

// TestUnknownSoundIsRemoved checks a video with a second sound track in a coding that FFmpeg does not know, as phones
// record it.
func TestUnknownSoundIsRemoved(t *testing.T) {
	t.Parallel()
	file := encoded(t, "mp4", "-i", fixture("video.mp4"), "-map", "0:v", "-map", "0:a", "-map", "0:a", "-c", "copy")
	at := bytes.LastIndex(file, []byte("mp4a"))
	copy(file[at:], "apac")
	copy(file[at+bytes.Index(file[at:], []byte("esds")):], "dapa")
	data := strip(t, setup(t, nil), file)
	require.NotContains(t, string(data), "apac")
	require.Equal(t, play(t, mediaboxtest.Fixture(t, "video.mp4")), play(t, data))
}

// TestUnplayableVideosAreNotStripped checks files that no program can play.
func TestUnplayableVideosAreNotStripped(t *testing.T) {
	t.Parallel()
	box := setup(t, nil)
	head := mediaboxtest.Fixture(t, "video.mp4")[:32]
	mvhd := mediaboxtest.Box("mvhd", make([]byte, 100))
	text := bytes.Replace(mediaboxtest.Fixture(t, "sound.mp4"), []byte("mp4a"), []byte("mett"), 1)
	for name, file := range map[string][]byte{
		"no track":                slices.Concat(head, mediaboxtest.Box("moov", mvhd), mediaboxtest.Box("mdat")),
		"a header too short":      slices.Concat(head, mediaboxtest.Box("moov", mediaboxtest.Box("mvhd"))),
		"no picture and no sound": bytes.Replace(text, []byte("\x00\x00\x00\x00soun"), []byte("\x00\x00\x00\x00meta"), 1),
	} {
		_, err := box.Strip(t.Context(), write(t, file), output(t))
		require.Error(t, err, name)
		requireClass(t, mediabox.Broken, err)
	}
}

// TestLongVideosAreStripped checks that limits grow with the file.
func TestLongVideosAreStripped(t *testing.T) {
	t.Parallel()
	file := encoded(t, "mov", "-f", "lavfi", "-i", "color=red:size=64x64:rate=1:duration=2", "-f", "lavfi", "-i",
		"sine=sample_rate=192000:duration=200", "-c:v", "libx264", "-c:a", "pcm_s32be")
	const fileSize = 1 << 20
	require.Greater(t, len(file), 100*fileSize)
	box := setup(t, func(config *mediabox.Config) { config.Limits.FileSize = fileSize })
	require.InDelta(t, len(file), len(strip(t, box, file)), fileSize)
}

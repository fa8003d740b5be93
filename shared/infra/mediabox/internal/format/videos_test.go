package format_test

import (
	"bytes"
	"encoding/binary"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/infra/mediabox/internal/format"
	"fencepost.internal/shared/infra/mediabox/mediaboxtest"
)

// head returns the beginning of a video.
func head() []byte { return mediaboxtest.Box("ftyp", []byte("isom\x00\x00\x02\x00isom")) }

// video puts boxes around a movie.
func video(moov []byte, more ...[]byte) []byte {
	return slices.Concat(head(), moov, slices.Concat(more...))
}

func moov(content ...[]byte) []byte { return mediaboxtest.Box("moov", content...) }

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

func webmTracks() []byte { return ebml("\x16\x54\xAE\x6B", ebml("\xAE", ebml("\xD7", []byte{1}))) }

// TestVideosAreChecked checks which videos pass, and which end early.
func TestVideosAreChecked(t *testing.T) {
	t.Parallel()
	mdat := mediaboxtest.Box("mdat", make([]byte, 1000))
	whole := video(moov(), mdat)
	cluster := ebml(clusterID, ebml("\xE7", []byte{0}), ebml("\xA3", []byte("\x81\x00\x00\x80picture")))
	endless := slices.Concat([]byte(clusterID+unknownSize), cluster[5:])
	segment := []byte("\x18\x53\x80\x67" + unknownSize)
	frames := bytes.Repeat(slices.Concat(mediaboxtest.Box("moof"), mediaboxtest.Box("mdat")), 200_000)
	for name, test := range map[string]struct {
		file        []byte
		contentType string
		cut         bool
	}{
		"MP4":                             {whole, media.ContentTypeMP4, false},
		"MP4 cut in its data":             {whole[:len(whole)-300], media.ContentTypeMP4, true},
		"MP4 with something behind":       {append(whole[:len(whole):len(whole)], "text"...), media.ContentTypeMP4, false},
		"MP4 with a file behind":          {append(whole[:len(whole):len(whole)], "a longer text"...), media.ContentTypeMP4, false},
		"MP4 with a box to the end":       {video(moov(), slices.Concat(number(0), []byte("mdat"))), media.ContentTypeMP4, false},
		"MP4 of a day":                    {video(moov(), frames), media.ContentTypeMP4, false},
		"WebM":                            {webm(webmTracks(), cluster), media.ContentTypeWebM, false},
		"WebM with a file behind":         {append(webm(webmTracks(), cluster), canary...), media.ContentTypeWebM, false},
		"WebM with clusters without size": {webm(webmTracks(), endless, endless, ebml(tagsID, nil)), media.ContentTypeWebM, false},
		"WebM with something in between":  {slices.Concat(webm()[:12], ebml("\xEC"), webm(webmTracks(), cluster)[12:]), media.ContentTypeWebM, false},
		"WebM, junk behind unknown size": {
			slices.Concat(webm()[:12], segment, webmTracks(), endless, []byte("\x00"+canary)), media.ContentTypeWebM, false,
		},
		"WebM with its last cluster cut short": {
			slices.Concat(webm()[:12], segment, webmTracks(), cluster[:len(cluster)-3]), media.ContentTypeWebM, true,
		},
		"WebM of a day": {
			slices.Concat(webm()[:12], segment, webmTracks(), []byte(clusterID+unknownSize), bytes.Repeat(cluster[8:], 200_000)),
			media.ContentTypeWebM, false,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cut, err := format.CheckVideo(bytes.NewReader(test.file), int64(len(test.file)), test.contentType)
			require.NoError(t, err)
			require.Equal(t, test.cut, cut)
		})
	}
}

func TestUnparsableVideos(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		file        []byte
		contentType string
		class       format.Class
	}{
		"nothing":  {nil, media.ContentTypeMP4, format.Broken},
		"no video": {head(), media.ContentTypeMP4, format.Broken},
		"a packed head": {
			video(moov(mediaboxtest.Box("cmov", []byte("x")))), media.ContentTypeMOV, format.Unsupported,
		},
		"a video elsewhere": {
			video(moov(mediaboxtest.Box("rmra", []byte("x")))), media.ContentTypeMOV, format.Unsupported,
		},
		"samples elsewhere": {
			mediaboxtest.ExternalMP4(fixture(t, "video.mp4"), "/etc/passwd"), media.ContentTypeMP4, format.Broken,
		},
		"a box of 2^64 bytes": {
			slices.Concat(head(), number(1), []byte("moov"), bytes.Repeat([]byte{0xFF}, 20)), media.ContentTypeMP4,
			format.Broken,
		},
		"a box of no size": {
			slices.Concat(head(), number(4), []byte("moov")), media.ContentTypeMP4, format.Broken,
		},
		"a box that leaves its parent": {
			video(moov(slices.Concat(number(900), []byte("trak")))), media.ContentTypeMP4, format.Broken,
		},
		"a crowd of boxes": {
			video(moov(bytes.Repeat(mediaboxtest.Box("udta"), 200_000))), media.ContentTypeMP4, format.TooLarge,
		},
		"WebM that is none":    {[]byte("hello, this is text"), media.ContentTypeWebM, format.Broken},
		"WebM without a video": {webm()[:12], media.ContentTypeWebM, format.Broken},
		"WebM without tracks":  {webm(), media.ContentTypeWebM, format.Broken},
		"WebM of another root": {
			slices.Concat(webm()[:12], ebml("\xA3", []byte("x"))), media.ContentTypeWebM, format.Broken,
		},
		"WebM, an element too long": {webm(webmTracks(), []byte(tagsID+"\xC0")), media.ContentTypeWebM, format.Broken},
		"WebM, an endless element": {
			webm(webmTracks(), []byte(tagsID+unknownSize)), media.ContentTypeWebM, format.Broken,
		},
		"WebM, a crowd of elements": {
			webm(webmTracks(), bytes.Repeat([]byte("\xA1\x80"), 200_000)), media.ContentTypeWebM, format.TooLarge,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := format.CheckVideo(bytes.NewReader(test.file), int64(len(test.file)), test.contentType)
			requireClass(t, test.class, err)
		})
	}
}

// FuzzVideos checks that any input passes or is a failure of the file.
func FuzzVideos(f *testing.F) {
	for name, isWebM := range map[string]bool{
		"talkative.mp4": false, "fragments.mp4": false, "talkative.mov": false, "talkative.webm": true, "live.webm": true,
	} {
		f.Add(isWebM, fixture(f, name))
	}
	f.Fuzz(func(t *testing.T, isWebM bool, file []byte) {
		contentType := media.ContentTypeMP4
		if isWebM {
			contentType = media.ContentTypeWebM
		}
		if _, err := format.CheckVideo(bytes.NewReader(file), int64(len(file)), contentType); err != nil {
			var failure *format.Failure
			require.ErrorAs(t, err, &failure)
		}
	})
}

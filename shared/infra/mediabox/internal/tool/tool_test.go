package tool_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/infra/mediabox/internal/format"
	"fencepost.internal/shared/infra/mediabox/internal/tool"
)

func classOf(t testing.TB, err error) format.Class {
	t.Helper()
	var failure *format.Failure
	require.ErrorAs(t, err, &failure)
	return failure.Class
}

func TestVideos(t *testing.T) {
	t.Parallel()
	const plain = `"index":0,"codec_name":"h264","width":1920,"height":1080`
	for name, test := range map[string]struct {
		streams, format string
		shown           tool.Size
		duration        time.Duration
		track           string
	}{
		"plain": {
			`{` + plain + `}`, `"duration":"2.5"`, tool.Size{Width: 1920, Height: 1080}, 2500 * time.Millisecond, "0:0",
		},
		"on its side": {
			`{` + plain + `,"side_data_list":[{"rotation":-90}]}`, ``, tool.Size{Width: 1080, Height: 1920}, 0, "0:0",
		},
		"on its other side": {
			`{` + plain + `,"side_data_list":[{},{"rotation":270.0}]}`, ``, tool.Size{Width: 1080, Height: 1920}, 0, "0:0",
		},
		"upside down": {
			`{` + plain + `,"side_data_list":[{"rotation":180}]}`, ``, tool.Size{Width: 1920, Height: 1080}, 0, "0:0",
		},
		"of the pixels of television": {
			`{"index":0,"codec_name":"h264","width":720,"height":576,"sample_aspect_ratio":"64:45"}`, ``,
			tool.Size{Width: 1024, Height: 576},
			0, "0:0",
		},
		"of impossible pixels": {
			`{` + plain + `,"sample_aspect_ratio":"1:1000000"}`, ``, tool.Size{Width: 1920, Height: 1080}, 0, "0:0",
		},
		"of pixels of no width": {
			`{` + plain + `,"sample_aspect_ratio":"0:1"}`, ``, tool.Size{Width: 1920, Height: 1080}, 0, "0:0",
		},
		"with the duration elsewhere": {
			`{` + plain + `,"duration":"7"}`, `"duration":"N/A"`, tool.Size{Width: 1920, Height: 1080}, 7 * time.Second, "0:0",
		},
		"of endless duration": {
			`{` + plain + `}`, `"duration":"1e300"`, tool.Size{Width: 1920, Height: 1080}, 0, "0:0",
		},
		"of negative duration": {
			`{` + plain + `}`, `"duration":"-5"`, tool.Size{Width: 1920, Height: 1080}, 0, "0:0",
		},
		"of a duration that is none": {
			`{` + plain + `}`, `"duration":"NaN"`, tool.Size{Width: 1920, Height: 1080}, 0, "0:0",
		},
		"behind the picture of its CD": {
			`{"index":0,"codec_name":"png","disposition":{"attached_pic":1}},{"index":3,"codec_name":"vp9","width":10,"height":20}`,
			``,
			tool.Size{Width: 10, Height: 20},
			0, "0:3",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			video, err := tool.ReadProbe(fmt.Appendf(nil, `{"programs":[],"streams":[%s],"format":{%s}}`, test.streams,
				test.format))
			require.NoError(t, err)
			require.Equal(t, test.shown, video.Shown)
			require.Equal(t, test.duration, video.Duration)
			require.Equal(t, test.track, video.Track())
		})
	}
}

func TestUnsupportedVideos(t *testing.T) {
	t.Parallel()
	for printed, class := range map[string]format.Class{
		``:                          format.Broken,
		`[]`:                        format.Broken,
		`{"streams":[]}`:            format.Unsupported,
		`{"streams":[{"index":0}]}`: format.Unsupported,
		`{"streams":[{"codec_name":"cinepak","width":10,"height":10}]}`:             format.Unsupported,
		`{"streams":[{"codec_name":"mjpeg","disposition":{"attached_pic":1}}]}`:     format.Unsupported,
		`{"streams":[{"codec_name":"h264","width":99999999999999999999999999999}]}`: format.Broken,
	} {
		_, err := tool.ReadProbe([]byte(printed))
		require.Equal(t, class, classOf(t, err), printed)
	}
}

func TestFit(t *testing.T) {
	t.Parallel()
	require.Equal(t, tool.Size{Width: 640, Height: 360}, tool.Size{Width: 1920, Height: 1080}.Fit(640))
	require.Equal(t, tool.Size{Width: 360, Height: 640}, tool.Size{Width: 1080, Height: 1920}.Fit(640))
	require.Equal(t, tool.Size{Width: 320, Height: 180}, tool.Size{Width: 320, Height: 180}.Fit(640), "never enlarged")
	require.Equal(t, tool.Size{Width: 640, Height: 1}, tool.Size{Width: 16_000, Height: 2}.Fit(640))
}

func TestDocuments(t *testing.T) {
	t.Parallel()
	printed := "Title:          Page    1 size: 1 x 1 pts\nPages:          12\nEncrypted:      no\n" +
		"Page    1 size: 612 x 791.7 pts (letter)\nPage    1 rot:  %s\nFile size:      100 bytes\n"
	document, err := tool.ReadDocument(fmt.Appendf(nil, printed, "0"))
	require.NoError(t, err)
	require.Equal(t, tool.Document{Width: 612, Height: 792, Pages: 12}, document)
	document, err = tool.ReadDocument(fmt.Appendf(nil, printed, "270"))
	require.NoError(t, err)
	require.Equal(t, tool.Document{Width: 792, Height: 612, Pages: 12}, document)

	for _, printed := range []string{
		"", "Pages: 0\n", "Pages: 1\n", "Pages: 1\nPage    1 size: 0 x 0 pts\n", "Pages: 1\nPage    1 size: 9e99 x 1 pts\n",
	} {
		_, err := tool.ReadDocument([]byte(printed))
		require.Equal(t, format.Broken, classOf(t, err), printed)
	}
}

func TestStills(t *testing.T) {
	t.Parallel()
	const head = "MIME type: image/heic\n\n"
	still, err := tool.ReadStill([]byte(head +
		"image: 30x20 (id=1)\n  thumbnail: 3x2\nimage: 4000x3000 (id=2), primary\nimage: 5x5 (id=3)\n"))
	require.NoError(t, err)
	index, count := still.Place()
	require.Equal(t, []int{4000, 3000, 2, 3}, []int{still.Width, still.Height, index, count})

	still, err = tool.ReadStill([]byte(head + "image: 30x20 (id=1)\nimage: 1x1 (id=2)\n"))
	require.NoError(t, err)
	require.Equal(t, []int{30, 20}, []int{still.Width, still.Height}, "the first, when none is the main one")

	_, err = tool.ReadStill([]byte(head))
	require.Equal(t, format.Broken, classOf(t, err))
	_, err = tool.ReadStill([]byte(head + strings.Repeat("image: 5x5 (id=3)\n", 17)))
	require.Equal(t, format.TooLarge, classOf(t, err))
}

package rules_test

import (
	"testing"
	"time"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/rules"
)

// The tests below check the properties of files, at each limit and one beyond it.

const second, minute, instant = time.Second, time.Minute, time.Millisecond

func TestFacebookFiles(t *testing.T) {
	t.Parallel()

	reelOf := func(width, height int, d time.Duration) platform.Content {
		return reel(mp4s(1), probed(media.Probe{Width: width, Height: height, Duration: d}))
	}
	storyOf := func(width, height int, d time.Duration) platform.Content {
		return story(mp4s(1), probed(media.Probe{Width: width, Height: height, Duration: d}))
	}
	cases{
		"photo of any size":      {posted(jpegs(1), sized(1, 20_000)), nil},
		"longest video":          {videoPost(mp4s(1), lasting(4*time.Hour)), nil},
		"video too long":         {videoPost(mp4s(1), lasting(4*time.Hour+instant)), []string{"mediaIds/0?"}},
		"smallest reel":          {reelOf(540, 960, 3*second), nil},
		"reel too narrow":        {reelOf(539, 959, 3*second), []string{"mediaIds/0", "mediaIds/0"}},
		"reel too low":           {reelOf(540, 959, 3*second), []string{"mediaIds/0"}},
		"reel that lies":         {reelOf(1_920, 1_080, 3*second), []string{"mediaIds/0?"}},
		"reel nearly upright":    {reelOf(1_082, 1_920, 3*second), []string{"mediaIds/0?"}},
		"longest reel":           {reelOf(1_080, 1_920, 90*second), nil},
		"reel too long":          {reelOf(1_080, 1_920, 90*second+instant), []string{"mediaIds/0"}},
		"reel too short":         {reelOf(1_080, 1_920, 3*second-instant), []string{"mediaIds/0"}},
		"shortest story":         {storyOf(1_080, 1_920, 3*second), nil},
		"story too short":        {storyOf(1_080, 1_920, 3*second-instant), []string{"mediaIds/0"}},
		"longest story":          {storyOf(1_080, 1_920, 60*second), nil},
		"story too long":         {storyOf(1_080, 1_920, 60*second+instant), []string{"mediaIds/0"}},
		"square story":           {storyOf(1_080, 1_080, 60*second), []string{"mediaIds/0?"}},
		"photo story of a shape": {story(jpegs(1), sized(3_000, 100)), nil},
	}.run(t, channel.FacebookPage)
}

func TestInstagramFiles(t *testing.T) {
	t.Parallel()

	photo := func(width, height int) platform.Content { return posted(jpegs(1), sized(width, height)) }
	reelOf := func(width, height int, d time.Duration) platform.Content {
		return reel(mp4s(1), probed(media.Probe{Width: width, Height: height, Duration: d}))
	}
	cases{
		"not looked into":       {posted(jpegs(2), mp4s(1)), nil},
		"smallest":              {photo(320, 320), nil},
		"too narrow":            {photo(319, 319), []string{"mediaIds/0?"}},
		"widest":                {photo(1_440, 1_440), nil},
		"too wide":              {photo(1_441, 1_441), []string{"mediaIds/0?"}},
		"4:5":                   {photo(1_080, 1_350), nil},
		"4:5, rounded":          {photo(1_080, 1_351), nil},
		"3:4":                   {photo(1_080, 1_440), nil},
		"narrower than 3:4":     {photo(1_079, 1_440), []string{"mediaIds/0"}},
		"1.91:1":                {photo(955, 500), nil},
		"1.91:1, rounded":       {photo(1_080, 565), nil},
		"wider than 1.91:1":     {photo(956, 500), []string{"mediaIds/0"}},
		"upright photo story":   {story(jpegs(1), sized(1_080, 1_920)), nil},
		"tall video":            {reelOf(20, 1_999, 3*second), nil},
		"video too tall":        {reelOf(9, 1_000, 3*second), []string{"mediaIds/0"}},
		"flat video":            {reelOf(1_000, 100, 3*second), nil},
		"video too flat":        {reelOf(1_001, 100, 3*second), []string{"mediaIds/0"}},
		"widest video":          {reelOf(1_920, 1_080, 3*second), nil},
		"video too wide":        {reelOf(1_921, 1_080, 3*second), []string{"mediaIds/0"}},
		"reel too short":        {reel(mp4s(1), lasting(3*second-instant)), []string{"mediaIds/0"}},
		"longest reel":          {reel(mp4s(1), lasting(15*minute)), nil},
		"reel too long":         {reel(mp4s(1), lasting(15*minute+instant)), []string{"mediaIds/0"}},
		"video of a feed post":  {posted(mp4s(1), lasting(15*minute+instant)), []string{"mediaIds/0"}},
		"shortest story":        {story(mp4s(1), lasting(3*second)), nil},
		"story too short":       {story(mp4s(1), lasting(3*second-instant)), []string{"mediaIds/0"}},
		"longest story":         {story(mp4s(1), lasting(60*second)), nil},
		"story too long":        {story(mp4s(1), lasting(60*second+instant)), []string{"mediaIds/0"}},
		"carousel of one shape": {posted(photos(size{1_080, 1_350}, size{401, 501}), mp4s(1), sized(720, 900)), nil},
		"carousel of shapes": {
			posted(photos(size{1_080, 1_080}, size{1_080, 1_350}), mp4s(1), sized(720, 1_280)),
			[]string{"mediaIds/1?", "mediaIds/2?"},
		},
		"second not looked into": {posted(photos(size{1_080, 1_080}, size{}, size{1_000, 900})), []string{"mediaIds/2?"}},
		"first not looked into":  {posted(photos(size{}, size{1_080, 1_080}, size{1_080, 1_350})), nil},
		"ratio in a carousel":    {posted(jpegs(2), sized(400, 800)), []string{"mediaIds/0", "mediaIds/1"}},
		"ratio of rounded sides": {posted(jpegs(1), sized(1_080, 565)), nil},
		"ratio of a tiny image":  {posted(jpegs(1), sized(2, 1)), []string{"mediaIds/0?", "mediaIds/0"}},
	}.run(t, channel.InstagramProfessional)
}

func TestXFiles(t *testing.T) {
	t.Parallel()

	gif := func(width, height, frames int) platform.Content {
		return posted(gifs(1), probed(media.Probe{Width: width, Height: height, Frames: frames}))
	}
	video := func(width, height int, d time.Duration) platform.Content {
		return posted(mp4s(1), probed(media.Probe{Width: width, Height: height, Duration: d}))
	}
	cases{
		"photo of any size":    {posted(jpegs(4), sized(10, 8_000)), nil},
		"largest GIF":          {gif(1_280, 1_080, 350), nil},
		"GIF too wide":         {gif(1_281, 1_080, 350), []string{"mediaIds/0"}},
		"GIF too high":         {gif(1_280, 1_081, 350), []string{"mediaIds/0"}},
		"GIF of many frames":   {gif(1_280, 1_080, 351), []string{"mediaIds/0"}},
		"shortest video":       {video(1_280, 720, second/2), nil},
		"video too short":      {video(1_280, 720, second/2-instant), []string{"mediaIds/0"}},
		"longest video":        {video(720, 1_280, 140*second), nil},
		"video too long":       {video(720, 1_280, 140*second+instant), []string{"mediaIds/0"}},
		"largest video":        {video(1_024, 1_280, second), nil},
		"video of many pixels": {video(1_025, 1_281, second), []string{"mediaIds/0?", "mediaIds/0?"}},
		"smallest video":       {video(32, 32, second), nil},
		"video of few pixels":  {video(31, 32, second), []string{"mediaIds/0?"}},
		"tallest video":        {video(200, 600, second), nil},
		"video too tall":       {video(199, 600, second), []string{"mediaIds/0"}},
		"flattest video":       {video(600, 200, second), nil},
		"video too flat":       {video(601, 200, second), []string{"mediaIds/0"}},
		"not looked into":      {posted(mp4s(1)), nil},
	}.run(t, channel.Twitter)
}

func TestLinkedInFiles(t *testing.T) {
	t.Parallel()

	video := func(width, height int, d time.Duration) platform.Content {
		return videoPost(mp4s(1), probed(media.Probe{Width: width, Height: height, Duration: d}))
	}
	pages := func(n int) platform.Content {
		return posted(pdfs(1), probed(media.Probe{Width: 595, Height: 842, Frames: n}))
	}
	cases{
		"largest image":   {posted(jpegs(1), sized(36_152_319, 1)), nil},
		"too many pixels": {posted(jpegs(1), sized(36_152_320, 1)), []string{"mediaIds/0?"}},
		"GIF too large":   {posted(gifs(1), sized(6_100, 6_100)), []string{"mediaIds/0"}},
		"longest paper":   {pages(300), nil},
		"too many pages":  {pages(301), []string{"mediaIds/0"}},
		"shortest video":  {video(1_280, 720, 3*second), nil},
		"video too short": {video(1_280, 720, 3*second-instant), []string{"mediaIds/0"}},
		"longest video":   {video(1_280, 720, 30*minute), nil},
		"video too long":  {video(1_280, 720, 30*minute+instant), []string{"mediaIds/0"}},
		"tallest video":   {video(500, 1_200, minute), nil},
		"video too tall":  {video(499, 1_200, minute), []string{"mediaIds/0"}},
		"flattest video":  {video(1_200, 500, minute), nil},
		"video too flat":  {video(1_201, 500, minute), []string{"mediaIds/0"}},
	}.run(t, channel.LinkedInProfile, channel.LinkedInPage)
}

func TestTikTokFiles(t *testing.T) {
	t.Parallel()

	video := func(width, height int, d time.Duration) platform.Content {
		return videoPost(mp4s(1), probed(media.Probe{Width: width, Height: height, Duration: d}))
	}
	for typ, mark := range map[channel.Type]string{channel.TikTokPersonal: "", channel.TikTokBusiness: "?"} {
		at := []string{"mediaIds/0" + mark}
		cases{
			"smallest video":  {video(360, 640, minute), nil},
			"video too small": {video(640, 359, minute), at},
			"shortest video":  {video(720, 1_280, 3*second), nil},
			"video too short": {video(720, 1_280, 3*second-instant), at},
			"longest video":   {video(720, 1_280, 10*minute), nil},
			"video too long":  {video(720, 1_280, 10*minute+instant), at},
			"largest photo":   {posted(jpegs(35), sized(1_920, 1_080)), nil},
			"upright photo":   {posted(jpegs(1), sized(1_080, 1_920)), nil},
			"photo too high":  {posted(jpegs(1), sized(1_080, 1_921)), []string{"mediaIds/0?"}},
			"photo too large": {posted(jpegs(1), sized(1_081, 1_900)), []string{"mediaIds/0?"}},
		}.run(t, typ)
	}
	cases{
		"largest video":   {video(4_096, 2_160, minute), nil},
		"video too large": {video(2_160, 4_097, minute), []string{"mediaIds/0"}},
	}.run(t, channel.TikTokPersonal)
	cases{"large video": {video(2_160, 4_097, minute), nil}}.run(t, channel.TikTokBusiness)
}

func TestYouTubeFiles(t *testing.T) {
	t.Parallel()

	video := func(width, height int, d time.Duration) []func(*platform.Content) {
		return []func(*platform.Content){mp4s(1), title("T"), probed(media.Probe{Width: width, Height: height, Duration: d})}
	}
	cases{
		"longest video":     {videoPost(video(1_920, 1_080, 12*time.Hour)...), nil},
		"video too long":    {videoPost(video(1_920, 1_080, 12*time.Hour+instant)...), []string{"mediaIds/0"}},
		"short video":       {videoPost(video(1_080, 1_920, second)...), nil},
		"longest Short":     {reel(video(1_080, 1_920, 3*minute)...), nil},
		"Short too long":    {reel(video(1_080, 1_920, 3*minute+instant)...), []string{"mediaIds/0?"}},
		"square Short":      {reel(video(1_080, 1_080, minute)...), nil},
		"Short that lies":   {reel(video(1_082, 1_080, minute)...), []string{"mediaIds/0?"}},
		"no Short in a way": {reel(video(1_920, 1_080, 4*minute)...), []string{"mediaIds/0?", "mediaIds/0?"}},
	}.run(t, channel.YouTube)
}

func TestPinterestFiles(t *testing.T) {
	t.Parallel()

	board := options(post.Options{BoardID: "1"})
	video := func(width, height int, d time.Duration) platform.Content {
		return videoPost(board, mp4s(1), probed(media.Probe{Width: width, Height: height, Duration: d}))
	}
	cases{
		"narrowest image":  {posted(board, jpegs(1), sized(100, 5_000)), nil},
		"image too narrow": {posted(board, jpegs(1), sized(99, 5_000)), []string{"mediaIds/0?"}},
		"GIF too narrow": {
			posted(board, file(1, media.GIF, rules.GIF, kB), sized(99, 99)), []string{"mediaIds/0?", "mediaIds/0?"},
		},
		"carousel of one size": {posted(board, jpegs(5), sized(1_000, 1_500)), nil},
		"carousel of two sizes": {
			posted(board, photos(size{1_000, 1_500}, size{500, 750}, size{1_000, 1_500}, size{1_000, 1_499})),
			[]string{"mediaIds/1", "mediaIds/3"},
		},
		"size not known":  {posted(board, photos(size{1_000, 1_500}, size{})), nil},
		"shortest video":  {video(1_080, 1_920, 4*second), nil},
		"video too short": {video(1_080, 1_920, 4*second-instant), []string{"mediaIds/0"}},
		"longest video":   {video(1_080, 1_920, 15*minute), nil},
		"video too long":  {video(1_080, 1_920, 15*minute+instant), []string{"mediaIds/0"}},
		"tallest video":   {video(500, 1_000, minute), nil},
		"video too tall":  {video(499, 1_000, minute), []string{"mediaIds/0"}},
		"flattest video":  {video(1_910, 1_000, minute), nil},
		"video too flat":  {video(1_911, 1_000, minute), []string{"mediaIds/0"}},
	}.run(t, channel.Pinterest)
}

func TestGoogleBusinessFiles(t *testing.T) {
	t.Parallel()

	cases{
		"smallest photo":     {posted(jpegs(1), sized(250, 250)), nil},
		"photo too narrow":   {posted(jpegs(1), sized(249, 250)), []string{"mediaIds/0?"}},
		"photo too low":      {posted(jpegs(1), sized(250, 249)), []string{"mediaIds/0?"}},
		"photo of any shape": {posted(jpegs(1), sized(250, 10_000)), nil},
	}.run(t, channel.GoogleBusiness)
}

func TestThreadsFiles(t *testing.T) {
	t.Parallel()

	photo := func(width, height int) platform.Content { return posted(jpegs(1), sized(width, height)) }
	video := func(width, height int, d time.Duration) platform.Content {
		return videoPost(mp4s(1), probed(media.Probe{Width: width, Height: height, Duration: d}))
	}
	cases{
		"narrowest image":  {photo(320, 5_000), nil},
		"image too narrow": {photo(319, 400), []string{"mediaIds/0?"}},
		"widest image":     {photo(1_440, 200), nil},
		"image too wide":   {photo(1_441, 200), []string{"mediaIds/0?"}},
		"flattest image":   {photo(1_000, 100), nil},
		"image too flat":   {photo(1_001, 100), []string{"mediaIds/0?"}},
		"longest video":    {video(1_080, 1_920, 5*minute), nil},
		"video too long":   {video(1_080, 1_920, 5*minute+instant), []string{"mediaIds/0"}},
		"widest video":     {video(1_920, 1_080, minute), nil},
		"video too wide":   {video(1_921, 1_080, minute), []string{"mediaIds/0?"}},
		"video too flat":   {video(1_001, 100, minute), []string{"mediaIds/0?"}},
		"video too tall":   {video(9, 1_000, minute), []string{"mediaIds/0?"}},
		"carousel":         {posted(jpegs(1), sized(1_000, 1_000), mp4s(1), lasting(minute)), nil},
		"long in a carousel": {
			posted(jpegs(1), sized(1_000, 1_000), mp4s(1), lasting(5*minute+instant)), []string{"mediaIds/1"},
		},
	}.run(t, channel.Threads)
}

func TestTelegramFiles(t *testing.T) {
	t.Parallel()

	photo := func(width, height int) platform.Content { return posted(jpegs(1), sized(width, height)) }
	cases{
		"largest photo":       {photo(5_000, 5_000), nil},
		"photo too large":     {photo(5_000, 5_001), []string{"mediaIds/0?"}},
		"flattest photo":      {photo(2_000, 100), nil},
		"photo too flat":      {photo(2_001, 100), []string{"mediaIds/0"}},
		"tallest photo":       {photo(100, 2_000), nil},
		"photo too tall":      {photo(99, 2_000), []string{"mediaIds/0"}},
		"video of any length": {posted(mp4s(1), lasting(10*time.Hour)), nil},
		"GIF of any length": {
			posted(gifs(1), probed(media.Probe{Width: 9_000, Height: 9_000, Frames: 500, Duration: time.Hour})), nil,
		},
		"paper of many pages":  {posted(pdfs(1), probed(media.Probe{Width: 10, Height: 800, Frames: 5_000})), nil},
		"album, one too large": {posted(photos(size{100, 100}, size{6_000, 6_000}), mp4s(1)), []string{"mediaIds/1?"}},
	}.run(t, channel.TelegramChannel)
}

// TestAlbums checks which files can be combined, in any order.
func TestAlbums(t *testing.T) {
	t.Parallel()

	board := options(post.Options{BoardID: "1"})
	for typ, albums := range map[channel.Type]cases{
		channel.Twitter: {
			"photos":            {posted(jpegs(4)), nil},
			"GIF among photos":  {posted(jpegs(2), gifs(1)), []string{"mediaIds"}},
			"GIF and video":     {posted(gifs(1), mp4s(1)), []string{"mediaIds"}},
			"video and photo":   {posted(mp4s(1), jpegs(1)), []string{"mediaIds"}},
			"a video and three": {posted(mp4s(1), jpegs(3)), []string{"mediaIds"}},
		},
		channel.Threads: {
			"two, mixed":     {posted(mp4s(1), jpegs(1)), nil},
			"twenty, mixed":  {posted(mp4s(19), jpegs(1)), nil},
			"too many":       {posted(mp4s(20), jpegs(1)), []string{"mediaIds"}},
			"GIF among them": {posted(jpegs(1), gifs(1)), []string{"mediaIds/1?"}},
			"with a paper":   {posted(jpegs(1), pdfs(1)), []string{"mediaIds"}},
		},
		channel.InstagramProfessional: {
			"two, mixed":   {posted(mp4s(1), jpegs(1)), nil},
			"ten videos":   {posted(mp4s(10)), nil},
			"too many":     {posted(mp4s(10), jpegs(1)), []string{"mediaIds"}},
			"two of REEL":  {reel(mp4s(2)), []string{"mediaIds"}},
			"two of STORY": {story(jpegs(1), mp4s(1)), []string{"mediaIds"}},
			"two of VIDEO": {videoPost(mp4s(2)), []string{"mediaIds"}},
		},
		channel.TelegramChannel: {
			"two, mixed":          {posted(mp4s(1), jpegs(1)), nil},
			"ten, mixed":          {posted(mp4s(1), jpegs(9)), nil},
			"too many":            {posted(mp4s(1), jpegs(10)), []string{"mediaIds"}},
			"papers":              {posted(pdfs(2)), nil},
			"too many papers":     {posted(pdfs(11)), []string{"mediaIds"}},
			"paper among photos":  {posted(jpegs(2), pdfs(1)), []string{"mediaIds"}},
			"animation and video": {posted(mp4s(1), gifs(1)), []string{"mediaIds"}},
			"animation and paper": {posted(gifs(1), pdfs(1)), []string{"mediaIds"}},
			"two of VIDEO":        {videoPost(mp4s(2)), []string{"mediaIds"}},
		},
		channel.FacebookPage: {
			"photos and GIF":  {posted(gifs(1), jpegs(2)), nil},
			"more than usual": {posted(gifs(1), jpegs(10)), []string{"mediaIds?"}},
			"video and photo": {posted(mp4s(1), jpegs(1)), []string{"mediaIds"}},
			"two reels":       {reel(mp4s(2)), []string{"mediaIds"}},
		},
		channel.LinkedInPage: {
			"two images":      {posted(jpegs(2)), nil},
			"images and GIF":  {posted(gifs(1), jpegs(19)), nil},
			"too many":        {posted(gifs(1), jpegs(20)), []string{"mediaIds"}},
			"video and image": {posted(jpegs(1), mp4s(1)), []string{"mediaIds"}},
			"two videos":      {posted(mp4s(2)), []string{"mediaIds"}},
		},
		channel.Pinterest: {
			"two images":      {posted(board, jpegs(2)), nil},
			"five images":     {posted(board, jpegs(5)), nil},
			"too many":        {posted(board, jpegs(6)), []string{"mediaIds"}},
			"GIF among them":  {posted(board, jpegs(1), gifs(1)), []string{"mediaIds", "mediaIds/1?"}},
			"two videos":      {posted(board, mp4s(2)), []string{"mediaIds"}},
			"video and cover": {posted(board, jpegs(1), mp4s(1)), nil},
			"two covers":      {posted(board, jpegs(2), mp4s(1)), []string{"mediaIds"}},
		},
		channel.TikTokPersonal: {
			"thirty-five":     {posted(jpegs(35)), nil},
			"too many":        {posted(jpegs(36)), []string{"mediaIds"}},
			"video and photo": {posted(mp4s(1), jpegs(1)), []string{"mediaIds"}},
			"two videos":      {posted(mp4s(2)), []string{"mediaIds"}},
		},
	} {
		albums.run(t, typ)
	}
}

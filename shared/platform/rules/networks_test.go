package rules_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/rules"
)

// The tests below check every row at its limits and one beyond them.

func TestFacebook(t *testing.T) {
	t.Parallel()

	cases{
		"text":                  {posted(letters(63_206)), nil},
		"text too long":         {posted(letters(63_207)), []string{"content"}},
		"nothing":               {posted(), []string{"content"}},
		"title beside text":     {posted(text("a"), title("T")), []string{"title?"}},
		"ten photos":            {posted(jpegs(9), gifs(1)), nil},
		"eleven photos":         {posted(jpegs(11)), []string{"mediaIds?"}},
		"caption too long":      {posted(jpegs(1), letters(63_207)), []string{"content"}},
		"photo and video":       {posted(jpegs(1), mp4s(1)), []string{"mediaIds"}},
		"two videos":            {posted(mp4s(2)), []string{"mediaIds"}},
		"document":              {posted(pdfs(1)), []string{"mediaIds"}},
		"largest photo":         {posted(file(1, media.Image, rules.PNG, 10*mB)), nil},
		"photo too large":       {posted(file(1, media.Image, rules.PNG, 10*mB+1)), []string{"mediaIds/0?"}},
		"WebP":                  {posted(file(1, media.Image, rules.WebP, 1)), []string{"mediaIds/0?"}},
		"video with title":      {videoPost(mp4s(1), titled(255)), nil},
		"title too long":        {videoPost(mp4s(1), titled(256)), []string{"title?"}},
		"video as a post":       {posted(mp4s(1), title("T")), nil},
		"video without a video": {videoPost(text("a")), []string{"mediaIds"}},
		"largest video":         {videoPost(file(1, media.Video, rules.MP4, 10*gB)), nil},
		"video too large":       {videoPost(file(1, media.Video, rules.MP4, 10*gB+1)), []string{"mediaIds/0?"}},
		"video as MOV":          {videoPost(file(1, media.Video, rules.MOV, 1)), []string{"mediaIds/0"}},
		"reel":                  {reel(mp4s(1), title("T")), nil},
		"reel as MOV":           {reel(file(1, media.Video, rules.MOV, 1)), []string{"mediaIds/0?"}},
		"reel of a photo":       {reel(jpegs(1)), []string{"mediaIds"}},
		"story":                 {story(jpegs(1)), nil},
		"story of a video":      {story(mp4s(1)), nil},
		"story of two":          {story(jpegs(2)), []string{"mediaIds"}},
		"story of nothing":      {story(), []string{"mediaIds"}},
		"story with words":      {story(jpegs(1), letters(63_207), title("T")), []string{"content?", "title?"}},
	}.run(t, channel.FacebookPage)
}

func TestBluesky(t *testing.T) {
	t.Parallel()

	const family, bytes = "👩‍👩‍👧‍👦", 25
	cases{
		"text":             {posted(letters(300)), nil},
		"text too long":    {posted(letters(301)), []string{"content"}},
		"emoji are one":    {posted(text(strings.Repeat("👍🏽", 300))), nil},
		"most bytes":       {posted(text(strings.Repeat(family, 3000/bytes))), nil},
		"too many bytes":   {posted(text(strings.Repeat(family, 3000/bytes) + "a")), []string{"content"}},
		"nothing":          {posted(), []string{"content"}},
		"title":            {posted(text("a"), title("T")), []string{"title?"}},
		"four images":      {posted(jpegs(4)), nil},
		"gallery":          {posted(jpegs(10)), nil},
		"eleven images":    {posted(jpegs(11)), []string{"mediaIds"}},
		"caption too long": {posted(jpegs(1), letters(301)), []string{"content"}},
		"WebP":             {posted(file(1, media.Image, rules.WebP, 1)), nil},
		"HEIC":             {posted(file(1, media.Image, rules.HEIC, 1)), []string{"mediaIds/0?"}},
		"GIF":              {posted(gifs(1)), nil},
		"GIF of one frame": {posted(gifs(1), probed(media.Probe{Width: 10, Height: 10, Frames: 1})), []string{"mediaIds/0?"}},
		"GIF and image":    {posted(gifs(1), jpegs(1)), []string{"mediaIds"}},
		"largest image":    {posted(file(1, media.Image, rules.PNG, 2_000_000)), nil},
		"image too large":  {posted(file(1, media.Image, rules.PNG, 2_000_001)), []string{"mediaIds/0?"}},
		"video":            {videoPost(mp4s(1)), nil},
		"video as a post":  {posted(mp4s(1)), nil},
		"MOV":              {videoPost(file(1, media.Video, rules.MOV, 1)), []string{"mediaIds/0"}},
		"largest video":    {videoPost(file(1, media.Video, rules.MP4, 300_000_000)), nil},
		"video too large":  {videoPost(file(1, media.Video, rules.MP4, 300_000_001)), []string{"mediaIds/0"}},
		"image and video":  {posted(jpegs(1), mp4s(1)), []string{"mediaIds"}},
		"reel":             {reel(mp4s(1)), []string{"contentType"}},
		"document":         {posted(pdfs(1)), []string{"mediaIds"}},
	}.run(t, channel.Bluesky)
}

func TestMastodon(t *testing.T) {
	t.Parallel()

	warning := post.Options{ContentWarning: strings.Repeat("a", 200)}
	cases{
		"text":            {posted(letters(500)), nil},
		"text too long":   {posted(letters(501)), []string{"content?"}},
		"a long link":     {posted(text("https://example.com/" + strings.Repeat("a", 600))), nil},
		"nothing":         {posted(), []string{"content"}},
		"warned":          {posted(letters(300), options(warning)), nil},
		"warned too long": {posted(letters(301), options(warning)), []string{"content?"}},
		"four images":     {posted(jpegs(4)), nil},
		"five images":     {posted(jpegs(5)), []string{"mediaIds?"}},
		"GIF":             {posted(gifs(1)), nil},
		"GIF and image":   {posted(gifs(1), jpegs(1)), []string{"mediaIds"}},
		"largest image":   {posted(file(1, media.Image, rules.PNG, 16*mB)), nil},
		"image too large": {posted(file(1, media.Image, rules.PNG, 16*mB+1)), []string{"mediaIds/0?"}},
		"most pixels":     {posted(jpegs(1), probed(media.Probe{Width: 7_680, Height: 4_320})), nil},
		"too many pixels": {posted(jpegs(1), probed(media.Probe{Width: 7_000, Height: 5_000})), []string{"mediaIds/0?"}},
		"video":           {videoPost(mp4s(1)), nil},
		"WebM":            {videoPost(file(1, media.Video, rules.WebM, 1)), nil},
		"video too large": {videoPost(file(1, media.Video, rules.MP4, 99*mB+1)), []string{"mediaIds/0?"}},
		"title":           {posted(text("a"), title("T")), []string{"title?"}},
		"reel":            {reel(mp4s(1)), []string{"contentType"}},
		"document":        {posted(pdfs(1)), []string{"mediaIds"}},
	}.run(t, channel.Mastodon)
}

func TestInstagram(t *testing.T) {
	t.Parallel()

	tags := func(mark string, n int) string { return strings.Repeat(mark+"tag ", n) }
	cases{
		"caption":             {posted(jpegs(1), letters(2_200)), nil},
		"caption too long":    {posted(jpegs(1), letters(2_201)), []string{"content"}},
		"emoji are one":       {posted(jpegs(1), text(strings.Repeat("🌍", 2_200))), nil},
		"text alone":          {posted(text("a")), []string{"mediaIds"}},
		"ten":                 {posted(jpegs(5), mp4s(5)), nil},
		"eleven":              {posted(jpegs(11)), []string{"mediaIds"}},
		"GIF":                 {posted(gifs(1)), []string{"mediaIds/0?"}},
		"PNG":                 {posted(file(1, media.Image, rules.PNG, 1)), []string{"mediaIds/0?"}},
		"largest photo":       {posted(file(1, media.Image, rules.JPEG, 8*mB)), nil},
		"photo too large":     {posted(file(1, media.Image, rules.JPEG, 8*mB+1)), []string{"mediaIds/0?"}},
		"five hashtags":       {posted(jpegs(1), text(tags("#", 5))), nil},
		"six hashtags":        {posted(jpegs(1), text(tags("#", 6))), []string{"content?"}},
		"thirty hashtags":     {posted(jpegs(1), text(tags("#", 30))), []string{"content?"}},
		"thirty-one hashtags": {posted(jpegs(1), text(tags("#", 31))), []string{"content?", "content"}},
		"twenty mentions":     {posted(jpegs(1), text(tags("@", 20))), nil},
		"twenty-one mentions": {posted(jpegs(1), text(tags("@", 21))), []string{"content"}},
		"title":               {posted(jpegs(1), title("T")), []string{"title?"}},
		"reel":                {reel(file(1, media.Video, rules.MOV, 300*mB)), nil},
		"video is a reel":     {videoPost(mp4s(1)), nil},
		"reel too large":      {reel(file(1, media.Video, rules.MOV, 300*mB+1)), []string{"mediaIds/0"}},
		"reel as WebM":        {reel(file(1, media.Video, rules.WebM, 1)), []string{"mediaIds/0"}},
		"two reels":           {reel(mp4s(2)), []string{"mediaIds"}},
		"story":               {story(file(1, media.Video, rules.MP4, 100*mB)), nil},
		"story too large":     {story(file(1, media.Video, rules.MP4, 100*mB+1)), []string{"mediaIds/0"}},
		"story with words":    {story(jpegs(1), text(tags("#", 31))), []string{"content?"}},
		"everything, everywhere": {
			posted(gifs(1), file(11, media.Image, rules.JPEG, 1), text(tags("#", 31)), title("T")),
			[]string{"mediaIds", "mediaIds/0?", "content?", "content", "title?"},
		},
	}.run(t, channel.InstagramProfessional)
}

func TestX(t *testing.T) {
	t.Parallel()

	cases{
		"text":               {posted(letters(280)), nil},
		"text too long":      {posted(letters(281)), []string{"content"}},
		"long text":          {posted(letters(25_000), options(post.Options{LongText: yes()})), nil},
		"long text too long": {posted(letters(25_001), options(post.Options{LongText: yes()})), []string{"content"}},
		"long text refused":  {posted(letters(281), options(post.Options{LongText: no()})), []string{"content"}},
		"long text of a subscriber": {
			posted(letters(25_000), options(post.Options{LongText: yes()}), subscribed(true)), nil,
		},
		"long text without a subscription": {
			posted(letters(281), options(post.Options{LongText: yes()}), subscribed(false)), []string{"options/longText"},
		},
		"short text without a subscription": {
			posted(letters(280), options(post.Options{LongText: no()}), subscribed(false)), nil,
		},
		"long video": {videoPost(mp4s(1), lasting(141*time.Second)), []string{"mediaIds/0"}},
		"long video without a subscription": {
			videoPost(mp4s(1), lasting(141*time.Second), subscribed(false)), []string{"mediaIds/0"},
		},
		"long video of a subscriber":    {videoPost(mp4s(1), lasting(4*time.Hour), subscribed(true)), nil},
		"longest video of a subscriber": {videoPost(mp4s(1), lasting(5*time.Hour), subscribed(true)), []string{"mediaIds/0?"}},
		"weighted":                      {posted(text(strings.Repeat("早", 140))), nil},
		"weighted, too long":            {posted(text(strings.Repeat("早", 141))), []string{"content"}},
		"nothing":                       {posted(text(" \n")), []string{"content"}},
		"a byte order mark":             {posted(text("a\uFEFFb")), []string{"content"}},
		"one cashtag":                   {posted(text("$ACME rises, costs $5")), nil},
		"a link costs more":             {posted(text("news: https://example.com/b")), []string{"content?"}},
		"a domain":                      {posted(text("news on example.com")), nil},
		"two cashtags":                  {posted(text("$ACME and $INIT rise now")), []string{"content?"}},
		"title":                         {posted(text("a"), title("T")), []string{"title?"}},
		"four images":                   {posted(jpegs(4)), nil},
		"five images":                   {posted(jpegs(5)), []string{"mediaIds"}},
		"a GIF":                         {posted(gifs(1), text("a")), nil},
		"two GIFs":                      {posted(gifs(2)), []string{"mediaIds"}},
		"a video":                       {posted(mp4s(1)), nil},
		"a video of its type":           {videoPost(mp4s(1)), nil},
		"two videos":                    {posted(mp4s(2)), []string{"mediaIds"}},
		"image and GIF":                 {posted(jpegs(1), gifs(1)), []string{"mediaIds"}},
		"document":                      {posted(pdfs(1)), []string{"mediaIds"}},
		"no video":                      {videoPost(text("a")), []string{"mediaIds"}},
		"reel":                          {reel(mp4s(1)), []string{"contentType"}},
		"story":                         {story(letters(281)), []string{"contentType", "content"}},
		"largest image":                 {posted(file(1, media.Image, rules.WebP, 5*mB)), nil},
		"image too large":               {posted(file(1, media.Image, rules.WebP, 5*mB+1)), []string{"mediaIds/0?"}},
		"still GIF":                     {posted(file(1, media.Image, rules.GIF, 1)), nil},
		"HEIC":                          {posted(file(1, media.Image, rules.HEIC, 1)), []string{"mediaIds/0?"}},
		"largest GIF":                   {posted(file(1, media.GIF, rules.GIF, 15*mB)), nil},
		"GIF too large":                 {posted(file(1, media.GIF, rules.GIF, 15*mB+1)), []string{"mediaIds/0"}},
		"largest video":                 {posted(file(1, media.Video, rules.MOV, 512*mB)), nil},
		"video too large":               {posted(file(1, media.Video, rules.MOV, 512*mB+1)), []string{"mediaIds/0"}},
		"WebM":                          {posted(file(1, media.Video, rules.WebM, 1)), []string{"mediaIds/0"}},
		"format not known":              {posted(file(1, media.Image, "", 0)), nil},
		"an option":                     {posted(text("a"), options(post.Options{BoardID: "1"})), []string{"options/boardId"}},
		"large beside a video":          {posted(mp4s(1), file(1, media.Image, rules.PNG, 6*mB)), []string{"mediaIds", "mediaIds/1?"}},
	}.run(t, channel.Twitter)
}

func TestLinkedIn(t *testing.T) {
	t.Parallel()

	cases{
		"text":              {posted(letters(3_000)), nil},
		"text too long":     {posted(letters(3_001)), []string{"content"}},
		"emoji":             {posted(text(strings.Repeat("a", 2_900) + strings.Repeat("🌍", 50))), nil},
		"emoji count twice": {posted(text(strings.Repeat("a", 2_900) + strings.Repeat("🌍", 60))), []string{"content"}},
		"nothing":           {posted(), []string{"content"}},
		"twenty images":     {posted(jpegs(19), gifs(1)), nil},
		"twenty-one images": {posted(jpegs(21)), []string{"mediaIds"}},
		"title of images":   {posted(jpegs(1), title("T")), []string{"title?"}},
		"title of a text":   {posted(text("a"), title("T")), []string{"title?"}},
		"title of a link":   {posted(text("a https://example.com/b"), titled(400)), nil},
		"title too long":    {posted(text("a https://example.com/b"), titled(401)), []string{"title?"}},
		"card":              {posted(text("a"), title("T"), options(post.Options{Link: "https://example.com/"})), nil},
		"card of an image":  {posted(jpegs(1), title("T"), options(post.Options{Link: "https://example.com/"})), nil},
		"card of two images": {
			posted(jpegs(2), title("T"), options(post.Options{Link: "https://example.com/"})), []string{"title?", "options/link?"},
		},
		"card of a video":    {videoPost(mp4s(1), options(post.Options{Link: "https://example.com/"})), []string{"options/link?"}},
		"card of no link":    {posted(text("a"), options(post.Options{Link: "example"})), []string{"options/link"}},
		"largest image":      {posted(file(1, media.Image, rules.PNG, 8*mB)), nil},
		"image too large":    {posted(file(1, media.Image, rules.PNG, 8*mB+1)), []string{"mediaIds/0?"}},
		"WebP":               {posted(file(1, media.Image, rules.WebP, 1)), []string{"mediaIds/0?"}},
		"document":           {posted(file(1, media.Document, rules.PDF, 100*mB), title("T")), nil},
		"document too large": {posted(file(1, media.Document, rules.PDF, 100*mB+1)), []string{"mediaIds/0"}},
		"Word":               {posted(file(1, media.Document, rules.DOC, mB)), nil},
		"Word of today":      {posted(file(1, media.Document, rules.DOCX, 100*mB)), nil},
		"PowerPoint":         {posted(file(1, media.Document, rules.PPT, mB)), nil},
		"slides too large":   {posted(file(1, media.Document, rules.PPTX, 100*mB+1)), []string{"mediaIds/0"}},
		"two documents":      {posted(pdfs(2)), []string{"mediaIds"}},
		"document and image": {posted(pdfs(1), jpegs(1)), []string{"mediaIds"}},
		"video":              {videoPost(file(1, media.Video, rules.MP4, 500*mB), titled(500)), nil},
		"video too large":    {videoPost(file(1, media.Video, rules.MP4, 500*mB+1)), []string{"mediaIds/0"}},
		"smallest video":     {videoPost(file(1, media.Video, rules.MP4, 75*kB)), nil},
		"video too small":    {videoPost(file(1, media.Video, rules.MP4, 75*kB-1)), []string{"mediaIds/0?"}},
		"MOV":                {posted(file(1, media.Video, rules.MOV, mB)), []string{"mediaIds/0"}},
		"reel":               {reel(mp4s(1)), []string{"contentType"}},
		"story":              {story(jpegs(1)), []string{"contentType"}},
		"public":             {posted(text("a"), options(post.Options{Visibility: "PUBLIC"})), nil},
		"YouTube's word": {
			posted(text("a"), options(post.Options{Visibility: "public"})), []string{"options/visibility"},
		},
	}.run(t, channel.LinkedInProfile, channel.LinkedInPage)

	connections := posted(text("a"), options(post.Options{Visibility: "CONNECTIONS"}))
	cases{"connections": {connections, nil}}.run(t, channel.LinkedInProfile)
	cases{"connections": {connections, []string{"options/visibility"}}}.run(t, channel.LinkedInPage)
}

func TestTikTok(t *testing.T) {
	t.Parallel()

	draft := post.Options{UploadToDraft: yes()}
	full := post.Options{
		AllowComments: yes(), AllowDuet: no(), AllowStitch: yes(), BrandContent: yes(), BrandOrganic: no(),
		UploadToDraft: no(),
	}
	overruled := full
	overruled.UploadToDraft = yes()
	cases{
		"video":                {videoPost(mp4s(1), letters(2_200)), nil},
		"caption too long":     {videoPost(mp4s(1), letters(2_201)), []string{"content"}},
		"emoji count twice":    {videoPost(mp4s(1), text(strings.Repeat("🌍", 1_101))), []string{"content"}},
		"video as a post":      {posted(mp4s(1)), nil},
		"video as a reel":      {reel(mp4s(1)), nil},
		"title of a video":     {videoPost(mp4s(1), title("T")), []string{"title?"}},
		"WebM":                 {videoPost(file(1, media.Video, rules.WebM, mB)), nil},
		"text alone":           {posted(text("a")), []string{"mediaIds"}},
		"photos":               {posted(jpegs(35), letters(4_000), titled(90)), nil},
		"too many photos":      {posted(jpegs(36)), []string{"mediaIds"}},
		"photo text too long":  {posted(jpegs(1), letters(4_001)), []string{"content"}},
		"photo title too long": {posted(jpegs(1), titled(91)), []string{"title"}},
		"photos of type VIDEO": {videoPost(jpegs(2)), []string{"mediaIds"}},
		"PNG":                  {posted(file(1, media.Image, rules.PNG, 1)), []string{"mediaIds/0?"}},
		"largest photo":        {posted(file(1, media.Image, rules.WebP, 20*mB)), nil},
		"photo too large":      {posted(file(1, media.Image, rules.WebP, 20*mB+1)), []string{"mediaIds/0?"}},
		"photo and video":      {posted(jpegs(1), mp4s(1)), []string{"mediaIds"}},
		"story":                {story(jpegs(1)), []string{"contentType"}},
		"every option":         {videoPost(mp4s(1), options(full)), nil},
		"draft":                {videoPost(mp4s(1), options(draft)), nil},
		"draft with settings": {
			videoPost(mp4s(1), options(overruled)),
			[]string{
				"options/allowComments?", "options/allowDuet?", "options/allowStitch?", "options/brandContent?",
				"options/brandOrganic?",
			},
		},
		"draft loses its text": {videoPost(mp4s(1), text("a"), options(draft)), []string{"content?"}},
		"draft of photos":      {posted(jpegs(1), text("a"), options(draft)), nil},
		"photos know no duets": {
			posted(jpegs(1), options(post.Options{AllowDuet: yes(), AllowStitch: no()})),
			[]string{"options/allowDuet?", "options/allowStitch?"},
		},
		"an option of Pinterest": {
			videoPost(mp4s(1), options(post.Options{Link: "https://example.com"})), []string{"options/link"},
		},
		"privacy":         {posted(jpegs(1), options(post.Options{Privacy: "SELF_ONLY"})), nil},
		"unknown privacy": {posted(jpegs(1), options(post.Options{Privacy: "PRIVATE"})), []string{"options/privacy"}},
		"hidden partnership": {
			posted(jpegs(1), options(post.Options{Privacy: "SELF_ONLY", BrandContent: yes()})), []string{"options/brandContent"},
		},
		"privacy of a draft": {
			posted(jpegs(1), options(post.Options{Privacy: "SELF_ONLY", UploadToDraft: yes()})), []string{"options/privacy?"},
		},
	}.run(t, channel.TikTokPersonal, channel.TikTokBusiness)

	private := videoPost(mp4s(1), options(post.Options{Privacy: "SELF_ONLY"}))
	cases{"private video": {private, nil}}.run(t, channel.TikTokPersonal)
	cases{"private video": {private, []string{"options/privacy"}}}.run(t, channel.TikTokBusiness)

	cases{
		"largest video":   {videoPost(file(1, media.Video, rules.MOV, 4*gB)), nil},
		"video too large": {videoPost(file(1, media.Video, rules.MOV, 4*gB+1)), []string{"mediaIds/0"}},
	}.run(t, channel.TikTokPersonal)
	cases{
		"largest video":   {videoPost(file(1, media.Video, rules.MOV, gB)), nil},
		"video too large": {videoPost(file(1, media.Video, rules.MOV, gB+1)), []string{"mediaIds/0?"}},
	}.run(t, channel.TikTokBusiness)
}

func TestYouTube(t *testing.T) {
	t.Parallel()

	full := post.Options{
		VideoType: "short", Category: "22", License: "creativeCommon", Visibility: "unlisted",
		NotifySubscribers: no(), AllowEmbedding: yes(), MadeForKids: no(),
	}
	wrong := post.Options{VideoType: "clip", Category: "music", License: "MIT", Visibility: "PUBLIC"}
	cases{
		"video":           {videoPost(mp4s(1), titled(100), letters(5_000), options(full)), nil},
		"Short":           {reel(mp4s(1), title("T")), nil},
		"as a post":       {posted(mp4s(1), title("T")), nil},
		"story":           {story(mp4s(1), title("T")), []string{"contentType"}},
		"no title":        {videoPost(mp4s(1), title(" ")), []string{"title"}},
		"title too long":  {videoPost(mp4s(1), titled(101)), []string{"title"}},
		"title forbidden": {videoPost(mp4s(1), title("a > b")), []string{"title"}},
		"text too long":   {videoPost(mp4s(1), title("T"), letters(5_001)), []string{"content"}},
		"bytes":           {videoPost(mp4s(1), title("T"), text(strings.Repeat("é", 2_500))), nil},
		"too many bytes":  {videoPost(mp4s(1), title("T"), text(strings.Repeat("é", 2_501))), []string{"content"}},
		"text forbidden":  {videoPost(mp4s(1), title("T"), text("a <b>")), []string{"content"}},
		"no video":        {videoPost(title("T")), []string{"mediaIds"}},
		"two videos":      {videoPost(mp4s(2), title("T")), []string{"mediaIds"}},
		"image":           {videoPost(jpegs(1), title("T")), []string{"mediaIds"}},
		"largest":         {videoPost(file(1, media.Video, rules.WebM, 256*gB), title("T")), nil},
		"too large":       {videoPost(file(1, media.Video, rules.WebM, 256*gB+1), title("T")), []string{"mediaIds/0"}},
		"wrong options": {
			videoPost(mp4s(1), title("T"), options(wrong)),
			[]string{"options/videoType", "options/category", "options/license", "options/visibility"},
		},
		"everything, at once": {posted(text("<")), []string{"mediaIds", "content", "title"}},
		"an option of TikTok's": {
			videoPost(mp4s(1), title("T"), options(post.Options{AllowDuet: no()})), []string{"options/allowDuet"},
		},
	}.run(t, channel.YouTube)
}

func TestPinterest(t *testing.T) {
	t.Parallel()

	board := options(post.Options{BoardID: "549755885175"})
	pin := func(o post.Options) func(*platform.Content) {
		o.BoardID = "549755885176"
		return options(o)
	}
	cases{
		"image":             {posted(jpegs(1), letters(800), titled(100), board), nil},
		"text too long":     {posted(jpegs(1), letters(801), board), []string{"content"}},
		"title too long":    {posted(jpegs(1), titled(101), board), []string{"title"}},
		"text alone":        {posted(text("a"), board), []string{"mediaIds"}},
		"five images":       {posted(jpegs(5), board), nil},
		"six images":        {posted(jpegs(6), board), []string{"mediaIds"}},
		"a video":           {posted(mp4s(1), board), nil},
		"video of its type": {videoPost(file(1, media.Video, rules.MOV, 2*gB), board), nil},
		"video too large":   {videoPost(file(1, media.Video, rules.MOV, 2*gB+1), board), []string{"mediaIds/0"}},
		"video with cover":  {posted(jpegs(1), mp4s(1), board), nil},
		"largest image":     {posted(file(1, media.Image, rules.PNG, 20*mB), board), nil},
		"image too large":   {posted(file(1, media.Image, rules.PNG, 20*mB+1), board), []string{"mediaIds/0?"}},
		"WebP":              {posted(file(1, media.Image, rules.WebP, 1), board), []string{"mediaIds/0?"}},
		"GIF":               {posted(gifs(1), board), []string{"mediaIds/0?"}},
		"HEIC":              {posted(file(1, media.Image, rules.HEIC, 1), board), []string{"mediaIds/0?"}},
		"story":             {story(jpegs(1), board), []string{"contentType"}},
		"no board":          {posted(jpegs(1)), []string{"options/boardId"}},
		"section":           {posted(jpegs(1), options(post.Options{BoardID: "1", BoardSectionID: "2"})), nil},
		"no section's id": {
			posted(jpegs(1), options(post.Options{BoardID: "1", BoardSectionID: "a"})), []string{"options/boardSectionId"},
		},
		"no board's id": {posted(jpegs(1), options(post.Options{BoardID: "../me"})), []string{"options/boardId"}},
		"board's id too long": {
			posted(jpegs(1), options(post.Options{BoardID: strings.Repeat("1", 65)})), []string{"options/boardId"},
		},
		"link": {
			posted(jpegs(1), pin(post.Options{Link: "https://example.com/" + strings.Repeat("a", 2_028)})), nil,
		},
		"link too long": {
			posted(jpegs(1), pin(post.Options{Link: "https://example.com/" + strings.Repeat("a", 2_029)})),
			[]string{"options/link"},
		},
		"link of a script": {posted(jpegs(1), pin(post.Options{Link: "javascript:alert(1)"})), []string{"options/link"}},
		"link to nowhere":  {posted(jpegs(1), pin(post.Options{Link: "https:///a"})), []string{"options/link"}},
		"link with secrets": {
			posted(jpegs(1), pin(post.Options{Link: "https://me:pass@example.com"})), []string{"options/link"},
		},
		"alt text": {posted(jpegs(1), pin(post.Options{AltText: strings.Repeat("é", 500)})), nil},
		"alt text too long": {
			posted(jpegs(1), pin(post.Options{AltText: strings.Repeat("é", 501)})), []string{"options/altText"},
		},
	}.run(t, channel.Pinterest)
}

func TestGoogleBusiness(t *testing.T) {
	t.Parallel()

	cases{
		"text":              {posted(letters(1_500)), nil},
		"text too long":     {posted(letters(1_501)), []string{"content"}},
		"nothing":           {posted(), []string{"content"}},
		"photo":             {posted(jpegs(1), letters(1_500)), nil},
		"two photos":        {posted(jpegs(2)), []string{"mediaIds"}},
		"video":             {posted(mp4s(1)), []string{"mediaIds"}},
		"video of its type": {videoPost(mp4s(1)), []string{"contentType", "mediaIds"}},
		"title":             {posted(text("a"), title("T")), []string{"title?"}},
		"largest photo":     {posted(file(1, media.Image, rules.PNG, 5*mB)), nil},
		"photo too large":   {posted(file(1, media.Image, rules.PNG, 5*mB+1)), []string{"mediaIds/0?"}},
		"smallest photo":    {posted(file(1, media.Image, rules.PNG, 10*kB)), nil},
		"photo too small":   {posted(file(1, media.Image, rules.PNG, 10*kB-1)), []string{"mediaIds/0?"}},
		"WebP":              {posted(file(1, media.Image, rules.WebP, 50*kB)), []string{"mediaIds/0?"}},
		"phone number":      {posted(text("Call +49 30 901820 today")), []string{"content?"}},
		"dates and prices":  {posted(text("2026-03-01 09:00, 1.299,00 €, room 12-345")), nil},
	}.run(t, channel.GoogleBusiness)
}

func TestThreads(t *testing.T) {
	t.Parallel()

	links := func(n int) string {
		var text strings.Builder
		for i := range n {
			fmt.Fprintf(&text, "https://example.com/%d ", i)
		}
		return text.String()
	}
	cases{
		"text":                {posted(letters(500)), nil},
		"text too long":       {posted(letters(501)), []string{"content"}},
		"emoji":               {posted(text(strings.Repeat("🌍", 125))), nil},
		"emoji too long":      {posted(text(strings.Repeat("🌍", 126))), []string{"content"}},
		"more bytes than 500": {posted(text("It’s " + strings.Repeat("a", 494))), []string{"content?"}},
		"long text":           {posted(letters(10_000), options(post.Options{LongText: yes()})), nil},
		"long text with a link": {
			posted(letters(501), options(post.Options{LongText: yes(), Link: "https://example.com"})), []string{"options/link"},
		},
		"long text too long": {posted(letters(10_001), options(post.Options{LongText: yes()})), []string{"content"}},
		"long text with an image": {
			posted(jpegs(1), letters(501), options(post.Options{LongText: yes()})),
			[]string{"content", "options/longText?"},
		},
		"nothing":               {posted(), []string{"content"}},
		"five links, one twice": {posted(text(links(5) + " https://example.com/1")), nil},
		"six links":             {posted(text(links(6))), []string{"content"}},
		"six links to Japanese pages": {
			posted(text(strings.ReplaceAll(links(6), "com/", "com/日本"))), []string{"content"},
		},
		"two topics": {posted(text("#one #two")), []string{"content?"}},
		"six links with www.": {
			posted(text("www.a.com www.b.com www.c.com www.d.com www.e.com www.f.com")), []string{"content"},
		},
		"links without protocol": {posted(text("a.com b.com c.com d.com e.com f.com")), nil},
		"one image":              {posted(jpegs(1)), nil},
		"twenty":                 {posted(jpegs(10), mp4s(10)), nil},
		"twenty-one":             {posted(jpegs(21)), []string{"mediaIds"}},
		"GIF":                    {posted(gifs(1)), []string{"mediaIds/0?"}},
		"WebP":                   {posted(file(1, media.Image, rules.WebP, 1)), []string{"mediaIds/0?"}},
		"video":                  {videoPost(mp4s(1)), nil},
		"two videos of VIDEO":    {videoPost(mp4s(2)), []string{"mediaIds"}},
		"reel":                   {reel(mp4s(1)), []string{"contentType"}},
		"title":                  {posted(text("a"), title("T")), []string{"title?"}},
		"largest image":          {posted(file(1, media.Image, rules.PNG, 8*mB)), nil},
		"image too large":        {posted(file(1, media.Image, rules.PNG, 8*mB+1)), []string{"mediaIds/0?"}},
		"largest video":          {videoPost(file(1, media.Video, rules.MOV, gB)), nil},
		"video too large":        {videoPost(file(1, media.Video, rules.MOV, gB+1)), []string{"mediaIds/0"}},
	}.run(t, channel.Threads)
}

func TestTelegram(t *testing.T) {
	t.Parallel()

	cases{
		"text":                {posted(letters(4_096)), nil},
		"text too long":       {posted(letters(4_097)), []string{"content"}},
		"long text":           {posted(letters(32_768), options(post.Options{LongText: yes()})), nil},
		"long text too long":  {posted(letters(32_769), options(post.Options{LongText: yes()})), []string{"content"}},
		"UTF-16":              {posted(text(strings.Repeat("🌍", 2_048))), nil},
		"UTF-16 too long":     {posted(text(strings.Repeat("🌍", 2_049))), []string{"content"}},
		"nothing":             {posted(text(" ")), []string{"content"}},
		"caption":             {posted(jpegs(1), letters(1_024)), nil},
		"caption too long":    {posted(jpegs(1), letters(1_025)), []string{"content"}},
		"album":               {posted(jpegs(5), mp4s(5)), nil},
		"album too long":      {posted(jpegs(11)), []string{"mediaIds"}},
		"animation":           {posted(gifs(1)), nil},
		"two animations":      {posted(gifs(2)), []string{"mediaIds"}},
		"animation and photo": {posted(gifs(1), jpegs(1)), []string{"mediaIds"}},
		"documents":           {posted(pdfs(10)), nil},
		"document and photo":  {posted(pdfs(1), jpegs(1)), []string{"mediaIds"}},
		"video":               {videoPost(mp4s(1)), nil},
		"MOV":                 {videoPost(file(1, media.Video, rules.MOV, 1)), []string{"mediaIds/0?"}},
		"reel":                {reel(mp4s(1)), []string{"contentType"}},
		"title":               {posted(text("a"), title("T")), []string{"title?"}},
		"HEIC in an album":    {posted(file(1, media.Image, rules.HEIC, mB), jpegs(1)), []string{"mediaIds/0?"}},
		"AVIF":                {posted(file(1, media.Image, rules.AVIF, mB)), []string{"mediaIds/0?"}},
		"DOCX":                {posted(file(1, media.Document, rules.DOCX, mB)), nil},
		"largest photo":       {posted(file(1, media.Image, rules.PNG, 10*mB)), nil},
		"photo too large":     {posted(file(1, media.Image, rules.PNG, 10*mB+1)), []string{"mediaIds/0?"}},
		"largest file":        {posted(file(1, media.Document, rules.PDF, 50*mB)), nil},
		"file too large":      {posted(file(1, media.Document, rules.PDF, 50*mB+1)), []string{"mediaIds/0"}},
		"video too large":     {videoPost(file(1, media.Video, rules.MP4, 50*mB+1)), []string{"mediaIds/0"}},
		"animation too large": {posted(file(1, media.GIF, rules.GIF, 50*mB+1)), []string{"mediaIds/0"}},
	}.run(t, channel.TelegramChannel)
}

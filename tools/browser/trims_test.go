package browser_test

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/infra/mediabox/mediaboxtest"
	"fencepost.internal/shared/infra/postgres/postgrestest"
)

// trimsInLibrary uploads a video, chooses a part by the slider, and sees the part appear in place of its notice.
func trimsInLibrary(t *testing.T, a *application, chromium chrome) {
	t.Helper()
	const person = "trims@example.com"
	path, _, _ := a.furnished(person)
	w := openTab(t, chromium, desk())
	w.open(path + "/media")
	w.signIn(person, words)
	w.on("Media")
	w.dropsFixture("five-seconds.mp4", "kiln.mp4", "video/mp4")
	w.wait(row("kiln.mp4") + `.querySelector('.num').textContent === 'done'`)
	w.wait(`!document.querySelector('#storage').innerText.startsWith('0 ')`)
	w.wait(`document.querySelector('.asset .kind')?.textContent === '0:05'`)
	w.click(`.asset .name`)
	w.wait(`document.querySelector('aside .trim')`)
	w.must(`document.querySelector('aside a.primary').getAttribute('href').includes('/compose?media=')`, true)
	w.click(`aside .trim summary`)
	w.must(`(() => {
		const slider = document.querySelector('[data-for=trim-end]');
		slider.value = '3';
		slider.dispatchEvent(new Event('input', {bubbles: true}));
		return [document.querySelector('#trim-end').value, document.querySelector('aside video').currentTime];
	})()`, []any{"3", float64(3)})
	w.looked("trim-form")
	w.click(`aside .trim button`)
	w.wait(`document.querySelector('#info-name')?.textContent === 'kiln, 0:00 to 0:03.mp4'`)
	w.wait(`document.querySelector('#info video')`)
	w.wait(`document.querySelector('.asset.here .kind, .asset .kind')?.textContent === '0:03'`)
	require.Equal(t, []string{"2"}, postgrestest.Column(t, a.dsn, `SELECT count(*)::text FROM media WHERE workspace_id = $1`, strings.TrimPrefix(path, a.base+"/w/")))
	w.looked("trim-made")
	w.requireQuiet()
}

// slowed returns a video with a playing time of so many times more, in as many frames: the units of its times are longer.
func slowed(video []byte, by uint32) []byte {
	slow := bytes.Clone(video)
	for _, box := range []string{"mvhd", "mdhd"} {
		for at := bytes.Index(slow, []byte(box)); at >= 0; {
			const unit = 16 // bytes from the name: version, flags, and two times of four bytes
			field := slow[at+unit : at+unit+4]
			binary.BigEndian.PutUint32(field, binary.BigEndian.Uint32(field)/by)
			next := bytes.Index(slow[at+unit:], []byte(box))
			if next < 0 {
				break
			}
			at += unit + next
		}
	}
	return slow
}

// attachesVideo attaches a video that is too long for X, trims it from the finding, chooses the frame of a cover, and meets
// the warning of a text that is planned already.
func attachesVideo(t *testing.T, a *application, chromium chrome) {
	t.Helper()
	const person = "videos@example.com"
	path, _, _ := a.furnished(person)
	workspace := strings.TrimPrefix(path, a.base+"/w/")
	w := openTab(t, chromium, desk())
	of := a.composesFor(w, path, person, "TWITTER", "INSTAGRAM_PROFESSIONAL")
	w.writes("The kiln in one minute")
	w.dropsFile(slowed(mediaboxtest.Fixture(t, "five-seconds.mp4"), 40), "kiln.mp4", "video/mp4")
	w.wait(`document.querySelector('.shot[data-media] small')?.textContent === 'kiln.mp4'`)
	a.processes(workspace, 1)
	w.writes(".")
	w.wait(`document.querySelector('[data-fix=trim]')?.textContent === 'Trim to 2:20'`)
	w.click("[data-fix=trim]")
	w.wait(`document.querySelector('#trimming').open`)
	w.must(`[...document.querySelectorAll('#trimming [name]')].map(field => field.value)`, []any{"0", "140"})
	w.inEveryLook("composer-trim")
	w.must(`(document.querySelector('#trimming-end').value = '300', null)`, nil)
	w.click("#trimming .primary")
	w.wait(`document.querySelector('#trimming .fault').textContent === 'The video ends at 3:20. End earlier.'`)
	w.expect("422", "422")
	w.must(`(document.querySelector('#trimming-end').value = '100', null)`, nil)
	w.click("#trimming .primary")
	w.wait(`!document.querySelector('#trimming').open && document.querySelector('.shot[data-media] small')?.textContent === 'kiln, 0:00 to 1:40.mp4'`)
	a.processes(workspace, 2)
	w.writes(".")
	w.must(`document.querySelector('[data-fix=trim]')`, nil)
	w.must(`document.querySelectorAll('.shot[data-media]').length`, 1)

	w.click(`[data-options="` + of[1] + `"] summary`)
	w.wait(`document.querySelector('[name$=".thumbOffset"]')`)
	w.must(`(slider => { slider.value = '1.5'; slider.dispatchEvent(new Event('input', {bubbles: true})); })(document.querySelector('.optform .slide'))`, nil)
	w.wait(`document.querySelector('#val-` + of[1] + `').textContent.includes('cover at 1.5 s')`)
	w.must(`document.querySelector('.optform video').currentTime > 0`, true)
	w.inEveryLook("composer-cover")
	w.click(`[name=when][value=draft]`)
	w.wait(`document.querySelector('#go-text').textContent === 'Save drafts'`)
	w.click("#go")
	w.wait(`document.querySelector('.notice')?.innerText.includes('2 posts saved as drafts.')`)
	require.Equal(t, []string{"1500"}, postgrestest.Column(t, a.dsn,
		`SELECT options->>'thumbOffset' FROM post WHERE workspace_id = $1 AND content LIKE 'The kiln in%' AND channel_id = $2`, workspace, of[1]))
	w.requireQuiet()
}

// processes waits until a worker has read so many files of a workspace.
func (a *application) processes(workspace string, files int) {
	a.t.Helper()
	require.Eventually(a.t, func() bool {
		return len(postgrestest.Column(a.t, a.dsn, `SELECT 1 FROM media WHERE workspace_id = $1 AND processed_at IS NOT NULL`, workspace)) == files
	}, timeout, 100*time.Millisecond)
}

package browser_test

import (
	"encoding/base64"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/infra/mediabox/mediaboxtest"
	"fencepost.internal/shared/infra/postgres/postgrestest"
)

// TestTrimming uploads a video, chooses a part by the slider, and sees the part appear in place of its notice.
func TestTrimming(t *testing.T) {
	t.Parallel()
	a, chromium := newApplication(t), openBrowser(t)
	a.start(nil, "worker", "api", "console")
	const person = "trims@example.com"
	path, _, _ := a.furnished(person)
	w := openTab(t, chromium.profile(t), desk())
	w.open(path + "/media")
	w.signIn(person, words)
	w.on("Media")
	video := base64.StdEncoding.EncodeToString(mediaboxtest.Fixture(t, "five-seconds.mp4"))
	w.must(`(() => {
		const data = new DataTransfer();
		data.items.add(new File([Uint8Array.from(atob('`+video+`'), (c) => c.charCodeAt(0))], 'kiln.mp4', {type: 'video/mp4'}));
		document.body.dispatchEvent(new DragEvent('drop', {bubbles: true, cancelable: true, dataTransfer: data}));
		return true;
	})()`, true)
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
	require.Equal(t, []string{"2"}, postgrestest.Column(t, a.dsn, `SELECT count(*)::text FROM media`))
	w.looked("trim-made")
	w.requireQuiet()
}

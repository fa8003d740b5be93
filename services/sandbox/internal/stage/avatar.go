package stage

import (
	"bytes"
	"hash/fnv"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"net/url"
)

// avatarSide is the side of an avatar, in pixels.
const avatarSide = 256

// Avatar returns the address of an account's picture.
func (s *Stage) Avatar(r *http.Request, account string) string {
	return s.Base(r) + "/avatars/" + url.PathEscape(account)
}

// ServeAvatars adds the pictures of accounts: each account has a colour of its own.
func ServeAvatars(mux *http.ServeMux) {
	mux.HandleFunc("GET /avatars/{account}", func(w http.ResponseWriter, r *http.Request) {
		var drawn bytes.Buffer
		if err := png.Encode(&drawn, portrait(r.PathValue("account"))); err != nil {
			http.Error(w, "The picture cannot be drawn.", http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "image/png")
		_, _ = w.Write(drawn.Bytes())
	})
}

// portrait draws a head and shoulders.
func portrait(account string) image.Image {
	hash := fnv.New32a()
	_, _ = hash.Write([]byte(account))
	sum := hash.Sum32()
	const half = 0x7F
	ground := color.RGBA{R: uint8(sum) & half, G: uint8(sum>>8) & half, B: uint8(sum>>16) & half, A: 0xFF} //nolint:gosec,mnd // its bytes
	skin := color.RGBA{R: 0xFF - ground.R/2, G: 0xFF - ground.G/2, B: 0xFF - ground.B/2, A: 0xFF}
	drawn := image.NewRGBA(image.Rect(0, 0, avatarSide, avatarSide))
	const head, shoulders, middle = avatarSide / 5, avatarSide * 2 / 5, avatarSide / 2
	for y := range avatarSide {
		for x := range avatarSide {
			shade := ground
			if within(x-middle, y-avatarSide*2/5, head) || within(x-middle, y-avatarSide, shoulders) {
				shade = skin
			}
			drawn.SetRGBA(x, y, shade)
		}
	}
	return drawn
}

func within(x, y, radius int) bool { return x*x+y*y < radius*radius }

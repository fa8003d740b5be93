package format

import (
	"image"
	"image/draw"
)

// placed is a picture on a canvas that may be larger.
type placed struct {
	image.Image
	canvas      image.Point
	at          image.Point
	orientation int // EXIF, tag 274
}

// shrink scales the picture to at most side pixels on the longer side.
func shrink(source placed, side int) *image.RGBA {
	long := max(source.canvas.X, source.canvas.Y)
	if long <= side {
		return resize(source, source.canvas)
	}
	return resize(source, image.Pt(scaled(source.canvas.X, side, long), scaled(source.canvas.Y, side, long)))
}

// resize scales the picture to a size of the same shape that is not larger, and turns it upright. A good filter over all
// pixels of a photograph takes several times as long as decoding it. So boxes of pixels are averaged first, to twice the
// wanted size or more, and the filter does the rest, without a visible difference. Only the decoded picture and the
// result take memory: everything between them is done row by row.
func resize(source placed, to image.Point) *image.RGBA {
	factor := max(1, max(source.canvas.X, source.canvas.Y)/(2*max(to.X, to.Y)))
	result := newUpright(to, source.orientation)
	if to == source.canvas {
		averageBoxes(source, factor, result.put)
		return result.RGBA
	}
	small := image.Pt((source.canvas.X+factor-1)/factor, (source.canvas.Y+factor-1)/factor)
	filter := newResampler(small, to, result.put)
	averageBoxes(source, factor, func(_ int, row []byte) { filter.add(row) })
	return result.RGBA
}

// scaled returns length × side ÷ long, rounded, and at least 1.
func scaled(length, side, long int) int { return max(1, (length*side+long/2)/long) }

// averageBoxes averages squares of factor × factor pixels and passes each row of averages to put, which must not keep it.
// Colours are premultiplied by alpha, so that transparent pixels do not affect the average.
func averageBoxes(source placed, factor int, put func(y int, row []byte)) {
	width, height := source.canvas.X, source.canvas.Y
	row := make([]byte, channels*((width+factor-1)/factor))
	band := image.NewRGBA(image.Rect(0, 0, width, factor))
	bounds := source.Bounds()
	covered := bounds.Dx() == width && bounds.Dy() == height
	for y := range (height + factor - 1) / factor {
		if !covered {
			clear(band.Pix)
		}
		rows := min(factor, height-y*factor)
		draw.Draw(band, image.Rect(0, 0, width, rows), source.Image,
			bounds.Min.Sub(source.at).Add(image.Pt(0, y*factor)), draw.Src)
		if factor == 1 {
			put(y, band.Pix)
			continue
		}
		averageBand(row, band, rows, factor)
		put(y, row)
	}
}

// averageBand writes one row: the box averages of a band of rows rows. The last box may be narrower.
func averageBand(row []byte, band *image.RGBA, rows, factor int) {
	width := band.Rect.Dx()
	for left := 0; left < width; left += factor {
		columns := min(factor, width-left)
		var sum [channels]uint32
		for y := range rows {
			pixels := band.Pix[y*band.Stride+left*channels:][:columns*channels]
			for i := 0; i+channels <= len(pixels); i += channels {
				sum[0] += uint32(pixels[i])
				sum[1] += uint32(pixels[i+1])
				sum[2] += uint32(pixels[i+2])
				sum[3] += uint32(pixels[i+3])
			}
		}
		count := uint32(rows * columns) //nolint:gosec // a box of at most 13 × 13 pixels
		target := row[left/factor*channels:][:channels]
		for i := range target {
			target[i] = uint8((sum[i] + count/2) / count) //nolint:gosec // an average of bytes
		}
	}
}

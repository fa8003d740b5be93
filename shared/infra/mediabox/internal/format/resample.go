package format

import (
	"image"
	"math"

	xdraw "golang.org/x/image/draw"
)

// channels is the number of bytes of a pixel: red, green, blue and alpha, premultiplied.
const channels = 4

// taps are the weights of the neighbouring positions, from first on, that make one position of a scaled row or column.
type taps struct {
	first   int
	weights []float32
}

// contributions returns the taps of each of to positions from from positions, for the Catmull-Rom filter.
func contributions(from, to int) []taps {
	kernel := xdraw.CatmullRom
	scale := float64(from) / float64(to)
	wide := math.Max(scale, 1)
	all := make([]taps, to)
	for i := range all {
		center := (float64(i)+0.5)*scale - 0.5
		first := max(0, int(math.Floor(center-kernel.Support*wide)))
		end := min(from, int(math.Ceil(center+kernel.Support*wide))+1)
		weights, total := make([]float32, end-first), 0.0
		for at := range weights {
			distance := math.Abs(center-float64(first+at)) / wide
			if distance < kernel.Support {
				weight := kernel.At(distance)
				weights[at] = float32(weight)
				total += weight
			}
		}
		for at := range weights {
			weights[at] /= float32(total)
		}
		all[i] = taps{first, weights}
	}
	return all
}

// resampler scales a picture whose rows arrive from top to bottom. It keeps the rows that the filter needs, and no whole
// picture: the full size of a photograph would take several times its memory as decoded.
type resampler struct {
	across, down []taps
	recent       [][]float32 // scaled rows; row n is at n modulo the length
	sums         []float32
	arrived      int // rows
	created      int
	put          func(y int, row []byte)
	row          []byte
}

// newResampler returns a resampler that passes each scaled row to put, which must not keep it.
func newResampler(from, to image.Point, put func(y int, row []byte)) *resampler {
	r := &resampler{
		across: contributions(from.X, to.X), down: contributions(from.Y, to.Y), put: put,
		row: make([]byte, channels*to.X), sums: make([]float32, channels*to.X),
	}
	longest := 0
	for _, t := range r.down {
		longest = max(longest, len(t.weights))
	}
	r.recent = make([][]float32, longest)
	for i := range r.recent {
		r.recent[i] = make([]float32, channels*to.X)
	}
	return r
}

// add takes the next row.
func (r *resampler) add(pixels []byte) {
	scaled := r.recent[r.arrived%len(r.recent)]
	for x, t := range r.across {
		var sum [channels]float32
		near := pixels[channels*t.first:]
		for i, weight := range t.weights {
			pixel := near[channels*i:][:channels]
			sum[0] += weight * float32(pixel[0])
			sum[1] += weight * float32(pixel[1])
			sum[2] += weight * float32(pixel[2])
			sum[3] += weight * float32(pixel[3])
		}
		copy(scaled[channels*x:], sum[:])
	}
	r.arrived++
	for r.created < len(r.down) && r.down[r.created].first+len(r.down[r.created].weights) <= r.arrived {
		r.emit(r.down[r.created])
	}
}

// emit passes on the next scaled row.
func (r *resampler) emit(t taps) {
	clear(r.sums)
	for i, weight := range t.weights {
		for at, value := range r.recent[(t.first+i)%len(r.recent)] {
			r.sums[at] += weight * value
		}
	}
	for at := 0; at < len(r.sums); at += channels {
		alpha := clamp(r.sums[at+3], math.MaxUint8)
		for i := range channels - 1 {
			r.row[at+i] = clamp(r.sums[at+i], float32(alpha))
		}
		r.row[at+3] = alpha
	}
	r.put(r.created, r.row)
	r.created++
}

// clamp rounds a value, which the filter may carry beyond its range.
func clamp(value, most float32) byte { return byte(max(0, min(value+0.5, most))) }

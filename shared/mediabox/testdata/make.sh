#!/bin/sh
# Makes the fixtures of this folder. Run it in the folder, with ffmpeg and libheif-examples installed:
#
#   sh make.sh
set -eu

ffmpeg() { command ffmpeg -nostdin -hide_banner -loglevel error -y -fflags +bitexact "$@"; }
scene="testsrc2=size=320x180:rate=10"

# Films: with sound; lying on its side, as telephones film; shorter than a second; anamorphic; without a picture track.
ffmpeg -f lavfi -i "$scene:duration=3" -f lavfi -i "sine=duration=3" -c:v libx264 -crf 38 -pix_fmt yuv420p -g 30 -c:a aac -b:a 16k \
  -metadata location=+47.3769+008.5417/ -movflags +faststart film.mp4
ffmpeg -display_rotation 90 -i film.mp4 -an -c copy turned.mov 2>/dev/null ||
  ffmpeg -i film.mp4 -an -c copy -metadata:s:v rotate=90 turned.mov
ffmpeg -f lavfi -i "$scene:duration=0.4" -c:v libvpx-vp9 -b:v 60k short.webm
ffmpeg -f lavfi -i "$scene:duration=1" -c:v libx264 -crf 38 -pix_fmt yuv420p -vf setsar=4/3 wide.mp4
ffmpeg -f lavfi -i "sine=duration=1" -c:a aac -b:a 16k sound.mp4
ffmpeg -f lavfi -i "$scene:duration=1" -c:v ffv1 unusual.mov

# Pictures: HEIC with one picture and with three; WebP with loss, with transparency, and moving.
ffmpeg -f lavfi -i "testsrc2=size=800x600" -frames:v 1 scene.png
ffmpeg -f lavfi -i "color=red:size=64x64" -frames:v 1 red.png
heif-enc -q 40 -o still.heic scene.png
heif-enc -q 40 -o several.heic scene.png red.png red.png
ffmpeg -i scene.png -c:v libwebp -quality 40 still.webp
ffmpeg -f lavfi -i "color=red:size=700x500,format=rgba,colorchannelmixer=aa=0.5" -frames:v 1 -c:v libwebp -lossless 0 clear.webp
ffmpeg -f lavfi -i "$scene:duration=0.5" -c:v libwebp_anim -quality 20 -loop 0 moving.webp
rm scene.png red.png

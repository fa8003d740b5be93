#!/bin/sh
# Creates the fixtures of this folder. Run it in the folder, with ffmpeg, libheif-examples and libimage-exiftool-perl
# installed:
#
#   sh make.sh
set -eu

ffmpeg() { command ffmpeg -nostdin -hide_banner -loglevel error -y -fflags +bitexact "$@"; }
scene="testsrc2=size=320x180:rate=10"

# Videos: with sound; rotated, as telephones record; shorter than a second; anamorphic; without a video track.
ffmpeg -f lavfi -i "$scene:duration=3" -f lavfi -i "sine=duration=3" -c:v libx264 -crf 38 -pix_fmt yuv420p -g 30 -c:a aac -b:a 16k \
  -metadata location=+47.3769+008.5417/ -movflags +faststart video.mp4
ffmpeg -display_rotation 90 -i video.mp4 -an -c copy turned.mov 2>/dev/null ||
  ffmpeg -i video.mp4 -an -c copy -metadata:s:v rotate=90 turned.mov
ffmpeg -f lavfi -i "$scene:duration=0.4" -c:v libvpx-vp9 -b:v 60k short.webm
ffmpeg -f lavfi -i "$scene:duration=1" -c:v libx264 -crf 38 -pix_fmt yuv420p -vf setsar=4/3 wide.mp4
ffmpeg -f lavfi -i "sine=duration=1" -c:a aac -b:a 16k sound.mp4
# Five seconds: some networks require four.
ffmpeg -f lavfi -i "testsrc2=size=240x320:rate=10:duration=5" -c:v libx264 -crf 40 -pix_fmt yuv420p -movflags +faststart five-seconds.mp4
ffmpeg -f lavfi -i "$scene:duration=1" -c:v ffv1 unusual.mov

# As browsers record: without a duration.
ffmpeg -f lavfi -i "color=red:size=16x16:rate=1:duration=700" -c:v libvpx -deadline realtime -cpu-used 8 -b:v 5k -g 300 -f webm -live 1 pipe:1 >recorded.webm
ffmpeg -f lavfi -i "color=red:size=16x16:rate=2:duration=60" -c:v libx264 -crf 50 -g 20 -pix_fmt yuv420p \
  -movflags frag_keyframe+empty_moov+default_base_moof -f mp4 pipe:1 >recorded.mp4

# An upright video with the shape and the duration of a reel.
ffmpeg -f lavfi -i "testsrc2=size=540x960:rate=4:duration=3.5" -c:v libx264 -crf 45 -pix_fmt yuv420p -movflags +faststart upright.mp4

# Images: HEIC with one image and with three; lossy, transparent and animated WebP.
ffmpeg -f lavfi -i "testsrc2=size=800x600" -frames:v 1 scene.png
ffmpeg -f lavfi -i "color=red:size=64x64" -frames:v 1 red.png
heif-enc -q 40 -o still.heic scene.png
heif-enc -q 40 -o several.heic scene.png red.png red.png
ffmpeg -i scene.png -vf scale=400:-1 -c:v libaom-av1 -still-picture 1 -crf 40 -cpu-used 6 still.avif
ffmpeg -i scene.png -c:v libwebp -quality 40 still.webp
ffmpeg -f lavfi -i "color=red:size=700x500,format=rgba,colorchannelmixer=aa=0.5" -frames:v 1 -c:v libwebp -lossless 0 clear.webp
ffmpeg -f lavfi -i "$scene:duration=0.5" -c:v libwebp_anim -quality 20 -loop 0 moving.webp

# Files with private metadata: a place, a camera, times and titles, marked with CANARY and +47.3769; and subtitles, in
# which some cameras store their location.
small="testsrc2=size=160x90:rate=10"
printf '1\n00:00:00,100 --> 00:00:00,900\nCANARY N47.3769\n\n2\n00:00:01,100 --> 00:00:01,900\nCANARY again\n' >place.srt
ffmpeg -f lavfi -i "$small:duration=2" -f lavfi -i "sine=duration=2" -i place.srt -c:v libx264 -crf 40 -pix_fmt yuv420p -g 10 -c:a aac -b:a 16k -c:s mov_text \
  -metadata location=+47.3769+008.5417/ -metadata title=CANARY -metadata creation_time=2024-05-06T07:08:09Z -metadata:s:v handler_name=CANARY \
  -movflags +faststart talkative.mp4
ffmpeg -i talkative.mp4 -map 0 -c copy -movflags +frag_keyframe+empty_moov+default_base_moof fragments.mp4
ffmpeg -i talkative.mp4 -map 0 -c copy -movflags use_metadata_tags -metadata com.apple.quicktime.location.ISO6709=+47.3769+008.5417/ \
  -metadata com.apple.quicktime.make=CANARY -metadata creation_time=2024-05-06T07:08:09Z talkative.mov
ffmpeg -f lavfi -i "$small:duration=1" -f lavfi -i "sine=duration=1" -c:v libvpx -b:v 40k -c:a libopus -b:a 16k \
  -metadata title=CANARY -metadata location=+47.3769+008.5417/ -metadata:s:v title=CANARY talkative.webm
ffmpeg -f lavfi -i "$small:duration=1" -c:v libvpx -b:v 40k -metadata title=CANARY -live 1 live.webm
ffmpeg -i scene.png -vf scale=320:240 place.jpg
exiftool -q -overwrite_original -Make=CANARY -Orientation#=6 -GPSLatitude=47.3769 -GPSLatitudeRef=N -XMP:Title=CANARY place.jpg
heif-enc -q 40 -o talkative.heic place.jpg
rm scene.png red.png place.srt place.jpg

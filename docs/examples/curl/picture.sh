#!/usr/bin/env bash
# Uploads a picture and publishes it. PICTURE is the path of a JPEG file.
set -euo pipefail
api() {
  curl -sS --fail-with-body "$FENCEPOST_URL$1" -H "Authorization: Bearer $FENCEPOST_API_KEY" "${@:2}"
}
member() { grep -o "\"$1\": *\"[^\"]*\"" | head -n 1 | cut -d '"' -f 4; } # the first one of this name
json='Content-Type: application/json'

upload=$(api /v1/media/uploads -H "$json" \
  -d '{"fileName": "picture.jpg", "contentType": "image/jpeg", "sizeBytes": '"$(stat -L -c %s "$PICTURE")"'}')
media=$(member mediaId <<<"$upload")
curl -sS --fail-with-body -H 'Content-Type: image/jpeg' --upload-file "$PICTURE" "$(member uploadUrl <<<"$upload")"
api "/v1/media/uploads/$media/complete" -X POST >/dev/null
api "/v1/media/$media" -X PATCH -H "$json" -d '{"altText": "Sunrise over the sea"}' >/dev/null
api /v1/posts -H "$json" -H "Idempotency-Key: picture-$media" \
  -d '{"channelIds": ["'"$CHANNEL"'"], "content": "Good morning", "mediaIds": ["'"$media"'"], "schedule": "now"}'

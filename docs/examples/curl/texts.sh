#!/usr/bin/env bash
# Schedules a text of its own for each channel. FIRST and SECOND are IDs of channels.
curl -sS --fail-with-body "$FENCEPOST_URL/v1/posts" \
  -H "Authorization: Bearer $FENCEPOST_API_KEY" -H "Content-Type: application/json" \
  -H "Idempotency-Key: $(cat /proc/sys/kernel/random/uuid)" -d @- <<BODY
{
  "variants": [
    {"channelId": "$FIRST", "content": "New tiles!"},
    {"channelId": "$SECOND", "content": "We made new tiles. Read how."}
  ],
  "schedule": "$(date -u -d 'tomorrow 09:00' +%Y-%m-%dT%H:%M:%SZ)"
}
BODY

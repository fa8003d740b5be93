#!/usr/bin/env bash
# Schedules a text for tomorrow. CHANNEL is the ID of a channel.
curl -sS --fail-with-body "$FENCEPOST_URL/v1/posts" \
  -H "Authorization: Bearer $FENCEPOST_API_KEY" -H "Content-Type: application/json" \
  -H "Idempotency-Key: $(cat /proc/sys/kernel/random/uuid)" -d @- <<BODY
{
  "channelIds": ["$CHANNEL"],
  "content": "Our spring collection is here.",
  "schedule": "$(date -u -d 'tomorrow 09:00' +%Y-%m-%dT%H:%M:%SZ)"
}
BODY

// The Bluesky connector against the reference server (tools/bluesky.sh). A separate module, because its tests need that server.
module socialpub.internal/tools/pds

go 1.26.0

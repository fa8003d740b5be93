<?php

/*
 * A webhook endpoint to learn from and to try the service with. It needs nothing but PHP 8:
 *
 *     WEBHOOK_SECRET=whsec_... php -S 127.0.0.1:8099 server.php
 *
 * The secret is the one in the answer to POST /v1/webhooks.
 */

declare(strict_types=1);

require __DIR__ . '/verify.php';

const MAX_BODY = 1 << 20; // above the largest envelope the service sends, 64 KiB

/**
 * Remembers an event by its id: deliveries may come more than once. A real receiver keeps the ids in its database, in the
 * same transaction as what the event makes it do; here each is an empty file, which only one request can create.
 */
function is_new(string $id, string $secret): bool
{
    $folder = sys_get_temp_dir() . '/receiver-' . substr(hash('sha256', $secret), 0, 16);
    @mkdir($folder, 0700);
    return @fopen($folder . '/' . hash('sha256', $id), 'x') !== false;
}

function say(string $text): void
{
    file_put_contents('php://stderr', $text . "\n");
}

$secret = (string) getenv('WEBHOOK_SECRET');
if (!str_starts_with($secret, 'whsec_')) {
    http_response_code(500);
    say('WEBHOOK_SECRET is not set: start the server with the endpoint\'s secret, whsec_...');
    return;
}
if ($_SERVER['REQUEST_METHOD'] !== 'POST') {
    http_response_code(405);
    header('Allow: POST');
    return;
}
// The raw bytes: a body that was parsed and written again has another signature.
$body = (string) file_get_contents('php://input', length: MAX_BODY + 1);
if (strlen($body) > MAX_BODY) {
    http_response_code(413);
    return;
}
if (!verify($_SERVER['HTTP_X_SERVICE_SIGNATURE'] ?? '', $body, $secret)) {
    say('refused: the signature does not match');
    http_response_code(401);
    return;
}
// Acknowledge at once; whatever takes longer than a moment belongs into a queue.
http_response_code(204);
$event = json_decode($body, true, flags: JSON_THROW_ON_ERROR | JSON_BIGINT_AS_STRING);
if (is_new($event['id'], $secret)) {
    say($event['type'] . ' ' . $event['id'] . ' ' . json_encode($event['data'] ?? null, JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES));
} else {
    say($event['type'] . ' ' . $event['id'] . ' again; nothing is done twice');
}

<?php

declare(strict_types=1);

const TOLERANCE = 300; // seconds

/**
 * Reports whether a delivery is genuine: its body is signed with the secret, at a time near now.
 *
 * The header is X-Service-Signature, t=<unix seconds>,v1=<hex>. While a secret is being replaced there are several v1
 * values, of which one must match. The body must be the raw bytes of the request: file_get_contents('php://input').
 */
function verify(string $header, string $body, string $secret, ?int $now = null): bool
{
    $times = $signatures = [];
    foreach (explode(',', $header) as $part) {
        [$name, $value] = explode('=', $part, 2) + [1 => ''];
        if ($name === 't') {
            $times[] = $value;
        } elseif ($name === 'v1') {
            $signatures[] = $value;
        }
    }
    // All of it digits: (int) would also read "1772348400x".
    if (count($times) !== 1 || preg_match('/\A[0-9]{1,15}\z/', $times[0]) !== 1) {
        return false;
    }
    if (abs(($now ?? time()) - (int) $times[0]) > TOLERANCE) {
        return false;
    }
    $expected = hash_hmac('sha256', $times[0] . '.' . $body, $secret);
    foreach ($signatures as $signature) {
        if (hash_equals($expected, $signature)) { // in constant time
            return true;
        }
    }
    return false;
}

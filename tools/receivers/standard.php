<?php

// Tries the reference library of Standard Webhooks on the deliveries of a vector file: php standard.php LIBRARY FILE

declare(strict_types=1);

namespace StandardWebhooks {
    $now = 0;

    /** The time of the vector, which the library finds in its own namespace before the machine's. */
    function time(): int
    {
        return $GLOBALS['now'];
    }
}

namespace {
    // What the library only warns of is a refusal all the same.
    set_error_handler(static fn (int $level, string $message) => throw new \ErrorException($message, 0, $level));
    require $argv[1] . '/src/Exception/WebhookSigningException.php';
    require $argv[1] . '/src/Exception/WebhookVerificationException.php';
    require $argv[1] . '/src/Webhook.php';

    $vectors = json_decode(file_get_contents($argv[2]), true, flags: JSON_THROW_ON_ERROR)['vectors'];
    $wrong = 0;
    foreach ($vectors as $v) {
        $now = $v['now'];
        $fault = null;
        try {
            (new StandardWebhooks\Webhook($v['secret']))->verify(base64_decode($v['bodyBase64'], true), $v['headers']);
        } catch (\Throwable $error) {
            $fault = $error->getMessage();
        }
        if (($fault === null) !== $v['accept']['standard']) {
            $wrong++;
            fwrite(STDERR, "{$v['name']}: " . ($fault ?? 'accepted') . "; {$v['why']}\n");
        }
    }
    echo count($vectors), " vectors, $wrong wrong\n";
    exit($wrong === 0 ? 0 : 1);
}

<?php

// Tries verify() on the deliveries of ../vectors.json: php vectors.php

declare(strict_types=1);

require __DIR__ . '/verify.php';

$text = file_get_contents(__DIR__ . '/../vectors.json');
$vectors = json_decode($text, true, flags: JSON_THROW_ON_ERROR)['vectors'];
$wrong = 0;
foreach ($vectors as $v) {
    $accepted = verify($v['headers']['X-Service-Signature'] ?? '', base64_decode($v['bodyBase64'], true), $v['secret'], $v['now']);
    if ($accepted !== $v['accept']['service']) {
        $wrong++;
        fwrite(STDERR, "{$v['name']}: accepted is " . var_export($accepted, true) . "; {$v['why']}\n");
    }
}
echo count($vectors), " vectors, $wrong wrong\n";
exit($wrong === 0 ? 0 : 1);

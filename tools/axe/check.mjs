// Opens each golden link page in a browser, light and dark, with and without the page's own script having run, and holds it to
// the rules of axe-core. The pages are what the program serves, byte for byte but for the rules at their end.
import { execFile } from 'node:child_process';
import { readFile, readdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import { promisify } from 'node:util';

const [folder, browser] = process.argv.slice(2);
const rules = await readFile(new URL('node_modules/axe-core/axe.min.js', import.meta.url));
const run = promisify(execFile);
const picture = '<svg xmlns="http://www.w3.org/2000/svg" width="64" height="40"><rect width="64" height="40" fill="#789"/></svg>';
const probe = `<script src="/axe.js"></script><script>addEventListener('load', () => axe.run().then((r) =>
  document.documentElement.setAttribute('data-axe', encodeURIComponent(JSON.stringify({
    rules: r.passes.length,
    faults: r.violations.map((v) => v.id + ': ' + v.help + '\\n    ' + v.nodes.map((n) => n.html).join('\\n    ')),
  })))));</script></body>`;

const server = createServer(async (request, answer) => {
  const { pathname, searchParams } = new URL(request.url, 'http://localhost');
  if (pathname === '/axe.js') return answer.writeHead(200, { 'Content-Type': 'text/javascript' }).end(rules);
  if (pathname.startsWith('/i/')) return answer.writeHead(200, { 'Content-Type': 'image/svg+xml' }).end(picture);
  if (!/^\/[a-z]+\.html$/.test(pathname)) return answer.writeHead(404).end();
  let page = await readFile(folder + pathname, 'utf8');
  if (searchParams.has('dark')) page = page.replaceAll('prefers-color-scheme:dark', 'prefers-color-scheme:light');
  if (searchParams.has('plain')) page = page.replace(/<script>[^]*?<\/script>\n<\/body>/, '</body>');
  answer.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' }).end(page.replace('</body>', probe));
});
await new Promise((ready) => server.listen(0, '127.0.0.1', ready));

let faults = 0, pages = 0;
for (const name of (await readdir(folder)).filter((n) => n.endsWith('.html')).sort()) {
  for (const mode of ['light', 'dark', 'plain']) {
    const address = `http://127.0.0.1:${server.address().port}/${name}?${mode}`;
    const { stdout } = await run(browser, ['--headless=new', '--no-sandbox', '--disable-gpu', '--disable-background-networking',
      '--window-size=390,2400', '--virtual-time-budget=10000', '--dump-dom', address], { maxBuffer: 1 << 26 });
    const found = /data-axe="([^"]*)"/.exec(stdout);
    if (!found) throw new Error(`${name} ${mode}: the rules did not run`);
    const result = JSON.parse(decodeURIComponent(found[1]));
    if (result.rules < 20) throw new Error(`${name} ${mode}: only ${result.rules} rules applied`);
    for (const fault of result.faults) console.error(`${name} ${mode}: ${fault}`);
    faults += result.faults.length;
    pages++;
  }
}
server.close();
if (faults) process.exitCode = 1;
else console.log(`${pages} renderings of link pages, no fault`);

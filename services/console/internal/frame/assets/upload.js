// Sends files to the media library, for the library itself and for the composer. The application hands out signed addresses;
// the bytes go straight to the file storage, three files at once, large ones in parts. After a lost connection an upload goes
// on with the part that failed.

/**
 * @typedef {'waiting' | 'sending' | 'offline' | 'finishing' | 'done' | 'failed' | 'canceled'} State
 * @typedef {{id: string, name: string, type: string, url: string, thumbnailUrl: string | null, altText: string | null, size: number}} Asset
 * @typedef {{number: number, offset: number, sizeBytes: number, url: string}} Part
 * @typedef {{mediaId: string, uploadUrl: string, headers: Record<string, string>, parts?: Part[]}} Started
 * @typedef {{base: string, onProgress?: (item: Upload) => void, signal?: AbortSignal}} Options
 */

const atOnce = 3;
const headSize = 1032; // bytes from which the application tells the type
const pauses = [1, 2, 4, 8, 15, 30]; // seconds between tries without any progress

let running = 0;
/** @type {(() => void)[]} */
const queue = [];

/** Waits until one of the places is free. */
async function enter() {
  if (running < atOnce) running += 1;
  else await new Promise((/** @type {(value: void) => void} */ go) => queue.push(go));
}

/** Gives the place to the next upload. */
function leave() {
  const next = queue.shift();
  if (next) next();
  else running -= 1;
}

/** A reason that a person reads. A final one is not changed by sending the same file again. */
class Refusal extends Error {
  /** @param {string} text @param {{final?: boolean, restart?: boolean}} [how] */
  constructor(text, { final = false, restart = false } = {}) {
    super(text);
    this.final = final;
    this.restart = restart; // the upload has ended; the next try starts a new one
  }
}

/** The connection was lost, or the service was too busy. */
class Lost extends Error {}

class Canceled extends Error {}

/** One file on its way. Its properties are for reading; onProgress is called after each change. */
export class Upload {
  /** @type {State} */
  state = 'waiting';
  /** Bytes that have arrived. */
  sent = 0;
  /** Why it failed; empty otherwise. */
  fault = '';
  /** Whether retry can help. */
  retryable = false;
  /** @type {Asset | undefined} the asset, when done */
  asset;

  /** @type {Started | undefined} */
  #started;
  /** @type {Set<number>} numbers of the parts that have arrived */
  #arrived = new Set();
  /** @type {XMLHttpRequest | undefined} */
  #request;
  #stop = new AbortController();
  #options;
  #since = 0;
  #before = 0;

  /** @param {File} file @param {Options} options */
  constructor(file, options) {
    this.file = file;
    this.#options = options;
    options.signal?.addEventListener('abort', () => this.cancel());
  }

  get size() { return this.file.size; }

  /** Seconds that remain at the present speed; NaN while it is unknown. */
  get seconds() {
    const passed = (Date.now() - this.#since) / 1000;
    const gained = this.sent - this.#before;
    return this.state === 'sending' && passed > 1 && gained > 0 ? ((this.size - this.sent) * passed) / gained : NaN;
  }

  /** @param {State} state */
  #become(state) {
    this.state = state;
    this.#options.onProgress?.(this);
  }

  cancel() {
    if (['done', 'canceled'].includes(this.state)) return;
    const started = this.#started;
    this.#stop.abort();
    this.#request?.abort();
    this.#become('canceled');
    if (started) call(`${this.#options.base}/media/uploads/${started.mediaId}/cancel`, {}).catch(() => {}); // it expires by itself
  }

  /** Sends the file, or after a failure what has not arrived yet. Returns the asset; undefined if it failed or was canceled. */
  async run() {
    this.fault = '';
    this.#become('waiting');
    await enter();
    try {
      if (this.state === 'canceled') return undefined;
      this.#since = Date.now();
      this.#before = this.sent;
      this.asset = await this.#send();
      this.#become('done');
      return this.asset;
    } catch (error) {
      this.#fail(error);
      return undefined;
    } finally {
      leave();
    }
  }

  retry() { return this.run(); }

  /** @param {unknown} error */
  #fail(error) {
    if (error instanceof Canceled || this.#stop.signal.aborted) return;
    const refusal = error instanceof Refusal ? error : new Refusal('The connection was lost. Try again: it goes on where it stopped.');
    this.fault = refusal.message;
    this.retryable = !refusal.final;
    if (refusal.restart) {
      this.#started = undefined;
      this.#arrived.clear();
      this.sent = 0;
    }
    this.#become('failed');
  }

  async #send() {
    const { base } = this.#options;
    this.#become('sending');
    this.#started ??= /** @type {Started} */ (await this.#trying(async () => call(`${base}/media/uploads`, {
      name: this.file.name, type: this.file.type, size: String(this.size), head: await head(this.file),
    })));
    const { uploadUrl, headers, mediaId } = this.#started;
    const parts = this.#started.parts ?? [{ number: 1, offset: 0, sizeBytes: this.size, url: uploadUrl }];
    for (const part of parts) {
      if (!this.#arrived.has(part.number)) await this.#trying(() => this.#put(part, headers));
    }
    this.#become('finishing');
    return /** @type {Asset} */ (await this.#trying(() => call(`${base}/media/uploads/${mediaId}/complete`, {})));
  }

  /**
   * Tries until it succeeds, waiting for the connection between tries, and gives up after some tries without progress.
   * @template T @param {() => Promise<T>} act @returns {Promise<T>}
   */
  async #trying(act) {
    for (let tries = 0; ; tries += 1) {
      if (this.#stop.signal.aborted) throw new Canceled();
      const state = this.state;
      try {
        return await act();
      } catch (error) {
        const pause = pauses[tries];
        if (!(error instanceof Lost) || pause === undefined || this.#stop.signal.aborted) throw error;
        this.#become('offline');
        await connected(pause, this.#stop.signal);
        if (this.#stop.signal.aborted) throw new Canceled();
        this.#become(state);
      }
    }
  }

  /** @param {Part} part @param {Record<string, string>} headers @returns {Promise<void>} */
  #put(part, headers) {
    const whole = this.#total();
    return new Promise((resolve, reject) => {
      const request = new XMLHttpRequest();
      this.#request = request;
      request.open('PUT', part.url);
      for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
      request.upload.addEventListener('progress', (event) => {
        this.sent = whole + Math.min(event.loaded, part.sizeBytes);
        this.#options.onProgress?.(this);
      });
      request.addEventListener('load', () => {
        if (request.status >= 200 && request.status < 300) {
          this.#arrived.add(part.number);
          this.sent = whole + part.sizeBytes;
          resolve();
        } else {
          reject(refusalOf(request.status, request.responseText));
        }
      });
      request.addEventListener('error', () => reject(new Lost()));
      request.addEventListener('abort', () => reject(new Canceled()));
      request.send(this.file.slice(part.offset, part.offset + part.sizeBytes));
    });
  }

  /** Bytes of the parts that have arrived. */
  #total() {
    return (this.#started?.parts ?? []).filter(({ number }) => this.#arrived.has(number))
      .reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  }
}

/**
 * Sends files and returns the IDs of those that arrived, in the order of the files. A file that failed stays in the hands of
 * onProgress, which may retry it later: its ID is then in its asset.
 * @param {Iterable<File>} files @param {Options} options @returns {Promise<string[]>}
 */
export async function upload(files, options) {
  const assets = await Promise.all([...files].map((file) => new Upload(file, options).run()));
  return assets.flatMap((asset) => (asset ? [asset.id] : []));
}

/** @param {Blob} file @returns {Promise<string>} its first bytes in base64 */
async function head(file) {
  let bytes;
  try {
    bytes = new Uint8Array(await file.slice(0, headSize).arrayBuffer());
  } catch { // moved, deleted, or a folder
    throw new Refusal('The file cannot be read. Choose it again.', { final: true });
  }
  return btoa(String.fromCharCode(...bytes));
}

/**
 * Sends a form to the application.
 * @param {string} address @param {Record<string, string>} fields @returns {Promise<unknown>}
 */
async function call(address, fields) {
  let response;
  try {
    response = await fetch(address, { method: 'POST', body: new URLSearchParams(fields), headers: { 'HX-Request': 'true' } });
  } catch {
    throw new Lost();
  }
  if (response.headers.has('HX-Redirect')) throw new Refusal('Your session has ended. Sign in again in another tab, then try again.');
  if (response.status === 204) return undefined;
  const text = await response.text();
  if (!response.ok) throw refusalOf(response.status, text);
  return JSON.parse(text);
}

/** @param {number} status @param {string} text of the response */
function refusalOf(status, text) {
  /** @type {{code?: string, detail?: string}} */
  let problem = {};
  try {
    problem = JSON.parse(text);
  } catch { /* a page of a proxy */ }
  if ([408, 429].includes(status) || status >= 500 || problem.code === 'UPLOAD_INCOMPLETE') return new Lost();
  if (problem.code === 'LINK_EXPIRED') return new Refusal('The upload took more than an hour. Try again.', { restart: true });
  const restart = ['UPLOAD_MISMATCH', 'NOT_FOUND', 'UPLOAD_NOT_RECEIVED'].includes(problem.code ?? '');
  return new Refusal(problem.detail ?? 'The file was refused. Reload the page and try again.', {
    final: problem.code === 'VALIDATION_FAILED', restart,
  });
}

/**
 * Waits some seconds, and until the device is online.
 * @param {number} seconds @param {AbortSignal} signal
 */
function connected(seconds, signal) {
  return new Promise((/** @type {(value: void) => void} */ go) => {
    const end = () => {
      clearTimeout(timer);
      removeEventListener('online', end);
      go();
    };
    const timer = setTimeout(() => { if (navigator.onLine) end(); }, seconds * 1000);
    addEventListener('online', end);
    signal.addEventListener('abort', end);
  });
}

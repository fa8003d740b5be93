import { at, type ClientOptions, Fencepost, type UploadOptions } from "../src/index.js";
import type { Case, Outcome } from "./cases.js";
import type { Player, Run } from "./player.js";

type Method = (...args: unknown[]) => unknown;

/** Makes the call of a case, with a clock that stands still except for waits. */
export async function play(player: Player, run: Run, one: Case, clock: string): Promise<Outcome> {
  const { cancel, take } = one.call;
  const controller = new AbortController();
  const outcome: Outcome = { value: null, cancelled: false, waits: [] };
  let now = Date.parse(one.clock ?? clock);
  const sleep = async (milliseconds: number) => {
    if (cancel?.onWait === outcome.waits.length) controller.abort();
    outcome.waits.push(milliseconds / 1000);
    now += milliseconds;
    await player.wait(run);
    controller.signal.throwIfAborted();
  };
  if (cancel?.afterSeconds !== undefined) setTimeout(() => controller.abort(), cancel.afterSeconds * 1000);
  const items: unknown[] = [];
  try {
    const client = () => new Fencepost({ ...optionsOf(one, run), hooks: { sleep, now: () => now } });
    const result = await call(client, one, controller.signal, (sent, total) => {
      outcome.progress = { sent, total };
    });
    outcome.value = isList(result) ? items : (result ?? null);
    if (isList(result)) await collect(result, items, take);
  } catch (error) {
    outcome.value = items;
    outcome.error = error;
    outcome.cancelled = controller.signal.aborted && error === controller.signal.reason;
  }
  return outcome;
}

function optionsOf({ client = {} }: Case, run: Run): ClientOptions {
  return {
    url: client.url === null ? undefined : run.baseUrl,
    apiKey: client.apiKey === null ? undefined : "svc_test_conformance",
    timeout: client.timeoutSeconds === undefined ? undefined : client.timeoutSeconds * 1000,
    maxAttempts: client.maxAttempts,
  };
}

function isList(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value;
}

async function collect(list: AsyncIterable<unknown>, items: unknown[], take = Number.POSITIVE_INFINITY): Promise<void> {
  for await (const item of list) {
    items.push(item);
    if (items.length >= take) return;
  }
}

function call(
  client: () => Fencepost,
  { call: { method, arguments: args, options } }: Case,
  signal: AbortSignal,
  onProgress: UploadOptions["onProgress"],
): unknown {
  const common = { ...options, signal };
  const text = (name: string) => args[name] as string;
  switch (method) {
    case "at":
      return at(text("time"), text("zone"));
    case "request":
      return client().request(text("method"), text("path"), {
        ...common,
        query: args["query"] as never,
        body: args["body"],
      });
    case "media.upload":
      return client().media.upload(new TextEncoder().encode(text("text")), {
        ...common,
        name: text("name"),
        alt: args["alt"] as string | undefined,
        onProgress,
      });
    case "posts.waitUntilDone":
      return client().posts.waitUntilDone(text("id"), { signal, timeout: Number(args["timeoutSeconds"]) * 1000 });
    case "webhooks.verify":
      return client().webhooks.verify(args["headers"] as never, text("body"), args["secrets"] as string[]);
    case "events.follow":
      return client().events.follow(args["cursor"] as string | null, common);
    default: {
      const [resource = "", name = ""] = method.split(".");
      const { query, body, ...path } = args;
      const given = [...Object.values(path), ...[query, body].filter((one) => one !== undefined), common];
      const target = client()[resource as "posts"] as unknown as Record<string, Method>;
      return target[name]?.(...given);
    }
  }
}

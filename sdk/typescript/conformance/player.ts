import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";

/** A case that is armed: the address of its service. */
export interface Run {
  run: string;
  baseUrl: string;
}

/** The program that plays the service (sdk/conformance/README.md). */
export class Player {
  readonly #program: ChildProcess;
  readonly #address: string;

  private constructor(program: ChildProcess, address: string) {
    this.#program = program;
    this.#address = address;
  }

  static async start(cases: string): Promise<Player> {
    const path = process.env["PLAYER"] ?? "../../.bin/player";
    const program = spawn(path, ["-cases", cases], { stdio: ["pipe", "pipe", "inherit"] });
    const failed = new Promise<never>((_, reject) => program.once("error", reject));
    const lines = createInterface(program.stdout)[Symbol.asyncIterator]();
    const line = await Promise.race([lines.next(), failed]);
    if (line.done) throw new Error(`${path} ended without an address`);
    return new Player(program, line.value);
  }

  arm(name: string): Promise<Run> {
    return this.#control("POST", `/_case/${encodeURIComponent(name)}`);
  }

  wait({ run }: Run): Promise<unknown> {
    return this.#control("POST", `/_run/${run}/wait`);
  }

  report({ run }: Run): Promise<{ failures: string[] }> {
    return this.#control("GET", `/_run/${run}/report`);
  }

  /** Ends the program, which ends with its standard input. */
  stop(): void {
    this.#program.stdin?.end();
  }

  async #control<T>(method: string, path: string): Promise<T> {
    const response = await fetch(this.#address + path, { method });
    if (!response.ok) throw new Error(`the player responds ${response.status} to ${path}: ${await response.text()}`);
    return (await response.json()) as T;
  }
}

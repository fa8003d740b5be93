// A person with a browser: signs in to the application, and decides what programs may do.
import assert from "node:assert/strict";
import { createServer } from "node:http";

import { chromium } from "playwright-core";

import { stack, workspace } from "./stack.mjs";

export class Person {
  static async withBrowser() {
    const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"] });
    const page = await browser.newPage();
    page.setDefaultTimeout(20_000);
    return new Person(browser, page);
  }

  constructor(browser, page) {
    this.browser = browser;
    this.page = page;
  }

  close() {
    return this.browser.close();
  }

  // decide follows an authorization address, and returns the address at which the program got its response. Scopes that are named
  // in without are not given.
  async decide(address, { allow = true, without = [] } = {}) {
    const { page } = this;
    const program = new URL(new URL(address).searchParams.get("redirect_uri"));
    await page.goto(String(address));
    if (new URL(page.url()).pathname === "/sign-in") {
      await page.getByLabel("Email address").fill(stack.user.email);
      await page.getByLabel("Password").fill(stack.user.password);
      await page.getByRole("button", { name: "Sign in" }).click();
      await page.waitForURL((url) => url.pathname === "/consent");
    }
    assert.equal(new URL(page.url()).pathname, "/consent", await page.locator("body").innerText());
    await page.getByRole("radio", { name: workspace.name }).check();
    const asked = await page.locator("[name=scope]").evaluateAll((boxes) => boxes.map((box) => box.value));
    for (const scope of without.filter((name) => asked.includes(name))) await page.locator(`[name=scope][value="${scope}"]`).uncheck();
    const consent = await page.locator("main").innerText();
    await page.getByRole("button", { name: allow ? "Allow" : "Cancel" }).click();
    await page.waitForURL((url) => url.origin === program.origin && url.pathname === program.pathname);
    return { response: new URL(page.url()), asked, consent };
  }
}

// listen is the program's side: where the browser comes back to.
export async function listen() {
  const server = createServer((_, response) => response.setHeader("Content-Type", "text/html").end("<!doctype html><title>Done</title>You can close this window."));
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { redirect: `http://127.0.0.1:${server.address().port}/callback`, close: () => server.close() };
}

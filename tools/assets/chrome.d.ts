// What the browser extension uses of the browser.
declare const chrome: {
  runtime: { openOptionsPage(): void };
  scripting: {
    executeScript<A extends unknown[], R>(injection: { target: { tabId: number }; func: (...args: A) => R; args: A }): Promise<{ result?: R }[]>;
  };
  storage: { local: { get(defaults: object): Promise<object>; set(values: object): Promise<void> } };
  tabs: { query(of: { active: boolean; currentWindow: boolean }): Promise<{ id?: number }[]> };
  windows: { create(window: { url: string; type: 'popup'; width: number; height: number }): Promise<unknown> };
};

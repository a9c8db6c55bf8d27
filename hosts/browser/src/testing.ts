/**
 * For tests: time that stands still until it is moved, a network that is told, and a `fetch` that answers as scripted.
 *
 * ```ts
 * const time = new TestTime();
 * const server = new ScriptedFetch(time);
 * const fetch = createFetch({ engine, time, fetch: server.fetch, entropy: () => 0 });
 * server.respond(503, { "retry-after": "2" });
 * server.respond(200);
 * const response = fetch("https://example.com/");
 * time.setMark(await time.waitEntered());
 * (await response).status; // 200
 * server.sends.map((send) => send.at); // [0, 2000]
 * ```
 *
 * @module
 */

export { ScriptedFetch, type Later, type ScriptedSend } from "./testing/fetch.js";
export { TestNetwork } from "./testing/network.js";
export { TestTime } from "./testing/time.js";

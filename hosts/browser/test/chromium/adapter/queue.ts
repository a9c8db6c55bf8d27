/** What has to hold of the queue in a real IndexedDB, with real locks and channels. */

import { createFetch, type Fetch } from "../../../src/fetch.js";
import { idempotencyKey } from "../../../src/key.js";
import { browserNetwork } from "../../../src/network.js";
import { pinnedEngine } from "../../../src/pinned.js";
import { openQueue, queued, type DeferralQueue } from "../../../src/queue.js";
import { createSession, type Session } from "../../../src/session.js";
import { TestTime } from "../../../src/testing.js";
import { equal, rejection, type Place, type Scenario } from "../../loopback/scenarios.js";
import { Script } from "../../loopback/script.js";

const LATER = { status: 503, headers: [["retry-after", "90"]] as const };
const OK = { status: 200, body: "here" };

interface Bench {
  readonly time: TestTime;
  readonly plain: Fetch;
  readonly queue: DeferralQueue;
  readonly fetch: Fetch;
}

async function bench(place: Place, name: string, session?: Session): Promise<Bench> {
  const time = new TestTime();
  time.setWall(1_000_000);
  const plain = createFetch({ engine: pinnedEngine(await place.module({ maxAttempts: 2 })), time });
  const queue = await openQueue({ name, time, ...(session ? { session } : {}) });
  return { time, plain, queue, fetch: queued(plain, queue) };
}

export const scenarios: Readonly<Record<string, Scenario>> = {
  async "a form that is deferred is kept, and sent when it may, with its key and the same bytes"(place) {
    const { time, plain, queue, fetch } = await bench(place, "kept");
    const script = await Script.put(place.open, [LATER, OK]);
    const body = new FormData();
    body.set("file", new File(["ünï"], "a.txt"));
    const headers = { authorization: "Bearer hunter2" };
    const key = idempotencyKey("order-4711");
    await rejection(fetch(script.url, { method: "POST", body, headers, key }));
    const entries = await queue.entries();
    equal([entries.length, entries[0]!.headers.map(([name]) => name)], [1, ["content-type"]]);
    time.advance(89_000);
    equal(await queue.drain(plain), 1_001);
    time.advance(1_001);
    let text: string | undefined;
    equal(await queue.drain(plain, async ({ response }) => void (text = await response!.text())), undefined);
    const [first, second] = await script.got();
    const { "idempotency-key": sent, authorization } = second!.headers;
    equal([text, sent, authorization], ["here", "order-4711", undefined]);
    // Its boundary is another one, since it was made anew when it was put away.
    const parts = ({ body, headers }: typeof first & object): string =>
      body.replaceAll(headers["content-type"]!.split("boundary=")[1]!, "");
    equal(parts(second!), parts(first!));
    queue.close();
  },

  async "what was kept is there when it is opened again, and only one drains"(place) {
    const first = await bench(place, "again");
    const script = await Script.put(place.open, [{ ...OK, hang: "head" }]);
    await first.queue.push({ delay: 1_000, notBefore: 1_001_000, attemptsUsed: 1 }, script.url);
    first.queue.close();
    const second = await bench(place, "again");
    const third = await bench(place, "again");
    equal(await second.queue.drain(second.plain), 1_001);
    second.time.advance(1_001);
    third.time.advance(1_001);
    const draining = second.queue.drain(second.plain);
    await script.reached(1);
    equal(await third.queue.drain(third.plain), 0);
    await third.queue.purge();
    equal(await draining, undefined);
    equal((await script.got()).length, 1);
    second.queue.close();
    third.queue.close();
  },

  async "a sign-out removes what is kept"(place) {
    const session = createSession();
    const { queue } = await bench(place, "signed-out", session);
    await queue.push({ delay: 0, notBefore: null, attemptsUsed: 0 }, `${place.open}/`);
    session.raise();
    // A transaction that begins later sees what those before it did.
    equal(await queue.entries(), []);
    queue.close();
  },

  async "the browser says whether there is a network"() {
    equal(browserNetwork.online, true);
  },
};

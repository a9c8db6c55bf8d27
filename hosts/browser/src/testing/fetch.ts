/**
 * A scripted `fetch`.
 *
 * @module
 */

import type { Time } from "../time.js";
import { Channel } from "./channel.js";

/** A send that was made. */
export interface ScriptedSend {
  /** When, on the wait clock. */
  readonly at: number;
  readonly input: RequestInfo | URL;
  readonly init: RequestInit;
}

/** The end of an attempt that hangs until it is told. */
export interface Later {
  /** Answers it. */
  respond(status: number, headers?: HeadersInit, body?: BodyInit): Response;
  /** Fails it, as `fetch` does when there is no answer, or with this error. */
  fail(error?: unknown): void;
}

/** A `fetch` that answers as scripted, and keeps a record. */
export class ScriptedFetch {
  /** The sends made so far. */
  readonly sends: ScriptedSend[] = [];
  readonly #time: Time;
  readonly #script: Promise<Response>[] = [];
  readonly #sent = new Channel<ScriptedSend>();
  #aborted = 0;

  /** With an empty script; `time` tells when sends are made. */
  constructor(time: Time) {
    this.#time = time;
  }

  /** How many attempts were aborted before they ended. */
  get aborted(): number {
    return this.#aborted;
  }

  /** How many attempts are scripted and not made. */
  get left(): number {
    return this.#script.length;
  }

  /** The next attempt is answered at once. */
  respond(status: number, headers?: HeadersInit, body?: BodyInit): Response {
    return this.later().respond(status, headers, body);
  }

  /** The next attempt fails at once, as `fetch` does when there is no answer, or with this error. */
  fail(error?: unknown): void {
    this.later().fail(error);
  }

  /** The next attempt hangs until it is told how to end. */
  later(): Later {
    let end: (response: Response) => void;
    let fail: (error: unknown) => void;
    const answer = new Promise<Response>((resolve, reject) => ([end, fail] = [resolve, reject]));
    // One that is never made is no rejection that nobody handles.
    answer.catch(() => {});
    this.#script.push(answer);
    return {
      respond(status, headers, body = String(status)) {
        const isEmpty = [101, 204, 205, 304].includes(status);
        const response = new Response(isEmpty ? null : body, { status, headers: headers ?? {} });
        end(response);
        return response;
      },
      fail: (error = new TypeError("Failed to fetch")) => fail(error),
    };
  }

  /** The next send, when it is made. Each is told once, in order. */
  sent(): Promise<ScriptedSend> {
    return this.#sent.receive();
  }

  /** The `fetch`. It rejects with the signal's reason when it is aborted, and where the script has no answer left. */
  readonly fetch = async (input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> => {
    const send = { at: this.#time.mark(false), input, init };
    this.sends.push(send);
    const answer = this.#script.shift() ?? Promise.reject(new Error(`expected a script for send ${this.sends.length}`));
    this.#sent.send(send);
    const { signal } = init;
    if (!signal) return answer;
    return new Promise((resolve, reject) => {
      const abort = (): void => {
        this.#aborted++;
        reject(signal.reason);
      };
      if (signal.aborted) return abort();
      signal.addEventListener("abort", abort);
      answer.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
    });
  };
}

/**
 * A deferred request as it is kept.
 *
 * @module
 */

import type { Resume } from "../engine.js";
import type { IdempotencyKey } from "../key.js";
import type { FetchInit } from "../options.js";

/** A deferred request as it is kept: no credential, and no header but those that were named. */
export interface Entry {
  /** Names it in its queue. */
  readonly id: number;
  readonly url: string;
  readonly method: string;
  readonly headers: readonly (readonly [string, string])[];
  /** `null` for none, or an empty one. */
  readonly body: Blob | null;
  /** Whether cookies go along; they are the browser's, and not kept here. */
  readonly credentials: RequestCredentials;
  readonly mode: RequestMode;
  readonly key: IdempotencyKey | null;
  readonly resume: Resume;
}

/** Fields that are credentials, whatever is in them. */
const CREDENTIALS = ["authorization", "cookie", "proxy-authorization"];

/** A header that must not be kept was named. */
export class CredentialError extends TypeError {
  override readonly name = "CredentialError";

  constructor(header: string) {
    super(`expected names of headers that are no credentials, found \`${header}\``);
  }
}

/** The names of headers that are kept, in lower case. `content-type` belongs to the body. */
export function keptNames(names: readonly string[]): ReadonlySet<string> {
  const kept = new Set(names.map((name) => name.toLowerCase()));
  const credential = CREDENTIALS.find((name) => kept.has(name));
  if (credential) throw new CredentialError(credential);
  return kept.add("content-type");
}

/** What is kept of a request. Reads its body. */
export async function entryOf(
  resume: Resume,
  input: RequestInfo | URL,
  { body, key, limits: _limits, resume: _resume, ...init }: FetchInit,
  names: ReadonlySet<string>,
): Promise<Omit<Entry, "id">> {
  const sent = typeof body === "function" ? await body() : body;
  const request = new Request(input, { ...init, ...(sent === undefined ? {} : { body: sent }), signal: null });
  const kept = await request.blob();
  return {
    url: request.url,
    method: request.method,
    headers: [...request.headers].filter(([name]) => names.has(name)),
    body: kept.size ? kept : null,
    credentials: request.credentials,
    mode: request.mode,
    key: key ?? null,
    resume,
  };
}

/** The request again, without what only the `fetch` that sends it knows. */
export function initOf({ method, headers, body, credentials, mode, key }: Entry): FetchInit {
  return {
    method,
    headers: headers.map(([name, value]): [string, string] => [name, value]),
    body,
    credentials,
    mode,
    ...(key ? { key } : {}),
  };
}

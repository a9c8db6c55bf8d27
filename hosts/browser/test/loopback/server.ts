/** A loopback server that does what scripts say. */

import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Answer, Got } from "./script.js";

interface Running {
  readonly answers: Answer[];
  readonly got: Got[];
  readonly hanging: (() => void)[];
  readonly waiting: Set<() => void>;
}

/** What a server allows pages of other origins. */
export interface Cors {
  /** Whether they may read its answers. */
  readonly allows: boolean;
  /** Fields that they may read. */
  readonly exposes: readonly string[];
}

export const OPEN: Cors = { allows: true, exposes: ["retry-after", "date"] };

/** More that a server serves; says whether it did. */
export type Files = (path: string, response: ServerResponse) => boolean;

/** A server that runs. */
export interface Started {
  readonly origin: string;
  readonly close: () => void;
}

/**
 * Starts one on a free port. Scripts and what they got may be read from any origin; what they answer, as `cors` says.
 */
export async function serve(cors: Cors = OPEN, files: Files = () => false): Promise<Started> {
  const scripts = new Map<string, Running>();
  const server = createServer((request, response) => {
    void handle(scripts, cors, files, request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => close(server) };
}

function close(server: Server): void {
  server.close();
  server.closeAllConnections();
}

async function handle(
  scripts: Map<string, Running>,
  cors: Cors,
  files: Files,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const path = request.url!;
  if (files(path, response)) return;
  const [, verb, id = "", count] = path.split("?")[0]!.split("/");
  const script = scripts.get(id);
  allow(verb === "run" ? cors : OPEN, response);
  if (request.method === "OPTIONS") return void response.writeHead(204).end();
  const body = await text(request);
  if (verb === "script") {
    const next = String(scripts.size);
    scripts.set(next, { answers: JSON.parse(body), got: [], hanging: [], waiting: new Set() });
    return void response.end(next);
  }
  if (!script) return void response.writeHead(404).end();
  const { method, headers } = request;
  if (verb === "run") return run(script, { method: method!, headers: headers as never, body }, response);
  if (verb === "got") return void response.end(JSON.stringify(script.got));
  if (verb === "reached") await reached(script, Number(count));
  if (verb === "release") for (const release of script.hanging.splice(0)) release();
  response.end();
}

function allow(cors: Cors, response: ServerResponse): void {
  if (!cors.allows) return;
  response.setHeader("access-control-allow-origin", "*");
  response.setHeader("access-control-allow-methods", "*");
  response.setHeader("access-control-allow-headers", "*");
  response.setHeader("access-control-expose-headers", cors.exposes.join(", "));
}

async function text(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

async function reached({ got, waiting }: Running, count: number): Promise<void> {
  while (got.length < count) await new Promise<void>((resolve) => waiting.add(resolve));
}

function run({ answers, got, hanging, waiting }: Running, request: Got, response: ServerResponse): void {
  const { status, headers = [], body = "", hang } = answers[Math.min(got.length, answers.length - 1)]!;
  got.push(request);
  for (const resolve of waiting) resolve();
  waiting.clear();
  if (hang === "head") return;
  if (hang === "reset") return void response.destroy();
  for (const [name, value] of headers) response.appendHeader(name, value);
  response.writeHead(status);
  if (hang === undefined) return void response.end(body);
  const half = body.length >> 1;
  response.write(body.slice(0, half), () => {
    if (hang === "cut") response.destroy();
    else hanging.push(() => response.end(body.slice(half)));
  });
}

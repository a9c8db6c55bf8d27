/**
 * What the page's HTML is completed with.
 *
 * @module
 */

import type { Plugin } from "vite";
import { texts } from "../src/texts.js";

/**
 * What a browser may do for the page. Requests may go anywhere, since a person may follow one of their own; scripts,
 * styles and workers come from the page's own files.
 */
const SECURITY = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "style-src 'self'",
  "img-src 'self'",
  "worker-src 'self'",
  "connect-src 'self' http: https:",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

/** Fills in each `{{name}}` by the text of the page of that name, and sets the Content-Security-Policy of a build. */
export function page(): Plugin {
  let isBuild = false;
  return {
    name: "refrain-page",
    configResolved({ command }) {
      isBuild = command === "build";
    },
    transformIndexHtml: {
      order: "pre",
      handler: (html) => ({
        html: html.replace(/\{\{(\w+)\}\}/g, (_, name: string) => text(name)),
        // The development server adds scripts and styles of its own to the page.
        tags: isBuild
          ? [{ tag: "meta", attrs: { "http-equiv": "Content-Security-Policy", content: SECURITY }, injectTo: "head-prepend" }]
          : [],
      }),
    },
  };
}

function text(name: string): string {
  const found = (texts.page as Readonly<Record<string, unknown>>)[name];
  if (typeof found !== "string") throw new Error(`expected a text of the page for \`{{${name}}}\` in \`index.html\``);
  return found.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}

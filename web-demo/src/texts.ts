/**
 * Every text that a person reads on the page, by panel.
 *
 * @module
 */

export const texts = {
  /** The page around the panels. */
  page: {
    title: "Refrain: see what a retry policy does",
    description: "Read a Retry-After header, follow a request, watch a fleet of clients, and make a retry policy of your own.",
    name: "Refrain",
    tagline: "one retry policy, the same answer everywhere",
    skip: "Skip to the panel",
    nav: "Panels",
    theme: "Colours",
    themeAuto: "As the system",
    themeLight: "Light",
    themeDark: "Dark",
    noscript: "This page runs the policy's own WebAssembly, which needs JavaScript.",
    footer: "Nothing you type here leaves this page, unless you send a request for real.",
    loading: "Loading…",
    offline: "Ready to work offline.",
    failed: (reason: string) => `This panel could not be started: ${reason}. Reload the page to try again.`,
  },
  header: {
    name: "Read a header",
    title: "Read a header",
    lead: "What a Retry-After says, to the letter, and what well-known clients make of the same value.",
  },
  request: {
    name: "Follow a request",
    title: "Follow a request",
    lead: "A policy, a server that you script, and every step between the first send and the end.",
  },
  stampede: {
    name: "Stampede",
    title: "Stampede",
    lead: "Thousands of clients under two policies, side by side, through the same outage.",
  },
  workshop: {
    name: "Policy workshop",
    title: "Policy workshop",
    lead: "Write a policy, see its longest waits, bake it, and take it with you.",
  },
} as const;

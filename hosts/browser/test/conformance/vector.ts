/** The vectors as `tests/schema.json` has them, as far as the runner looks at them. */

export interface VectorFile {
  readonly vectors: readonly Vector[];
}

export interface Vector {
  readonly id: string;
  readonly ready_made?: string;
  readonly parse?: { readonly value?: string; readonly value_hex?: string; readonly wall?: number };
  readonly steps?: { readonly request?: RequestSpec; readonly calls: readonly StepSpec[] };
  readonly run?: Script;
  readonly expect?: Members;
}

export type Members = { readonly [name: string]: Json };
export type Json = null | boolean | number | string | readonly Json[] | Members;

export interface RequestSpec {
  readonly method?: string;
  readonly key?: "absent" | "sent" | "honoured";
  readonly replayable?: boolean;
  readonly max_attempts?: number;
  readonly deadline?: number;
  readonly max_wait?: number;
  readonly attempts_used?: number;
  readonly not_before?: number;
}

export interface StepSpec {
  readonly call: "start" | "wake" | { readonly response: ResponseSpec } | { readonly failure: FailureSpec };
  readonly now?: NowSpec;
  readonly execution?: string;
  readonly expect: Members;
}

export interface NowSpec {
  readonly mark?: number | string;
  readonly wall?: number | string;
  readonly session?: number;
  readonly cancelled?: boolean;
  readonly network?: "unknown" | "up" | "down";
  readonly sample?: number | string;
  readonly tokens?: number;
  readonly hold?: number;
}

export interface AttemptSpec {
  readonly attempt?: number;
  readonly sends?: number;
  readonly exhausted?: boolean;
}

export interface ResponseSpec extends AttemptSpec {
  readonly status: number;
  readonly fields?: { readonly [name: string]: string };
}

export interface FailureSpec extends AttemptSpec {
  readonly kind: string;
  readonly timed_out?: boolean;
}

export interface Script {
  readonly request?: RequestSpec;
  readonly answers: readonly Answer[];
  readonly calls?: number;
  readonly sample?: number;
  readonly tokens?: number;
  readonly wall?: number;
  readonly wall_jump?: { readonly at: number; readonly by: number };
  readonly cancel_at?: number;
  readonly session_at?: number;
  readonly network_at?: readonly number[];
  readonly outer_attempts?: number;
}

export interface Answer {
  readonly response?: ResponseSpec;
  readonly failure?: FailureSpec;
  readonly cancel?: boolean;
  readonly took?: number;
  readonly times?: number;
}

/** What baking a vector's policy gives, as `slots` of the package `conformance` writes it. */
export type Baked = { readonly slot: string } | { readonly policy_error: string };

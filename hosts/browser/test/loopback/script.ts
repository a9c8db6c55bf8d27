/** What a loopback server does, as a scenario tells it: the same in Node and in a page. */

/** What comes of one request to a script. */
export interface Answer {
  readonly status: number;
  /** Lines, of which several may have one name. */
  readonly headers?: readonly (readonly [string, string])[];
  readonly body?: string;
  /**
   * `head`: nothing is sent. `body`: half of the body is, the rest when the script is released. `reset`: the connection
   * is broken off. `cut`: it is broken off in the middle of the body.
   */
  readonly hang?: "head" | "body" | "reset" | "cut";
}

/** A request as the server got it. */
export interface Got {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A script on a loopback server. */
export class Script {
  readonly url: string;
  readonly #origin: string;
  readonly #id: string;

  private constructor(origin: string, id: string) {
    this.#origin = origin;
    this.#id = id;
    this.url = `${origin}/run/${id}`;
  }

  /** Puts a script there; the last answer is given again and again. */
  static async put(origin: string, answers: readonly Answer[]): Promise<Script> {
    const response = await fetch(`${origin}/script`, { method: "POST", body: JSON.stringify(answers) });
    return new Script(origin, await response.text());
  }

  /** The requests so far, in order. */
  async got(): Promise<Got[]> {
    return (await fetch(`${this.#origin}/got/${this.#id}`)).json() as Promise<Got[]>;
  }

  /** Waits until there were so many requests. */
  async reached(count: number): Promise<void> {
    await fetch(`${this.#origin}/reached/${this.#id}/${count}`);
  }

  /** Sends the rest of the bodies that hang. */
  async release(): Promise<void> {
    await fetch(`${this.#origin}/release/${this.#id}`, { method: "POST" });
  }
}

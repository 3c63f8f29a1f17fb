// The measured clients, in the order of the tables. A process loads only the one that it measures.
import type { Open } from "./drive.js"

export interface Client {
  readonly name: string
  readonly title: string
  /** The work per call. */
  readonly does: string
  readonly load: () => Promise<Open>
}

const everything = "validation, typed errors, retries, deadlines, redaction and metrics"

/** The client that all others are compared with. */
export const baseline: Client = {
  name: "undici",
  title: "undici `request`",
  does: "`request` and `JSON.parse`: the baseline",
  load: async () => (await import("./raw.js")).overUndici
}

export const clients: ReadonlyArray<Client> = [
  baseline,
  {
    name: "effect",
    title: "Effect `HttpClient`",
    does: "over `NodeHttpClient.layerUndici`, by hand: Schema, a timeout and a retry",
    load: async () => (await import("./effectClient.js")).overUndici
  },
  {
    name: "manilla",
    title: "Manilla",
    does: `over \`UndiciClient.layer\`: ${everything}`,
    load: async () => (await import("./manilla.js")).overUndici
  },
  {
    name: "manilla-tokens",
    title: "Manilla, own tokens",
    does: "the same, with a token source of the user's own that has only `get` and `reject`",
    load: async () => (await import("./manilla.js")).withOwnTokens
  },
  {
    name: "fetch",
    title: "`fetch`",
    does: "the global `fetch` and `JSON.parse`",
    load: async () => (await import("./raw.js")).overFetch
  },
  {
    name: "effect-fetch",
    title: "Effect `HttpClient`, `fetch`",
    does: "over `FetchHttpClient.layer`, by hand: Schema, a timeout and a retry",
    load: async () => (await import("./effectClient.js")).overFetch
  },
  {
    name: "manilla-fetch",
    title: "Manilla, `fetch`",
    does: `over \`FetchClient.layer\`: ${everything}`,
    load: async () => (await import("./manilla.js")).overFetch
  }
]

export const titleOf = (name: string): string =>
  clients.find((client) => client.name === name)?.title ?? name

// All candidates, in the order of the tables. A process loads only the one that it measures.
import type { Open } from "./drive.js"

export interface Candidate {
  readonly name: string
  readonly title: string
  /** The work per call. */
  readonly does: string
  readonly load: () => Promise<Open>
}

const manilla = () => import("./manilla.js")
const everything = "validation, typed errors, retries, deadlines, redaction and metrics"

/** The candidate that all others are compared with. */
export const baseline = {
  name: "raw-undici",
  title: "undici `request`",
  does: "`request` and `JSON.parse`: the baseline",
  load: async () => (await import("./undici.js")).open
} as const satisfies Candidate

export const candidates: ReadonlyArray<Candidate> = [
  {
    name: "raw-socket",
    title: "raw socket",
    does: "`node:net` and `JSON.parse`: the lower bound",
    load: async () => (await import("./socket.js")).open
  },
  baseline,
  {
    name: "node-http",
    title: "`node:http`",
    does: "an agent that keeps connections alive, and `JSON.parse`",
    load: async () => (await import("./nodeHttp.js")).open
  },
  {
    name: "stripe-node",
    title: "stripe-node",
    does: "over `node:http`: retries and a timeout; does not check answers",
    load: async () => (await import("./stripe.js")).open
  },
  {
    name: "axios",
    title: "axios",
    does: "over `node:http`: a timeout; does not check answers",
    load: async () => (await import("./axios.js")).open
  },
  {
    name: "openapi-fetch",
    title: "openapi-fetch, zod",
    does: "over the global `fetch`: zod checks every field of an answer",
    load: async () => (await import("./openapiFetch.js")).open
  },
  {
    name: "effect-client",
    title: "Effect `HttpClient`",
    does: "over `NodeHttpClient.layerUndici`, by hand: Schema, a timeout and a retry",
    load: async () => (await import("./effectClient.js")).open
  },
  {
    name: "effect-api",
    title: "Effect `HttpApiClient`",
    does: "over `NodeHttpClient.layerUndici`: Schema; no timeout, no retry",
    load: async () => (await import("./effectApi.js")).open
  },
  {
    name: "manilla-fetch",
    title: "Manilla, `fetch`",
    does: `over \`FetchHttpClient.layer\`: ${everything}`,
    load: async () => (await manilla()).overFetch
  },
  {
    name: "manilla-undici",
    title: "Manilla, `layerUndici`",
    does: `over \`NodeHttpClient.layerUndici\`: ${everything}`,
    load: async () => (await manilla()).overUndici
  },
  {
    name: "manilla-lean",
    title: "Manilla, lean",
    does: `over \`UndiciClient.layer\`: ${everything}`,
    load: async () => (await manilla()).lean
  },
  {
    name: "manilla-traced",
    title: "Manilla, lean, traced",
    does: "the same, with a tracer that records every span",
    load: async () => (await manilla()).leanTraced
  }
]

// The measured clients, in the order of the tables. A process loads only the one that it measures.
import type { Open } from "./drive.js"

export interface Client {
  readonly name: string
  /** The client, and what it does for each call. */
  readonly title: string
  /** The module that exports it by its name. */
  readonly load: () => Promise<Readonly<Record<string, Open>>>
}

const raw = () => import("./raw.js")
const effect = () => import("./effectClient.js")
const manilla = () => import("./manilla.js")

/** The client that all others are compared with. */
export const baseline: Client = { name: "undici", title: "undici `request`", load: raw }

/** Effect's `HttpClient` has a Schema, a timeout and a retry. Manilla does all that it always does. */
export const clients: ReadonlyArray<Client> = [
  baseline,
  { name: "effect", title: "Effect `HttpClient`, undici", load: effect },
  { name: "manilla", title: "Manilla, undici", load: manilla },
  { name: "manillaTokens", title: "Manilla, own tokens without `held`", load: manilla },
  { name: "fetch", title: "`fetch`", load: raw },
  { name: "effectFetch", title: "Effect `HttpClient`, `fetch`", load: effect },
  { name: "manillaFetch", title: "Manilla, `fetch`", load: manilla }
]

export const titleOf = (name: string): string =>
  clients.find((client) => client.name === name)?.title ?? name

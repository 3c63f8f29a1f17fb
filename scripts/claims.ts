// Sentences of documents and comments about parts that the interface lacks. A declaration that adds such a part makes each
// of them wrong.
import type { Operation } from "@manilla/core"
import { ServiceApi } from "@manilla/service"
import * as SchemaAST from "effect/SchemaAST"

interface Claim {
  /** A pattern that all sentences of this claim match, in upper or lower case. */
  readonly words: RegExp
  readonly holds: boolean
}

const all = [...ServiceApi.operations]
const operation = (name: ServiceApi.OperationName): Operation.Operation | undefined =>
  ServiceApi.operations.get(name)

const hasWrite = (group: string): boolean =>
  all.some(([name, { method }]) => name.startsWith(`${group}.`) && method === "POST")

const fieldsOf = (
  schema: Operation.Operation["success"] | undefined
): ReadonlyArray<PropertyKey> =>
  schema === undefined
    ? []
    : SchemaAST.getPropertySignatures(SchemaAST.encodedAST(schema.ast)).map(({ name }) => name)

const asksForPage = all.some(([, { urlParams }]) => fieldsOf(urlParams).includes("page"))

const claims: ReadonlyArray<Claim> = [
  {
    words:
      /how to request (a|the) refund|is a refund requested|in the interface\]\(transactions\.md#refunds\)|reads refunds and waits|a control of the sandbox creates them/,
    holds: !hasWrite("Refunds")
  },
  {
    words: /defines no currency for (it|a refund)/,
    holds: !fieldsOf(operation("Refunds.get")?.success).includes("currency")
  },
  {
    words: /how to create one \(sections 2\.8|cardholders.{0,40} exist from the start/,
    holds: !hasWrite("Cardholders")
  },
  {
    words:
      /(does not|doesn't) (show|state|name|document) (its name|that parameter|how to request pages)|the name of this query parameter/,
    holds: !asksForPage
  },
  {
    words: /does not (name|state) the scope for payouts/,
    holds: operation("Payouts.create")?.access === "bearer"
  },
  {
    words:
      /no key for links|link has no (idempotency )?key|`PaymentLinks\.create`.{0,8} has no key/,
    holds: operation("PaymentLinks.create")?.replay._tag === "Once"
  }
]

/** Text on one line, with the number of the line on which each of its characters was. */
const flat = (text: string) => {
  const lines: Array<number> = []
  let joined = ""
  text.split("\n").forEach((line, index) => {
    const words = `${line.replace(/^\s*(\*|\/\/|\/\*\*|#|>)? ?/, "")} `
    joined += words
    for (let i = 0; i < words.length; i++) lines.push(index + 1)
  })
  return { joined, lineAt: (offset: number) => lines[offset] ?? 0 }
}

/** The sentences that the declarations contradict, and the claims that no file makes any more. */
export const contradicted = (
  files: ReadonlyArray<string>,
  read: (file: string) => string
): ReadonlyArray<string> => {
  const texts = files.map((file) => ({ file, ...flat(read(file)) }))
  return claims.flatMap(({ holds, words }) => {
    const found = texts.flatMap(({ file, joined, lineAt }) =>
      Array.from(joined.matchAll(new RegExp(words, "gi")), ({ 0: said, index }) => ({
        place: `${file}:${lineAt(index)}`,
        said
      }))
    )
    if (found.length === 0) return [`scripts/claims.ts: no file says ${words}`]
    return holds
      ? []
      : found.map(({ place, said }) => `${place}: "${said}" contradicts the declarations`)
  })
}

/**
 * The report of a proof as one HTML file. It has the drawing of the sandbox's page, without its scripts.
 */
import * as Effect from "effect/Effect"
import { pathToFileURL } from "node:url"
import * as files from "../page/files.js"
import * as judge from "./judge.js"
import * as report from "./report.js"

/** A node of the page: a text, or an element or component with its properties. */
type Node =
  | string
  | number
  | boolean
  | null
  | undefined
  | ReadonlyArray<Node>
  | {
      readonly type: string | ((props: object) => Node)
      readonly props: Readonly<Record<string, unknown>> & { readonly children?: Node }
    }

const attribute = (name: string, value: unknown): string => {
  if (value === undefined || value === false || typeof value === "function") return ""
  const text =
    typeof value === "object" && value !== null
      ? Object.entries(value)
          .map(
            ([property, one]) => `${property.replace(/[A-Z]/g, (letter) => `-${letter}`)}:${one}`
          )
          .join(";")
      : String(value)
  return ` ${name}="${report.escape(text)}"`
}

const render = (node: Node): string => {
  if (node === null || node === undefined || typeof node === "boolean") return ""
  if (typeof node === "string" || typeof node === "number") return report.escape(String(node))
  if (isList(node)) return node.map(render).join("")
  const { props, type } = node
  if (typeof type === "function") return render(type(props))
  const { children, ...rest } = props
  const attributes = Object.entries(rest).map(([name, value]) => attribute(name, value))
  return type === "wbr" ? "<wbr>" : `<${type}${attributes.join("")}>${render(children)}</${type}>`
}

const isList = (node: Node): node is ReadonlyArray<Node> => Array.isArray(node)

interface Page {
  readonly Drawing: (props: {
    readonly attempts: ReadonlyArray<object>
    readonly label: string
  }) => Node
}

/** The rows as the page's drawing takes them. */
const attemptsOf = (trial: report.Trial) =>
  report.rowsOf(trial).map(({ event, exchange, sinceMillis }, id) =>
    exchange === undefined
      ? {
          id,
          key: null,
          label: event?.text ?? "",
          startMillis: sinceMillis,
          endMillis: sinceMillis,
          status: { answer: "", effect: "", tone: event?.tone ?? "" },
          isReplay: false,
          reachedService: true
        }
      : {
          id,
          key: exchange.key ?? null,
          label: report.labelOf(exchange),
          startMillis: sinceMillis,
          endMillis: sinceMillis + (exchange.tookMillis ?? 0),
          status: exchange.outcome === "open" ? undefined : exchange.outcome,
          isReplay: exchange.replay,
          reachedService: exchange.fault?.answersInstead !== true
        }
  )

export const make = (result: report.Report) =>
  Effect.gen(function* () {
    const styles = yield* Effect.all([files.read("page.css"), files.read("drawing.css")])
    const { Drawing }: Page = yield* Effect.promise(
      () => import(pathToFileURL(files.pathOf("drawing.js")).href)
    )
    const paragraphs = (lines: ReadonlyArray<string>) =>
      lines.flatMap((line) => (line === "" ? [] : `<p>${report.escape(line)}</p>`)).join("\n")
    const sections = report.failures(result).map(({ first, others }) => {
      const sentences = first.violations.map(({ sentence }) => sentence)
      const title = report.titleOf(first)
      return `<section>
<h2>${report.escape(title)}</h2>
<div class="note bad">${paragraphs(sentences)}</div>
${render(Drawing({ attempts: attemptsOf(first), label: title }))}
${paragraphs([
  judge.remedies[first.violations[0]?.rule ?? 1],
  report.others(others),
  `Repeat this run: ${result.repeat(first.run.number)}`
])}
</section>`
    })
    const failed = report.failed(result).length
    return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Proof of a checkout</title>
<style>
${styles.join("\n")}
section { border-top: 1px solid var(--line); margin-top: 2rem; }
</style>
</head>
<body>
<h1>${failed === 0 ? "The checkout passed" : `${failed} runs failed`}</h1>
${paragraphs(report.summary(result))}
${sections.join("\n")}
</body>
</html>
`
  })

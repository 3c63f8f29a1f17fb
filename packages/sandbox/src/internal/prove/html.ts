/**
 * The report of a proof as one HTML file. It has the drawing of the sandbox's page, without its scripts.
 */
import * as Effect from "effect/Effect"
import { writeFile } from "node:fs/promises"
import { pathToFileURL } from "node:url"
import { renderToString } from "preact-render-to-string"
import * as files from "../page/files.js"
import * as report from "./report.js"
import { Problem } from "./problem.js"

/** A row as the page's drawing takes it. */
const attemptOf = (row: report.Row, id: number) => {
  const { exchange, sinceMillis } = row
  const event = exchange === undefined ? row.event : undefined
  return {
    id,
    key: exchange?.key ?? null,
    label: event?.text ?? (exchange && report.labelOf(exchange)),
    startMillis: sinceMillis,
    endMillis: sinceMillis + (exchange?.tookMillis ?? 0),
    status: exchange?.outcome ?? { answer: "", effect: "", tone: event?.tone ?? "" },
    isReplay: exchange?.replay ?? false,
    reachedService: exchange?.fault?.answersInstead !== true
  }
}

interface Page {
  readonly Drawing: (props: object) => Parameters<typeof renderToString>[0]
}

const paragraphs = (lines: ReadonlyArray<string>) =>
  lines.map((line) => `<p>${report.escape(line)}</p>`).join("\n")

const make = ({ failures, result, summary }: report.Report) =>
  Effect.gen(function* () {
    const styles = yield* Effect.orDie(Effect.all(["page.css", "drawing.css"].map(files.read)))
    const { Drawing }: Page = yield* Effect.promise(
      () => import(pathToFileURL(files.pathOf("drawing.js")).href)
    )
    const sections = failures.map(
      ({ remedies, title: label, trial }) => `<section>
<h2>${report.escape(label)}</h2>
<div class="note bad">${paragraphs(trial.violations.map(({ sentence }) => sentence))}</div>
${renderToString(Drawing({ attempts: report.rowsOf(trial).map(attemptOf), label }))}
${paragraphs(remedies)}
</section>`
    )
    return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Proof of a checkout</title>
<style>
${styles.join("\n")}
h1 { font-size: 1.7rem; }
section { border-top: 1px solid var(--line); margin-top: 2rem; }
</style>
</head>
<body>
<h1>Proof of a checkout</h1>
${paragraphs([result, ...summary])}
${sections.join("\n")}
</body>
</html>
`
  })

export const writeText = (path: string, text: string) =>
  Effect.tryPromise({
    try: () => writeFile(path, text),
    catch: (cause) => new Problem({ message: `${path} is not written: ${String(cause)}` })
  })

export const write = (path: string, result: report.Report) =>
  Effect.flatMap(make(result), (html) => writeText(path, html))

/**
 * The report of a proof as one HTML file, which only Node writes. It has the drawing of the sandbox's page, without its scripts.
 */
import * as Effect from "effect/Effect"
import { writeFile } from "node:fs/promises"
import { pathToFileURL } from "node:url"
import { renderToString } from "preact-render-to-string"
import * as files from "../page/files.js"
import * as report from "./report.js"
import { Problem } from "./trial.js"

/** The modules of the page, which have their own Preact. */
interface Page {
  readonly html: (
    strings: TemplateStringsArray,
    ...values: ReadonlyArray<unknown>
  ) => Parameters<typeof renderToString>[0]
  readonly Drawing: unknown
}

const load = (name: string): Promise<Page> => import(pathToFileURL(files.pathOf(name)).href)

const style = "section { border-top: 1px solid var(--line); margin-top: 2rem; }"

/** A row as the page's drawing takes it. */
const attemptOf = ({ exchange, sinceMillis, text }: report.Row, id: number) => ({
  id,
  key: exchange?.key ?? null,
  label: exchange === undefined ? text : report.labelOf(exchange),
  startMillis: sinceMillis,
  endMillis: sinceMillis + (exchange?.tookMillis ?? 0),
  status: exchange?.ending ?? { answer: "", effect: "", tone: "" },
  isReplay: exchange?.replay ?? false,
  reachedService: exchange?.fault?.answersInstead !== true
})

const make = ({ failures, result, summary }: report.Report) =>
  Effect.gen(function* () {
    const styles = yield* Effect.orDie(Effect.all(["page.css", "drawing.css"].map(files.read)))
    const { html } = yield* Effect.promise(() => load("preact.js"))
    const { Drawing } = yield* Effect.promise(() => load("drawing.js"))
    const paragraphs = (lines: ReadonlyArray<string>) => lines.map((line) => html`<p>${line}</p>`)
    const page = html`<html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>Proof of a checkout</title>
        <style dangerouslySetInnerHTML=${{ __html: [...styles, style].join("\n") }} />
      </head>
      <body>
        <h1>Proof of a checkout</h1>
        ${paragraphs([result, ...summary])}
        ${failures.map(({ remedies, trial }) => {
          const label = report.titleOf(trial)
          const sentences = trial.violations.map(({ sentence }) => sentence)
          return html`<section>
            <h2>${label}</h2>
            <div class="note bad">${paragraphs(sentences)}</div>
            <${Drawing} attempts=${report.rowsOf(trial).map(attemptOf)} label=${label} />
            ${paragraphs(remedies)}
          </section>`
        })}
      </body>
    </html>`
    return `<!doctype html>${renderToString(page)}`
  })

export const writeText = (path: string, text: string) =>
  Effect.tryPromise({
    try: () => writeFile(path, text),
    catch: (cause) => new Problem({ message: `${path} is not written: ${String(cause)}` })
  })

export const write = (path: string, result: report.Report) =>
  Effect.flatMap(make(result), (html) => writeText(path, html))

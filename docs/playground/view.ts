/** The playground: scenarios, their code, a drawing of their requests, and how they end. */
import { Drawing } from "../../packages/sandbox/page/drawing.js"
import { html, render } from "../../packages/sandbox/page/preact.js"
import { data as entries } from "./errors.data.js"
import type { Books, End, Run } from "./Run.js"
import { codeOf, scenarios } from "./scenarios.js"
import type { Scenario } from "./scenarios.js"

const speeds: ReadonlyMap<string, number> = new Map([
  ["a tenth", 0.1],
  ["half", 0.5],
  ["real", 1],
  ["four times", 4],
  ["at once", Infinity]
])

/** Shows the playground in an element, with links to the page of errors. Returns a function that stops it. */
export const mount = (element: HTMLElement, errorsPage: string): (() => void) => {
  let [scenario] = scenarios
  let code = codeOf(scenario)
  let speed = matchMedia("(prefers-reduced-motion: reduce)").matches ? "at once" : "half"
  let isPaused = false
  let isLoading = false
  let run: Run | undefined
  let refusal: string | undefined

  const draw = () =>
    render(
      html`<${Scenarios} current=${scenario} onChoose=${choose} />
        <p class="text">${scenario.text}</p>
        <div class="columns">
          <section class="course" aria-labelledby="course">
            <h2 id="course">What happens</h2>
            <${Controls} ...${{ isPaused, run, speed, onPause, onSpeed, onStart, onStep }} />
            <${Course} ...${{ isLoading, run }} />
          </section>
          <${Code} ...${{ code, refusal, scenario, onInput, onStart, onReset }} />
        </div>
        ${run !== undefined && html`<${Result} ...${{ errorsPage, run }} />`}`,
      element
    )

  const choose = (chosen: Scenario) => {
    scenario = chosen
    code = codeOf(chosen)
    void start(false)
  }
  const onInput = (text: string) => {
    code = text
    draw()
  }
  const onStart = () => void start(false)
  const onReset = () => onInput(codeOf(scenario))
  const onSpeed = (chosen: string) => {
    speed = chosen
    draw()
  }
  const onPause = () => {
    isPaused = !isPaused
    draw()
    void play()
  }
  const onStep = async () => {
    if (run === undefined || run.end() !== undefined) await start(true)
    else isPaused = true
    // A scenario that was chosen while this one loaded is not stepped through.
    if (isPaused) await run?.step()
    draw()
  }

  /** Only the latest of several starts counts. */
  let starts = 0
  const start = async (paused: boolean) => {
    const number = ++starts
    run?.stop()
    run = undefined
    refusal = undefined
    isPaused = paused
    isLoading = true
    draw()
    try {
      // Loaded when it is first used, because it has the client, the sandbox and a compiler.
      const { start } = await import("./Run.js")
      if (number !== starts) return
      run = start(code)
    } catch (error) {
      if (number !== starts) return
      refusal = error instanceof Error ? error.message : String(error)
    }
    isLoading = false
    draw()
    void play()
  }

  let played: Run | undefined
  /** Plays a run until it ends, it is paused, or another one starts. */
  const play = async () => {
    const playing = run
    if (playing === undefined || playing === played) return
    played = playing
    let last = await nextFrame()
    while (run === playing && playing.end() === undefined && !isPaused) {
      const factor = speeds.get(speed) ?? 1
      const next = await nextFrame()
      // A tab that was in the background continues where it was.
      await playing.pass(Math.min(next - last, 100) * factor)
      last = next
      if (run !== playing) return
      draw()
      // The newest request stays in sight.
      if (factor < Infinity) element.querySelector(".requests")?.scrollTo({ top: 1e9 })
    }
    if (run !== playing) return
    played = undefined
    // A program that makes no request has ended before its first frame.
    draw()
  }

  draw()
  return () => {
    starts++
    run?.stop()
    run = undefined
    render(html``, element)
  }
}

const nextFrame = () => new Promise<number>((resolve) => requestAnimationFrame(resolve))

const Scenarios = (properties: {
  readonly current: Scenario
  readonly onChoose: (scenario: Scenario) => void
}) =>
  html`<div class="scenarios" role="group" aria-label="Scenarios">
    ${scenarios.map(
      (one) =>
        html`<button
          type="button"
          aria-pressed=${String(one === properties.current)}
          onClick=${() => properties.onChoose(one)}
        >
          ${one.title}
        </button>`
    )}
  </div>`

const Code = (properties: {
  readonly code: string
  readonly refusal: string | undefined
  readonly scenario: Scenario
  readonly onInput: (text: string) => void
  readonly onReset: () => void
  readonly onStart: () => void
}) => {
  const { code, onInput, onReset, onStart, refusal, scenario } = properties
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) onStart()
  }
  return html`<section class="code" aria-labelledby="code">
    <h2 id="code">The program</h2>
    <textarea
      aria-labelledby="code"
      aria-describedby="keys"
      spellcheck=${false}
      autocapitalize="off"
      autocomplete="off"
      rows=${code.split("\n").length + 1}
      value=${code}
      onInput=${(event: InputEvent) => {
        if (event.target instanceof HTMLTextAreaElement) onInput(event.target.value)
      }}
      onKeyDown=${onKeyDown}
    ></textarea>
    ${refusal !== undefined && html`<p role="alert" class="bad">${refusal}</p>`}
    <div class="bar">
      <button type="button" onClick=${onReset} disabled=${code === codeOf(scenario)}>
        Undo changes
      </button>
      <span id="keys">
        <code>yield*</code> runs an effect, as <code>await</code> runs a promise. Change the
        program, and run it with Ctrl+Enter.
      </span>
    </div>
  </section>`
}

const Controls = (properties: {
  readonly isPaused: boolean
  readonly run: Run | undefined
  readonly speed: string
  readonly onPause: () => void
  readonly onSpeed: (speed: string) => void
  readonly onStart: () => void
  readonly onStep: () => void
}) => {
  const { isPaused, onPause, onSpeed, onStart, onStep, run, speed } = properties
  const isRunning = run !== undefined && run.end() === undefined
  return html`<div class="bar">
    <button type="button" class="run" onClick=${onStart}>Run</button>
    <button type="button" onClick=${onPause} disabled=${!isRunning}>
      ${isPaused && isRunning ? "Continue" : "Pause"}
    </button>
    <button type="button" onClick=${onStep}>Step</button>
    <label>
      Speed${" "}
      <select
        value=${speed}
        onChange=${(event: Event) => {
          if (event.target instanceof HTMLSelectElement) onSpeed(event.target.value)
        }}
      >
        ${[...speeds.keys()].map((name) => html`<option value=${name}>${name}</option>`)}
      </select>
    </label>
    <span class="time">${((run?.elapsedMillis() ?? 0) / 1000).toFixed(2)} s</span>
  </div>`
}

const Course = (properties: { readonly isLoading: boolean; readonly run: Run | undefined }) => {
  const { isLoading, run } = properties
  const attempts = run?.attempts() ?? []
  if (run === undefined || attempts.length === 0) {
    return html`<p class="empty">
      ${
        isLoading
          ? "Loading the client and the sandbox…"
          : "Press Run, or another scenario: its requests appear here."
      }
    </p>`
  }
  return html`<div class="requests" role="region" aria-label="Requests" tabindex="0">
    <${Drawing}
      attempts=${attempts}
      label="Requests, oldest first"
      nowMillis=${run.elapsedMillis()}
    />
  </div>`
}

const Result = ({ errorsPage, run }: { readonly errorsPage: string; readonly run: Run }) => {
  const now = run.now()
  const before = run.before()
  return html`<section class="result" aria-labelledby="result">
    <h2 id="result">How it ends</h2>
    <div class="columns">
      <div>
        <div role="status">${ending(run.end(), errorsPage)}</div>
        <details>
          <summary>What Manilla logs</summary>
          <pre>${run.logs().join("\n") || "Nothing: no request failed."}</pre>
        </details>
      </div>
      <div>
        ${now !== undefined && html`<${Made} books=${now} />`}
        ${before !== undefined && now !== undefined && html`<${Balances} before=${before} now=${now} />`}
      </div>
    </div>
  </section>`
}

const ending = (end: End | undefined, errorsPage: string) => {
  if (end === undefined) return html`<p>The program is running.</p>`
  if (end.is === "success") {
    return html`<p class="good"><strong>The program succeeded.</strong></p>
      <details>
        <summary>Its result</summary>
        <pre>${JSON.stringify(end.value, undefined, 2)}</pre>
      </details>`
  }
  if (end.is === "defect") return html`<p class="bad">${end.message}</p>`
  const { message, tag } = end
  const entry = entries[tag]
  return html`<p class="bad">The program failed with <strong>${tag}</strong>:</p>
    <p>${message}</p>
    ${
      entry !== undefined &&
      html`<div class="remedy" dangerouslySetInnerHTML=${{ __html: entry }}></div>
        <p><a href=${`${errorsPage}#${tag.toLowerCase()}`}>More about ${tag}</a></p>`
    }`
}

const Made = ({ books: { made } }: { readonly books: Books }) => {
  const counts = (["payment", "payout", "link"] as const).flatMap((kind) => {
    const count = made.filter((one) => one.kind === kind).length
    return count === 0 ? [] : [`${count} ${kind}${count === 1 ? "" : "s"}`]
  })
  return html`<h3>Made by the service: ${counts.join(", ") || "nothing"}</h3>
    <ul class="made">
      ${made.map(
        ({ amount, key, reference, status }) =>
          html`<li>
            ${reference}: <strong>${amount}</strong>, ${status}${key !== undefined && `, ${key}`}
          </li>`
      )}
    </ul>`
}

const Balances = ({ before, now }: { readonly before: Books; readonly now: Books }) =>
  html`<h3 id="ledger">The ledger, before and now</h3>
    <table aria-labelledby="ledger">
      <thead>
        <tr>
          <th scope="col">Account</th>
          <th scope="col">Before</th>
          <th scope="col">Now</th>
        </tr>
      </thead>
      <tbody>
        ${[...now.balances].map(
          ([account, balance]) =>
            html`<tr>
              <th scope="row">${account}</th>
              <td>${before.balances.get(account) ?? "0.00"}</td>
              <td class=${balance === before.balances.get(account) ? "" : "changed"}>${balance}</td>
            </tr>`
        )}
      </tbody>
    </table>`

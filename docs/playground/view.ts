/** The playground: scenarios, their code, a drawing of their requests, and how they end. */
import { Drawing } from "../../packages/sandbox/page/drawing.js"
import { html, render } from "../../packages/sandbox/page/preact.js"
import * as Editor from "./Editor.js"
import { data as entries } from "./errors.data.js"
import { missing } from "./keys.js"
import { open } from "./Remote.js"
import type { Remote } from "./Remote.js"
import type { Books, Course, End } from "./Run.js"
import { codeOf, scenarios } from "./scenarios.js"
import type { Scenario } from "./scenarios.js"
import type { Request } from "./worker.js"

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
  let run: Remote | undefined
  let course: Course | undefined
  let refusal: string | undefined
  /** Ready for the next run: a worker takes a moment to load. */
  let spare: Remote | undefined
  /** The first scenario is drawn at once, before the reader presses anything. */
  let isFirst = true

  const draw = () => {
    const problem = refusal ?? missing(code)
    const isRunning = run !== undefined && course?.end === undefined
    const controls = { isPaused, isRunning, speed, onPause, onSpeed, onStart, onStep, onStop }
    render(
      html`<${Scenarios} current=${scenario} onChoose=${choose} />
        <p class="text">${scenario.text}</p>
        <div class="columns">
          <section class="course" aria-labelledby="course">
            <h2 id="course">What happens</h2>
            <${Controls} ...${{ ...controls, course }} />
            <${Requests} ...${{ course, isLoading }} />
          </section>
          <${Code} ...${{ code, editor: editorElement, problem, scenario, onReset }} />
        </div>
        ${course !== undefined && html`<${Result} ...${{ course, errorsPage }} />`}`,
      element
    )
    editor.show(code)
  }

  const choose = (chosen: Scenario) => {
    isFirst = false
    scenario = chosen
    code = codeOf(chosen)
    void start(false)
  }
  const onInput = (text: string) => {
    if (text === code) return
    code = text
    refusal = undefined
    draw()
  }
  const onStart = () => {
    isFirst = false
    void start(false)
  }
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
    isFirst = false
    if (run === undefined || course?.end !== undefined) await start(true)
    else isPaused = true
    // A scenario that was chosen while this one loaded is not stepped through.
    if (isPaused) await ask(run, { is: "step" })
  }
  const onStop = () => {
    end()
    refusal = "You stopped it."
    // It may have been stopped before its first request.
    course = course && { ...course, end: { is: "defect", message: refusal } }
    draw()
  }

  const end = () => {
    run?.stop()
    run = undefined
    isLoading = false
  }

  /** Asks a run, and draws its course. One that was stopped does not answer. */
  const ask = async (asked: Remote | undefined, request: Request) => {
    const answer = await asked?.ask(request)
    if (answer === undefined || run !== asked) return
    if (answer.is === "course") course = answer.course
    else {
      refusal = answer.message
      end()
    }
    isLoading = false
    draw()
  }

  const start = async (paused: boolean) => {
    end()
    course = undefined
    refusal = missing(code)
    isPaused = paused
    if (refusal !== undefined) return draw()
    run = spare ?? open()
    spare = undefined
    isLoading = true
    draw()
    await ask(run, { is: "start", code })
    spare ??= open()
    void play()
  }

  let played: Remote | undefined
  /** Plays a run until it ends, it is paused, or another one starts. */
  const play = async () => {
    const playing = run
    if (playing === undefined || playing === played) return
    played = playing
    let last = await nextFrame()
    while (run === playing && course?.end === undefined && !isPaused) {
      const factor = isFirst ? Infinity : (speeds.get(speed) ?? 1)
      const next = await nextFrame()
      // A tab that was in the background continues where it was.
      await ask(playing, { is: "pass", millis: Math.min(next - last, 100) * factor })
      last = next
      // The newest request stays in sight.
      if (factor < Infinity) element.querySelector(".requests")?.scrollTo({ top: 1e9 })
    }
    if (run === playing) played = undefined
  }

  const editorElement = document.createElement("div")
  const editor = Editor.make(editorElement, code, onInput, onStart)
  void start(false)
  return () => {
    end()
    spare?.stop()
    editor.close()
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
  readonly editor: HTMLElement
  readonly problem: string | undefined
  readonly scenario: Scenario
  readonly onReset: () => void
}) => {
  const { code, editor, onReset, problem, scenario } = properties
  return html`<section class="code" aria-labelledby="code">
    <h2 id="code">The program</h2>
    <div class="editor" ref=${(place: HTMLElement | null) => place?.append(editor)}></div>
    ${problem !== undefined && html`<p role="alert" class="bad">${problem}</p>`}
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
  readonly course: Course | undefined
  readonly isPaused: boolean
  readonly isRunning: boolean
  readonly speed: string
  readonly onPause: () => void
  readonly onSpeed: (speed: string) => void
  readonly onStart: () => void
  readonly onStep: () => void
  readonly onStop: () => void
}) => {
  const { course, isPaused, isRunning, onPause, onSpeed, onStart, onStep, onStop, speed } =
    properties
  return html`<div class="bar">
    <button type="button" class="run" onClick=${onStart}>Run</button>
    <button type="button" onClick=${onPause} disabled=${!isRunning}>
      ${isPaused && isRunning ? "Continue" : "Pause"}
    </button>
    <button type="button" onClick=${onStep}>Step</button>
    <button type="button" onClick=${onStop} disabled=${!isRunning}>Stop</button>
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
    <span class="time">${((course?.elapsedMillis ?? 0) / 1000).toFixed(2)} s</span>
  </div>`
}

const Requests = (properties: {
  readonly course: Course | undefined
  readonly isLoading: boolean
}) => {
  const { course, isLoading } = properties
  if (course === undefined || course.attempts.length === 0) {
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
      attempts=${course.attempts}
      label="Requests, oldest first"
      nowMillis=${course.elapsedMillis}
    />
  </div>`
}

const Result = (properties: { readonly course: Course; readonly errorsPage: string }) => {
  const { course, errorsPage } = properties
  const { before, end, logs, now } = course
  return html`<section class="result" aria-labelledby="result">
    <h2 id="result">How it ends</h2>
    <div class="columns">
      <div>
        <div role="status">${ending(end, errorsPage)}</div>
        <details>
          <summary>What Manilla logs</summary>
          <pre>${logs.join("\n") || "Nothing: no request failed."}</pre>
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
        <pre>${end.value}</pre>
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

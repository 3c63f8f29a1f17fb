/** The playground: examples, their programs, a drawing of their requests, and how they end. */
import { Drawing } from "../../packages/sandbox/page/drawing.js"
import { html, render } from "../../packages/sandbox/page/preact.js"
import * as Editor from "./Editor.js"
import { data as entries } from "./errors.data.js"
import { missing } from "./keys.js"
import { open } from "./Remote.js"
import type { Remote } from "./Remote.js"
import type { Books, Course, End } from "./Run.js"
import { codeOf, examples, tabs } from "./examples.js"
import type { Example, Tab } from "./examples.js"
import type { Request } from "./worker.js"

const speeds: ReadonlyMap<string, number> = new Map([
  ["a tenth", 0.1],
  ["half", 0.5],
  ["real", 1],
  ["four times", 4],
  ["at once", Infinity]
])

/** Where the tabs of the other pages keep the reader's choice. */
const storageKey = "vitepress:tabsSharedState"

/** Shows the playground in an element, with links to the page of errors. Returns a function that stops it. */
export const mount = (element: HTMLElement, errorsPage: string): (() => void) => {
  const shared = () => JSON.parse(localStorage.getItem(storageKey) ?? "{}")
  let tab: Tab = shared().who === "Effect" ? "Effect" : "Promises"
  let [example] = examples
  let code = codeOf(example, tab)
  let speed = matchMedia("(prefers-reduced-motion: reduce)").matches ? "at once" : "half"
  let isPaused = false
  let isLoading = false
  let run: Remote | undefined
  let course: Course | undefined
  let refusal: string | undefined
  /** Ready for the next run: a worker takes a moment to load. */
  let spare: Remote | undefined

  const draw = () => {
    const problem = missing(code)
    render(
      html`<div class="examples" role="group" aria-label="Examples">
          ${examples.map((one) => choice(one.title, one === example, () => choose(one, tab)))}
        </div>
        <p>${example.text}</p>
        <div class="columns">
          <section class="ending" aria-labelledby="ending">
            <h2 id="ending">How it ends</h2>
            ${course && ending(course)}
          </section>
          <section class="course" aria-labelledby="course">
            <h2 id="course">What happens</h2>
            ${controls()} ${requests()}
          </section>
          <section class="code" aria-labelledby="code">
            <h2 id="code">The program</h2>
            ${program(refusal ?? problem?.message)}
          </section>
        </div>`,
      element
    )
    editor.show(code, problem?.line)
  }

  const button = (text: string, onClick: () => void, disabled = false) =>
    html`<button type="button" disabled=${disabled} onClick=${onClick}>${text}</button>`

  const choice = (text: string, isChosen: boolean, onClick: () => void) =>
    html`<button type="button" aria-pressed=${String(isChosen)} onClick=${onClick}>${text}</button>`

  const controls = () => {
    const isRunning = run !== undefined && course?.end === undefined
    return html`<div class="bar">
      <button type="button" class="run" onClick=${onStart}>Run</button>
      ${button(isPaused && isRunning ? "Continue" : "Pause", onPause, !isRunning)}
      ${button("Step", onStep)} ${button("Stop", onStop, !isRunning)}
      <label>
        Speed${" "}
        <select value=${speed} onChange=${onSpeed}>
          ${[...speeds.keys()].map((name) => html`<option value=${name}>${name}</option>`)}
        </select>
      </label>
      <span class="time">${((course?.elapsedMillis ?? 0) / 1000).toFixed(2)} s</span>
    </div>`
  }

  const requests = () => {
    const { attempts = [], nowMillis } = course ?? {}
    const hint = isLoading
      ? "Loading the client and the sandbox…"
      : "Press Run, or another example: its requests appear here."
    if (attempts.length === 0) return html`<p class="empty">${hint}</p>`
    return html`<div class="requests" role="region" aria-label="Requests" tabindex="0">
      <${Drawing} attempts=${attempts} label="Requests, oldest first" nowMillis=${nowMillis} />
    </div>`
  }

  const program = (problem: string | undefined) =>
    html`<div class="bar">
        ${tabs.map((one) => choice(one, one === tab, () => choose(example, one)))}
        ${button("Undo changes", onReset, code === codeOf(example, tab))}
      </div>
      <div class="editor" ref=${placeEditor}></div>
      ${problem !== undefined && html`<p role="alert" class="bad">${problem}</p>`}
      <p id="keys">Change the program, and run it with Ctrl+Enter.</p>`

  const ending = ({ before, end, logs, now }: Course) =>
    html`<div role="status">${endOf(end)}</div>
      ${now !== undefined && made(now)} ${before && now && balances(before, now)}
      ${end?.is === "success" && details("Its result", html`<pre>${end.value}</pre>`)}
      ${(end !== undefined || logs.length > 0) && details("The logs", html`<pre>${logs.join("\n") || "None: no request failed."}</pre>`)}`

  const endOf = (end: End | undefined) => {
    if (end === undefined) return html`<p>The program is running.</p>`
    if (end.is === "success") return html`<p class="good">The program succeeded.</p>`
    if (end.is === "defect") return html`<p class="bad">${end.message}</p>`
    const { message, tag } = end
    const entry = entries[tag]
    return html`<p class="bad">The program failed with <strong>${tag}</strong>:</p>
      <p>${message}</p>
      ${
        entry !== undefined &&
        details(
          "What to do",
          html`<div class="remedy" dangerouslySetInnerHTML=${{ __html: entry }}></div>
            <p><a href=${`${errorsPage}#${tag.toLowerCase()}`}>More about ${tag}</a></p>`
        )
      }`
  }

  const choose = (chosen: Example, by: Tab) => {
    if (by !== tab) localStorage.setItem(storageKey, JSON.stringify({ ...shared(), who: by }))
    example = chosen
    tab = by
    code = codeOf(example, tab)
    onStart()
  }
  const onInput = (text: string) => {
    if (text === code) return
    code = text
    refusal = undefined
    draw()
  }
  const onStart = () => void start(false)
  const onReset = () => onInput(codeOf(example, tab))
  const onPause = () => {
    isPaused = !isPaused
    draw()
  }
  const onStep = async () => {
    if (run === undefined || course?.end !== undefined) await start(true)
    else isPaused = true
    // An example that was chosen while this one loaded is not stepped through.
    if (isPaused) await ask(run, { is: "step" })
  }
  const onSpeed = ({ target }: Event) => {
    if (target instanceof HTMLSelectElement) speed = target.value
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

  const start = async (paused: boolean, factor?: number) => {
    end()
    course = undefined
    refusal = missing(code)?.message
    isPaused = paused
    if (refusal !== undefined) return draw()
    const playing = spare ?? open()
    run = playing
    spare = undefined
    isLoading = true
    draw()
    await ask(playing, { is: "start", code })
    spare ??= open()
    void play(playing, factor)
  }

  /** Plays a run until it ends, or another one starts. Without a factor, the reader chooses the speed. */
  const play = async (playing: Remote, fixed?: number) => {
    let last = await nextFrame()
    while (run === playing && course?.end === undefined) {
      const next = await nextFrame()
      // A tab that was in the background continues where it was.
      const millis = Math.min(next - last, 100)
      const factor = fixed ?? speeds.get(speed) ?? 1
      last = next
      if (isPaused) continue
      await ask(playing, { is: "pass", millis: millis * factor })
      // The newest request stays in sight.
      if (factor < Infinity) element.querySelector(".requests")?.scrollTo({ top: 1e9 })
    }
  }

  const editorElement = document.createElement("div")
  /** One function for all draws: a new one would move the editor, and so take the cursor away. */
  const placeEditor = (place: HTMLElement | null) => place?.append(editorElement)
  const editor = Editor.make(editorElement, code, onInput, onStart)
  // The first example is drawn at once, before the reader presses anything.
  void start(false, Infinity)
  return () => {
    end()
    spare?.stop()
    editor.close()
    render(html``, element)
  }
}

const details = (summary: string, content: unknown) =>
  html`<details>
    <summary>${summary}</summary>
    ${content}
  </details>`

const nextFrame = () => new Promise<number>((resolve) => requestAnimationFrame(resolve))

const made = ({ made }: Books) => {
  const counts = Array.from(new Set(made.map(({ kind }) => kind)), (kind) => {
    const count = made.filter((one) => one.kind === kind).length
    return `${count} ${kind}${count === 1 ? "" : "s"}`
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

const balances = (before: Books, now: Books) =>
  html`<table>
    <thead>
      <tr>
        ${["Ledger, XOF", "Before", "Now"].map((name) => html`<th scope="col">${name}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${[...now.balances].map(
        ([account, balance]) =>
          html`<tr>
            <th scope="row">${account}</th>
            <td>${before.balances.get(account) ?? "0.00"}</td>
            <td>
              ${balance === before.balances.get(account) ? balance : html`<strong>${balance}</strong>`}
            </td>
          </tr>`
      )}
    </tbody>
  </table>`

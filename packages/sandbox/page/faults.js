// Faults: a form made from the schema of the control API, and the list of the pending ones.
import { call, controlCurl } from "./api.js"
import { actButton, choice, copyButton } from "./parts.js"
import { html, useRef, useState } from "./preact.js"
import { act, useRead } from "./state.js"

/** @typedef {typeof import("../src/Scenario.js").PendingFault.Encoded} PendingFault */

/**
 * The parts of a JSON schema that the form uses.
 *
 * @typedef {{
 *   type?: string, description?: string, enum?: ReadonlyArray<string>, minimum?: number, maximum?: number,
 *   maxLength?: number, anyOf?: ReadonlyArray<Schema>, properties?: Readonly<Record<string, Schema>>,
 *   required?: ReadonlyArray<string>
 * }} Schema
 */

/** The fields that every fault has, which the page shows itself. */
const common = new Set(["fault", "operation", "header", "field", "count", "probability", "seed"])

/** @param {string} name */
const labelOf = (name) => {
  const text = name.replaceAll("_", " ")
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** @param {Schema} schema */
const typesOf = ({ anyOf = [], type }) => new Set([type, ...anyOf.map((one) => one.type)])

/** @param {Schema} kind @returns {ReadonlyArray<readonly [name: string, schema: Schema]>} */
const ownOf = ({ properties = {} }) =>
  Object.entries(properties).filter(([name]) => !common.has(name))

/** A labelled control for a field of a fault. @param {string} name @param {Schema} schema @param {boolean} required */
const control = (name, schema, required) => {
  const types = typesOf(schema)
  const label = required ? labelOf(name) : `${labelOf(name)} (optional)`
  if (types.has("boolean")) {
    return html`<label class="check"><input type="checkbox" name=${name} /> ${labelOf(name)}</label>`
  }
  const { enum: values, maxLength = 0, maximum, minimum } = schema
  const input = values
    ? html`<select name=${name}>${values.map((value) => html`<option value=${value}>${value}</option>`)}</select>`
    : !types.has("string")
      ? html`<input name=${name} type="number" step="any" min=${minimum} max=${maximum} required=${required} />`
      : maxLength > 1000
        ? html`<textarea name=${name} rows="3" maxlength=${maxLength} />`
        : html`<input name=${name} required=${required} maxlength=${maxLength || undefined} />`
  return html`<label>${label} ${input}</label>`
}

/** JSON where it is a value other than a string, such as `true` or 5. @param {string} text */
const literal = (text) => (/^(true|false|null|-?\d+(\.\d+)?)$/.test(text) ? JSON.parse(text) : text)

/** Leaves out empty members. @param {Record<string, unknown>} members */
const given = (members) =>
  Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== "" && value !== undefined)
  )

/** The fault that the form describes. @param {HTMLFormElement | null} form @param {string} name @param {Schema} kind */
const ruleOf = (form, name, kind) => {
  const data = new FormData(form ?? undefined)
  const text = (/** @type {string} */ name) => String(data.get(name) ?? "").trim()
  const own = ownOf(kind).map(([name, schema]) => {
    const types = typesOf(schema)
    if (types.has("boolean")) return [name, data.has(name) || undefined]
    return [name, types.has("string") ? text(name) : literal(text(name))]
  })
  return given({
    fault: name,
    ...Object.fromEntries(own),
    operation: text("operation"),
    header: text("header-name")
      ? given({ name: text("header-name"), value: text("header-value") })
      : undefined,
    field: text("field-name")
      ? { name: text("field-name"), value: literal(text("field-value")) }
      : undefined,
    count: literal(text("count")),
    probability: literal(text("probability")),
    seed: literal(text("seed"))
  })
}

/** The fields that a line of the list leaves out, or shows in another way. */
const hidden = new Set([...common, "body", "content_type"])

/** @param {PendingFault} fault */
const describe = ({ remaining, rule }) => {
  const { fault, field, header, operation, probability } = rule
  return [
    fault,
    ...Object.entries(rule)
      .filter(([name, value]) => !hidden.has(name) && value !== undefined && value !== false)
      .map(([name, value]) => `${labelOf(name).toLowerCase()} ${String(value)}`),
    `for ${operation ?? "any operation"}`,
    header && `with the header ${header.name}`,
    field && `with ${field.name} = ${String(field.value)}`,
    probability !== undefined && `with probability ${probability}`,
    remaining === "always" ? "always" : `${remaining} left`
  ]
    .filter(Boolean)
    .join(", ")
}

/** @param {ReadonlyArray<PendingFault>} faults */
const pending = (faults) =>
  faults.length === 0
    ? html`<p>No fault is pending. <a href="#requests">Requests</a> shows which faults applied.</p>`
    : html`<ol>${faults.map((fault) => {
        const text = describe(fault)
        return html`<li key=${fault.id}>${text} ${actButton(
          "Remove",
          async () => {
            await call("DELETE", `/faults/${encodeURIComponent(fault.id)}`)
            return "The fault was removed."
          },
          `Remove: ${text}`
        )}</li>`
      })}</ol>`

export const Faults = () => {
  /** @type {ReadonlyArray<PendingFault> | undefined} */
  const faults = useRead("/faults")
  /** @type {{ components: { schemas: { FaultRule: Schema } } } | undefined} */
  const document = useRead("/openapi.json")
  const [name, setName] = useState("drop_before")
  const form = /** @type {{ current: HTMLFormElement | null }} */ (useRef(null))
  if (faults === undefined || document === undefined) return null
  const kinds = new Map(
    (document.components.schemas.FaultRule.anyOf ?? []).flatMap((schema) =>
      (schema.properties?.["fault"]?.enum ?? []).map((one) => [one, schema])
    )
  )
  const kind = kinds.get(name) ?? {}
  const add = async () => {
    await call("POST", "/faults", ruleOf(form.current, name, kind))
    return `The fault ${name} was added.`
  }
  /** @param {Event} event */
  const submit = (event) => {
    event.preventDefault()
    void act(add)
  }
  return html`
    <p>A fault applies to the next requests that match it. The first fault in the list that matches applies.</p>
    <div id="faults" role="region" aria-label="Pending faults" tabindex="-1">${pending(faults)}</div>
    <form class="fields" ref=${form} onSubmit=${submit}>
      <h3>Add a fault</h3>
      ${choice(
        "Fault",
        name,
        [...kinds.keys()].map((one) => [one, one]),
        setName
      )}
      <p class="hint">${kind.description && `${kind.description}.`}</p>
      <div class="fields" key=${name}>
        ${ownOf(kind).map(([field, schema]) => control(field, schema, kind.required?.includes(field) === true))}
      </div>
      <label>Operation
        <select name="operation">
          <option value="">any</option>
          ${(kind.properties?.["operation"]?.enum ?? []).map((one) => html`<option key=${one} value=${one}>${one}</option>`)}
        </select>
      </label>
      <label>Number of requests
        <input name="count" defaultValue="1" inputmode="numeric" aria-describedby="count-hint" />
      </label>
      <p id="count-hint" class="hint">A whole number, or “always”.</p>
      <details>
        <summary>More conditions</summary>
        <div class="fields">
          <label>Header <input name="header-name" /></label>
          <label>Value of the header <input name="header-value" /></label>
          <label>Field of the body <input name="field-name" placeholder="payer.phone_number" /></label>
          <label>Value of the field <input name="field-value" /></label>
          <label>Probability <input name="probability" type="number" min="0" max="1" step="any" placeholder="1" /></label>
          <label>Seed of the draws <input name="seed" type="number" min="0" step="1" placeholder="0" /></label>
        </div>
      </details>
      <p class="bar">
        <button type="submit">Add fault</button>
        ${copyButton(() => controlCurl("POST", "/faults", ruleOf(form.current, name, kind)))}
      </p>
    </form>`
}

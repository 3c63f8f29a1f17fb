// Faults: a form made from the schema of the control API, and the list of the pending ones.
import { call, controlCurl } from "./api.js"
import { act, byId, copy, h, replace, valueOf } from "./dom.js"

/** @typedef {typeof import("../src/Outcome.js").PendingFault.Encoded} PendingFault */

/**
 * The parts of a JSON schema that the form uses.
 *
 * @typedef {{
 *   type?: string, description?: string, enum?: ReadonlyArray<string>, minimum?: number, maximum?: number,
 *   maxLength?: number, anyOf?: ReadonlyArray<Schema>, properties?: Readonly<Record<string, Schema>>,
 *   required?: ReadonlyArray<string>
 * }} Schema
 */

const form = byId("fault", HTMLFormElement)
const select = byId("fault-name", HTMLSelectElement)

/** The fields that every fault has, which the page shows itself. */
const common = new Set(["fault", "operation", "header", "field", "count", "probability", "seed"])

/** The kinds of faults by name. @type {Map<string, Schema>} */
const kinds = new Map()

/** @param {string} name */
const labelOf = (name) => {
  const text = name.replaceAll("_", " ")
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** @param {Schema} schema */
const typesOf = ({ anyOf = [], type }) => new Set([type, ...anyOf.map((one) => one.type)])

/**
 * A labelled control for a field of a fault.
 *
 * @param {string} name
 * @param {Schema} schema
 * @param {boolean} required
 */
const control = (name, schema, required) => {
  const types = typesOf(schema)
  const label = required ? labelOf(name) : `${labelOf(name)} (optional)`
  if (types.has("boolean")) {
    return h("label", { class: "check" }, h("input", { type: "checkbox", name }), labelOf(name))
  }
  if (schema.enum !== undefined) {
    const options = schema.enum.map((value) => h("option", { value }, value))
    return h("label", {}, label, " ", h("select", { name }, ...options))
  }
  if (types.has("string")) {
    return (schema.maxLength ?? 0) > 1000
      ? h("label", {}, label, " ", h("textarea", { name, rows: 3, maxlength: schema.maxLength }))
      : h("label", {}, label, " ", h("input", { name, required, maxlength: schema.maxLength }))
  }
  const { maximum: max, minimum: min } = schema
  return h(
    "label",
    {},
    label,
    " ",
    h("input", { name, type: "number", step: "any", min, max, required })
  )
}

const renderFields = () => {
  const { description = "", properties = {}, required = [] } = kinds.get(select.value) ?? {}
  byId("fault-description", HTMLElement).textContent = description === "" ? "" : `${description}.`
  byId("fault-fields", HTMLElement).replaceChildren(
    ...Object.entries(properties)
      .filter(([name]) => !common.has(name))
      .map(([name, schema]) => control(name, schema, required.includes(name)))
  )
}

/** A number where it is one, otherwise the text. @param {string} text */
const numberOr = (text) => (/^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text)

/** JSON where it is a value other than a string, such as `true`. @param {string} text */
const literal = (text) => (/^(true|false|null|-?\d+(\.\d+)?)$/.test(text) ? JSON.parse(text) : text)

/** Leaves out empty members. @param {Record<string, unknown>} members */
const given = (members) =>
  Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== "" && value !== undefined)
  )

/** The fault that the form describes. */
const rule = () => {
  const { properties = {} } = kinds.get(select.value) ?? {}
  const header = valueOf(form, "header-name")
  const field = valueOf(form, "field-name")
  const target = given({
    operation: valueOf(form, "operation"),
    header:
      header === "" ? undefined : given({ name: header, value: valueOf(form, "header-value") }),
    field: field === "" ? undefined : { name: field, value: literal(valueOf(form, "field-value")) }
  })
  const own = Object.entries(properties)
    .filter(([name]) => !common.has(name))
    .map(([name, schema]) => {
      const input = form.elements.namedItem(name)
      if (input instanceof HTMLInputElement && input.type === "checkbox") {
        return [name, input.checked || undefined]
      }
      const types = typesOf(schema)
      const isNumber = types.has("integer") || types.has("number")
      const text = valueOf(form, name)
      return [name, isNumber ? numberOr(text) : text]
    })
  return {
    fault: select.value,
    ...given(Object.fromEntries(own)),
    ...target,
    ...given({
      count: numberOr(valueOf(form, "count").trim()),
      probability: numberOr(valueOf(form, "probability")),
      seed: numberOr(valueOf(form, "seed"))
    })
  }
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
    header === undefined ? undefined : `with the header ${header.name}`,
    field === undefined ? undefined : `with ${field.name} = ${String(field.value)}`,
    probability === undefined ? undefined : `with probability ${probability}`,
    remaining === "always" ? "always" : `${remaining} left`
  ]
    .filter((part) => part !== undefined)
    .join(", ")
}

let latest = ""

/** Reads the kinds of faults once, and the pending faults. */
export const refresh = async () => {
  if (kinds.size === 0) await readKinds()
  /** @type {ReadonlyArray<PendingFault>} */
  const faults = await call("GET", "/faults")
  if (JSON.stringify(faults) === latest) return
  latest = JSON.stringify(faults)
  replace(
    byId("faults", HTMLElement),
    faults.length === 0
      ? h(
          "p",
          {},
          "No fault is pending. ",
          h("a", { href: "#requests" }, "Requests"),
          " shows which faults applied."
        )
      : h(
          "ol",
          {},
          ...faults.map((fault) => {
            const text = describe(fault)
            return h(
              "li",
              {},
              text,
              " ",
              h(
                "button",
                { type: "button", "aria-label": `Remove: ${text}`, onclick: () => remove(fault) },
                "Remove"
              )
            )
          })
        )
  )
}

/** @param {PendingFault} fault */
const remove = ({ id }) =>
  act(async () => {
    await call("DELETE", `/faults/${encodeURIComponent(id)}`)
    await refresh()
    return "The fault was removed."
  })

const readKinds = async () => {
  /** @type {{ components: { schemas: { FaultRule: Schema } } }} */
  const { components } = await call("GET", "/openapi.json")
  for (const schema of components.schemas.FaultRule.anyOf ?? []) {
    for (const name of schema.properties?.["fault"]?.enum ?? []) kinds.set(name, schema)
  }
  select.replaceChildren(...[...kinds.keys()].map((name) => h("option", { value: name }, name)))
  const [first] = kinds.values()
  const operations = first?.properties?.["operation"]?.enum ?? []
  const operation = form.elements.namedItem("operation")
  if (operation instanceof HTMLSelectElement) {
    operation.append(...operations.map((name) => h("option", { value: name }, name)))
  }
  renderFields()
}

select.addEventListener("change", renderFields)
form.addEventListener("submit", (event) => {
  event.preventDefault()
  act(async () => {
    const added = rule()
    await call("POST", "/faults", added)
    await refresh()
    return `The fault ${added.fault} was added.`
  })
})
byId("fault-curl", HTMLButtonElement).addEventListener("click", () =>
  copy(controlCurl("POST", "/faults", rule()))
)

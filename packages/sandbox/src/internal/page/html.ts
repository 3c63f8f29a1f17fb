/**
 * HTML pages. Their headers let them load only files of the sandbox, and forbid frames of other pages.
 */
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"

/** Makes a text safe in an element or an attribute. */
export const escape = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

export interface Policy {
  /** Sources of scripts and connections. Defaults to none. */
  readonly script?: "'self'" | undefined
  /** Where forms may be sent. Defaults to nowhere. */
  readonly formAction?: string | undefined
}

/** Headers of a page or of one of its files. */
export const headers = ({ formAction = "'none'", script }: Policy = {}) => ({
  "content-security-policy": [
    "default-src 'none'",
    "style-src 'self'",
    "img-src data:",
    ...(script === undefined ? [] : [`script-src ${script}`, `connect-src ${script}`]),
    `form-action ${formAction}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
    // Scripts cannot turn text into HTML.
    "require-trusted-types-for 'script'",
    "trusted-types 'none'"
  ].join("; "),
  "x-frame-options": "DENY",
  "x-content-type-options": "nosniff",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  // `no-referrer` would remove the `Origin` of forms.
  "referrer-policy": "same-origin",
  "cache-control": "no-cache"
})

export interface Page {
  readonly title: string
  /** HTML. */
  readonly body: string
  readonly status?: number | undefined
  readonly policy?: Policy | undefined
}

/** A page without scripts, in the style of the others. */
export const page = ({ body, policy, status = 200, title }: Page) =>
  HttpServerResponse.text(
    `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(title)}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/page/page.css">
</head>
<body>
${body}
</body>
</html>
`,
    { status, contentType: "text/html; charset=utf-8", headers: headers(policy) }
  )

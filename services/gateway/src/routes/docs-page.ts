import { createHash } from 'node:crypto'

/** Where the document of the API is served. */
export const DOCUMENT_PATH = '/v1/openapi.json'

/** Nothing in the page may ask another host for anything: no fonts, no statistics, no proxy, no assistant. */
const SETTINGS = {
  url: DOCUMENT_PATH,
  withDefaultFonts: false,
  telemetry: false,
  persistAuth: false,
  hideClientButton: true,
  defaultOpenAllTags: true,
  showDeveloperTools: 'never',
  agent: { disabled: true },
  mcp: { disabled: true },
}

const START = `Scalar.createApiReference('#app', ${JSON.stringify(SETTINGS)})`

/** The reference of the API for people, drawn by the script at the path given. */
export function docsPage(scriptPath: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Herald API</title>
<link rel="icon" href="data:,">
</head>
<body>
<div id="app"></div>
<noscript>This page needs JavaScript. The same is in <a href="${DOCUMENT_PATH}">${DOCUMENT_PATH}</a>.</noscript>
<script src="${scriptPath}"></script>
<script>${START}</script>
</body>
</html>
`
}

/** What the page may load: itself. The reference sets its styles from its script, hence 'unsafe-inline' for them. */
export const DOCS_POLICY = [
  "default-src 'none'",
  `script-src 'self' 'sha256-${createHash('sha256').update(START).digest('base64')}'`,
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

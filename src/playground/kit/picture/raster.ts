/** Pictures of pixels, made in the tab from a drawn SVG (drawn-svg.ts). */
import type { DrawnSvg } from './drawn-svg.ts'

/** Throws an Error that says what to do if the browser does not draw the text. */
export async function rasterise({ text, width, height }: DrawnSvg, scale = 1): Promise<HTMLCanvasElement> {
  const image = new Image()
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`
  try {
    await image.decode()
  } catch (cause) {
    const problem =
      'Your browser did not draw the picture. If the server of this page sends a Content-Security-Policy, it has to allow img-src data:. Take a screenshot instead.'
    throw new Error(problem, { cause })
  }
  const canvas = document.createElement('canvas')
  canvas.width = Math.round(width * scale)
  canvas.height = Math.round(height * scale)
  canvas.getContext('2d', { willReadFrequently: true })!.drawImage(image, 0, 0, canvas.width, canvas.height)
  return canvas
}

/** Throws an Error that says what to do if the browser does not give out what it has drawn. */
export function pngOf(canvas: HTMLCanvasElement): Promise<Blob> {
  return new Promise((resolve, reject) => {
    const problem = 'Your browser does not let a page save what it draws. Take a screenshot instead.'
    try {
      canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error(problem))), 'image/png')
    } catch (cause) {
      reject(new Error(problem, { cause }))
    }
  })
}
